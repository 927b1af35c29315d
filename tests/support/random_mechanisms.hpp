// Mechanisms at the edges of rank, at random but seeded: redundant, identically satisfied, doubled, scaled
// and nearly dependent constraint equations, massless bodies, and runs through singular positions.
//
// Equal seeds give equal cases: the dice below use no distribution of the library. Compilers may draw the
// arguments of a call in another order, so a seed belongs to a compiler.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "kinegrad/simulation/run.hpp"

namespace kinegrad::test {

/// Seeded choices.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}

  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1.0p-53;
  }
  /// Between two positive numbers, every decade alike.
  double decades(double low, double high);
  int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }
  bool chance(double probability) { return uniform(0, 1) < probability; }
  template <typename T>
  const T& of(const std::vector<T>& choices) {
    return choices[static_cast<std::size_t>(below(static_cast<int>(choices.size())))];
  }

 private:
  std::mt19937_64 engine_;
};

/// A model file in pieces, so that it can be written with and without the equations that say nothing new.
struct RandomMechanism {
  std::string family;
  std::vector<std::string> parameters, points, bodies, joints, constraints, forces, initial,
      objectives;
  std::vector<std::string> extras;  ///< constraint equations that follow from the others
  /// The constraints in a form that is far from dependent, where `constraints` is not; else empty.
  std::vector<std::string> plain;
  bool conservative = true;
  bool through_singular = false;  ///< the run is meant to meet a singular position
  double size = 1;                ///< m
  double time = 1;                ///< √(size/g), s
  double step = 0, end = 0;       ///< of the run, s
};

/// A mechanism and how it is run.
struct RandomCase {
  std::uint64_t seed = 0;
  RandomMechanism mechanism;
  RunOptions run;

  /// The model file, its analysis included: `kinegrad gradient FILE` repeats the case.
  std::string yaml() const { return text(true); }
  /// The same motion without the extras, its equations far from dependent.
  std::string twin() const { return text(false); }
  bool has_twin() const { return !mechanism.extras.empty() || !mechanism.plain.empty(); }
  /// "42 parallelogram: cartesian × ali3p × trapezoidal".
  std::string name() const;

 private:
  std::string text(bool with_extras) const;
};

/// The mechanism of a seed and one choice on each axis; choices that do not go together may come out.
RandomCase random_case(std::uint64_t seed);

/// Another choice on each axis for the same mechanism, from dice that the caller goes on with.
RunOptions random_run(Dice& dice, const RandomMechanism& mechanism);

}  // namespace kinegrad::test
