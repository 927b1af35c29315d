#include "kinegrad/ports/linearized_forces.hpp"

namespace kinegrad {

LinearizedForces::LinearizedForces(const LoadedTree<double>& of, const TreeState<double>& at)
    : tree(of),
      x(at),
      expressions(of.expressions),
      varying(of.model().forces().size()),
      by_q(of.nq()),
      by_v(of.nq()) {
  for (std::size_t i = 0; i < varying.size(); ++i) {
    ports.push_back(tree.ports[i]->partials(tree.bodies));
    for (const auto& [place, output] : tree.model().forces()[i].variable) {
      varying[i].reads.push_back(expressions.reads(tree.bodies, output));
    }
    varying[i].by_attribute.resize(static_cast<Eigen::Index>(ports[i]->columns().size()));
    changes.emplace_back().setZero(tree.model().forces()[i].type->attribute_count());
  }
}

void linearize(double t, std::span<const double> q, std::span<const double> v,
               std::span<const double> a, LinearizedTree& L, LinearizedForces& forces) {
  linearize_bodies(q, v, a, L);
  L.at.t = t;
  const PortSite<double> site = port_site(forces.tree, forces.x, t);
  for (std::size_t i = 0; i < forces.ports.size(); ++i) {
    forces.ports[i]->linearize(site, forces.attributes_of(i), L.at);
  }
}

void add_joint_forces(const LinearizedForces& forces, VecX& tau) {
  for (const auto& port : forces.ports) port->add_joint_forces(tau);
}

namespace {

/// Adds blocks to whole matrices, or to such in a pattern.
template <typename Matrix>
class BlockAdder final : public PortBlockSink {
 public:
  BlockAdder(Matrix& r_q, Matrix& r_v) : r_q_(r_q), r_v_(r_v) {}
  void add(std::span<const int> columns, const Eigen::Ref<const MatX>& r_q,
           const Eigen::Ref<const MatX>& r_v) override {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto row = static_cast<Eigen::Index>(i), column = static_cast<Eigen::Index>(j);
        r_q_(columns[i], columns[j]) += r_q(row, column);
        r_v_(columns[i], columns[j]) += r_v(row, column);
      }
    }
  }

 private:
  Matrix& r_q_;
  Matrix& r_v_;
};

/// What varying attributes add: the effort they make, applied by Jᵀ, times their gradient.
template <typename Matrix>
void add_varying(const LinearizedTree& L, LinearizedForces& forces, std::size_t i, Matrix& r_q,
                 Matrix& r_v) {
  const Force& force = forces.tree.model().forces()[i];
  const PortPartials& port = *forces.ports[i];
  const std::span<const int> rows = port.columns();
  VecX& applied = forces.varying[i].by_attribute;
  const PortSite<double> site = port_site(forces.tree, forces.x, L.at.t);
  for (std::size_t k = 0; k < force.variable.size(); ++k) {
    const auto& [place, output] = force.variable[k];
    const OutputReads& reads = forces.varying[i].reads[k];
    if (reads.columns.empty()) continue;  // of time alone
    forces.expressions.gradient(forces.x.expressions, site, L.at, output, reads, forces.by_q,
                                forces.by_v);
    applied.setZero();
    port.add_attribute_column(place, {applied.data(), rows.size()});
    for (const int c : reads.columns) {
      const double by_q = forces.by_q(c), by_v = forces.by_v(c);
      if (by_q == 0 && by_v == 0) continue;
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const double by = applied(static_cast<Eigen::Index>(r));
        r_q(rows[r], c) += by * by_q;
        r_v(rows[r], c) += by * by_v;
      }
    }
  }
}

}  // namespace

template <typename Matrix>
void add_force_matrices(const LinearizedTree& L, LinearizedForces& forces, bool exact, Matrix& r_q,
                        Matrix& r_v) {
  BlockAdder<Matrix> sink(r_q, r_v);
  const PortSite<double> site = port_site(forces.tree, forces.x, L.at.t);
  for (std::size_t i = 0; i < forces.ports.size(); ++i) {
    forces.ports[i]->add_matrices(site, L.at, exact, sink);
    add_varying(L, forces, i, r_q, r_v);
  }
}

template <typename Matrix>
void residual_matrices(const LinearizedTree& L, LinearizedForces& forces, CompositeBodies& beyond,
                       Matrix& r_q, Matrix& r_v, Matrix& r_a) {
  const int n = forces.tree.nq();
  for (Matrix* A : {&r_q, &r_v, &r_a}) clear(*A, n, n);
  residual_matrices(L, beyond, r_q, r_v, r_a);
  add_force_matrices(L, forces, true, r_q, r_v);
}

void add_residual_pattern(const LinearizedForces& forces, PatternBuilder& mass,
                          PatternBuilder& equations) {
  add_mass_pattern(forces.tree.bodies, mass, equations);
  std::vector<int> own;
  for (std::size_t i = 0; i < forces.ports.size(); ++i) {
    const std::span<const int> own_columns = forces.ports[i]->columns();
    own.assign(own_columns.begin(), own_columns.end());
    equations.add_block(own, own);
    for (const OutputReads& reads : forces.varying[i].reads) equations.add_block(own, reads.columns);
  }
}

void pull_forces(LinearizedTree& L, LinearizedForces& forces, std::span<const double> w,
                 const ResidualCotangent& out) {
  const PortSite<double> site = port_site(forces.tree, forces.x, L.at.t);
  forces.expressions.clear();
  for (std::size_t i = 0; i < forces.ports.size(); ++i) {
    forces.expressions.add_cotangent(forces.tree.model().forces()[i],
                                     forces.ports[i]->pullback(site, L.at, w, L.sums, out), out.p);
  }
  forces.expressions.pullback(forces.x.expressions, site, L.at, L.sums, out);
  if (!out.p.empty()) pull_field(forces, field_weight(L), out.p);
}

void pull_field(const LinearizedForces& forces, const Vec3& weight, std::span<double> p_bar) {
  for (std::size_t i = 0; i < forces.ports.size(); ++i) {
    forces.ports[i]->pullback_field(forces.attributes_of(i), weight, p_bar);
  }
}

void pull_potential_energy(LinearizedTree& L, LinearizedForces& forces, double weight,
                           const ResidualCotangent& out) {
  const PortSite<double> site = port_site(forces.tree, forces.x, L.at.t);
  forces.expressions.clear();
  for (std::size_t i = 0; i < forces.ports.size(); ++i) {
    forces.expressions.add_cotangent(
        forces.tree.model().forces()[i],
        forces.ports[i]->pullback_energy(site, L.at, forces.attributes_of(i), weight, L.sums, out),
        out.p);
  }
  forces.expressions.pullback(forces.x.expressions, site, L.at, L.sums, out);
}

/// As energies: through the variables of the port, and through expressions of attributes.
void pull_force_signals(LinearizedTree& L, LinearizedForces& forces,
                        std::span<const ForceSignalBar> bars, const ResidualCotangent& out) {
  const PortSite<double> site = port_site(forces.tree, forces.x, L.at.t);
  forces.expressions.clear();
  for (const ForceSignalBar& one : bars) {
    const auto k = static_cast<std::size_t>(one.force);
    const Force& force = forces.tree.model().forces()[k];
    forces.expressions.add_cotangent(
        force,
        forces.ports[k]->pullback_signal(site, L.at, forces.attributes_of(k), one.which, one.bar,
                                         L.sums, out),
        out.p);
  }
  forces.expressions.pullback(forces.x.expressions, site, L.at, L.sums, out);
}

void residual_pullback(LinearizedTree& L, LinearizedForces& forces, std::span<const double> w,
                       const ResidualCotangent& out) {
  begin_pullback(L, w, out.p);
  if (!w.empty()) pull_forces(L, forces, w, out);
  finish_pullback(L, w, out);
}

namespace {

/// Changes of the attributes of the forces that the direction touches: their own numbers, and what
/// comes out of the force tape for those that vary.
void change_attributes(const LinearizedTree& L, LinearizedForces& forces,
                       const TreeDisplacement& displaced) {
  const ParameterDirection& direction = *displaced.direction;
  const std::vector<Force>& all = forces.tree.model().forces();
  for (const AttributeChange& change : direction.attributes) {
    forces.changes[static_cast<std::size_t>(change.force)] = change.d;
  }
  bool variable = false;
  for (const int i : direction.forces) {
    variable |= !all[static_cast<std::size_t>(i)].variable.empty();
  }
  if (!variable) return;
  forces.expressions.forward(forces.x.expressions, port_site(forces.tree, forces.x, L.at.t), L.at,
                             displaced);
  for (const int i : direction.forces) {
    for (const auto& [place, output] : all[static_cast<std::size_t>(i)].variable) {
      forces.changes[static_cast<std::size_t>(i)](place) = forces.expressions.change(output);
    }
  }
}

}  // namespace

void add_port_tangents(const LinearizedTree& L, LinearizedForces& forces, TreeTangent& x,
                       Eigen::Ref<VecX> dr) {
  const std::vector<int>& touched = x.displaced.direction->forces;
  if (touched.empty()) return;
  change_attributes(L, forces, x.displaced);
  const PortSite<double> site = port_site(forces.tree, forces.x, L.at.t);
  for (const int i : touched) {
    const auto index = static_cast<std::size_t>(i);
    AttributeVector<double>& d = forces.changes[index];
    forces.ports[index]->tangent(site, L.at, x.displaced, forces.attributes_of(index), d,
                                 x.wrenches, dr);
    d.setZero();
  }
}

void residual_tangent(const LinearizedTree& L, LinearizedForces& forces, const ForcesBeyond& beyond,
                      const ParameterDirection& direction, TreeTangent& x, Eigen::Ref<VecX> dr) {
  begin_tangent(L, direction, x);
  add_port_tangents(L, forces, x, dr);
  finish_tangent(L, beyond, x, dr);
  end_tangent(x);
}

#define KINEGRAD_INSTANTIATE(Matrix)                                                          \
  template void add_force_matrices(const LinearizedTree&, LinearizedForces&, bool, Matrix&,   \
                                   Matrix&);                                                  \
  template void residual_matrices(const LinearizedTree&, LinearizedForces&, CompositeBodies&, \
                                  Matrix&, Matrix&, Matrix&)
KINEGRAD_INSTANTIATE(MatX);
KINEGRAD_INSTANTIATE(SparseRows<double>);
#undef KINEGRAD_INSTANTIATE

}  // namespace kinegrad
