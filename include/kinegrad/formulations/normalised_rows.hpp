// The rows of a system's constraints with the normalisations of Euler parameters after them, as one
// dense Jacobian J and as values at every level.
#pragma once

#include <algorithm>
#include <cmath>

#include "kinegrad/assembly/mechanical_system.hpp"
#include "kinegrad/math/linear_algebra.hpp"

namespace kinegrad {

enum class RowLevel { kPosition, kVelocity, kAcceleration };

template <Scalar T>
class NormalisedRows {
 public:
  /// The system must outlive the object.
  explicit NormalisedRows(const MechanicalSystem<T>& system)
      : system_(system),
        m_(system.rows()),
        J_(m_ + static_cast<int>(system.euler_sets().size()), system.nq()),
        size_(VecX::Zero(J_.rows())) {
    J_.setConstant(T(0));
  }

  int count() const { return static_cast<int>(J_.rows()); }

  /// J at the place the system evaluated last: Φ_q and pᵀ of the normalisations.
  void fill(std::span<const T> q) {
    const SparseRows<T>& J = system_.Phi_q();
    for (int i = 0; i < m_; ++i) {
      const auto row = static_cast<std::size_t>(i);
      for (auto k = static_cast<std::size_t>(J.start[row]);
           k < static_cast<std::size_t>(J.start[row + 1]); ++k) {
        J_(i, J.column[k]) = J.value[k];
      }
    }
    const EulerSets sets = system_.euler_sets();
    for (std::size_t e = 0; e < sets.size(); ++e) {
      for (int c = 0; c < 4; ++c) {
        J_(m_ + static_cast<int>(e), sets[e] + c) = q[static_cast<std::size_t>(sets[e] + c)];
      }
    }
  }
  const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>& J() const { return J_; }
  /// The largest entries that rows ever had, in these units of the coordinates [KP-11]: not their present ones,
  /// because it may be the whole row that vanishes.
  void forget_sizes() { size_.setZero(); }
  void keep_sizes(const VecX& units) {
    for (Eigen::Index i = 0; i < J_.rows(); ++i) {
      for (Eigen::Index j = 0; j < J_.cols(); ++j) {
        const double x = std::abs(real_part(J_(i, j))) * units(j);  // holomorphic: a size
        size_(i) = std::max(size_(i), x);                           // holomorphic: a size
      }
    }
  }
  /// |Φ| of the holonomic equation that is open most, over its size.
  double open() const {
    double open = 0;
    for (int i = 0; i < system_.holonomic(); ++i) {
      const double phi = std::abs(real_part(system_.Phi()(i)));    // holomorphic: a size
      open = std::max(open, size_(i) > 0 ? phi / size_(i) : phi);  // holomorphic: a size
    }
    return open;
  }
  /// What remains of an equation's terms [RK-1], where J was filled.
  double remaining(int row) const { return row < m_ ? system_.remaining(row) : 1; }

  /// Φ, Φ̇ or Φ̈ of a row at the state the system evaluated last; v and a as far as the level needs.
  T value(int row, RowLevel level, std::span<const T> q, std::span<const T> v,
          std::span<const T> a) const {
    if (row < m_) {
      return level == RowLevel::kPosition   ? system_.Phi()(row)
             : level == RowLevel::kVelocity ? system_.Phi_dot()(row)
                                            : system_.Phi_ddot()(row);
    }
    const int first = system_.euler_sets()[static_cast<std::size_t>(row - m_)];
    const auto p = Eigen::Map<const Vec<T, 4>>(q.data() + first);
    if (level == RowLevel::kPosition) return (la::squared_norm(p) - T(1)) * T(0.5);
    const auto pdot = Eigen::Map<const Vec<T, 4>>(v.data() + first);
    if (level == RowLevel::kVelocity) return la::dot(p, pdot);
    const auto pddot = Eigen::Map<const Vec<T, 4>>(a.data() + first);
    return la::dot(p, pddot) + la::squared_norm(pdot);
  }

 private:
  const MechanicalSystem<T>& system_;
  int m_;
  Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> J_;
  VecX size_;
};

}  // namespace kinegrad
