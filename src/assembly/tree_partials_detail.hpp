// What the files of TreePartials share.
#pragma once

#include "kinegrad/assembly/tree_partials.hpp"

namespace kinegrad {

/// The force f at the place r as a wrench at the common point.
inline Twist<double> wrench_at(const Vec3& r, const Vec3& f) {
  Twist<double> F;
  F << la::cross(r, f), f;
  return F;
}

/// Velocity of the place r in the motion V.
inline Vec3 field_at(const Twist<double>& V, const Vec3& r) {
  return V.tail<3>() + la::cross(V.head<3>(), r);
}

/// A field that changes from place to place, at every centre of mass: as a force m e on that point.
template <typename Visit>
void TreePartials::each_body_in_field(const Force& force, const Visit& visit) const {
  const AttributeVector<double> attributes = d_.attributes(force);
  FieldState at;
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const auto s = d_.point_state({static_cast<int>(k), d_.nodes_[k].c});
    const PortState<double> state{s.r, s.rdot, t_};
    at.m = d_.nodes_[k].m;
    at.c = s.r - x0_;
    at.cdot = s.rdot;
    at.e = force.type->effort(state, attributes);
    force.type->partials(state, attributes, at.partials);
    visit(k, at);
  }
}

}  // namespace kinegrad
