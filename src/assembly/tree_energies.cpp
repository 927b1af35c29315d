// The pull-back of energies (docs/theory/signals.md, [SG-4], [SG-5]).
#include <algorithm>

#include "assembly/tree_partials_detail.hpp"
#include "kinegrad/math/derivative_check.hpp"

namespace kinegrad {

using la::cross;

namespace {

/// A potential energy and its derivatives. No element is asked for them: an energy is read by signals
/// only, and the complex step of the one element is exact.
struct EnergyPartials {
  double energy = 0;
  PortVector<double> x, xdot;
  AttributeVector<double> attributes;
};

EnergyPartials energy_partials(const ForceModel& type, const PortState<double>& state,
                               const AttributeVector<double>& attributes) {
  PortState<Complex> s{state.x.cast<Complex>(), state.xdot.cast<Complex>(), Complex(state.t)};
  AttributeVector<Complex> p = attributes.cast<Complex>();
  const auto along = [&](auto& y, auto& out) {
    out.resize(y.size());
    for (Eigen::Index i = 0; i < y.size(); ++i) {
      const Complex here = y(i);
      y(i) += Complex(0, kComplexStep);
      out(i) = type.energy(s, p).imag() / kComplexStep;
      y(i) = here;
    }
  };
  EnergyPartials out;
  out.energy = type.energy(state, attributes);
  along(s.x, out.x);
  along(s.xdot, out.xdot);
  along(p, out.attributes);
  return out;
}

}  // namespace

/// [SG-4]: what is carried along changes nothing, so only Ṡ and S see the energy, by the momentum I V.
void TreePartials::gather_kinetic_energy(double weight, std::span<double> p_bar) {
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    if (d_.nodes_[k].auxiliary) continue;
    sums_[k].z += weight * (bodies_[k].I * bodies_[k].V);
    if (!p_bar.empty()) pull_kinetic_mass(k, weight, p_bar);
  }
}

void TreePartials::pull_kinetic_mass(std::size_t k, double weight, std::span<double> p_bar) const {
  const auto& node = d_.nodes_[k];
  const auto& s = d_.states_[k];
  const MassBlock& block =
      model_.bodies()[static_cast<std::size_t>(model_.topology().nodes[k].body)].mass;
  const Mat3 R = rotation(static_cast<int>(k));
  const Vec3 omega = bodies_[k].V.head<3>();
  const Vec3 v = field_at(bodies_[k].V, s.r_WM + s.R_WM * node.c - x0_);  // of the centre of mass
  const Vec3 c_bar = weight * node.m * (R.transpose() * cross(v, omega));
  const Vec3 w = R.transpose() * omega;
  p_bar[static_cast<std::size_t>(block.mass)] += 0.5 * weight * v.dot(v);
  for (int i = 0; i < 3; ++i) p_bar[static_cast<std::size_t>(block.com + i)] += c_bar(i);
  add_inertia_cotangent(block, 0.5 * weight * (w * w.transpose()), p_bar);
}

/// [SG-5], as TreeDynamics::potential_energy() adds it up.
void TreePartials::gather_potential_energy(double weight, const ResidualCotangent& out) {
  std::fill(bar_outputs_.begin(), bar_outputs_.end(), 0.0);
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const Force& force = model_.forces()[i];
    switch (force.type->port()) {
      case PortKind::kPointPair:
      case PortKind::kBodyPoint: pull_point_energy(i, weight, out); break;
      case PortKind::kField: pull_field_energy(force, weight, out); break;
      case PortKind::kJointCoordinate: {
        const auto c = static_cast<std::size_t>(
            model_.joints()[static_cast<std::size_t>(force.joint)].q_first + force.coordinate);
        const EnergyPartials V =
            energy_partials(*force.type, d_.joint_port_state(force, t_), d_.attributes(force));
        out.q[c] += weight * V.x(0);
        out.v[c] += weight * V.xdot(0);
        attribute_cotangent(force, weight * V.attributes, out.p);
        break;
      }
      case PortKind::kBody: break;
    }
  }
  pull_variables(out);
}

void TreePartials::pull_point_energy(std::size_t i, double weight, const ResidualCotangent& out) {
  const Force& force = model_.forces()[i];
  const EnergyPartials V =
      energy_partials(*force.type, d_.point_pair_state(force, t_), d_.attributes(force));
  const Vec3 none = Vec3::Zero(), x_bar = weight * V.x, xdot_bar = weight * V.xdot;
  const auto& [first, second] = d_.force_points_[i];
  const auto a = d_.point_state(first), b = d_.point_state(second);
  attribute_cotangent(force, weight * V.attributes, out.p);
  gather_point(first.node, a.r - x0_, a.rdot, none, -x_bar, -xdot_bar);
  gather_point(second.node, b.r - x0_, b.rdot, none, x_bar, xdot_bar);
  if (force.point1 >= 0) {
    point_cotangent(force.point1, first.node, none, -x_bar, -xdot_bar, out.p);
  }
  point_cotangent(force.point2, second.node, none, x_bar, xdot_bar, out.p);
}

/// Uniform or not: an energy per unit mass at every centre of mass.
void TreePartials::pull_field_energy(const Force& force, double weight,
                                     const ResidualCotangent& out) {
  const AttributeVector<double> attributes = d_.attributes(force);
  const Vec3 none = Vec3::Zero();
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    if (d_.nodes_[k].auxiliary) continue;
    const auto s = d_.point_state({static_cast<int>(k), d_.nodes_[k].c});
    const EnergyPartials V = energy_partials(*force.type, {s.r, s.rdot, t_}, attributes);
    const double m = weight * d_.nodes_[k].mass;
    const Vec3 r_bar = m * V.x, rdot_bar = m * V.xdot;
    gather_point(static_cast<int>(k), s.r - x0_, s.rdot, none, r_bar, rdot_bar);
    attribute_cotangent(force, m * V.attributes, out.p);
    if (out.p.empty()) continue;
    const MassBlock& mass =
        model_.bodies()[static_cast<std::size_t>(model_.topology().nodes[k].body)].mass;
    out.p[static_cast<std::size_t>(mass.mass)] += weight * V.energy;
    body_point_cotangent(static_cast<int>(k), mass.com, none, r_bar, rdot_bar, out.p);
  }
}

}  // namespace kinegrad
