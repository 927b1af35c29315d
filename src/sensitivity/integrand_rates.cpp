#include "kinegrad/sensitivity/integrand_rates.hpp"

#include <algorithm>
#include <array>

namespace kinegrad {

bool IntegrandRates::take(int node, const Evaluate& evaluate) {
  rates_.resize(objectives_);
  known_.erase(known_.upper_bound(node + 2), known_.end());
  const int first = std::clamp(node - 1, 0, std::max(0, steps_ - 2));
  const int last = std::min(first + 2, steps_);
  for (int k = first; k <= last; ++k) {
    if (known_.contains(k)) continue;
    std::vector<VecX>& g_a = known_[k];
    g_a.resize(objectives_);
    if (!evaluate(k, g_a)) return false;
  }
  // of the parabola through three nodes at its left end, middle and right end
  constexpr std::array<std::array<double, 3>, 3> kWeights{
      {{-1.5, 2, -0.5}, {-0.5, 0, 0.5}, {0.5, -2, 1.5}}};
  for (std::size_t i = 0; i < objectives_; ++i) {
    if (last - first < 2) {  // one step in all
      rates_[i] = (known_[last][i] - known_[first][i]) / h_;
      continue;
    }
    const auto& w = kWeights[static_cast<std::size_t>(node - first)];
    rates_[i] =
        (w[0] * known_[first][i] + w[1] * known_[first + 1][i] + w[2] * known_[last][i]) / h_;
  }
  return true;
}

}  // namespace kinegrad
