// Whether a run has held the constraint equations that count (docs/theory/singular_positions.md, [LO-4], [LO-5]).
#pragma once

#include <vector>

#include "kinegrad/formulations/stage_rule.hpp"
#include "kinegrad/integrators/step_map.hpp"
#include "kinegrad/simulation/constraint_distance.hpp"

namespace kinegrad {

class HeldEquations {
 public:
  /// The system must outlive it. It has coordinates with these units [KP-11], and a run starts at x.
  HeldEquations(MechanicalSystem<double>& system, const VecX& units, const StepState<double>& x);

  struct Verdict {
    /// How far the state is from where the equations want it; 0 if that is no more than they are open by.
    double distance = 0;
    bool apart = false;  ///< so far that the run is wrong
    /// What an equation has of its own that the formulation does not hold well from start to end, else 1.
    double least = 1;
    int equation = -1;  ///< which one that is
  };
  Verdict judge(const StepState<double>& x, const StageRule& rule) const;

 private:
  /// What counts at the start, which is closed to rounding: drift makes other equations differ later on.
  struct Start {
    std::vector<int> of_positions, of_speeds;
    double least = 1;
  };
  Start at_start() const;
  bool surely_held(const StepState<double>& x, const StageRule& rule) const;
  bool on_speeds() const { return system_.holonomic() < system_.rows(); }
  static void measure(const ConstraintDistance& x, double far, Verdict& out);
  ConstraintDistance of_speeds(const StepState<double>& x, const std::vector<int>& only) const;

  MechanicalSystem<double>& system_;
  VecX units_;
  double t_;  // of the start
  VecX q_, v_;
};

}  // namespace kinegrad
