#include "kinegrad/assembly/tree_matrices.hpp"

#include "kinegrad/ports/all.hpp"

namespace kinegrad {

namespace {

/// Which coordinates a port connects does not depend on the scalar.
std::vector<int> port_columns(const TreeParameters<double>& tree, const Force& force) {
  const std::unique_ptr<Port<double>> port = make_port<double>(force);
  const std::unique_ptr<PortPartials> partials = port->partials(tree);
  return {partials->columns().begin(), partials->columns().end()};
}

/// Adds what the varying attributes of a force on the coordinates `own` couple these with, both ways.
void add_varying(const TreeParameters<double>& tree, const Force& force, std::span<const int> own,
                 const ForceExpressionPartials& expressions, PatternBuilder& pattern) {
  for (const auto& [place, output] : force.variable) {
    const OutputReads reads = expressions.reads(tree, output);
    pattern.add_block(own, reads.columns);
    pattern.add_block(reads.columns, own);
  }
}

}  // namespace

template <Scalar T>
TreeMatrices<T>::TreeMatrices(const LoadedTree<T>& tree)
    : tree_(tree), model_(tree.model()), composite_(tree.bodies.nodes.size()) {
  for (const Force& force : model_.forces()) {
    const bool varying_field = force.attached_nowhere() && !force.type->uniform();
    if (!force.variable.empty() || force.in_body_axes || varying_field) knows_forces_ = false;
  }
}

template <Scalar T>
typename TreeMatrices<T>::Layout TreeMatrices<T>::make_layout() const {
  Layout out;
  PatternBuilder pattern(model_.nq(), model_.nq());
  const auto ancestors = [&](int node, std::vector<int>& columns) {
    for (int k = node; k >= 0; k = tree_.bodies.nodes[static_cast<std::size_t>(k)].parent) {
      const auto& n = tree_.bodies.nodes[static_cast<std::size_t>(k)];
      for (int c = n.q; c < n.q + n.nq; ++c) columns.push_back(c);
    }
  };
  std::vector<int> columns;
  for (std::size_t k = 0; k < tree_.bodies.nodes.size(); ++k) {
    const auto& node = tree_.bodies.nodes[k];
    columns.clear();
    ancestors(static_cast<int>(k), columns);
    for (int c = node.q; c < node.q + node.nq; ++c) pattern.add_row(c, columns);
  }
  const TreeParameters<double> real(model_, ReferencePoint::kCom, TriadInertia::kHere);
  const ForceExpressions<double> expressions(model_);
  const ForceExpressionPartials partials(expressions);
  for (std::size_t f = 0; f < model_.forces().size(); ++f) {
    columns = port_columns(real, model_.forces()[f]);
    pattern.add_block(columns, columns);
    add_varying(real, model_.forces()[f], columns, partials, pattern);
    if (columns.empty() || !knows_forces_) continue;
    const auto n = static_cast<Eigen::Index>(columns.size());
    out.ports.push_back({f, columns, tree_.ports[f]->partials(tree_.bodies), MatX::Zero(n, n), {}});
  }
  out.pattern = SparseUpper<T>(pattern.build());
  for (PortBlock& at : out.ports) {
    for (std::size_t b = 0; b < at.columns.size(); ++b) {
      for (std::size_t a = 0; a <= b; ++a) {
        at.places.push_back(out.pattern.place(at.columns[a], at.columns[b]));
      }
    }
  }
  for (const auto& node : tree_.bodies.nodes) {
    for (int c = 0; c < node.nq; ++c) {
      for (int b = 0; b <= c; ++b) out.places.push_back(out.pattern.place(node.q + b, node.q + c));
      for (int k = node.parent; k >= 0;
           k = tree_.bodies.nodes[static_cast<std::size_t>(k)].parent) {
        const auto& n = tree_.bodies.nodes[static_cast<std::size_t>(k)];
        for (int b = 0; b < n.nq; ++b) out.places.push_back(out.pattern.place(n.q + b, node.q + c));
      }
    }
  }
  return out;
}

template <Scalar T>
void TreeMatrices<T>::mass(const TreeMotion<T>& motion, SparseUpper<T>& M) {
  M.set_zero();
  const bool com = tree_.bodies.point == ReferencePoint::kCom;
  const std::size_t n = tree_.bodies.nodes.size();
  for (std::size_t k = 0; k < n; ++k) composite_[k] = motion.bodies[k].I;
  for (std::size_t k = n; k-- > 0;) {
    const int parent = tree_.bodies.nodes[k].parent;
    if (parent < 0) continue;
    RigidInertia<T> I = composite_[k];
    if (com) I.shift_back(motion.bodies[k].d);
    composite_[static_cast<std::size_t>(parent)] += I;
  }
  auto place = layout().places.begin();
  for (std::size_t k = 0; k < n; ++k) {
    const auto& node = tree_.bodies.nodes[k];
    for (int c = 0; c < node.nq; ++c) {
      Halves<T> F(composite_[k] * motion.S.col(node.q + c));
      for (int b = 0; b <= c; ++b) {
        M.value[static_cast<std::size_t>(*place++)] = power(Halves<T>(motion.S.col(node.q + b)), F);
      }
      int child = static_cast<int>(k);
      for (int j = node.parent; j >= 0;
           j = tree_.bodies.nodes[static_cast<std::size_t>(j)].parent) {
        if (com) F.shift_back(Triple<T>(motion.bodies[static_cast<std::size_t>(child)].d));
        const auto& above = tree_.bodies.nodes[static_cast<std::size_t>(j)];
        for (int b = 0; b < above.nq; ++b) {
          M.value[static_cast<std::size_t>(*place++)] =
              power(Halves<T>(motion.S.col(above.q + b)), F);
        }
        child = j;
      }
    }
  }
}

template <Scalar T>
void TreeMatrices<T>::add_forces(const TreeState<T>& x, double t, double c_v, double c_q,
                                 SparseUpper<T>& N) {
  if constexpr (std::is_same_v<T, double>) {
    for (PortBlock& at : layout().ports) {
      at.port->newton_block(port_site(tree_, x, t), attributes(tree_, x, model_.forces()[at.force]),
                            c_v, c_q, at.block);
      if (at.block.isZero(0)) continue;  // a contact that is open
      auto place = at.places.begin();
      for (Eigen::Index b = 0; b < at.block.cols(); ++b) {
        for (Eigen::Index a = 0; a <= b; ++a) {
          N.value[static_cast<std::size_t>(*place++)] += at.block(a, b);
        }
      }
    }
  } else {
    static_cast<void>(x), static_cast<void>(t), static_cast<void>(c_v), static_cast<void>(c_q),
        static_cast<void>(N);
  }
}

template class TreeMatrices<double>;
template class TreeMatrices<Complex>;

}  // namespace kinegrad
