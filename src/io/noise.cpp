#include "io/noise.hpp"

#include <cmath>
#include <numbers>
#include <random>

#include "io/key_words.hpp"

namespace kinegrad::io {

namespace {

/// Normal numbers by Box and Muller: what std::normal_distribution gives is the library's affair.
class Normal {
 public:
  explicit Normal(std::uint64_t seed) : rng_(seed) {}
  double operator()() {
    const double u = uniform(), v = uniform();
    return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
  }

 private:
  /// Above 0, at most 1.
  double uniform() { return (static_cast<double>(rng_() >> 11) + 1) * 0x1p-53; }
  std::mt19937_64 rng_;
};

}  // namespace

const KeyTable& noise_keys() {
  using key_words::kOptional, key_words::kRequired;
  static const KeyTable table{
      "noise",
      {
          {"noise",
           FieldKind::kWord,
           kRequired,
           "white: independent values; red: each like the one before.",
           {"white", "red"}},
          {"seed", FieldKind::kCount, kRequired, "Another number makes other values.", {}, 0},
          {"size", FieldKind::kNumber, kRequired, "Standard deviation of the values."},
          {"correlation",
           FieldKind::kCount,
           kOptional,
           "Over how many nodes red noise is alike.",
           {},
           1},
      }};
  return table;
}

std::vector<double> noise(std::uint64_t seed, std::size_t n, double correlation) {
  Normal normal(seed);
  const double like = correlation > 0 ? std::exp(-1 / correlation) : 0;
  const double fresh = std::sqrt(1 - like * like);
  std::vector<double> out(n);
  for (std::size_t k = 0; k < n; ++k) {
    const double x = normal();
    out[k] = k == 0 ? x : like * out[k - 1] + fresh * x;
  }
  return out;
}

}  // namespace kinegrad::io
