// What steps of all tableaus share: the embedded estimate of the error [ERK-1], and the quadrature that has the
// tableau's order [QU-2]. Stage 0 of a step is x₀; where a tableau says so its last one is x₁.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "kinegrad/integrators/step_map.hpp"
#include "kinegrad/integrators/tableau.hpp"

namespace kinegrad {

/// |e| over tolerance·(1 + |x|), x the larger one of both ends.
template <Scalar T>
double scaled_error(const T& e, const T& x0, const T& x1, double tolerance) {
  const double largest = std::max(std::abs(real_part(x0)),   // holomorphic: a size
                                  std::abs(real_part(x1)));  // holomorphic: a size
  return std::abs(real_part(e)) / (tolerance * (1 + largest));
}

/// Root mean square of the estimate over tolerance·(1 + |x|), of all coordinates: those that follow from the
/// constraint equations may turn faster than those that are integrated, and of a driven mechanism none is. Errors of
/// speeds count by `speeds`.
template <Scalar T>
double embedded_error(const Tableau& tableau, double h, double tolerance, double speeds,
                      const StepState<T>& x0, const std::vector<StepState<T>>& stages,
                      const StepState<T>& x1) {
  double sum = 0;
  for (Eigen::Index i = 0; i < x0.q.size(); ++i) {
    T e_q(0), e_v(0);
    for (std::size_t s = 0; s < tableau.b.size(); ++s) {
      const double w = h * (tableau.b[s] - tableau.b_hat[s]);
      const StepState<T>& stage = s == 0 ? x0 : stages[s];
      e_q += stage.v(i) * T(w);
      e_v += stage.a(i) * T(w);
    }
    const double q = scaled_error(e_q, x0.q(i), x1.q(i), tolerance),
                 v = speeds * scaled_error(e_v, x0.v(i), x1.v(i), tolerance);
    sum += q * q + v * v;
  }
  return x0.q.size() ? std::sqrt(sum / static_cast<double>(2 * x0.q.size())) : 0;
}

/// ψ̇ = g as one more equation of the system: b of the tableau at the stages [QU-2], b − b̂ for its error [QU-3].
template <Scalar T>
void tableau_quadrature(const Tableau& tableau, double h, const StepState<T>& x0,
                        const std::vector<StepState<T>>& stages, const StepState<T>& x1,
                        std::vector<QuadratureNode<T>>& nodes) {
  nodes.clear();
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const double b = tableau.b[s], estimate = tableau.b_hat.empty() ? 0 : b - tableau.b_hat[s];
    if (b == 0 && estimate == 0) continue;
    const bool last = tableau.first_same_as_last && s + 1 == stages.size();
    nodes.push_back({h * b, s == 0 ? &x0 : last ? &x1 : &stages[s], h * estimate});
  }
}

/// What the trapezoidal rule misses of the parabola through three integrands, h³g''/12, as estimates of its nodes.
template <Scalar T>
void add_parabola(const StepState<T>& earlier, const StepState<T>& x0, const StepState<T>& x1,
                  std::vector<QuadratureNode<T>>& nodes) {
  const double h = x1.t - x0.t, h0 = x0.t - earlier.t, w = h * h * h / (6 * (h + h0));
  for (QuadratureNode<T>& node : nodes) {
    node.estimate = node.state == &x1 ? w / h : -w * (1 / h + 1 / h0);
  }
  nodes.push_back({0, &earlier, w / h0});
}

/// The stages between x₀ and x₁.
template <Scalar T>
std::span<const StepState<T>> inner_stages(const Tableau& tableau,
                                           const std::vector<StepState<T>>& stages) {
  const std::size_t end = stages.size() - (tableau.first_same_as_last ? 1 : 0);
  return std::span(stages).subspan(1, end - 1);
}

}  // namespace kinegrad
