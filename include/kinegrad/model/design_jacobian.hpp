// ∂p/∂ρ of chosen parameters at one ρ, sparse: it does not change during a run, so cotangents of p are
// turned into those of ρ without going through the tape each time.
//
//   dp = P_ρ dρ,      ρ̄ = P_ρᵀ p̄                                                               [PM-1]
#pragma once

#include <span>
#include <vector>

#include "kinegrad/math/scalar.hpp"
#include "kinegrad/model/design_map.hpp"

namespace kinegrad {

class DesignJacobian {
 public:
  /// Columns for ρ[parameters[0]], ρ[parameters[1]], …
  DesignJacobian(const DesignMap& map, std::span<const double> rho,
                 std::span<const int> parameters);

  int parameters() const { return columns_; }
  /// Entries of p that some parameter moves, ascending.
  const std::vector<int>& active() const { return active_; }
  /// out = P_ρᵀ p̄.
  void pull(std::span<const double> p_bar, std::span<double> out) const;
  /// Row of P_ρ added to a row: out += s ∂p_k/∂ρ.
  void add_row(int k, double s, Eigen::Ref<Eigen::RowVectorXd, 0, Eigen::InnerStride<>> out) const;

 private:
  int columns_ = 0;
  std::vector<int> active_, start_{0}, column_;
  std::vector<double> value_;
  std::vector<int> place_;  // by entry of p: its index in active_, -1: none
};

}  // namespace kinegrad
