// Small optimisation problems with known optima, as evaluators that count.
#pragma once

#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "kinegrad/optimization/optimize.hpp"

namespace kinegrad::test {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// ψ and ψ_ρ as functions of ρ.
struct Analytic {
  OptimizationProblem problem;
  std::function<void(const VecX& x, VecX& psi, MatX& psi_rho)> function;
  std::function<std::string(const VecX& x)> failure = {};  ///< not empty: the point fails so
};

inline Evaluator evaluator(const Analytic& analytic, std::atomic<int>* count = nullptr) {
  return [&analytic, count](const EvaluationRequest& request) {
    if (count) ++*count;
    Evaluation out;
    out.rho = request.rho;
    if (analytic.failure) out.failure = analytic.failure(request.rho);
    if (!out.usable()) return out;
    const auto k = static_cast<Eigen::Index>(analytic.problem.rows.size());
    out.psi.setZero(k);
    out.psi_rho.setZero(k, request.rho.size());
    analytic.function(request.rho, out.psi, out.psi_rho);
    return out;
  };
}

/// n parameters x1 … from `start`, without bounds; k rows psi1 …, the first of them the cost.
inline OptimizationProblem plain_problem(const VecX& start, int rows) {
  OptimizationProblem problem;
  const Eigen::Index n = start.size();
  for (Eigen::Index i = 0; i < n; ++i) problem.parameters.push_back("x" + std::to_string(i + 1));
  for (int i = 0; i < rows; ++i) problem.rows.push_back("psi" + std::to_string(i + 1));
  problem.start = start;
  problem.lower.setConstant(n, -kInfinity);
  problem.upper.setConstant(n, kInfinity);
  problem.scale.setZero(n);
  problem.cost = {{0, 1.0}};
  return problem;
}

/// Rosenbrock's valley; (1, 1), 0 without bounds.
inline Analytic rosenbrock() {
  Analytic out;
  out.problem = plain_problem(Eigen::Vector2d(-2, 1), 1);
  out.function = [](const VecX& x, VecX& psi, MatX& slope) {
    const double u = x(1) - x(0) * x(0), v = 1 - x(0);
    psi(0) = 100 * u * u + v * v;
    slope.row(0) << -400 * u * x(0) - 2 * v, 200 * u;
  };
  return out;
}

/// W. Hock, K. Schittkowski, Test Examples for Nonlinear Programming Codes (1981), problem 71: one
/// inequality, one equation, bounds. f = 17.0140173, x = (1, 4.7429994, 3.8211503, 1.3794082).
inline Analytic hock_schittkowski_71() {
  Analytic out;
  out.problem = plain_problem(Eigen::Vector4d(1, 5, 5, 1), 3);
  out.problem.lower.setConstant(1);
  out.problem.upper.setConstant(5);
  out.problem.constraints = {{1, 25, kInfinity}, {2, 40, 40}};
  out.function = [](const VecX& x, VecX& psi, MatX& slope) {
    const double s = x(0) + x(1) + x(2), p = x.prod();
    psi << x(0) * x(3) * s + x(2), p, x.squaredNorm();
    slope.row(0) << x(3) * (s + x(0)), x(0) * x(3), x(0) * x(3) + 1, x(0) * s;
    slope.row(1) = (p * x.cwiseInverse()).transpose();
    slope.row(2) = 2 * x.transpose();
  };
  return out;
}

/// The same book, problem 35 (Beale): a quadratic, one inequality, x ≥ 0. f = 1/9 at (4/3, 7/9, 4/9),
/// multiplier 2/9.
inline Analytic hock_schittkowski_35() {
  Analytic out;
  out.problem = plain_problem(Eigen::Vector3d(0.5, 0.5, 0.5), 2);
  out.problem.lower.setZero();
  out.problem.constraints = {{1, -kInfinity, 3}};
  out.function = [](const VecX& x, VecX& psi, MatX& slope) {
    Eigen::Matrix3d H;
    H << 4, 2, 2, 2, 4, 0, 2, 0, 2;
    const Eigen::Vector3d b(-8, -6, -4), a(1, 1, 2);
    psi << 9 + b.dot(x) + 0.5 * x.dot(H * x), a.dot(x);
    slope.row(0) = (b + H * x).transpose();
    slope.row(1) = a.transpose();
  };
  return out;
}

/// Many valleys between −5 and 5; the deepest at (−0.5130, −0.5130)-like places is found by some starts
/// only.
inline Analytic many_valleys() {
  Analytic out;
  out.problem = plain_problem(Eigen::Vector2d(3.7, 4.1), 1);
  out.problem.lower.setConstant(-5);
  out.problem.upper.setConstant(5);
  out.function = [](const VecX& x, VecX& psi, MatX& slope) {
    for (Eigen::Index k = 0; k < 2; ++k) {
      psi(0) += x(k) * x(k) + 10 * std::sin(3 * x(k));
      slope(0, k) = 2 * x(k) + 30 * std::cos(3 * x(k));
    }
  };
  return out;
}

}  // namespace kinegrad::test
