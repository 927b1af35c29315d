#include "kinegrad/model/model.hpp"

#include "model/names.hpp"

namespace kinegrad {

namespace {

template <typename Elements>
int find_named(const Elements& elements, std::string_view name) {
  for (std::size_t k = 0; k < elements.size(); ++k) {
    if (elements[k].name == name) return static_cast<int>(k);
  }
  return -1;
}

}  // namespace

VecX Model::default_rho() const {
  VecX rho(design_map_.parameter_count());
  for (const Parameter& parameter : parameters_) {
    if (parameter.index >= 0) rho(parameter.index) = parameter.value;
  }
  return rho;
}

std::vector<double> Model::default_physical() const {
  const VecX rho = default_rho();
  std::vector<double> p(static_cast<std::size_t>(design_map_.physical_count()));
  auto work = design_map_.make_workspace<double>();
  design_map_.evaluate<double>({rho.data(), static_cast<std::size_t>(rho.size())}, p, work);
  return p;
}

std::vector<int> Model::find_parameters(std::string_view name) const {
  std::vector<int> found;
  for (const Parameter& p : parameters_) {
    if ((p.name == name || range_of(p.name) == name) && !p.derived) found.push_back(p.index);
  }
  return found;
}

int Model::find_body(std::string_view name) const { return find_named(bodies_, name); }
int Model::find_joint(std::string_view name) const { return find_named(joints_, name); }

int Model::find_vector(std::string_view name) const {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return find_named(vectors_, name);
  const int body = find_body(name.substr(0, dot));
  for (std::size_t k = 0; k < vectors_.size(); ++k) {
    if (vectors_[k].body == body && vectors_[k].name == name.substr(dot + 1)) {
      return static_cast<int>(k);
    }
  }
  return -1;
}

std::string Model::vector_name(int index) const {
  const BodyVector& v = vectors_[static_cast<std::size_t>(index)];
  int same = 0;
  for (const BodyVector& other : vectors_) same += other.name == v.name ? 1 : 0;
  return same == 1 ? v.name : bodies_[static_cast<std::size_t>(v.body)].name + "." + v.name;
}

}  // namespace kinegrad
