#include "support/gradient_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "kinegrad/base/error.hpp"
#include "kinegrad/formulations/all.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "kinegrad/signals/signal_evaluator.hpp"
#include "kinegrad/simulation/replay.hpp"
#include "kinegrad/simulation/simulator.hpp"
#include "support/recorded_differences.hpp"

namespace kinegrad::test {

namespace {

// Objectives of random cases are numbers of size 1.
constexpr double kSmallest = 1e-3;  // derivatives below are compared with this
/// Derivatives of the same steps, exact or by differences beside the error they estimate: rounding, times the
/// conditioning of saddle-point systems whose masses and equations cover six decades each, and what
/// Newton's method leaves open (1e-13 of coordinates, over h for speeds).
constexpr double kExact = 1e-6;
/// Equal motions by different equations, which Newton's method solves to 1e-12 of coordinates: speeds have 1/h
/// of that. Beside a singular position equations that say nothing elsewhere do help, and the regularisation of
/// those that lack them is felt.
constexpr double kSameSteps = 1e-6, kSameStepsSingular = 1e-4;
/// Of motions that agree up to discretisation error: what is left if the estimate of that is small by chance.
constexpr double kDiscretised = 1e-4;
/// A change of energy that is looked at, as a part of the largest kinetic energy.
constexpr double kEnergy = 1e-3;

struct Motion {
  RunReport report;
  RunOptions settings;
  StepPlan plan;
  double energy_error = 0;  // largest change over the largest kinetic energy

  VecX psi() const {
    return Eigen::Map<const VecX>(report.objectives.data(), Eigen::Index(report.objectives.size()));
  }
};

Model compiled(const std::string& text, const RunOptions& run) {
  return compile_model(parse_model_yaml(text, "case"), builtin_catalogue(),
                       coordinate_set_named(run.coordinates));
}

/// Steps solved as far as those that are differentiated: past a singular position others might be taken.
RunOptions solved(RunOptions run) {
  if (run.integrator == "dopri5") return run;
  run.details.acceptable = std::max(run.details.acceptable, run.details.tolerance);
  run.details.tolerance = std::min(run.details.tolerance, 1e-13);
  return run;
}

Motion simulated(const Model& model, const RunOptions& run) {
  Motion out;
  Simulator simulator(model, solved(run));
  const std::vector<double> p = model.default_physical();
  SignalEvaluator<double> signals(model);
  double first = 0, change = 0, kinetic = 0;
  bool started = false;
  out.report = simulator.run(
      p,
      [&](const StepState<double>& x) {
        signals.evaluate(p, x.t, in(x.q), in(x.v), in(x.a), in(x.lambda));
        if (!started) first = signals.signal(0);
        started = true;
        change = std::max(change, std::abs(signals.signal(0) - first));
        kinetic = std::max(kinetic, signals.signal(1));
        return true;
      },
      &out.plan);
  out.settings = simulator.options();
  out.energy_error = change / (kinetic + 1e-9 * std::abs(first) + 1e-300);
  return out;
}

/// The same run with steps half as long: a 32nd of the tolerance of step-size control.
RunOptions halved(RunOptions run) {
  if (run.integrator == "dopri5") run.details.tolerance /= 32;
  run.step /= 2;
  return run;
}

/// Where a gradient ends: with numbers, or with a reason.
struct Slopes {
  std::string method, failure;
  MatX gradient;
  Warnings warnings;
  bool done() const { return failure.empty(); }
  bool warned() const { return !warnings.empty(); }
};

/// Something that is wrong, and whether the result that it is wrong in says so itself.
struct Finding {
  std::string text;
  bool warned = false;
};

class Judge {
 public:
  explicit Judge(const RandomCase& random)
      : case_(random), dice_(random.seed ^ 0x9e3779b97f4a7c15u) {}

  Verdict verdict() {
    try {
      const Model model = compiled(case_.yaml(), case_.run);
      motion_ = simulated(model, case_.run);
      if (!motion_.report.done() || !motion_.psi().allFinite()) {
        const bool refused = motion_.report.input_wrong;
        return {refused ? Outcome::kRefused : Outcome::kFailed,
                (refused ? "start: " : "simulate: ") + motion_.report.message,
                {}};
      }
      check_steps(model);
      check_twin();
      check_others();
      check_gradients(model);
    } catch (const InvalidArgument& error) {
      return {Outcome::kRefused, error.what(), {}};
    } catch (const InvalidModel& error) {
      // an equation whose slopes vanish to the last bit; anything else is a mistake of the generator
      if (std::string(error.what()).find("depends on nothing that moves") == std::string::npos)
        throw;
      return {Outcome::kRefused, error.what(), {}};
    }
    return summary();
  }

 private:
  Verdict summary() const {
    std::vector<std::string> all, silent;
    for (const Finding& finding : findings_) {
      all.push_back(finding.text);
      if (!finding.warned) silent.push_back(finding.text);
    }
    if (!silent.empty()) return {Outcome::kWrong, silent.front(), silent};
    if (!all.empty()) return {Outcome::kWarned, all.front(), all};
    if (!failures_.empty()) return {Outcome::kFailed, failures_.front(), {}};
    if (!warnings_.empty()) return {Outcome::kAgrees, "warning: " + warnings_.front().text, {}};
    return {};
  }

  template <typename... Values>
  void wrong(bool warned, const char* text, const Values&... values) {
    findings_.push_back({fmt::vformat(text, fmt::make_format_args(values...)), warned});
  }
  bool run_warned() const { return !motion_.report.warnings.empty(); }
  static double largest_gap(const VecX& a, const VecX& b) { return (a - b).cwiseAbs().maxCoeff(); }
  bool soft() const { return case_.run.formulation == "penalty"; }

  /// Energy is kept to the order of the method: an error that is large and does not belong to the size of
  /// the step comes from somewhere else.
  void check_steps(const Model& model) {
    half_ = simulated(model, halved(case_.run));
    if (!half_->report.done()) half_.reset();
    if (!half_ || !case_.mechanism.conservative || soft()) return;
    const double here = motion_.energy_error, nearer = half_->energy_error;
    // 4 to 16 times is what the order says
    if ((here > kEnergy && here > 100 * nearer) || (nearer > kEnergy && nearer > 4 * here)) {
      wrong(run_warned(), "energy: error {:.2e} of the kinetic energy, {:.2e} with half the step",
            here, nearer);
    } else if (here > 0.1 && here > 0.5 * nearer && nearer > 0.1) {
      wrong(run_warned(),
            "energy: error {:.2e} of the kinetic energy, {:.2e} with half the step: no convergence",
            here, nearer);
    }
  }

  /// Where two motions are apart by more than their steps explain.
  bool agree(const Motion& nearer, const Motion& other) const {
    const VecX distance = (half_->psi() - nearer.psi()).cwiseAbs();
    const VecX own =
        (half_->psi() - motion_.psi()).cwiseAbs() + (nearer.psi() - other.psi()).cwiseAbs();
    const VecX allowed =
        10 * own + kDiscretised * (VecX::Ones(own.size()) + nearer.psi().cwiseAbs());
    return (distance.array() <= allowed.array()).all();
  }

  /// Equations that say nothing new change nothing. Matrix R may choose other coordinates to integrate, and
  /// step-size control other steps: these agree up to discretisation error.
  void check_twin() {
    if (!case_.has_twin() || soft()) return;  // a doubled penalty is a stiffer one
    try {
      const Model model = compiled(case_.twin(), case_.run);
      const Motion twin = simulated(model, case_.run);
      if (!twin.report.done()) return;
      const double distance = (twin.psi() - motion_.psi()).cwiseAbs().maxCoeff();
      const double allowed = case_.mechanism.through_singular ? kSameStepsSingular : kSameSteps;
      if (case_.run.formulation == "matrix-r" || case_.run.integrator == "dopri5") {
        if (!half_) return;
        const Motion nearer = simulated(model, halved(case_.run));
        if (!nearer.report.done() || agree(nearer, twin)) return;
      } else if (distance <= allowed * (1 + twin.psi().cwiseAbs().maxCoeff())) {
        twin_ = by("complex-step", model, case_.run);
        return;
      }
      wrong(run_warned(), "twin: the motion without redundant equations differs by {:.2e}",
            distance);
    } catch (const InvalidArgument&) {
      return;
    }
  }

  /// Another formulation in other coordinates has the same limit.
  void check_others() {
    if (soft() || !half_) return;
    for (int attempt = 0; attempt < 6; ++attempt) {
      RunOptions run = random_run(dice_, case_.mechanism);
      if (run.formulation == case_.run.formulation || run.formulation == "penalty") continue;
      try {
        const Model model = compiled(case_.yaml(), run);
        const Motion other = simulated(model, run), nearer = simulated(model, halved(run));
        if (!other.report.done() || !nearer.report.done()) continue;
        if (!other.report.warnings.empty() || !nearer.report.warnings.empty()) continue;
        if (agree(nearer, other)) return;
        wrong(run_warned(),
              "other: {} × {} × {} differs by {:.2e}, and half the step moves them by {:.2e} and "
              "{:.2e}",
              run.coordinates, run.formulation, run.integrator,
              largest_gap(half_->psi(), nearer.psi()), largest_gap(half_->psi(), motion_.psi()),
              largest_gap(nearer.psi(), other.psi()));
        return;
      } catch (const InvalidArgument&) {
        continue;
      }
    }
  }

  Slopes by(const std::string& method, const Model& model, const RunOptions& run) {
    Slopes out{method, {}, {}, {}};
    GradientOptions options;
    options.method = method;
    options.run = run;
    const VecX rho = model.default_rho();
    const GradientReport report = gradient(model, in(rho), options);
    out.gradient = report.gradient;
    out.warnings = report.run.warnings;
    if (report.status != RunStatus::kDone) out.failure = report.message;
    return out;
  }

  /// In relative changes of the parameters, over the largest of the row.
  double distance(const MatX& expected, const MatX& actual) const {
    double most = 0;
    for (Eigen::Index i = 0; i < expected.rows(); ++i) {
      const VecX size = sizes_.cwiseProduct(expected.row(i).transpose()).cwiseAbs();
      const VecX gap = sizes_.cwiseProduct((expected - actual).row(i).transpose()).cwiseAbs();
      const double d = gap.maxCoeff() / std::max(kSmallest, size.maxCoeff());
      most = gap.allFinite() ? std::max(most, d) : HUGE_VAL;
    }
    return most;
  }

  /// Of the recorded steps: the best ones, or those over short distances alone.
  std::optional<DirectionalDifference> differences(const Model& model, const VecX& direction,
                                                   bool only_short) const {
    Replay<double> replay(model, options_for_derivatives(motion_.settings), motion_.plan);
    const VecX rho = model.default_rho();
    const ObjectivesAlong psi = [&](double h) -> std::optional<VecX> {
      const VecX there = rho + h * direction;
      if (!replay.run(in(there)).done()) return {};
      return VecX(Eigen::Map<const VecX>(replay.objectives().data(),
                                         Eigen::Index(replay.objectives().size())));
    };
    return only_short ? short_difference(psi) : directional_difference(psi);
  }

  /// Short differences that are known well enough have the last word.
  bool agrees_with_differences(const Model& model, const Slopes& slopes,
                               const DirectionalDifference& found, const VecX& direction) {
    const VecX along = slopes.gradient * direction;
    for (Eigen::Index i = 0; i < along.size(); ++i) {
      const double size = std::max(
          kSmallest, sizes_.cwiseProduct(slopes.gradient.row(i).transpose()).cwiseAbs().maxCoeff());
      const double gap = std::abs(along(i) - found.slope(i));
      if (gap <= found.error(i) + kExact * size) continue;
      if (!short_) short_ = differences(model, direction, true);
      if (short_ && short_->error(i) <= kExact * size &&
          std::abs(along(i) - short_->slope(i)) <= short_->error(i) + kExact * size) {
        continue;
      }
      wrong(slopes.warned(), "differences: {} {:.9e}, differences {:.9e} ± {:.1e}", slopes.method,
            along(i), found.slope(i), found.error(i));
      return false;
    }
    return true;
  }

  void check_gradients(const Model& model) {
    const VecX rho = model.default_rho();
    sizes_ = rho.unaryExpr([](double x) { return x == 0 ? 1.0 : std::abs(x); });
    std::vector<Slopes> all;
    for (const char* method : {"complex-step", "forward", "adjoint"}) {
      all.push_back(by(method, model, case_.run));
      if (all.back().done()) continue;
      failures_.push_back("gradient: " + all.back().method + ": " + all.back().failure);
      all.pop_back();
    }
    for (const Slopes& x : all)
      warnings_.insert(warnings_.end(), x.warnings.begin(), x.warnings.end());
    if (all.empty()) return;
    VecX direction = sizes_;
    for (double& x : direction) x *= dice_.uniform(0.3, 1) * (dice_.chance(0.5) ? 1 : -1);
    const auto found = differences(model, direction, false);
    std::vector<bool> agrees;
    for (const Slopes& slopes : all) {
      agrees.push_back(!found || agrees_with_differences(model, slopes, *found, direction));
    }
    for (std::size_t k = 1; k < all.size(); ++k) {
      const double d = distance(all[0].gradient, all[k].gradient);
      // where differences have said which of them is wrong, that is known already
      if (d <= kExact || agrees[0] != agrees[k]) continue;
      wrong(all[0].warned() || all[k].warned(), "gradients: {} and {} differ by {:.2e}",
            all[k].method, all[0].method, d);
    }
    if (twin_ && twin_->done() && !twin_->warned()) {  // one with a warning is no measure
      // the start's and every step's solution is the same, so is its derivative
      const double d = distance(twin_->gradient, all[0].gradient);
      const double allowed = case_.mechanism.through_singular ? 1e-2 : 1e-4;
      if (!(d <= allowed)) {
        wrong(all[0].warned(), "twin: its gradient and {} differ by {:.2e}", all[0].method, d);
      }
    }
  }

  const RandomCase& case_;
  Dice dice_;
  Motion motion_;
  std::optional<Motion> half_;
  std::optional<Slopes> twin_;
  std::optional<DirectionalDifference> short_;  // found where the best ones contradict a gradient
  VecX sizes_;
  std::vector<Finding> findings_;
  std::vector<std::string> failures_;
  Warnings warnings_;  // of the gradients that are judged
};

}  // namespace

Verdict judge(const RandomCase& random) { return Judge(random).verdict(); }

}  // namespace kinegrad::test
