#include "kinegrad/constraints/all.hpp"
#include "kinegrad/constraints/constraint_concept.hpp"
#include "kinegrad/forces/all.hpp"
#include "kinegrad/forces/force_concept.hpp"
#include "kinegrad/joints/all.hpp"
#include "kinegrad/joints/joint_concept.hpp"
#include "kinegrad/model/catalogue.hpp"

namespace kinegrad {

const Catalogue& builtin_catalogue() {
  static const Catalogue catalogue = [] {
    Catalogue c;
    Joints::for_each([&]<typename J>() { c.add(joint_model<J>()); });
    Carriers::for_each([&]<typename J>() { c.add_carrier(joint_model<J>()); });
    Forces::for_each([&]<typename F>() { c.add(force_model<F>()); });
    ForceParts::for_each([&]<typename F>() { c.add_part(force_model<F>()); });
    Constraints::for_each([&]<typename C>() { c.add(constraint_model<C>()); });
    return c;
  }();
  return catalogue;
}

}  // namespace kinegrad
