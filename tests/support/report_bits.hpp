// Optimisations as bits, to be compared.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "kinegrad/optimization/optimize.hpp"

namespace kinegrad::test {

/// All numbers of a report but the seconds.
inline std::vector<double> bits_of(const OptimizationReport& report) {
  std::vector<double> bits{static_cast<double>(report.best)};
  const auto add = [&](const VecX& x) { bits.insert(bits.end(), x.begin(), x.end()); };
  for (const StartReport& start : report.starts) {
    for (const HistoryEntry& entry : start.history) {
      add(entry.rho);
      add(entry.psi);
      bits.push_back(entry.iteration);
    }
    add(start.best.rho);
    for (const double x : start.multipliers) bits.push_back(x);
    bits.push_back(static_cast<double>(start.status));
  }
  return bits;
}

inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

inline OptimizeOptions with(const std::string& optimizer, int starts = 1, int threads = 1) {
  OptimizeOptions options;
  options.optimizer = optimizer;
  options.starts = starts;
  options.threads = threads;
  return options;
}

}  // namespace kinegrad::test
