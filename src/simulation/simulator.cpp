#include "kinegrad/simulation/simulator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "kinegrad/assembly/joint_system.hpp"
#include "kinegrad/base/error.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/simulation/independent_choice.hpp"
#include "kinegrad/simulation/mobility.hpp"
#include "kinegrad/simulation/statics.hpp"

namespace kinegrad {

void RunOptions::validate() const {
  if (only_start) return;
  if (!(step > 0) || !std::isfinite(step)) {
    throw InvalidArgument("give a positive step (analysis: step, or --step)");
  }
  if (!(end > 0) || !std::isfinite(end)) {
    throw InvalidArgument("give a positive end (analysis: end, or --end)");
  }
  constexpr double kMostSteps = 1e9;
  if (end / step > kMostSteps) throw InvalidArgument("the step is too small for the end: over 1e9");
  details.validate();
  constraints.validate();
}

Simulator::Simulator(const Model& model, const RunOptions& options)
    : model_(model), options_(options) {
  options_.validate();
  if (options_.formulation.empty()) options_.formulation = default_formulation(model);
  const ReferencePoint point = point_ = reference_point_named(options_.coordinates);
  if (options_.start != "given" && options_.start != "equilibrium") {
    throw InvalidArgument("a run starts as \"given\" or at its \"equilibrium\", not \"" +
                          options_.start + "\"");
  }
  formulation_ = make_formulation<double>(options_.formulation, model, point, options_.constraints);
  system_ = std::make_unique<JointSystem<double>>(model, point);
  map_ = make_step_map<double>(options_.integrator, *formulation_, options_.details);
}

bool Simulator::initial_state(std::span<const double> p, StepState<double>& x, RunReport& report) {
  x.t = 0;
  x.q = Eigen::Map<const VecX>(p.data() + model_.initial_q(), model_.nq());
  x.v = Eigen::Map<const VecX>(p.data() + model_.initial_v(), model_.nq());
  system_->set_parameters(p);
  const KinematicReport start = assemble_start<double>(model_, *system_, 0, x.q, x.v);
  if (start.solved && options_.start == "equilibrium") {
    const KinematicReport rest = find_equilibrium(model_, p, point_, x.q, x.lambda);
    x.v.setZero();
    system_->move(0, in(x.q), in(x.v), in(x.v));
    constexpr double kRests = 1e-9;
    if (!options_.only_start && system_->rows() > 0 &&
        system_->Phi_dot().cwiseAbs().maxCoeff() > kRests) {
      report.status = RunStatus::kFailed;
      report.input_wrong = true;
      report.message =
          "a run cannot start at rest in an equilibrium: " + worst_constraint(system_->Phi_dot()) +
          " moves it from the start on";
      return false;
    }
    report.iterations += rest.iterations;
    if (!rest.solved) {
      report.status = RunStatus::kFailed;
      report.message = rest.message;
      return false;
    }
  }
  if (start.solved && options_.formulation == kKinematic) {
    const Mobility mobility = mobility_of(model_, p);
    if (mobility.freedom > 0) {
      report.status = RunStatus::kFailed;
      report.input_wrong = true;
      report.message = fmt::format(
          "the formulation kinematic needs a mechanism whose motion is prescribed altogether, and "
          "this one has {} degree{} of freedom left",
          mobility.freedom, mobility.freedom == 1 ? "" : "s");
      return false;
    }
  }
  if (start.solved) return choice_describes(x, report);
  report.status = RunStatus::kFailed;
  report.message = "the start cannot be assembled: " + start.message;
  report.input_wrong = start.input_wrong;
  return false;
}

/// The coordinates that the file wants integrated must be the degrees of freedom of the start.
bool Simulator::choice_describes(const StepState<double>& x, RunReport& report) {
  if (model_.independent().empty()) return true;
  const std::string refusal = independent_refusal(model_, *system_, x.t, x.q);
  if (refusal.empty()) return true;
  report.status = RunStatus::kFailed;
  report.input_wrong = true;
  report.message = refusal;
  return false;
}

/// "constraint "drive"", "the loop at joint "B"": where a level of the constraints is largest.
std::string Simulator::worst_constraint(const VecX& level) const {
  int worst = 0;
  double most = -1;
  for (Eigen::Index i = 0; i < level.size(); ++i) {
    const double x = std::isfinite(level(i)) ? std::abs(level(i)) : HUGE_VAL;
    if (x > most) {
      most = x;
      worst = static_cast<int>(i);
    }
  }
  const int c = model_.constraint_rows()[static_cast<std::size_t>(worst)].constraint;
  const Constraint& constraint = model_.constraints()[static_cast<std::size_t>(c)];
  return (constraint.joint >= 0 ? "the loop at joint \"" : "constraint \"") + constraint.name +
         "\"";
}

/// Constraints that have come apart by the end were contradictory, or held too softly.
void Simulator::check_end(RunReport& report) {
  constexpr double kApart = 1e-2;  // metres or radians, far above what drift or penalties leave
  if (report.status != RunStatus::kDone || system_->holonomic() == 0) return;
  system_->place(x0_.t, in(x0_.q));
  const double apart = system_->Phi().cwiseAbs().maxCoeff();
  if (apart <= kApart) return;
  report.status = RunStatus::kFailed;
  report.message = fmt::format(
      "at t = {:.9g}: {} is open by {:.3g}: the constraints contradict "
      "each other, or {} does not hold them",
      x0_.t, worst_constraint(system_->Phi()), apart, options_.formulation);
}

void Simulator::fail(RunReport& report, const StepReport& step, double t) {
  report.status = RunStatus::kFailed;
  report.t = t;
  report.message = fmt::format("at t = {:.9g}: {}", t, describe(step.status));
  if (step.where >= 0 && model_.independent().empty()) {  // else it may be one of those
    const auto name = model_.coordinate_names()[static_cast<std::size_t>(step.where)];
    report.message += fmt::format(", worst at {}", name);
  }
  if (system_->holonomic() > 0 &&
      (step.status == StepStatus::kNotClosed || step.status == StepStatus::kNotFinite)) {
    system_->place(t, in(x1_.q));
    report.message += ", least " + worst_constraint(system_->Phi());
  }
  if (step.status == StepStatus::kNotIndependent) {
    report.message += ": choose others than " + independent_names(model_) +
                      ", or none, and matrix-r changes them on the way";
  }
  if (step.status == StepStatus::kNotConverged) {
    report.message += fmt::format(" ({} iterations; a smaller step may help)", step.iterations);
  }
}

RunReport Simulator::run(std::span<const double> p, const Observer& observer) {
  const auto begin = std::chrono::steady_clock::now();
  RunReport report;
  formulation_->set_parameters(p);
  if (!initial_state(p, x0_, report)) return report;
  x1_ = x0_;
  const StepReport started = map_->start(x0_);
  x1_ = x0_;
  sample_ = x0_;
  if (!started.usable()) {
    fail(report, started, 0);
  } else if (!observer(x0_)) {
    report.status = RunStatus::kStopped;
  } else if (options_.only_start) {
    report.t = 0;
  } else if (map_->adaptive()) {
    run_adaptive(observer, report);
  } else {
    run_fixed(observer, report);
  }
  check_end(report);
  if (report.status == RunStatus::kStopped) {
    report.t = x0_.t;
    report.message = fmt::format("stopped at t = {:.9g}", x0_.t);
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

void Simulator::run_fixed(const Observer& observer, RunReport& report) {
  // whole steps, the last one shortened to meet the end
  const long n = static_cast<long>(std::ceil(options_.end / options_.step - 1e-9));
  for (long k = 0; k < n; ++k) {
    const double next = k + 1 == n ? options_.end : static_cast<double>(k + 1) * options_.step;
    const StepReport step = map_->step(x0_, next - x0_.t, x1_);
    report.iterations += step.iterations;
    if (!step.usable()) return fail(report, step, x0_.t);
    x1_.t = next;
    std::swap(x0_, x1_);
    ++report.steps;
    report.t = next;
    if (!observer(x0_)) {
      report.status = RunStatus::kStopped;
      return;
    }
  }
}

/// Hands out the samples that lie in the step just done.
bool Simulator::sample_step(const Observer& observer, long& next) {
  for (;; ++next) {
    const double t = std::min(static_cast<double>(next) * options_.step, options_.end);
    const bool last = t >= options_.end * (1 - 1e-14);
    if (t > x1_.t * (1 + 1e-14)) return true;
    if (last && x1_.t >= options_.end) {
      ++next;
      sample_ = x1_;
      return observer(sample_);
    }
    map_->interpolate(x0_, x1_, (t - x0_.t) / (x1_.t - x0_.t), sample_);
    if (!observer(sample_)) return false;
    if (last) return true;
  }
}

void Simulator::run_adaptive(const Observer& observer, RunReport& report) {
  // step-size control of order q: h ← h·0.9·error^(−1/q), between a fifth and fivefold
  const double exponent = 1.0 / map_->order();
  double h = std::min({options_.step, options_.end, 1e-3});
  const double smallest = 1e-13 * options_.end;
  long next_sample = 1;
  while (x0_.t < options_.end) {
    const bool reaches = x0_.t + 1.0000001 * h >= options_.end;
    if (reaches) h = options_.end - x0_.t;
    const StepReport step = map_->step(x0_, h, x1_);
    report.iterations += step.iterations;
    const bool accepted = step.usable() && step.error <= 1;
    const double factor =
        !step.usable()
            ? 0.2
            : std::clamp(0.9 * std::pow(std::max(step.error, 1e-10), -exponent), 0.2, 5.0);
    if (accepted) {
      if (reaches) x1_.t = options_.end;
      if (!sample_step(observer, next_sample)) {
        report.status = RunStatus::kStopped;
        std::swap(x0_, sample_);  // the last that was seen
        return;
      }
      std::swap(x0_, x1_);
      ++report.steps;
      report.t = x0_.t;
    } else {
      ++report.rejected_steps;
      if (h * factor < smallest) {
        StepReport hopeless = step;
        if (hopeless.usable()) hopeless.status = StepStatus::kNotConverged;
        fail(report, hopeless, x0_.t);
        report.message += ": the step size fell below 1e-13 of the run";
        return;
      }
    }
    h *= factor;
  }
}

}  // namespace kinegrad
