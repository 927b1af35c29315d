#include "kinegrad/assembly/tree_matrices.hpp"

#include <algorithm>

#include "kinegrad/assembly/halves.hpp"

namespace kinegrad {

using la::cross;

namespace {

/// A force on points that add_forces() takes by itself.
bool acts_on_points(const Force& force) {
  const PortKind port = force.type->port();
  return port == PortKind::kPointPair || port == PortKind::kBodyPoint;
}

}  // namespace

template <Scalar T>
TreeMatrices<T>::TreeMatrices(const TreeDynamics<T>& dynamics)
    : d_(dynamics),
      model_(dynamics.model()),
      composite_(dynamics.nodes_.size()),
      x_q_(3, model_.nq()),
      e_q_(3, model_.nq()) {
  for (const Force& force : model_.forces()) {
    const bool varying_field = force.type->port() == PortKind::kField && !force.type->uniform();
    if (!force.variable.empty() || force.in_body_axes || varying_field) knows_forces_ = false;
  }
}

template <Scalar T>
typename TreeMatrices<T>::Layout TreeMatrices<T>::make_layout() const {
  Layout out;
  PatternBuilder pattern(model_.nq(), model_.nq());
  const auto ancestors = [&](int node, std::vector<int>& columns) {
    for (int k = node; k >= 0; k = d_.nodes_[static_cast<std::size_t>(k)].parent) {
      const auto& n = d_.nodes_[static_cast<std::size_t>(k)];
      for (int c = n.q; c < n.q + n.nq; ++c) columns.push_back(c);
    }
  };
  std::vector<int> columns;
  if (knows_forces_) {
    for (std::size_t k = 0; k < d_.nodes_.size(); ++k) {
      const auto& node = d_.nodes_[k];
      columns.clear();
      ancestors(static_cast<int>(k), columns);
      for (int c = node.q; c < node.q + node.nq; ++c) pattern.add_row(c, columns);
    }
    for (std::size_t f = 0; f < model_.forces().size(); ++f) {
      if (!acts_on_points(model_.forces()[f])) continue;
      columns.clear();
      for (const int vector : {model_.forces()[f].point1, model_.forces()[f].point2}) {
        if (vector < 0) continue;
        const int body = model_.vectors()[static_cast<std::size_t>(vector)].body;
        ancestors(d_.node_of_body_[static_cast<std::size_t>(body)], columns);
      }
      std::sort(columns.begin(), columns.end());
      columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
      pattern.add_block(columns, columns);
      out.pairs.push_back({static_cast<int>(f), columns, {}});
    }
  } else {
    for (int i = 0; i < model_.nq(); ++i) columns.push_back(i);
    pattern.add_block(columns, columns);
  }
  out.pattern = SparseUpper<T>(pattern.build());
  for (Pair& pair : out.pairs) {
    for (std::size_t b = 0; b < pair.columns.size(); ++b) {
      for (std::size_t a = 0; a <= b; ++a) {
        pair.places.push_back(out.pattern.place(pair.columns[a], pair.columns[b]));
      }
    }
  }
  for (const auto& node : d_.nodes_) {
    for (int c = 0; c < node.nq; ++c) {
      for (int b = 0; b <= c; ++b) out.places.push_back(out.pattern.place(node.q + b, node.q + c));
      for (int k = node.parent; k >= 0; k = d_.nodes_[static_cast<std::size_t>(k)].parent) {
        const auto& n = d_.nodes_[static_cast<std::size_t>(k)];
        for (int b = 0; b < n.nq; ++b) out.places.push_back(out.pattern.place(n.q + b, node.q + c));
      }
    }
  }
  return out;
}

template <Scalar T>
void TreeMatrices<T>::mass(SparseUpper<T>& M) {
  M.set_zero();
  const bool com = d_.point_ == ReferencePoint::kCom;
  const std::size_t n = d_.nodes_.size();
  for (std::size_t k = 0; k < n; ++k) composite_[k] = d_.states_[k].I;
  for (std::size_t k = n; k-- > 0;) {
    const int parent = d_.nodes_[k].parent;
    if (parent < 0) continue;
    RigidInertia<T> I = composite_[k];
    if (com) I.shift_back(d_.states_[k].d);
    composite_[static_cast<std::size_t>(parent)] += I;
  }
  auto place = layout().places.begin();
  for (std::size_t k = 0; k < n; ++k) {
    const auto& node = d_.nodes_[k];
    for (int c = 0; c < node.nq; ++c) {
      Halves<T> F(composite_[k] * d_.S_.col(node.q + c));
      for (int b = 0; b <= c; ++b) {
        M.value[static_cast<std::size_t>(*place++)] = power(Halves<T>(d_.S_.col(node.q + b)), F);
      }
      int child = static_cast<int>(k);
      for (int j = node.parent; j >= 0; j = d_.nodes_[static_cast<std::size_t>(j)].parent) {
        if (com) F.shift_back(Triple<T>(d_.states_[static_cast<std::size_t>(child)].d));
        const auto& above = d_.nodes_[static_cast<std::size_t>(j)];
        for (int b = 0; b < above.nq; ++b) {
          M.value[static_cast<std::size_t>(*place++)] = power(Halves<T>(d_.S_.col(above.q + b)), F);
        }
        child = j;
      }
    }
  }
}

template <Scalar T>
void TreeMatrices<T>::add_pair(const Pair& pair, double t, double c_v, double c_q,
                               SparseUpper<T>& N) {
  if constexpr (std::is_same_v<T, double>) {
    const Force& force = model_.forces()[static_cast<std::size_t>(pair.force)];
    ForcePartials partials;
    force.type->partials(d_.point_pair_state(force, t), d_.attributes(force), partials);
    const Mat3 e = -(c_q * partials.e_x + c_v * partials.e_xdot);
    const auto& ends = d_.force_points_[static_cast<std::size_t>(pair.force)];
    for (const int c : pair.columns) x_q_.col(c).setZero();
    for (const auto& [point, sign] : {std::pair(&ends.first, -1.0), std::pair(&ends.second, 1.0)}) {
      if (point->node < 0) continue;
      const Vec3 r = d_.point_state(*point).r;
      for (int k = point->node; k >= 0; k = d_.nodes_[static_cast<std::size_t>(k)].parent) {
        const auto& n = d_.nodes_[static_cast<std::size_t>(k)];
        const Vec3 lever = r - d_.states_[static_cast<std::size_t>(k)].o;
        for (int c = n.q; c < n.q + n.nq; ++c) {
          const Vec3 w = d_.S_.col(c).template head<3>();
          x_q_.col(c) += sign * (d_.S_.col(c).template tail<3>() + cross(w, lever));
        }
      }
    }
    auto place = pair.places.begin();
    for (std::size_t b = 0; b < pair.columns.size(); ++b) {
      const Vec3 force_b = e * x_q_.col(pair.columns[b]);
      for (std::size_t a = 0; a <= b; ++a) {
        N.value[static_cast<std::size_t>(*place++)] += la::dot(x_q_.col(pair.columns[a]), force_b);
      }
    }
  } else {
    static_cast<void>(pair), static_cast<void>(t), static_cast<void>(c_v), static_cast<void>(c_q),
        static_cast<void>(N);
  }
}

template <Scalar T>
void TreeMatrices<T>::add_forces(double t, double c_v, double c_q, SparseUpper<T>& N) {
  for (const Pair& pair : layout().pairs) add_pair(pair, t, c_v, c_q, N);
  if constexpr (std::is_same_v<T, double>) {
    for (const Force& force : model_.forces()) {
      if (force.type->port() != PortKind::kJointCoordinate) continue;
      ForcePartials partials;
      force.type->partials(d_.joint_port_state(force, t), d_.attributes(force), partials);
      const int c =
          model_.joints()[static_cast<std::size_t>(force.joint)].q_first + force.coordinate;
      N.diagonal(c) -= c_q * partials.e_x(0, 0) + c_v * partials.e_xdot(0, 0);
    }
  }
}

template class TreeMatrices<double>;
template class TreeMatrices<Complex>;

}  // namespace kinegrad
