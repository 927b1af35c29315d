// The states of a force in the derivatives of its port (docs/theory/states.md).
#pragma once

#include "kinegrad/ports/port.hpp"

namespace kinegrad {

/// What states add to the derivatives of a port with N efforts: their coordinates, rates g and the partials of
/// [OS-4]. With ẋ and z as one vector of rates the port is J = [J 0; 0 1] and the effort [e; g].  [OS-5]
template <int N>
struct PortStates {
  std::vector<int> coordinates;
  std::vector<int> all;               ///< coordinates of the port and of its states, in order
  std::vector<Eigen::Index> of_port;  ///< of the port's columns in `all`
  std::vector<Eigen::Index> of_states;
  ForceStates<double> g;
  Eigen::Matrix<double, N, Eigen::Dynamic, N == 1 ? Eigen::RowMajor : Eigen::ColMajor, N,
                kMaxForceStates>
      e_z;
  Eigen::Matrix<double, Eigen::Dynamic, N, 0, kMaxForceStates, N> g_x, g_xdot;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxForceStates, kMaxForceStates> g_z;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxForceStates, kMaxForceAttributes>
      g_p;
  ForceStates<double> w;  ///< weights of their equations
  MatX r_q, r_v;

  using Jacobian = Eigen::Matrix<double, N, Eigen::Dynamic>;

  PortStates(const Force& force, const TreeParameters<double>& tree, std::span<const int> columns);
  bool empty() const { return coordinates.empty(); }
  Eigen::Index size() const { return static_cast<Eigen::Index>(coordinates.size()); }
  std::size_t coordinate(Eigen::Index i) const {
    return static_cast<std::size_t>(coordinates[static_cast<std::size_t>(i)]);
  }
  void take_weights(std::span<const double> weights) {
    w.resize(size());
    for (Eigen::Index i = 0; i < size(); ++i) w(i) = weights.empty() ? 0.0 : weights[coordinate(i)];
  }
  /// Rates and partials; a law may have more states than this force. g_x is the port's affair.
  void take(const ForcePartials& raw, const ForceStates<double>& rates) {
    const Eigen::Index n = size();
    g = rates.head(n);
    e_z = raw.e_z.leftCols(n);
    g_xdot = raw.g_xdot.topRows(n);
    g_z = raw.g_z.topLeftCorner(n, n);
    g_p = raw.g_p.topRows(n);
  }
  /// The upper triangle of what simulations take: that of the port and the diagonal of the states. Who needs more takes the
  /// whole matrix.
  void newton_block(const MatX& own, double c_v, MatX& block) const;
  /// z̄ of the weights of efforts and of states.
  void pullback(const Vec<double, N>& rate, std::span<double> v_bar) const;
  /// Adds to de and −δg to dr what states change; dg comes with the rest.
  void tangent(const ParameterDirection& direction, ForceStates<double> dg, Vec<double, N>& de,
               Eigen::Ref<VecX> dr) const;
  /// The blocks of the port's own columns and of its states in one.                             [OS-5]
  void join(const Jacobian& J, const Jacobian& Jdot, const MatX& own_q, const MatX& own_v);
};

}  // namespace kinegrad
