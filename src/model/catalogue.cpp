#include "kinegrad/model/catalogue.hpp"

#include <algorithm>
#include <string>

#include "kinegrad/base/error.hpp"

namespace kinegrad {

namespace {

template <typename Element>
const Element* find(const std::vector<const Element*>& elements, std::string_view name) {
  const auto it = std::find_if(elements.begin(), elements.end(),
                               [&](const Element* e) { return e->name() == name; });
  return it == elements.end() ? nullptr : *it;
}

template <typename Element>
void insert(std::vector<const Element*>& elements, const Element& element) {
  if (find(elements, element.name())) {
    throw InvalidArgument("the catalogue already has a type named \"" +
                          std::string(element.name()) + "\"");
  }
  elements.push_back(&element);
}

}  // namespace

void Catalogue::add(const JointModel& joint) { insert(joints_, joint); }
void Catalogue::add(const ForceModel& force) { insert(forces_, force); }
void Catalogue::add(const ConstraintModel& constraint) { insert(constraints_, constraint); }

void Catalogue::add_carrier(const JointModel& joint) { insert(carriers_, joint); }
void Catalogue::add_part(const ForceModel& force) { insert(parts_, force); }

const JointModel* Catalogue::find_joint(std::string_view name) const { return find(joints_, name); }
const JointModel* Catalogue::find_carrier(std::string_view name) const {
  return find(carriers_, name);
}
const ForceModel* Catalogue::find_force(std::string_view name) const { return find(forces_, name); }
const ForceModel* Catalogue::find_part(std::string_view name) const { return find(parts_, name); }
const ConstraintModel* Catalogue::find_constraint(std::string_view name) const {
  return find(constraints_, name);
}

}  // namespace kinegrad
