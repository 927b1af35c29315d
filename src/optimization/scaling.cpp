#include "optimization/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kinegrad {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// A change of this part of a range or of a value is a change to speak of.
constexpr double kPart = 0.1;

/// Bounds so far apart are none: products with such a scale overflow.
constexpr double kOpen = 1e100;
/// Of a range: steps of less would not cross it in the evaluations that a search has.
constexpr double kLeast = 1e-3;

/// [OP-3] What the user says, else a part of the range, of the value, or 1. Never more than the range,
/// which no parameter can change by, and not less than a thousandth of it.
double parameter_scale(const OptimizationProblem& problem, const VecX& start, Eigen::Index k) {
  const double range = problem.upper(k) - problem.lower(k);
  const bool bounded = range < kOpen && range > 0;
  if (problem.scale(k) > 0) {
    return bounded ? std::clamp(problem.scale(k), kLeast * range, range) : problem.scale(k);
  }
  if (bounded) return kPart * range;
  return start(k) != 0 ? kPart * std::abs(start(k)) : 1;
}

}  // namespace

Scaling::Scaling(const OptimizationProblem& problem, const VecX& start)
    : problem_(&problem), start_(start), S_(start.size()), s_c_(constraint_rows()) {
  for (Eigen::Index k = 0; k < start.size(); ++k) S_(k) = parameter_scale(problem, start, k);
  s_c_.setOnes();
}

void Scaling::set_outputs(const Evaluation& at_start) {
  const auto slope = [&](int row) {
    return at_start.psi_rho.row(row).transpose().cwiseProduct(S_).cwiseAbs().maxCoeff();
  };
  VecX gradient = VecX::Zero(start_.size());
  double steepest = 0;
  for (const CostTerm& term : problem_->cost) {
    gradient += term.weight * at_start.psi_rho.row(term.row).transpose().cwiseProduct(S_);
    steepest = std::max(steepest, std::abs(term.weight) * slope(term.row));
  }
  if (!problem_->minimax) steepest = gradient.cwiseAbs().maxCoeff();
  s_f_ = std::max(std::abs(problem_->cost_of(at_start.psi)), steepest);
  if (!(s_f_ > 0)) s_f_ = 1;
  for (Eigen::Index i = 0; i < constraint_rows(); ++i) {
    const RowRange& range = problem_->constraints[static_cast<std::size_t>(i)];
    const double psi = at_start.psi(range.row);
    const double missed = std::max({0.0, range.lower - psi, psi - range.upper});
    // a row that hardly moves here is not blown up by its slope
    s_c_(i) = std::max(slope(range.row), 1e-2 * missed);
    if (!(s_c_(i) > 0)) s_c_(i) = 1;
  }
}

VecX Scaling::rho(const VecX& x) const {
  VecX rho = start_ + S_.cwiseProduct(x.head(start_.size()));
  for (Eigen::Index k = 0; k < rho.size(); ++k) {
    const double lower = problem_->lower(k), upper = problem_->upper(k);
    if (x(k) <= (lower - start_(k)) / S_(k)) rho(k) = lower;
    if (x(k) >= (upper - start_(k)) / S_(k)) rho(k) = upper;
    rho(k) = std::clamp(rho(k), lower, upper);
  }
  return rho;
}

VecX Scaling::x(const Evaluation& evaluation) const {
  VecX x(variables());
  x.head(start_.size()) = (evaluation.rho - start_).cwiseQuotient(S_);
  if (problem_->minimax) x(start_.size()) = problem_->cost_of(evaluation.psi) / s_f_;
  return x;
}

void Scaling::bounds(VecX& lower, VecX& upper, VecX& c_lower, VecX& c_upper) const {
  lower.setConstant(variables(), -kInfinity);
  upper.setConstant(variables(), kInfinity);
  lower.head(start_.size()) = (problem_->lower - start_).cwiseQuotient(S_);
  upper.head(start_.size()) = (problem_->upper - start_).cwiseQuotient(S_);
  for (Eigen::Index k = 0; k < start_.size(); ++k) {
    if (problem_->lower(k) < -kOpen) lower(k) = -kInfinity;
    if (problem_->upper(k) > kOpen) upper(k) = kInfinity;
  }
  c_lower.setConstant(rows(), -kInfinity);
  c_upper.setConstant(rows(), 0);
  for (Eigen::Index i = 0; i < constraint_rows(); ++i) {
    const RowRange& range = problem_->constraints[static_cast<std::size_t>(i)];
    c_lower(minimax_rows() + i) = range.lower / s_c_(i);
    c_upper(minimax_rows() + i) = range.upper / s_c_(i);
  }
}

void Scaling::point(const VecX& x, const Evaluation& evaluation, NlpPoint& out) const {
  const Eigen::Index n = start_.size(), m = minimax_rows();
  out.failed = false;
  out.f_x.setZero(variables());
  out.c.setZero(rows());
  out.c_x.setZero(rows(), variables());
  const auto scaled_slopes = [&](int row, double factor) -> VecX {
    return factor * evaluation.psi_rho.row(row).transpose().cwiseProduct(S_);
  };
  out.f = problem_->minimax ? x(n) : problem_->cost_of(evaluation.psi) / s_f_;
  if (problem_->minimax) out.f_x(n) = 1;
  for (std::size_t k = 0; k < problem_->cost.size(); ++k) {
    const CostTerm& term = problem_->cost[k];
    const VecX slopes = scaled_slopes(term.row, term.weight / s_f_);
    if (!problem_->minimax) {
      out.f_x += slopes;
      continue;
    }
    const auto row = static_cast<Eigen::Index>(k);
    out.c(row) = term.weight * evaluation.psi(term.row) / s_f_ - x(n);
    out.c_x.row(row).head(n) = slopes.transpose();
    out.c_x(row, n) = -1;
  }
  for (Eigen::Index i = 0; i < constraint_rows(); ++i) {
    const int row = problem_->constraints[static_cast<std::size_t>(i)].row;
    out.c(m + i) = evaluation.psi(row) / s_c_(i);
    out.c_x.row(m + i).head(n) = scaled_slopes(row, 1 / s_c_(i)).transpose();
  }
}

}  // namespace kinegrad
