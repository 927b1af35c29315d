// Whether a step ends beside a singular position, judged by what it did to speeds and accelerations
// (docs/theory/singular_positions.md).
#pragma once

#include <optional>

#include "kinegrad/integrators/step_map.hpp"
#include "kinegrad/simulation/singular_position.hpp"

namespace kinegrad {

/// What a step that counts may leave open of its constraint equations [LO-1].
inline constexpr double kMostOpen = 1e-5;

class StepSmoothness {
 public:
  /// The system must outlive the object. `step`: the nominal step size; `near`: where the neighbourhood of
  /// singular positions begins, as a part of what the smallest pivot usually is.
  StepSmoothness(MechanicalSystem<double>& system, double step, double near);

  /// Begins at a state and forgets what was before.
  void start(const StepState<double>& x0);

  /// What a step says of itself.
  struct Defect {
    double size = 0;  ///< ‖v₁ − v₀ − ½h(a₀ + a₁)‖                                            [SN-1]
    double scaled = 0;   ///< over the cube of its size in nominal steps
    bool smooth = true;  ///< as those of the steps before, or not near a singular position
  };
  Defect defect(const StepState<double>& x0, const StepState<double>& x1);
  struct Acceleration {
    double size = 0;  ///< ‖a₁‖                                                               [SN-4]
    bool counts = true;  ///< later steps are to be compared with it
    bool smooth = true;  ///< as those of the steps before, or not near a singular position
  };
  Acceleration acceleration(const StepState<double>& x1);

  /// Whether a state is near a singular position.
  bool near(const StepState<double>& x, double part);
  /// The largest speeds so far, forgotten by a hundredth in every step.
  double fastest() const { return fastest_; }

  /// The step of size h counts: later ones are compared with it, unless it is much smaller than others.
  void accept(double h, const Defect& defect, const Acceleration& acceleration);

 private:
  bool near_singular(const StepState<double>& x, double part);

  MechanicalSystem<double>& system_;
  std::optional<SingularPositions>
      singular_;        // of large mechanisms, whose matrices are, where it is asked for
  double start_t_ = 0;  // where the run began
  VecX start_q_;
  bool known_ = false;  // what pivots usually are
  double step_, near_;
  bool constrained_, large_;
  double fastest_ = 0;                                                    // so far, decaying
  double typical_defect_ = 0, typical_acceleration_ = 0, typical_h_ = 0;  // so far, decaying
};

}  // namespace kinegrad
