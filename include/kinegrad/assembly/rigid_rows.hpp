// The constraints that keep bodies rigid in natural coordinates [NC-1]: with e, ė, ë of the directions,
//
//   Φ = e_i·e_j − ē_i·ē_j,   Φ̇ = ė_i·e_j + e_i·ė_j,   Φ̈ = ë_i·e_j + 2ė_i·ė_j + e_i·ë_j       [NC-3]
//
// and the half of it where i = j, over constant lengths. They are quadratic: their second derivatives are constants.
#pragma once

#include <set>
#include <vector>

#include "kinegrad/assembly/natural_map.hpp"
#include "kinegrad/math/sparse_rows.hpp"

namespace kinegrad {

template <Scalar T>
class RigidRows {
 public:
  RigidRows(const Model& model, const NaturalMap<T>& map);

  /// Columns of each row of the model.
  std::vector<std::set<int>> columns(int rows) const;

  /// Write the rows of Φ, and of Φ_q; the others are left alone.
  void values(std::span<const T> q, VecXT<T>& Phi) const;
  void slopes(std::span<const T> q, SparseRows<T>& Phi_q) const;
  void rates(std::span<const T> q, std::span<const T> v, std::span<const T> a, VecXT<T>& Phi_dot,
             VecXT<T>& Phi_ddot) const;

  /// One row: its directions as signed elements, (element, sign) twice at most.
  struct Side {
    int count = 0;
    int element[2] = {-1, -1};
    double sign[2] = {1, -1};
  };
  Side side(const RigidRow& row, int k) const;
  /// What a row is multiplied by: 1, or ½ where i = j, over the lengths of both directions at the model's
  /// own parameters, so that rows are pure numbers whatever the size of the mechanism.
  double factor(const RigidRow& row) const {
    return factor_[static_cast<std::size_t>(&row - map_.basis().rows.data())];
  }

 private:
  T value(const RigidRow& row, const Vec3T<T>& e_i, const Vec3T<T>& e_j) const;

  const NaturalMap<T>& map_;
  std::vector<double> factor_;
};

}  // namespace kinegrad
