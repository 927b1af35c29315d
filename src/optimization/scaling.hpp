// Between the user's units and those of the optimiser [OP-3]:
//
//   ρ = ρ₀ + S x,      f = cost/s_f,      c_i = ψ_i/s_i
//
// so that x, f and the slopes of c are of the order of 1. Minimax has one variable more, x_t with
// f = x_t, and a row w_k ψ_k/s_f − x_t ≤ 0 for each of its objectives; constraints follow after them.
#pragma once

#include "kinegrad/optimization/nlp.hpp"
#include "kinegrad/optimization/problem.hpp"

namespace kinegrad {

class Scaling {
 public:
  /// From the values and slopes at the start.
  Scaling(const OptimizationProblem& problem, const VecX& start);
  void set_outputs(const Evaluation& at_start);

  Eigen::Index variables() const { return start_.size() + (problem_->minimax ? 1 : 0); }
  Eigen::Index rows() const { return minimax_rows() + constraint_rows(); }
  Eigen::Index minimax_rows() const {
    return problem_->minimax ? static_cast<Eigen::Index>(problem_->cost.size()) : 0;
  }
  Eigen::Index constraint_rows() const {
    return static_cast<Eigen::Index>(problem_->constraints.size());
  }

  /// Exact at the start and at the bounds.
  VecX rho(const VecX& x) const;
  /// Of ρ, and of the t that makes the most of it.
  VecX x(const Evaluation& evaluation) const;
  void bounds(VecX& lower, VecX& upper, VecX& c_lower, VecX& c_upper) const;
  void point(const VecX& x, const Evaluation& evaluation, NlpPoint& out) const;

  double parameter(Eigen::Index k) const { return S_(k); }
  double cost() const { return s_f_; }
  double constraint(Eigen::Index i) const { return s_c_(i); }

 private:
  const OptimizationProblem* problem_;
  VecX start_, S_, s_c_;
  double s_f_ = 1;
};

}  // namespace kinegrad
