#include "kinegrad/sensitivity/integrand_rates.hpp"

#include <algorithm>

namespace kinegrad {

IntegrandRates::IntegrandRates(std::size_t objectives, int steps, double h)
    : steps_(steps), h_(h), rates_(objectives) {
  for (Node& node : nodes_) node.g_a.resize(objectives);
}

bool IntegrandRates::take(int node, const Evaluate& evaluate) {
  const int first = std::clamp(node - 1, 0, std::max(0, steps_ - 2));
  const int last = std::min(first + 2, steps_);
  for (int k = first; k <= last; ++k) {
    Node& one = of(k);
    if (one.index == k) continue;
    if (!evaluate(k, one.g_a)) return false;
    one.index = k;
  }
  // of the parabola through three nodes at its left end, middle and right end
  constexpr std::array<std::array<double, 3>, 3> kWeights{
      {{-1.5, 2, -0.5}, {-0.5, 0, 0.5}, {0.5, -2, 1.5}}};
  for (std::size_t i = 0; i < rates_.size(); ++i) {
    const VecX &left = of(first).g_a[i], &right = of(last).g_a[i];
    if (last - first < 2) {  // one step in all
      rates_[i] = (right - left) / h_;
      continue;
    }
    const auto& w = kWeights[static_cast<std::size_t>(node - first)];
    rates_[i] = (w[0] * left + w[1] * of(first + 1).g_a[i] + w[2] * right) / h_;
  }
  return true;
}

}  // namespace kinegrad
