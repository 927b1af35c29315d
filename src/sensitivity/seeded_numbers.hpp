// Numbers at random, the same for the same seed on every machine, and cheap to begin with (SplitMix64).
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace kinegrad {

class SeededNumbers {
 public:
  explicit SeededNumbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
  /// Between −1 and 1.
  double next() { return 2 * static_cast<double>(bits() >> 11) * 0x1.0p-53 - 1; }

 private:
  std::uint64_t state_;
};

/// A direction of the parameters at these positions of ρ: between 0.3 and 1 of the size of each, either sign.
inline std::vector<double> seeded_direction(std::span<const double> rho,
                                            std::span<const int> parameters) {
  SeededNumbers numbers(rho.size());
  std::vector<double> out(rho.size(), 0.0);
  for (const int k : parameters) {
    const double u = numbers.next(), size = std::abs(rho[static_cast<std::size_t>(k)]);
    out[static_cast<std::size_t>(k)] =
        (size == 0 ? 1 : size) * (u < 0 ? -0.3 + 0.7 * u : 0.3 + 0.7 * u);
  }
  return out;
}

}  // namespace kinegrad
