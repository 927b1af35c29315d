// What a run measures about itself (docs/theory/monitors.md), at some hundred of its states:
//
//   E = T + V             energies, as the signal `energy` has them
//   W = ∫ P dt            work of everything that is not conservative                          [MO-2]
//   B = E − E(0) − W      the energy balance: zero up to discretisation error                  [MO-3]
//   |Φ|, |Φ̇|, |Φ̈|         constraints, normalisations of Euler parameters included
//   pivot                 least over largest pivot of the constraint Jacobian                  [MO-6]
#pragma once

#include <array>
#include <limits>
#include <vector>

namespace kinegrad {

/// Of positions, velocities and accelerations.
using ConstraintNorms = std::array<double, 3>;

struct MonitorSample {
  double t = 0;
  double kinetic = 0, potential = 0;  ///< J
  double power = 0;                   ///< P, W
  double work = 0;                    ///< W, J
  ConstraintNorms constraints{0, 0, 0};
  double pivot = std::numeric_limits<double>::quiet_NaN();  ///< NaN: not measured
  long divided = 0;                                         ///< steps divided until then

  double energy() const { return kinetic + potential; }
};

struct Monitors {
  std::vector<MonitorSample> samples;
  /// Nothing but gravity, springs and the like can act in the model, and no work was measured.
  bool conservative = false;
  double scale = 0;    ///< J: what changes of energy are compared with                      [MO-4]
  double balance = 0;  ///< J: largest |B|
  double resolution = 0;  ///< J: how far W depends on where it was measured

  double balance_at(std::size_t k) const {
    return samples[k].energy() - samples.front().energy() - samples[k].work;
  }
  /// The sample with the least pivot; null where none was measured.
  const MonitorSample* least_pivot() const {
    const MonitorSample* least = nullptr;
    for (const MonitorSample& x : samples) {
      if (x.pivot == x.pivot && (!least || x.pivot < least->pivot)) least = &x;
    }
    return least;
  }
};

}  // namespace kinegrad
