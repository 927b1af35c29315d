#include "kinegrad/tree/residual_matrices.hpp"

#include "tree/body_forces.hpp"

namespace kinegrad {

template <typename Matrix>
void residual_matrices(const LinearizedTree& L, CompositeBodies& beyond, Matrix& r_q, Matrix& r_v,
                       Matrix& r_a) {
  const TreeLinearization& at = L.at;
  for (std::size_t k = 0; k < at.bodies.size(); ++k) {
    const LinearizedBody& b = at.bodies[k];
    beyond[k] = {b.I, Gyroscopic(b.I, Halves<double>(b.V)), b.f};
  }
  for (std::size_t k = at.bodies.size(); k-- > 0;) {
    const auto& node = L.node(k);
    const CompositeBody& sum = beyond[k];
    const auto inertia = [&](const Halves<double>& x) {
      return momentum<ReferencePoint::kOrigin>(sum.I, x);
    };
    const Twist<double>& f = sum.f;
    for (int c = 0; c < node.nq; ++c) {
      const int i = node.q + c;
      // rows: S_iᵀI_Σ and S_iᵀB_Σ against the columns before i; columns: what i moves, against those
      const Halves<double> S(at.S.col(i)), Sdot(at.Sdot.col(i));
      const Halves<double> row_I = inertia(S);
      const Triple<double> row_B = sum.B.transposed_times(S);
      Halves<double> by_q = force_cross(S, Halves<double>(f));
      by_q += inertia(Halves<double>(at.Sddot.col(i)));
      by_q += sum.B * Sdot;
      Halves<double> by_v = sum.B * S;
      by_v.add(inertia(Sdot), 2.0);
      for (int up = static_cast<int>(k); up >= 0;) {
        const auto& ancestor = L.tree.nodes[static_cast<std::size_t>(up)];
        for (int j = ancestor.q; j < ancestor.q + ancestor.nq; ++j) {
          const bool own = up == static_cast<int>(k);
          const Halves<double> S_j(at.S.col(j)), Sdot_j(at.Sdot.col(j));
          r_q(j, i) = power(S_j, by_q);
          if (!own) {
            r_q(i, j) = power(row_I, Halves<double>(at.Sddot.col(j))) + dot(row_B, Sdot_j.w);
          }
          r_a(i, j) = r_a(j, i) = power(row_I, S_j);
          r_v(j, i) = power(S_j, by_v);
          if (!own) r_v(i, j) = 2.0 * power(row_I, Sdot_j) + dot(row_B, S_j.w);
        }
        up = ancestor.parent;
      }
      if (node.general()) {
        const JointVector<double> gradients = column_gradients(L, k, c, f);
        for (int b = 0; b < node.nq; ++b) r_q(node.q + b, i) += gradients(b);
      }
    }
    if (node.parent < 0) continue;
    const auto parent = static_cast<std::size_t>(node.parent);
    beyond[parent].I += sum.I;
    beyond[parent].B += sum.B;
    beyond[parent].f += f;
  }
}

void compose_inertia(const LinearizedTree& L, CompositeBodies& beyond) {
  for (std::size_t k = 0; k < beyond.size(); ++k) beyond[k].I = L.at.bodies[k].I;
  for (std::size_t k = beyond.size(); k-- > 0;) {
    const int parent = L.node(k).parent;
    if (parent >= 0) beyond[static_cast<std::size_t>(parent)].I += beyond[k].I;
  }
}

/// The part of [DP-3] that is left at rest.
template <typename Matrix>
void inertia_matrix(const LinearizedTree& L, CompositeBodies& beyond, Matrix& r_q) {
  const TreeLinearization& at = L.at;
  for (std::size_t k = 0; k < at.bodies.size(); ++k) beyond[k].f = at.bodies[k].f;
  for (std::size_t k = at.bodies.size(); k-- > 0;) {
    const auto& node = L.node(k);
    const RigidInertia<double>& I = beyond[k].I;
    const Twist<double>& f = beyond[k].f;
    for (int c = 0; c < node.nq; ++c) {
      const int i = node.q + c;
      const Halves<double> S(at.S.col(i));
      const Halves<double> row = momentum<ReferencePoint::kOrigin>(I, S);
      Halves<double> by_q = force_cross(S, Halves<double>(f));
      by_q += momentum<ReferencePoint::kOrigin>(I, Halves<double>(at.Sddot.col(i)));
      for (int j = node.q; j < node.q + node.nq; ++j) {
        r_q(j, i) = power(Halves<double>(at.S.col(j)), by_q);
      }
      if (node.general()) {
        const JointVector<double> gradients = column_gradients(L, k, c, f);
        for (int b = 0; b < node.nq; ++b) r_q(node.q + b, i) += gradients(b);
      }
      if (node.parent < 0) continue;
      L.tree.each_column(node.parent, [&](int j) {
        r_q(j, i) = power(Halves<double>(at.S.col(j)), by_q);
        r_q(i, j) = power(row, Halves<double>(at.Sddot.col(j)));
      });
    }
    if (node.parent >= 0) beyond[static_cast<std::size_t>(node.parent)].f += f;
  }
}

std::size_t mass_entries(const TreeParameters<double>& tree) {
  std::vector<int> before(tree.nodes.size());  // coordinates up to a joint
  std::size_t count = 0;
  for (std::size_t k = 0; k < before.size(); ++k) {
    const auto& node = tree.nodes[k];
    const int inherited = node.parent < 0 ? 0 : before[static_cast<std::size_t>(node.parent)];
    before[k] = inherited + node.nq;
    count += static_cast<std::size_t>(node.nq * (node.nq + 2 * inherited));
  }
  return count;
}

void add_mass_pattern(const TreeParameters<double>& tree, PatternBuilder& mass,
                      PatternBuilder& equations) {
  std::vector<int> own, beyond;
  for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
    const TreeBody<double>& node = tree.nodes[k];
    own.clear();
    beyond.clear();
    for (int c = node.q; c < node.q + node.nq; ++c) own.push_back(c);
    tree.each_column(static_cast<int>(k), [&](int c) { beyond.push_back(c); });
    for (PatternBuilder* pattern : {&mass, &equations}) {
      pattern->add_block(own, beyond);
      pattern->add_block(beyond, own);
    }
  }
}

template void residual_matrices(const LinearizedTree&, CompositeBodies&, MatX&, MatX&, MatX&);
template void residual_matrices(const LinearizedTree&, CompositeBodies&, SparseRows<double>&,
                                SparseRows<double>&, SparseRows<double>&);
template void inertia_matrix(const LinearizedTree&, CompositeBodies&, MatX&);
template void inertia_matrix(const LinearizedTree&, CompositeBodies&, SparseRows<double>&);

}  // namespace kinegrad
