#include "simulation/rest_bristles.hpp"

#include <fmt/format.h>

#include "kinegrad/model/bristles.hpp"

namespace kinegrad {

namespace {

int state_coordinate(const Model& model, const Force& force, int k) {
  const auto joint = static_cast<std::size_t>(force.states[static_cast<std::size_t>(k)]);
  return model.joints()[joint].q_first;
}

/// How many bristles it has with the law that it was given.
int count_of(const Force& force, const Bristles* bristles) {
  return bristles ? std::min(bristles->bristles(), static_cast<int>(force.states.size())) : 0;
}

}  // namespace

std::vector<int> bristle_coordinates(const Model& model) {
  std::vector<int> out;
  for (const Force& force : model.forces()) {
    const int count = count_of(force, bristles_of(*force.type));
    for (int k = 0; k < count; ++k) out.push_back(state_coordinate(model, force, k));
  }
  return out;
}

std::string overloaded_bristles(const Model& model, std::span<const double> p, const VecX& v) {
  constexpr double kRounding = 1e-9;
  for (const Force& force : model.forces()) {
    const Bristles* const bristles = bristles_of(*force.type);
    if (count_of(force, bristles) == 0) continue;
    ForceStates<double> z(static_cast<Eigen::Index>(force.states.size()));
    for (Eigen::Index k = 0; k < z.size(); ++k) {
      z(k) = v(state_coordinate(model, force, static_cast<int>(k)));
    }
    const AttributeVector<double> attributes =
        Eigen::Map<const VecX>(p.data() + force.attributes, force.type->attribute_count());
    const double part = bristles->carried(z, attributes);
    if (part <= 1 + kRounding) continue;
    return fmt::format(
        "{} would have to carry {:.4g} times what its friction can at rest: it slides", force.name,
        part);
  }
  return {};
}

}  // namespace kinegrad
