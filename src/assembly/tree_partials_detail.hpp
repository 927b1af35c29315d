// What the files of TreePartials share.
#pragma once

#include <utility>

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

/// g, z and y of a vector's cotangents [DP-7].
struct GatheredVector {
  Halves<double> g, z, y;
};
inline GatheredVector gathered(const VectorState& s, const Vec3& x0, const VectorCotangent& bar) {
  using Part = Triple<double>;
  const Part r = s.is_point ? Part(s.x) - Part(x0) : Part(s.x), rdot(s.xdot), rddot(s.xddot);
  const Part x(bar.x), xdot(bar.xdot), xddot(bar.xddot);
  const auto lower = [&](const Part& f) { return s.is_point ? f : Part::zero(); };
  return {{cross(r, x) + cross(rdot, xdot) + cross(rddot, xddot), lower(x)},
          {cross(r, xdot) + cross(rdot, xddot) * 2.0, lower(xdot)},
          {cross(r, xddot), lower(xddot)}};
}

/// sum += x, for sums that are kept as vectors.
inline void add_halves(const Halves<double>& x, Twist<double>& sum) {
  Halves<double> all(sum);
  all += x;
  all.store(sum);
}

/// A field that changes from place to place, at every centre of mass: as a force m e on that point.
template <typename Visit>
void TreePartials::each_body_in_field(const Force& force, const Visit& visit) const {
  const AttributeVector<double> attributes = d_.attributes(force);
  FieldState at;
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    if (d_.nodes_[k].auxiliary) continue;
    const auto s = d_.point_state({static_cast<int>(k), d_.nodes_[k].c});
    const PortState<double> state{s.r, s.rdot, t_};
    at.m = d_.nodes_[k].mass;
    at.c = s.r - x0_;
    at.cdot = s.rdot;
    at.e = force.type->effort(state, attributes);
    force.type->partials(state, attributes, at.partials);
    visit(k, at);
  }
}

/// Backwards through the force tape from bar_outputs_: on_moving(k, bar) for force inputs that move,
/// on_parameter(entry of p, bar) for the others. Of a spline only the values in use are visited, so the
/// cost does not grow with their number; the bars are zero again afterwards.
template <typename Moving, typename Physical>
void TreePartials::pull_force_tape(const Moving& on_moving, const Physical& on_parameter) {
  const Tape& tape = model_.force_tape();
  tape.reverse(d_.force_input_values_, d_.force_registers_, bar_outputs_, bar_registers_,
               bar_inputs_);
  const auto take = [&](int input) {
    return std::exchange(bar_inputs_[static_cast<std::size_t>(input)], 0.0);
  };
  for (const std::size_t k : d_.moving_inputs_) {
    const double bar = take(model_.force_inputs()[k]);
    if (bar != 0) on_moving(k, bar);
  }
  const auto parameter = [&](int input) {
    const double bar = take(input);
    if (bar == 0) return;
    on_parameter(model_.signal_inputs()[static_cast<std::size_t>(input)].element, bar);
  };
  for (const int input : tape.plain_inputs()) parameter(input);
  if (tape.has_splines()) tape.each_spline_input(d_.force_registers_, parameter);
}

}  // namespace kinegrad
