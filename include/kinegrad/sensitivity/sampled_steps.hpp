// A few steps of a run, kept for its self-check (docs/theory/self_check.md): the first, the last, those
// that were moved or divided, and others spread over the run at random, always the same ones; and the
// derivatives that the gradient was made with.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "kinegrad/simulation/trajectory.hpp"

namespace kinegrad {

class RunPartials;

/// A step as it was made, in memory of its own.
struct SampledStep {
  SampledStep(std::size_t number, const StepRecord& record, NewtonStart newton);
  StepRecord record() const;

  std::size_t number;  ///< in the run
  double h;
  StepState<double> x0, x1;
  std::optional<StepState<double>> before;  ///< where it is not x₁
  std::vector<StepState<double>> stages;
  std::optional<CoordinateSelection> selection;
  NewtonStart newton;
};

class SampledSteps {
 public:
  static constexpr std::size_t kMost = 16;

  /// Of the steps of a plan, which must outlive the object.
  SampledSteps(const StepPlan& plan, const StepEvents& events);
  ~SampledSteps();

  /// Keeps step k if it is one of them.
  void see(std::size_t k, const StepRecord& record);
  const std::deque<SampledStep>& kept() const { return kept_; }
  /// The derivatives of the run, once the gradient is known; null before.
  void leave(std::unique_ptr<RunPartials> partials);
  RunPartials* partials() const { return partials_.get(); }

 private:
  const StepPlan& plan_;
  std::vector<std::size_t> chosen_;  // ascending
  std::deque<SampledStep> kept_;
  std::unique_ptr<RunPartials> partials_;
};

}  // namespace kinegrad
