#include "kinegrad/ports/port_states.hpp"

#include <algorithm>

namespace kinegrad {

template <int N>
PortStates<N>::PortStates(const Force& force, const TreeParameters<double>& tree,
                          std::span<const int> columns) {
  for (const int joint : force.states) {
    coordinates.push_back(tree.model.joints()[static_cast<std::size_t>(joint)].q_first);
  }
  if (empty()) return;
  all.assign(columns.begin(), columns.end());
  all.insert(all.end(), coordinates.begin(), coordinates.end());
  std::sort(all.begin(), all.end());
  const auto places = [&](std::span<const int> of, std::vector<Eigen::Index>& out) {
    for (const int c : of) out.push_back(std::lower_bound(all.begin(), all.end(), c) - all.begin());
  };
  places(columns, of_port);
  places(coordinates, of_states);
  const auto n = static_cast<Eigen::Index>(all.size());
  r_q.setZero(n, n);
  r_v.setZero(n, n);
}
template <int N>
void PortStates<N>::join(const Jacobian& J, const Jacobian& Jdot, const MatX& own_q,
                         const MatX& own_v) {
  r_q.setZero();
  r_v.setZero();
  for (Eigen::Index j = 0; j < J.cols(); ++j) {
    const Eigen::Index to = of_port[static_cast<std::size_t>(j)];
    for (Eigen::Index i = 0; i < J.cols(); ++i) {
      r_q(of_port[static_cast<std::size_t>(i)], to) = own_q(i, j);
      r_v(of_port[static_cast<std::size_t>(i)], to) = own_v(i, j);
    }
    for (Eigen::Index i = 0; i < size(); ++i) {
      const Eigen::Index z = of_states[static_cast<std::size_t>(i)];
      r_v(to, z) = -la::dot(J.col(j), e_z.col(i));
      r_v(z, to) = -la::dot(g_xdot.row(i).transpose(), J.col(j));
      r_q(z, to) = -la::dot(g_x.row(i).transpose(), J.col(j)) -
                   la::dot(g_xdot.row(i).transpose(), Jdot.col(j));
    }
  }
  for (Eigen::Index i = 0; i < size(); ++i) {
    for (Eigen::Index j = 0; j < size(); ++j) {
      r_v(of_states[static_cast<std::size_t>(i)], of_states[static_cast<std::size_t>(j)]) =
          -g_z(i, j);
    }
  }
}

template <int N>
void PortStates<N>::newton_block(const MatX& own, double c_v, MatX& block) const {
  block.setZero();
  for (std::size_t j = 0; j < of_port.size(); ++j) {
    for (std::size_t i = 0; i <= j; ++i) {
      block(of_port[i], of_port[j]) =
          own(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
    }
  }
  for (Eigen::Index i = 0; i < size(); ++i) {
    const Eigen::Index z = of_states[static_cast<std::size_t>(i)];
    block(z, z) = -c_v * g_z(i, i);
  }
}

template <int N>
void PortStates<N>::pullback(const Vec<double, N>& rate, std::span<double> v_bar) const {
  if (v_bar.empty()) return;
  for (Eigen::Index i = 0; i < size(); ++i) {
    v_bar[coordinate(i)] -= la::dot(e_z.col(i), rate) + la::dot(g_z.col(i), w);
  }
}

template <int N>
void PortStates<N>::tangent(const ParameterDirection& direction, ForceStates<double> dg,
                            Vec<double, N>& de, Eigen::Ref<VecX> dr) const {
  for (Eigen::Index i = 0; direction.of_state && i < size(); ++i) {
    const double dz = direction.dv[coordinate(i)];
    de += e_z.col(i) * dz;
    dg += g_z.col(i) * dz;
  }
  for (Eigen::Index i = 0; i < size(); ++i) dr(static_cast<Eigen::Index>(coordinate(i))) -= dg(i);
}

template struct PortStates<1>;
template struct PortStates<3>;
template struct PortStates<6>;

}  // namespace kinegrad
