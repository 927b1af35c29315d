// Where forces of a run change the branch of their law (docs/theory/monitors.md, [KN]): the switching functions of every force that
// has some are read at the ends of steps and at their stages; where one changes its sign, or is zero, what the force does there is
// measured. The law itself says where its branches meet, and nothing more.
//
// A switch that would not change its sign within ten times as many steps as are passed over is not read meanwhile, Δσ and Δ²σ
// being its differences over steps; where it turns round inside a step the state between is looked at, too:
//
//   n |Δσ| + ½ n² |Δ²σ| ≤ |σ|/10,   n ≤ 16 steps passed over                                           [KN-7]
//   σ through three ends: a parabola whose vertex lies in the step, with the other sign               [KN-10]
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "kinegrad/base/warning.hpp"
#include "kinegrad/integrators/step_partials.hpp"
#include "kinegrad/sensitivity/force_line.hpp"

namespace kinegrad {

class ForceKinks {
 public:
  /// The model must outlive the object.
  ForceKinks(const Model& model, std::span<const double> p);

  /// Whether no force has branches.
  bool empty() const { return watched_.empty(); }
  /// Whether the next step need not be shown; to be asked once for each.
  bool passes_over();
  /// Steps of a run, from its end to its beginning.
  void see_step(const StepRecord& record);
  void report(Warnings& warnings) const;

 private:
  /// What happened at one switch.
  struct Seen {
    bool passed = false;  ///< in the step that is looked at
    long kinks = 0, jumps = 0, met = 0;
    long measured = 0;
    ForceBreak worst;
    double t_kink = 0, t_jump = 0, t_met = 0;  ///< the first ones
  };
  struct Watched {
    const Force* force;
    ForceLine::End now, later;  ///< of the last state and the one before, which is later in time
    SwitchValues value, later_value, end_value;  ///< end: of the step
    SwitchValues next_value;                     ///< of the first end looked at after the step
    std::vector<Seen> seen;
  };
  /// σ as a parabola from the beginning of the step, through its ends and the one looked at after them.
  struct Parabola {
    double value, slope, curvature;
    double at(double t) const { return value + t * (slope + 0.5 * t * curvature); }
  };
  Parabola parabola(const Watched& watched, int which, double h) const;
  double turning(double h) const;
  void look_between(const StepRecord& record);
  void look(const StepState<double>& x);
  void judge(Watched& watched, int which);
  void count_met(Watched& watched, int which);
  void count_passed(Watched& watched, int which);
  void plan(double h);

  std::optional<ForceLine> line_;  // where there is something to watch
  std::vector<Watched> watched_;
  bool known_ = false;             // there is a last state
  double t_ = 0;                   // its time
  double end_t_ = 0, next_t_ = 0;  // of `end_value` and `next_value`
  bool next_known_ = false;
  StepState<double> between_;
  long passed_over_ = 0;
};

}  // namespace kinegrad
