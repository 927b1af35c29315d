#include "kinegrad/model/coordinate_units.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kinegrad {

namespace {

Vec3 at(std::span<const double> p, int first) { return Eigen::Map<const Vec3>(p.data() + first); }

/// Natural coordinates are points and unit vectors, and copies of coordinates of the tree.
VecX natural_units(const Model& model, double size) {
  const NaturalBasis& basis = model.natural();
  VecX d = VecX::Ones(basis.nq);
  for (const NaturalElement& element : basis.elements) {
    if (element.is_point && element.first >= 0) d.segment<3>(element.first).setConstant(size);
  }
  for (const NaturalBasis::Copied& copied : basis.copied) {
    for (const Joint& joint : model.joints()) {
      if (joint.cut) continue;
      for (int c = 0; c < joint.type->nq(); ++c) {
        const int k = joint.q_first + c - copied.tree;
        if (k < 0 || k >= copied.count) continue;
        d(copied.first + k) = unit_of_coordinate(model, joint, c, size);
      }
    }
  }
  return d;
}

/// From the centre of mass of a body to what is furthest of it, or its radius of gyration.
double lever_of(const Model& model, std::span<const double> p, int b) {
  const Body& body = model.bodies()[static_cast<std::size_t>(b)];
  const Vec3 centre = body.mass.mass < 0 ? Vec3::Zero() : at(p, body.mass.com);
  double lever = 0;
  const auto reach = [&](double length) {
    if (std::isfinite(length)) lever = std::max(lever, length);
  };
  const auto reach_point = [&](int first) {
    if (first >= 0) reach((at(p, first) - centre).norm());
  };
  for (const Joint& joint : model.joints()) {
    if (joint.body1 == b) reach_point(joint.F.origin());
    if (joint.body2 == b) reach_point(joint.M.origin());
  }
  for (const BodyVector& v : model.vectors()) {
    if (v.is_point && v.body == b) reach_point(v.first);
  }
  if (body.mass.mass < 0) return lever;
  const double mass = p[static_cast<std::size_t>(body.mass.mass)];
  if (mass > 0) reach(std::sqrt(at(p, body.mass.inertia).lpNorm<Eigen::Infinity>() / mass));
  return lever;
}

}  // namespace

double unit_of_coordinate(const Model& model, const Joint& joint, int component, double size) {
  const bool auxiliary = model.bodies()[static_cast<std::size_t>(joint.body2)].auxiliary ||
                         model.bodies()[static_cast<std::size_t>(joint.body1)].auxiliary;
  const auto c = static_cast<std::size_t>(component);
  const bool length = joint.type->coordinates()[c].kind == CoordinateKind::kLength;
  return length && !auxiliary ? size : 1;
}

VecX coordinate_units(const Model& model, double size) {
  if (!model.natural().empty()) return natural_units(model, size);
  VecX d = VecX::Ones(model.nq());
  for (const Joint& joint : model.joints()) {
    if (joint.cut) continue;
    for (int c = 0; c < joint.type->nq(); ++c) {
      d(joint.q_first + c) = unit_of_coordinate(model, joint, c, size);
    }
  }
  return d;
}

double usual_lever(const Model& model, std::span<const double> p) {
  std::vector<double> levers;
  for (std::size_t b = 1; b < model.bodies().size(); ++b) {
    if (model.bodies()[b].auxiliary) continue;
    const double lever = lever_of(model, p, static_cast<int>(b));
    if (lever > 0) levers.push_back(lever);
  }
  if (levers.empty()) return 1;
  const auto middle = levers.begin() + static_cast<std::ptrdiff_t>(levers.size() / 2);
  std::nth_element(levers.begin(), middle, levers.end());
  return *middle;
}

}  // namespace kinegrad
