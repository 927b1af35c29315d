#include "kinegrad/sensitivity/continuous_adjoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kinegrad/base/error.hpp"
#include "kinegrad/sensitivity/adjoint_march.hpp"
#include "kinegrad/sensitivity/index_one_adjoint.hpp"
#include "kinegrad/sensitivity/position_level_adjoint.hpp"
#include "kinegrad/sensitivity/run_partials.hpp"
#include "kinegrad/sensitivity/state_space_adjoint.hpp"

namespace kinegrad {

namespace {

/// Multipliers with rows at acceleration level: what has two approaches.
bool has_approaches(const StageRule& rule) {
  return !rule.position_level && !rule.independent && rule.softness == 0;
}

/// Without rows there is no level to tell them apart by.
std::unique_ptr<AdjointSystem> make_adjoint_system(const StageRule& rule, int approach,
                                                   const SystemPartialsFactory& make_system) {
  if (rule.position_level && make_system()->rows() > 0) {
    return std::make_unique<PositionLevelAdjoint>(make_system, rule);
  }
  if (approach == 1) return std::make_unique<IndexOneAdjoint>(make_system, rule);
  return std::make_unique<StateSpaceAdjoint>(make_system, rule);
}

/// Equal steps, none longer than asked for.
int count_steps(double end, double step, std::size_t simulated) {
  constexpr double kRounding = 1e-9;
  constexpr double kMost = 1e9;
  if (step <= 0) return static_cast<int>(simulated);
  const double count = std::ceil(end / step * (1 - kRounding));
  if (!(count < kMost)) {
    throw InvalidArgument("the adjoint step is too small for the end: over 1e9 steps");
  }
  return std::max(1, static_cast<int>(count));
}

/// The objectives of a run.
class Objectives final : public AdjointIntegrands {
 public:
  Objectives(const Model& model, std::span<const int> chosen, RunPartials& partials)
      : model_(model), chosen_(chosen), partials_(partials) {}
  std::size_t count() const override { return chosen_.size(); }
  void take(const MotionPoint& x) override { partials_.take(x.x); }
  void pull(std::size_t i, double weight, StateCotangent& g, std::span<double> p) override {
    pull_output(objective(i).integral, weight, g, p);
  }
  void pull_end(std::size_t i, StateCotangent& g, std::span<double> p) override {
    pull_output(objective(i).terminal, 1, g, p);
  }

 private:
  const Objective& objective(std::size_t i) const {
    return model_.objectives()[static_cast<std::size_t>(chosen_[i])];
  }
  void pull_output(int output, double weight, StateCotangent& g, std::span<double> p) {
    if (output >= 0) partials_.pull_output(output, weight, g, p);
  }

  const Model& model_;
  std::span<const int> chosen_;
  RunPartials& partials_;
};

/// Through the start of the run, onto p̄.
bool pull_start(const GradientTask& task, const RunOptions& run, RunPartials& partials,
                AdjointMarch& march) {
  const StepState<double>& x0 = task.trajectory->first();
  StartPartials& start = partials.start();
  if (!start.linearize(x0, *task.start, run.starts_at_rest())) return false;
  StateCotangent x;
  for (std::size_t i = 0; i < march.p_bar().size(); ++i) {
    x.set_zero(static_cast<int>(x0.q.size()), static_cast<int>(x0.lambda.size()));
    x.q = march.mu(i).q;
    x.v = march.mu(i).v;
    start.adjoint(x, march.p_bar()[i]);
  }
  return true;
}

const char* describe(MarchStatus status) {
  switch (status) {
    case MarchStatus::kNoMotion: return "the motion cannot be interpolated there";
    case MarchStatus::kNoDerivative: return "there is no adjoint";
    default: return "stopped on the way back";
  }
}

}  // namespace

ContinuousAdjointMethod::ContinuousAdjointMethod(const Model& model, const RunOptions& run,
                                                 int approach) {
  if (approach == 1 && !has_approaches(stage_rule_of(model, run))) {
    throw InvalidArgument("the continuous adjoint of the formulation " + run.formulation +
                          " has one approach only; index1 and fully-recursive have two");
  }
}

void ContinuousAdjointMethod::differentiate(const GradientTask& task, const GradientWatch& watch,
                                            GradientReport& report) const {
  const RunOptions& run = report.settings;
  RunPartials partials(task.model, run, task.rule, task.p);
  MotionInterpolant motion(task.model, run, task.p, *task.trajectory);
  const auto system = make_adjoint_system(task.rule, task.options.adjoint_approach,
                                          system_partials_of(task.model, run, task.rule, task.p));
  Objectives objectives(task.model, report.objectives, partials);
  AdjointMarch march(motion, *system, objectives,
                     count_steps(motion.end(), task.options.adjoint_step, task.trajectory->size()),
                     static_cast<int>(task.p.size()));
  const MarchStatus status =
      march.run([&](double part) { return !watch || watch("continuous adjoint", part); });
  if (status == MarchStatus::kDone) {
    if (pull_start(task, run, partials, march)) return fill_rows(task, march.p_bar(), report);
    no_derivative_of_start(report);
    return;
  }
  report.status = status == MarchStatus::kStopped ? RunStatus::kStopped : RunStatus::kFailed;
  report.message = fmt::format("at t = {:.9g}: {}", march.t(), describe(status));
}

}  // namespace kinegrad
