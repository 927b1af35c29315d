// Where forces of a run change the branch of their law (docs/theory/monitors.md, [KN]): the switching functions of every force that
// has some are read at the ends of steps and at their stages; where one changes its sign, or is zero, what the force does there is
// measured. The law itself says where its branches meet, and nothing more.
//
// A switch that would not change its sign within ten times as many steps as are passed over is not read meanwhile:
//
//   steps passed over = |σ|/(10 |Δσ|),  at most 16                                                  [KN-7]
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
    std::vector<Seen> seen;
  };
  void look(const StepState<double>& x);
  void judge(Watched& watched, int which);
  void count_met(Watched& watched, int which);
  void count_passed(Watched& watched, int which);
  void plan();

  std::optional<ForceLine> line_;  // where there is something to watch
  std::vector<Watched> watched_;
  bool known_ = false;  // there is a last state
  double t_ = 0;        // its time
  long passed_over_ = 0;
};

}  // namespace kinegrad
