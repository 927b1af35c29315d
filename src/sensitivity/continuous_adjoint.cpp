#include "kinegrad/sensitivity/continuous_adjoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

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

/// Through the start of the run, onto p̄; answers why that has no derivative, nothing if it has.
std::string pull_start(const GradientTask& task, const GradientReport& report,
                       RunPartials& partials, AdjointMarch& march) {
  const StepState<double>& x0 = task.trajectory->first();
  StartPartials& start = partials.start();
  std::string refusal = linearize_start(task, report, start);
  if (!refusal.empty()) return refusal;
  StateCotangent x;
  for (std::size_t i = 0; i < march.p_bar().size(); ++i) {
    x.set_zero(static_cast<int>(x0.q.size()), static_cast<int>(x0.lambda.size()));
    x.q = march.mu(i).q;
    x.v = march.mu(i).v;
    start.adjoint(x, march.p_bar()[i]);
  }
  return {};
}

const char* describe(MarchStatus status) {
  switch (status) {
    case MarchStatus::kNoMotion: return "the motion cannot be interpolated there";
    case MarchStatus::kNoDerivative: return "there is no adjoint";
    default: return "stopped on the way back";
  }
}

}  // namespace

std::string ContinuousAdjointMethod::refusal(const GradientOptions& asked, const Model& model,
                                             const RunOptions& run) {
  const bool first = asked.adjoint_approach == 1;
  if (!first && model.reactive_forces().empty()) return {};
  const StageRule rule = stage_rule_of(model, run);
  if (!model.reactive_forces().empty()) {  // f_a and f_λ are those of a stage, not M and Φ_qᵀ
    const std::string force =
        "force \"" + model.reactive_forces().front().name + "\" reads reactions: ";
    if (rule.position_level && !model.constraints().empty()) {
      return force + "the continuous adjoint of the formulation " + run.formulation +
             ", which holds constraints at position level, does not take that; that of "
             "formulations at acceleration level and with independent coordinates does, and so do "
             "forward and adjoint";
    }
    if (first) {
      return force +
             "approach 1 of the continuous adjoint does not take that; approach 2, forward and "
             "adjoint do";
    }
  }
  if (first && !has_approaches(rule)) {
    return "the continuous adjoint of the formulation " + run.formulation +
           " has one approach only; those of constraints at acceleration level have two";
  }
  return {};
}

namespace {

/// The gradient with one step of the adjoint equations.
struct Marched {
  MarchStatus status = MarchStatus::kDone;
  double t = 0;         // where it ended, if it did not come to the start
  std::string refusal;  // of the start
  std::vector<std::vector<double>> p_bar;
  std::vector<AdjointMarch::Size> sizes;
  bool done() const { return status == MarchStatus::kDone && refusal.empty(); }
};

Marched march_back(const GradientTask& task, const GradientReport& report, int steps,
                   const AdjointMarch::Watch& watch) {
  const RunOptions& run = report.settings;
  RunPartials partials(task.model, run, task.rule, task.p);
  MotionInterpolant motion(task.model, run, task.p, *task.trajectory);
  const auto system =
      make_adjoint_system(task.rule, task.options.adjoint_approach, partials.make_system());
  Objectives objectives(task.model, report.objectives, partials);
  AdjointMarch march(motion, *system, objectives, steps, static_cast<int>(task.p.size()));
  Marched out;
  out.status = march.run(watch);
  out.t = march.t();
  if (out.status != MarchStatus::kDone) return out;
  out.refusal = pull_start(task, report, partials, march);
  out.p_bar = std::move(march.p_bar());
  out.sizes = march.sizes();
  return out;
}

/// From where back to the start two marches are apart by more than a factor of two.
double diverged_at(const std::vector<AdjointMarch::Size>& fine,
                   const std::vector<AdjointMarch::Size>& coarse) {
  constexpr double kApart = 2;
  double t = 0;
  bool apart = false;
  for (std::size_t i = 0, j = 0; i < fine.size(); ++i) {
    while (j + 1 < coarse.size() && coarse[j + 1].t >= fine[i].t) ++j;
    const auto [low, high] = std::minmax(fine[i].mu, coarse[j].mu);
    const bool here = high > kApart * low;
    if (here && !apart) t = fine[i].t;
    apart = here;
  }
  return t;
}

/// Derivatives of an objective in relative changes of the parameters.
VecX scaled_row(const GradientTask& task, const GradientReport& report, Eigen::Index i) {
  VecX out = report.gradient.row(i).transpose();
  for (std::size_t j = 0; j < report.parameters.size(); ++j) {
    const double rho = std::abs(task.rho[static_cast<std::size_t>(report.parameters[j])]);
    if (rho > 0) out(static_cast<Eigen::Index>(j)) *= rho;
  }
  return out;
}

/// Compares the gradient with that of steps twice as long: derivatives that differ by factors are none, others
/// that differ much are said. [CA-9]
void judge_steps(const GradientTask& task, const Marched& fine, const Marched& coarse,
                 const GradientReport& twice, GradientReport& report) {
  constexpr double kDiverged = 3, kInaccurate = 0.1;
  constexpr double kNothing = 1e-8;  // of the value: an objective that is not moved
  for (Eigen::Index i = 0; i < report.gradient.rows(); ++i) {
    const auto objective = static_cast<std::size_t>(report.objectives[static_cast<std::size_t>(i)]);
    const std::string& name = task.model.objectives()[objective].name;
    const VecX here = scaled_row(task, report, i), there = scaled_row(task, twice, i);
    const double floor = kNothing * (1 + std::abs(report.run.objectives[objective]));
    const double gap = (here - there).norm(), size = std::max(here.norm(), floor);
    if (!(gap <= kDiverged * std::max(std::min(here.norm(), there.norm()), floor))) {
      report.status = RunStatus::kFailed;
      report.message = fmt::format(
          "at t = {:.9g}: the adjoint equations diverge from there back to the start: with other "
          "steps the derivatives of objective \"{}\" differ by {:.2g} times their size; "
          "adjoint and forward differentiate the steps of the run instead",
          diverged_at(fine.sizes, coarse.sizes), name, gap / size);
      report.gradient.setConstant(std::numeric_limits<double>::quiet_NaN());
      report.finished.assign(report.finished.size(), false);
      return;
    }
    if (gap <= kInaccurate * size) continue;
    report.run.warnings.push_back(
        {std::string(ContinuousAdjointMethod::name),
         fmt::format(
             "the derivatives of objective \"{}\" by the continuous adjoint change by {:.2g} "
             "of their size with the step of its equations: a smaller --adjoint-step, or "
             "--method adjoint, which is exact for the run",
             name, gap / size),
         "", std::numeric_limits<double>::quiet_NaN()});
  }
}

}  // namespace

void ContinuousAdjointMethod::differentiate(const GradientTask& task, const GradientWatch& watch,
                                            GradientReport& report) const {
  const double end = task.plan.times.back();
  const int steps = count_steps(end, task.options.adjoint_step, task.trajectory->size());
  const int others = steps > 1 ? (steps + 1) / 2 : 2;
  const auto marched = [&](int count, const char* what) {
    return march_back(task, report, count,
                      [&](double part) { return !watch || watch(what, part); });
  };
  const Marched fine = marched(steps, "continuous adjoint");
  if (fine.status != MarchStatus::kDone) {
    report.status = fine.status == MarchStatus::kStopped ? RunStatus::kStopped : RunStatus::kFailed;
    report.message = fmt::format("at t = {:.9g}: {}", fine.t, describe(fine.status));
    return;
  }
  if (!fine.refusal.empty()) {
    no_derivative_of_start(fine.refusal, report);
    return;
  }
  GradientReport twice = report;
  fill_rows(task, fine.p_bar, report);
  report.error.setConstant(report.gradient.rows(), report.gradient.cols(),
                           std::numeric_limits<double>::infinity());
  constexpr const char* kError = "its error";
  Marched coarse = marched(others, kError);
  const bool stopped = coarse.status == MarchStatus::kStopped;
  if (!coarse.done() && !stopped) coarse = marched(2 * steps, kError);
  if (coarse.status == MarchStatus::kStopped) {
    report.status = RunStatus::kStopped;
    report.message = fmt::format("stopped at t = {:.9g} of the estimate of the error", coarse.t);
    return;
  }
  if (!coarse.done()) {
    report.status = RunStatus::kFailed;
    report.message = fmt::format(
        "at t = {:.9g}: {} with other steps of the adjoint equations: the error of the gradient is "
        "not known; adjoint and forward differentiate the steps of the run instead",
        coarse.t, describe(coarse.status));
    return;
  }
  fill_rows(task, coarse.p_bar, twice);
  report.error = (report.gradient - twice.gradient).cwiseAbs();
  judge_steps(task, fine, coarse, twice, report);
}

}  // namespace kinegrad
