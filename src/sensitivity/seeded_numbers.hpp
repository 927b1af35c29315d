// Numbers at random, the same for the same seed on every machine, and cheap to begin with (SplitMix64).
#pragma once

#include <cstdint>

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

}  // namespace kinegrad
