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
  using Row = Eigen::Ref<Eigen::RowVectorXd, 0, Eigen::InnerStride<>>;

  /// Columns for ρ[parameters[0]], ρ[parameters[1]], …
  DesignJacobian(const DesignMap& map, std::span<const double> rho,
                 std::span<const int> parameters);
  /// One column, along a direction dρ of all parameters.
  static DesignJacobian along(const DesignMap& map, std::span<const double> rho,
                              std::span<const double> d_rho);

  int parameters() const { return columns_; }
  /// No two that were made have the same, copies apart: who keeps something made of one knows by it
  /// whether it is still right.
  long number() const { return number_; }
  /// dp = ∂p/∂ρ_j.
  void column(int j, std::span<double> dp) const;
  /// Entries of p that some parameter moves, ascending.
  const std::vector<int>& active() const { return active_; }
  /// out = P_ρᵀ p̄.
  void pull(std::span<const double> p_bar, std::span<double> out) const;
  /// Row i of the result is P_ρᵀ of what pull(i, p̄) adds to a p̄ of zeros; `p_bar` is room for it.
  template <typename Pull>
  void pull_rows(int count, std::vector<double>& p_bar, const Pull& pull_one, MatX& result) const {
    for (int i = 0; i < count; ++i) {
      for (const int k : active_) p_bar[static_cast<std::size_t>(k)] = 0;
      pull_one(i, std::span<double>(p_bar));
      result.row(i).setZero();
      add_pulled(p_bar, result.row(i));
    }
  }
  /// Row of P_ρ added to a row: out += s ∂p_k/∂ρ.
  void add_row(int k, double s, Row out) const;

 private:
  /// Columns P_ρ dρ of the directions that seed(j, dρ) writes into zeros.
  template <typename Seed>
  DesignJacobian(const DesignMap& map, std::span<const double> rho, int columns, const Seed& seed);
  void add_pulled(std::span<const double> p_bar, Row out) const;

  int columns_ = 0;
  long number_ = 0;
  std::vector<int> active_, start_{0}, column_;
  std::vector<double> value_;
  std::vector<int> place_;  // by entry of p: its index in active_, -1: none
};

}  // namespace kinegrad
