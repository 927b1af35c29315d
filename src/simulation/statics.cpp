#include "kinegrad/simulation/statics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "simulation/rest_equations.hpp"

namespace kinegrad {

namespace {

constexpr double kLargestMove = 0.5;  // radian or metre

/// Newton's method downhill from q to an equilibrium that no direction leads away from. False if it does not
/// arrive; q is then where it came to.
bool descend(RestEquations& problem, VecX& q, VecX& lambda, int& iterations) {
  constexpr int kIterations = 300, kPushes = 5;
  constexpr double kPush = 1e-2;
  problem.place(q);
  VecX multipliers = problem.best_multipliers();
  double mu = 0;
  int pushes = 0;
  for (int k = 0; k < kIterations; ++k, ++iterations) {
    const double residual = problem.residual(multipliers), energy = problem.energy();
    const double violation = problem.violation();
    problem.linearize(q, multipliers);
    VecX delta, next;
    if (problem.balanced(multipliers)) {
      lambda = multipliers.head(problem.holonomic());
      if (pushes++ == kPushes || !problem.leads_away(delta)) return true;
      q += kPush * delta;  // balanced on a tip: off it
      problem.place(q);
      multipliers = problem.best_multipliers();
      continue;
    }
    bool moved = false;
    for (int attempt = 0; attempt < 60 && !moved; ++attempt) {
      problem.place(q);
      if (problem.newton_step(mu, delta, next)) {
        const double part = std::min(1.0, kLargestMove / std::max(delta.norm(), 1e-300));
        const VecX trial = q + part * delta;
        problem.place(trial);
        const VecX balance = problem.best_multipliers();
        const bool downhill = problem.energy() < energy - 1e-14 * std::abs(energy);
        const bool closer =
            violation > RestEquations::kClosed && problem.violation() < 0.5 * violation;
        if (downhill || closer || problem.residual(balance) < 0.5 * residual ||
            (mu == 0 && problem.residual(balance) < residual)) {
          q = trial;
          multipliers = balance;
          moved = true;
          mu = mu < 1e-6 ? 0 : mu / 10;
          break;
        }
      }
      mu = mu == 0 ? 1e-2 : mu * 4;
    }
    if (!moved) break;
  }
  problem.place(q);
  const VecX balance = problem.best_multipliers();
  lambda = balance.head(problem.holonomic());
  return problem.nearly_balanced(balance);  // as near as rounding lets it
}

/// A step of the relaxation from q, and how long the next one may be; false if there is none.
bool relax_once(RestEquations& problem, VecX& q, double& length) {
  constexpr int kAttempts = 40;
  constexpr double kWorse = 2, kGrows = 10, kShrinks = 0.25;
  const double before = problem.imbalance();
  VecX delta;
  for (int attempt = 0; attempt < kAttempts; ++attempt, length *= kShrinks) {
    if (!problem.relaxation_step(length, delta)) continue;
    if (delta.cwiseAbs().maxCoeff() > kLargestMove) continue;
    problem.place(q + delta);
    const double after = problem.imbalance();
    if (after <= kWorse * before) {
      q += delta;
      length *= std::clamp(before / std::max(after, 1e-300), kShrinks, kGrows);
      return true;
    }
    problem.place(q);
  }
  return false;
}

/// Pseudo-transient continuation: implicit steps of R q′ = −(r + Jᵀλ), the longer the nearer to balance the forces
/// are, at last Newton's method with the whole of K. Forces need no potential, and the way is that of a mechanism
/// in a viscous fluid: it ends where a damped motion would.                                                [KP-15]
bool relax(RestEquations& problem, RestEquations::Resistance resistance, VecX& q, VecX& lambda,
           int& iterations) {
  constexpr int kIterations = 500;
  constexpr double kFirstMove = 0.05;
  double length = 0;
  for (int k = 0; k < kIterations; ++k, ++iterations) {
    problem.place(q);
    const VecX multipliers = problem.best_multipliers();
    lambda = multipliers.head(problem.holonomic());
    if (problem.balanced(multipliers)) return true;
    problem.linearize(q, multipliers);
    if (!problem.resist(q, resistance)) return false;
    if (k == 0) length = kFirstMove / std::max(problem.relaxation_rate(), 1e-300);
    if (!relax_once(problem, q, length)) break;
  }
  problem.place(q);
  const VecX balance = problem.best_multipliers();
  lambda = balance.head(problem.holonomic());
  return problem.nearly_balanced(balance);
}

}  // namespace

KinematicReport find_equilibrium(const Model& model, std::span<const double> p,
                                 ReferencePoint point, VecX& q, VecX& lambda) {
  KinematicReport report;
  RestEquations problem(model, p, point);
  const VecX start = q;
  if (descend(problem, q, lambda, report.iterations)) return report;
  const double left = problem.residual(problem.best_multipliers());
  using Resistance = RestEquations::Resistance;
  for (const Resistance resistance : {Resistance::kMass, Resistance::kDamping}) {
    VecX relaxed = start;
    if (!relax(problem, resistance, relaxed, lambda, report.iterations)) continue;
    q = relaxed;
    return report;
  }
  report.solved = false;
  report.message =
      fmt::format("no static equilibrium was found in {} iterations: {:.3g} N of force are left",
                  report.iterations, left);
  return report;
}

}  // namespace kinegrad
