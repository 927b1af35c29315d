// The pull-back of energies (docs/theory/signals.md, [SG-4], [SG-5]).
#include "assembly/tree_partials_detail.hpp"

namespace kinegrad {

using la::cross;

/// [SG-4]: what is carried along changes nothing, so only Ṡ and S see the energy, by the momentum I V.
void TreePartials::gather_kinetic_energy(double weight, std::span<double> p_bar) {
  for (std::size_t k = 0; k < at_.bodies.size(); ++k) {
    if (node_at(k).auxiliary) continue;
    sums_.beyond[k].z += weight * (at_.bodies[k].I * at_.bodies[k].V);
    if (!p_bar.empty()) pull_kinetic_mass(k, weight, p_bar);
  }
}

void TreePartials::pull_kinetic_mass(std::size_t k, double weight, std::span<double> p_bar) const {
  const auto& node = node_at(k);
  const auto& s = moving(k);
  const MassBlock& block =
      model_.bodies()[static_cast<std::size_t>(model_.topology().nodes[k].body)].mass;
  const Mat3 R = at_.rotation(static_cast<int>(k));
  const Vec3 omega = at_.bodies[k].V.head<3>();
  const Vec3 v =
      field_at(at_.bodies[k].V, s.r_WM + s.R_WM * node.c - at_.x0);  // of the centre of mass
  const Vec3 c_bar = weight * node.m * (R.transpose() * cross(v, omega));
  const Vec3 w = R.transpose() * omega;
  p_bar[static_cast<std::size_t>(block.mass)] += 0.5 * weight * v.dot(v);
  for (int i = 0; i < 3; ++i) p_bar[static_cast<std::size_t>(block.com + i)] += c_bar(i);
  add_inertia_cotangent(block, 0.5 * weight * (w * w.transpose()), p_bar);
}

/// [SG-5], as potential_energy() adds it up.
void TreePartials::gather_potential_energy(double weight, const ResidualCotangent& out) {
  const PortSite<double> site = port_site(tree_, state_, at_.t);
  expressions_.clear();
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const Force& force = model_.forces()[i];
    expressions_.add_cotangent(
        force,
        ports_[i]->pullback_energy(site, at_, attributes(tree_, state_, force), weight, sums_, out),
        out.p);
  }
  expressions_.pullback(state_.expressions, site, at_, sums_, out);
}

}  // namespace kinegrad
