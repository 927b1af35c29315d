#include "kinegrad/sensitivity/gradient.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "kinegrad/base/error.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/sensitivity/gradient_method.hpp"
#include "kinegrad/sensitivity/kink_watch.hpp"
#include "kinegrad/sensitivity/run_partials.hpp"
#include "kinegrad/sensitivity/run_tally.hpp"
#include "kinegrad/sensitivity/sampled_steps.hpp"
#include "kinegrad/sensitivity/self_check.hpp"
#include "kinegrad/simulation/mobility.hpp"
#include "kinegrad/simulation/statics.hpp"
#include "kinegrad/simulation/unique_reactions.hpp"
#include "sensitivity/delicate_run.hpp"
#include "sensitivity/not_finite.hpp"

namespace kinegrad {

namespace {

/// The indices asked for, all of them if none is.
std::vector<int> chosen(const std::vector<int>& some, int count) {
  if (!some.empty()) return some;
  std::vector<int> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

void check_range(const std::vector<int>& some, int count, const char* what) {
  for (const int k : some) {
    if (k < 0 || k >= count) {
      throw InvalidArgument("there is no " + std::string(what) + " " + std::to_string(k) +
                            ": the model has " + std::to_string(count));
    }
  }
}

/// Rows and columns; those of idle parameters are finished from the start.
void lay_out(const Model& model, const GradientOptions& options, GradientReport& report) {
  report.parameters = chosen(options.parameters, model.design_map().parameter_count());
  report.objectives = chosen(options.objectives, static_cast<int>(model.objectives().size()));
  report.gradient.setConstant(static_cast<Eigen::Index>(report.objectives.size()),
                              static_cast<Eigen::Index>(report.parameters.size()),
                              std::numeric_limits<double>::quiet_NaN());
  report.finished.assign(report.parameters.size(), false);
  for (std::size_t j = 0; j < report.parameters.size(); ++j) {
    if (!parameter_at(model, report.parameters[j]).users.empty()) continue;
    report.idle.push_back(report.parameters[j]);
    report.gradient.col(static_cast<Eigen::Index>(j)).setZero();
    report.finished[j] = true;
  }
}

/// The run itself; its plan is what the methods step through. `tallied`: somebody else looks at its
/// objectives and constraints.
StepPlan simulate(Simulator& simulator, const Model& model, std::span<const double> p,
                  const GradientWatch& watch, const Observer& observer, Trajectory* trajectory,
                  bool tallied, KinkWatch& kinks, GradientReport& report) {
  StepPlan plan;
  std::optional<ConstraintWatch> constraints;
  if (!tallied) constraints.emplace(model, p, simulator.constants());
  if (tallied) simulator.leave_objectives();
  const double end = report.settings.end;
  report.run = simulator.run(
      p,
      [&](const StepState<double>& x) {
        if (constraints) constraints->see(x);
        kinks.see(x);
        const bool on = !observer || observer(x);
        return (!watch || watch("simulation", x.t / end)) && on;
      },
      &plan, trajectory);
  if (constraints) report.constraint_norms = constraints->norms();
  report.status = report.run.status;
  report.message = report.run.message;
  report.simulation_seconds = report.run.seconds;
  report.values.clear();
  for (const int k : report.objectives) {
    report.values.push_back(report.run.objectives[static_cast<std::size_t>(k)]);
  }
  return plan;
}

/// An option of some methods that another one was given.
[[noreturn]] void refuse_option(const char* what, std::string_view option,
                                const GradientMethodEntry& entry) {
  std::vector<std::string> readers;
  for (const GradientMethodEntry& one : gradient_methods()) {
    if (one.reads(option)) readers.emplace_back(one.name);
  }
  throw InvalidArgument(std::string(what) + " for " + enumerate(readers) + ", not for " +
                        std::string(entry.name));
}

}  // namespace

void GradientOptions::validate(const Model& model) const {
  validate(model, gradient_method_named(method));
}

void GradientOptions::validate(const Model& model, const GradientMethodEntry& entry) const {
  if (model.objectives().empty()) {
    throw InvalidArgument("the model has no objectives: there is nothing to differentiate");
  }
  if (model.design_map().parameter_count() == 0) {
    throw InvalidArgument("the model has no parameters: there is nothing to differentiate by");
  }
  if (run.only_start && entry.needs_motion) {
    throw InvalidArgument("a static equilibrium alone has no motion for the method " +
                          std::string(entry.name) + ": the others differentiate it");
  }
  for (std::size_t k = 0; run.only_start && k < model.objectives().size(); ++k) {
    const bool asked =
        objectives.empty() || std::count(objectives.begin(), objectives.end(), static_cast<int>(k));
    if (!asked || model.objectives()[k].integral < 0) continue;
    throw InvalidArgument("objective \"" + model.objectives()[k].name +
                          "\" is an integral, and an equilibrium has no duration: ask for others");
  }
  if (!(complex_step > 0) || !(complex_step < 1e-8)) {
    throw InvalidArgument("the complex step must be between 0 and 1e-8");
  }
  if (!(relative_step > 0) || !(relative_step < 1)) {
    throw InvalidArgument("the relative step must be between 0 and 1");
  }
  if (!(adjoint_step >= 0) || !std::isfinite(adjoint_step)) {
    throw InvalidArgument("the step of the adjoint must be positive");
  }
  if (adjoint_approach != 1 && adjoint_approach != 2) {
    throw InvalidArgument("the approach of the adjoint must be 1 or 2");
  }
  const auto require_read = [&](bool given, const char* what, const char* option) {
    if (given && !entry.reads(option)) refuse_option(what, option, entry);
  };
  require_read(adjoint_step > 0, "a step of the adjoint is", "adjoint_step");
  require_read(adjoint_approach != 2, "an approach of the adjoint is", "adjoint_approach");
  require_read(memory > 0, "a bound on the memory is", "memory");
  require_read(static_cast<bool>(sensitivities), "sensitivities over time are", "sensitivities");
  if (sensitivities && model.signals().empty()) {
    throw InvalidArgument("the model has no signals: there is nothing to follow over time");
  }
  check_range(parameters, model.design_map().parameter_count(), "parameter");
  check_range(objectives, static_cast<int>(model.objectives().size()), "objective");
}

std::vector<double> physical_at(const Model& model, std::span<const double> rho) {
  const DesignMap& map = model.design_map();
  std::vector<double> p(static_cast<std::size_t>(map.physical_count()));
  auto work = map.make_workspace<double>();
  map.evaluate<double>(rho, p, work);
  return p;
}

const Parameter& parameter_at(const Model& model, int k) {
  const auto& all = model.parameters();
  const auto it =
      std::find_if(all.begin(), all.end(), [&](const Parameter& p) { return p.index == k; });
  KINEGRAD_DEMAND(it != all.end());
  return *it;
}

bool no_derivative_at(double t, GradientReport& report) {
  report.status = RunStatus::kFailed;
  report.message = fmt::format("at t = {:.9g}: the step has no derivative there", t);
  return false;
}

std::string linearize_start(const GradientTask& task, const GradientReport& report,
                            StartPartials& start) {
  const bool rests = report.settings.starts_at_rest();
  const std::string none = "the static equilibrium has no derivative";
  if (!start.linearize(task.trajectory->first(), *task.start, rests)) {
    if (!rests) return kNoNearestStart;
    if (task.start->nearest) return none + ": it is not the only one nearby";
    return none + ": it keeps coordinates of the assembled start, and " + kNoNearestStart;
  }
  if (!rests || task.start->rest.held.empty()) return {};
  const DesignJacobian design(task.model.design_map(), task.rho, report.parameters);
  const StartPartials::LostBalance lost = start.lost_balance(design);
  if (lost.column < 0) return {};
  const int k = report.parameters[static_cast<std::size_t>(lost.column)];
  return none + " with respect to " + parameter_at(task.model, k).name + ": " +
         lost_balance(task.model.start(), lost.coordinate);
}

bool no_derivative_of_start(const std::string& why, GradientReport& report) {
  report.status = RunStatus::kFailed;
  report.message = why;
  return false;
}

bool stopped_at(double t, GradientReport& report) {
  report.status = RunStatus::kStopped;
  report.message = fmt::format("stopped at t = {:.9g}", t);
  return false;
}

void fill_columns(const GradientTask& task, const GradientWatch& watch, const ColumnMethod& method,
                  GradientReport& report) {
  const std::size_t n = report.parameters.size();
  for (std::size_t j = 0; j < n; ++j) {
    if (report.finished[j]) continue;
    const std::string& name = parameter_at(task.model, report.parameters[j]).name;
    const RunReport run = method(static_cast<Eigen::Index>(j), [&](double part) {
      return !watch || watch(name, (static_cast<double>(j) + part) / static_cast<double>(n));
    });
    report.finished[j] = run.done();
    if (run.done()) continue;
    report.gradient.col(static_cast<Eigen::Index>(j))
        .setConstant(std::numeric_limits<double>::quiet_NaN());
    report.status = run.status;
    report.message = "the derivative with respect to " + name + ": " + run.message;
    return;
  }
}

void fill_rows(const GradientTask& task, std::span<const std::vector<double>> p_bar,
               GradientReport& report) {
  const DesignMap& map = task.model.design_map();
  auto work = map.make_workspace<double>();
  std::vector<double> p(task.p.size()), rho_bar(task.rho.size());
  map.evaluate<double>(task.rho, p, work);
  for (std::size_t i = 0; i < report.objectives.size(); ++i) {
    std::fill(rho_bar.begin(), rho_bar.end(), 0.0);
    map.reverse(task.rho, p, p_bar[i], rho_bar, work);
    for (std::size_t j = 0; j < report.parameters.size(); ++j) {
      if (report.finished[j]) continue;
      report.gradient(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          rho_bar[static_cast<std::size_t>(report.parameters[j])];
    }
  }
  report.finished.assign(report.finished.size(), true);
}

namespace {

/// How the simulation is integrated whose steps a method differentiates. Steps are solved further than a
/// simulation needs: what Newton's method leaves open, the derivative of the solution does not know. After a
/// correction of the size `solved` what is left is the next one, some orders smaller. Where that cannot be
/// reached, what a simulation accepts will do.
IntegratorOptions solved_further(const Model& model, const StageRule& rule, double solved,
                                 IntegratorOptions details) {
  details.acceptable = std::max(details.newton_tolerance(), solved);
  details.newton = std::min(details.newton_tolerance(), solved);
  // Newton's matrix of equations at acceleration level leaves terms out: corrections shrink slowly and stall
  // before what is left is small. With a penalty these equations are soft, and the terms small beside it.
  const bool approximate = !rule.position_level && !rule.independent && rule.softness == 0;
  if (approximate && !model.constraint_rows().empty()) details.exact_tangent = true;
  return details;
}

/// Equations at acceleration level that depend on each other disagree where they have drifted apart, and there is
/// nothing to be solved further: whether the steps can be, is tried.
bool can_be_solved_further(const Model& model, std::span<const double> p, const StageRule& rule,
                           const RunOptions& run, const IntegratorOptions& further) {
  if (!further.exact_tangent || rule.position_level || run.only_start) return true;
  if (mobility_of(model, p).redundant.empty()) return true;
  RunOptions options = run;
  options.details = further;
  options.monitors = false;
  Simulator trial(model, options);
  trial.leave_objectives();
  const RunReport report = trial.run(p, [](const StepState<double>&) { return true; });
  return report.done() && !report.events.any();
}

/// The kinks that the steps of the run and their stages met.
void report_kinks(const GradientTask& task, KinkWatch& kinks, GradientReport& report) {
  if (kinks.wants_steps() && report.settings.monitors && task.trajectory->size() > 0) {
    TrajectoryReader steps(*task.trajectory, task.model, report.settings, task.p, task.plan);
    for (std::size_t k = task.trajectory->size(); k-- > 0;) {
      if (!kinks.passes_over()) kinks.see_step(steps.record(k));
    }
  }
  kinks.report(report.run.warnings);
}

/// A zero is said, not shown alone: no objective asked for moves with these.
void find_unmoved(GradientReport& report) {
  for (std::size_t j = 0; j < report.parameters.size(); ++j) {
    const int k = report.parameters[j];
    const bool idle = std::count(report.idle.begin(), report.idle.end(), k) > 0;
    if (idle || !report.finished[j]) continue;
    if (report.gradient.col(static_cast<Eigen::Index>(j)).isZero(0)) report.unmoved.push_back(k);
  }
}

/// A value or derivative that is not finite is no success: the first one, by name and time.
void refuse_infinite(const GradientTask& task, GradientReport& report) {
  if (report.status != RunStatus::kDone) return;
  const std::string found = describe_not_finite(task, report);
  if (found.empty()) return;
  report.status = RunStatus::kFailed;
  report.message = found;
}

/// The objectives of a run that is not differentiated by its own steps are known before it is differentiated.
bool values_are_finite(const Model& model, GradientReport& report) {
  for (const int k : report.objectives) {
    if (std::isfinite(report.run.objectives[static_cast<std::size_t>(k)])) continue;
    const bool known = report.run.not_finite >= 0;
    const auto first = static_cast<std::size_t>(known ? report.run.not_finite : k);
    report.status = RunStatus::kFailed;
    report.message = not_finite_text("objective", model.objectives()[first].name,
                                     known ? report.run.not_finite_t : report.run.t);
    return false;
  }
  return true;
}

/// Elements of what an objective reads of one kind: joints of reactions, equations of multipliers.
std::vector<int> read_by(const Model& model, int objective, SignalInput::Kind kind) {
  const Objective& of = model.objectives()[static_cast<std::size_t>(objective)];
  std::vector<int> elements;
  for (const int output : {of.terminal, of.integral}) {
    if (output < 0) continue;
    const std::vector<bool> inputs = model.signal_tape().inputs_of(output);
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const SignalInput& in = model.signal_inputs()[k];
      if (inputs[k] && in.kind == kind) elements.push_back(in.element);
    }
  }
  return elements;
}

bool contains(const std::vector<int>& list, int x) {
  return std::find(list.begin(), list.end(), x) != list.end();
}

/// Reactions and multipliers that constraint equations which depend on each other leave open are one solution of many;
/// that is said.
void find_ambiguous(const Model& model, std::span<const double> p, GradientReport& report) {
  using Kind = SignalInput::Kind;
  const auto reads = [&](int k) {
    return !read_by(model, k, Kind::kReaction).empty() ||
           !read_by(model, k, Kind::kMultiplier).empty();
  };
  if (std::none_of(report.objectives.begin(), report.objectives.end(), reads)) return;
  const Mobility mobility = mobility_of(model, p);
  if (mobility.redundant.empty()) return;
  const bool judged = can_judge_reactions(model);  // else every one may be ambiguous
  std::vector<AmbiguousReaction> reactions;
  std::vector<int> multipliers;
  if (judged) reactions = ambiguous_reactions(model, p, in(mobility.q));
  if (judged) multipliers = ambiguous_multipliers(model, p, in(mobility.q));
  for (const int k : report.objectives) {
    const std::vector<int> joints = read_by(model, k, Kind::kReaction);
    const std::vector<int> equations = read_by(model, k, Kind::kMultiplier);
    const bool ambiguous =
        std::any_of(reactions.begin(), reactions.end(),
                    [&](const AmbiguousReaction& one) { return contains(joints, one.joint); }) ||
        std::any_of(multipliers.begin(), multipliers.end(),
                    [&](int row) { return contains(equations, row); });
    if (ambiguous || (!judged && reads(k))) report.ambiguous.push_back(k);
  }
}

/// Largest change between two gradients, relative to the largest entry of each objective.
double change_of(const MatX& before, const MatX& after) {
  double most = 0;
  for (Eigen::Index i = 0; i < before.rows(); ++i) {
    const double size = before.row(i).cwiseAbs().maxCoeff();
    const double change = (after.row(i) - before.row(i)).cwiseAbs().maxCoeff();
    if (size > 0) most = std::max(most, change / size);
  }
  return most;
}

/// Where steps were not solved to the end, what they leave open is in the gradient, unknown. The same
/// gradient of steps that leave ten times as much open says how large it is.                    [RR-1]
void estimate_tolerance_effect(const GradientMethodEntry& method, const Model& model,
                               std::span<const double> rho, GradientOptions options, bool adaptive, const GradientWatch& watch,
                               GradientReport& report) {
  constexpr double kLooser = 10;
  const double left = std::max(report.run.events.left, report.settings.details.newton_tolerance());
  if (report.status != RunStatus::kDone || !(left > options.solved) || options.solved > 1e-13) {
    return;
  }
  options.solved = kLooser * left;
  // of adaptive steps the tolerance is another one, and decides about the steps
  if (!adaptive) {
    options.run.details.tolerance = std::max(options.run.details.tolerance, options.solved);
  }
  options.sensitivities = {};
  options.run.monitors = false;
  options.self_check = false;
  const GradientReport looser = gradient(method, model, rho, options, watch);
  if (looser.status != RunStatus::kDone) {
    report.tolerance_unknown = looser.message;
    return;
  }
  const double effect = change_of(report.gradient, looser.gradient);
  if (std::isfinite(effect)) {
    report.tolerance_effect = effect;
  } else {
    report.tolerance_unknown = "the gradient then has no size in common with this one";
  }
}

}  // namespace

GradientReport gradient(const Model& model, std::span<const double> rho,
                        const GradientOptions& options, const GradientWatch& watch,
                        const Observer& observer) {
  return gradient(gradient_method_named(options.method), model, rho, options, watch, observer);
}

GradientReport gradient(const GradientMethodEntry& entry, const Model& model,
                        std::span<const double> rho, const GradientOptions& options,
                        const GradientWatch& watch, const Observer& observer) {
  options.validate(model, entry);
  KINEGRAD_DEMAND(rho.size() == static_cast<std::size_t>(model.design_map().parameter_count()));
  Simulator simulator(model, options.run);
  const auto method = make_gradient_method(entry, options, model, simulator.options());
  const StageRule rule = simulator.formulation().stage_rule();
  const std::vector<double> p = physical_at(model, rho);
  // all methods alike: near singular positions the steps themselves may depend on how far they are solved
  if (simulator.implicit()) {
    const IntegratorOptions further =
        solved_further(model, rule, options.solved, simulator.options().details);
    if (can_be_solved_further(model, p, rule, simulator.options(), further)) {
      simulator.set_details(further);
    }
  }
  GradientReport report;
  report.settings = simulator.options();
  lay_out(model, options, report);
  GradientTask task{model, options, {rho.begin(), rho.end()}, {}, p, nullptr, nullptr, rule};
  task.constants = simulator.constants();
  Trajectory trajectory;
  trajectory.limit(options.memory);
  task.trajectory = &trajectory;
  KinkWatch kinks(model, p, report.objectives, static_cast<bool>(options.sensitivities));
  const bool watched = kinks.wants_steps() && options.run.monitors;  // a search watches nothing
  const bool kept = method->wants_trajectory() || watched;
  task.plan = simulate(simulator, model, p, watch, observer, kept ? &trajectory : nullptr,
                       method->tallies(), kinks, report);
  report_kinks(task, kinks, report);
  find_design_kinks(model, rho, p, report.parameters, report.run.warnings);
  task.start = &simulator.start_sets();
  if (report.settings.starts_at_rest()) report.settings.held = task.start->rest.held;
  if (!report.run.done()) {
    if (method->tallies()) tally_steps(task, report);
    return report;
  }
  if (!method->tallies() && !values_are_finite(model, report)) return report;
  const auto begin = std::chrono::steady_clock::now();
  std::optional<SampledSteps> samples;
  if (options.self_check && method->tallies()) samples.emplace(task.plan, report.run.events);
  task.samples = samples ? &*samples : nullptr;
  method->differentiate(task, watch, report);
  if (method->tallies() && report.status != RunStatus::kDone) tally_steps(task, report);
  refuse_infinite(task, report);
  find_unmoved(report);
  find_ambiguous(model, p, report);
  if (report.status == RunStatus::kDone) {
    if (samples) self_check(task, *samples, report);
    if (options.self_check && method->exact()) confirm_delicate_gradient(task, watch, report);
  }
  if (method->wants_trajectory() && simulator.implicit())
    estimate_tolerance_effect(entry, model, rho, options, simulator.adaptive(), watch, report);
  report.sensitivity_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

}  // namespace kinegrad
