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
    Forces::for_each([&]<typename F>() { c.add(force_model<F>()); });
    return c;
  }();
  return catalogue;
}

}  // namespace kinegrad
