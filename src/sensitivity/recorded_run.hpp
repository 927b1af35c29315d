// The objectives of a recorded run at other parameters: the same steps made again, which is what differences of
// a run are taken of [RP-1].
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "kinegrad/math/difference_ladder.hpp"
#include "kinegrad/simulation/replay.hpp"

namespace kinegrad {

class RecordedRun {
 public:
  /// `settings` and `plan` as the run left them; objectives are indices of the model's. The model must
  /// outlive the object.
  RecordedRun(const Model& model, const RunOptions& settings, const StepPlan& plan,
              std::vector<int> objectives);

  /// Their values; empty where the run does not end well, and once it was asked to stop.
  std::optional<VecX> at(std::span<const double> rho, const ReplayWatch& watch = {});
  /// The run that ended badly last; done if none did.
  const RunReport& failure() const { return failure_; }
  void forget_failure() { failure_ = {}; }

 private:
  const Model& model_;
  Replay<double> replay_;
  std::vector<int> objectives_;
  RunReport failure_;
};

/// The derivative along a direction of ρ; empty if the run does not end well beside ρ.
std::optional<LadderDerivative> difference_along(RecordedRun& run, std::span<const double> rho,
                                                 const VecX& direction,
                                                 const ReplayWatch& watch = {});

}  // namespace kinegrad
