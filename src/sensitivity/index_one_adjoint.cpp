#include "kinegrad/sensitivity/index_one_adjoint.hpp"

namespace kinegrad {

/// −ġ_a in the place of g_a.
const AdjointSource& IndexOneAdjoint::by_parts(const AdjointSource& g) {
  parts_ = g;
  parts_.g.v -= g.a_rate;
  parts_.g.a.setZero();
  return parts_;
}

bool IndexOneAdjoint::end(const StateCotangent& terminal, const AdjointSource& g, AdjointState& mu,
                          std::span<double> p) {
  if (!state_.end(terminal, g, mu, p)) return false;
  mu.v += g.g.a / g.weight;
  return true;
}

void IndexOneAdjoint::rate(const AdjointState& mu, const AdjointSource& g, AdjointState& result,
                           std::span<double> p) {
  state_.rate(mu, by_parts(g), result, p);
}

void IndexOneAdjoint::solve(const AdjointSource& g, AdjointState& mu, std::span<double> p) {
  state_.solve(by_parts(g), mu, p);
}

void IndexOneAdjoint::start(const AdjointSource& g, AdjointState& mu, std::span<double>) {
  mu.v -= g.g.a / g.weight;
}

}  // namespace kinegrad
