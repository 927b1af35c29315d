#include "kinegrad/sensitivity/derivative_checker.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "kinegrad/base/error.hpp"
#include "kinegrad/math/views.hpp"
#include "sensitivity/derivative_checks.hpp"

namespace kinegrad {

bool DerivativeReport::agree() const {
  return message.empty() && std::all_of(checks.begin(), checks.end(),
                                        [](const DerivativeCheck& c) { return c.agrees(); });
}

DerivativeCheck compare(std::string what, std::string against, double allowed, const MatX& actual,
                        const MatX& expected, const EntryName& name) {
  DerivativeCheck check{std::move(what), std::move(against), 0, allowed, {}, {}};
  const double size = std::max(1.0, expected.size() > 0 ? expected.cwiseAbs().maxCoeff() : 0.0);
  for (Eigen::Index j = 0; j < expected.cols(); ++j) {
    for (Eigen::Index i = 0; i < expected.rows(); ++i) {
      double d = std::abs(actual(i, j) - expected(i, j)) / size;
      if (std::isnan(d)) d = std::numeric_limits<double>::infinity();
      if (d <= check.difference) continue;
      check.difference = d;
      check.where = name(i, j);
    }
  }
  return check;
}

namespace {

/// Numbers of size 1 that are nothing special, always the same.
void stir(VecX& x, double phase) {
  for (Eigen::Index k = 0; k < x.size(); ++k) {
    x(k) += std::cos(1.7 * static_cast<double>(k) + phase);
  }
}

/// A gradient by one method, or why there is none.
struct OneMethod {
  std::string name;
  std::optional<GradientReport> report;
  std::string refusal;  ///< it does not take the model or the run
  std::string failure;  ///< it should have
  bool stopped() const { return report && report->status == RunStatus::kStopped; }
};

OneMethod run_method(const char* name, const Model& model, std::span<const double> rho,
                     GradientOptions options, const GradientWatch& watch,
                     const Observer& observer = {}) {
  options.method = name;
  OneMethod out{name, {}, {}, {}};
  try {
    out.report = gradient(model, rho, options, watch, observer);
    if (out.report->status != RunStatus::kDone) out.failure = out.report->message;
  } catch (const InvalidArgument& error) {
    out.refusal = error.what();
  }
  return out;
}

/// Each objective by itself, in relative changes of the parameters.
void compare_runs(const Model& model, std::span<const double> rho, const OneMethod& reference,
                  const OneMethod& method, std::vector<DerivativeCheck>& out) {
  constexpr double kRun = 1e-8;  // exact derivatives, after rounding of all steps
  const GradientReport& expected = *reference.report;
  for (std::size_t i = 0; i < expected.objectives.size(); ++i) {
    const Objective& objective =
        model.objectives()[static_cast<std::size_t>(expected.objectives[i])];
    DerivativeCheck check{"objective \"" + objective.name + "\", " + method.name,
                          reference.name,
                          0,
                          kRun,
                          {},
                          method.refusal};
    if (!method.failure.empty()) {
      check.difference = std::numeric_limits<double>::infinity();
      check.where = method.failure;
    } else if (method.refusal.empty()) {
      const auto row = static_cast<Eigen::Index>(i);
      const GradientReport& actual = *method.report;
      double scale = 1e-8 * (1 + std::abs(expected.values[i]));
      const auto size_of = [&](std::size_t j) {
        const double x = std::abs(rho[static_cast<std::size_t>(expected.parameters[j])]);
        return x == 0 ? 1.0 : x;
      };
      for (std::size_t j = 0; j < expected.parameters.size(); ++j) {
        scale = std::max(
            scale, std::abs(expected.gradient(row, static_cast<Eigen::Index>(j))) * size_of(j));
      }
      double worst = -std::numeric_limits<double>::infinity();  // above what is allowed
      for (std::size_t j = 0; j < expected.parameters.size(); ++j) {
        const auto column = static_cast<Eigen::Index>(j);
        double d = std::abs(actual.gradient(row, column) - expected.gradient(row, column));
        double allowed = kRun;
        for (const GradientReport* one : {&actual, &expected}) {  // those that estimate their error
          if (one->error.size()) allowed += one->error(row, column) * size_of(j) / scale;
        }
        d *= size_of(j) / scale;
        if (!std::isfinite(d) || !std::isfinite(allowed)) {
          d = std::numeric_limits<double>::infinity();
          allowed = kRun;
        }
        if (d - allowed <= worst) continue;
        worst = d - allowed;
        check.difference = d;
        check.allowed = allowed;
        check.where = "by " + parameter_at(model, expected.parameters[j]).name;
      }
    }
    out.push_back(check);
  }
}

}  // namespace

DerivativeReport check_derivatives(const Model& model, std::span<const double> rho,
                                   const GradientOptions& options, const GradientWatch& watch) {
  options.validate(model);
  DerivativeReport report;
  std::optional<StepState<double>> start;
  const Observer keep_first = [&](const StepState<double>& x) {
    if (!start) start = x;
    return true;
  };
  OneMethod reference = run_method("complex-step", model, rho, options, watch, keep_first);
  std::vector<const char*> others{"forward", "adjoint", "finite-difference"};
  if (!reference.report) {  // no complex start: differences have to serve
    reference = run_method("finite-difference", model, rho, options, watch, keep_first);
    others.pop_back();
  }
  if (!reference.refusal.empty() || !reference.failure.empty()) {
    report.message = reference.refusal + reference.failure;
    report.input_wrong = !reference.report || reference.report->input_wrong();
    if (!start) return report;
  }
  CheckPoint at{model, {rho.begin(), rho.end()}, {}, *start};
  at.p.resize(static_cast<std::size_t>(model.design_map().physical_count()));
  auto work = model.design_map().make_workspace<double>();
  model.design_map().evaluate<double>(rho, at.p, work);
  stir(at.x.v, 0.3);
  stir(at.x.a, 0.9);
  stir(at.x.lambda, 1.3);
  check_joints(at, report.checks);
  check_forces(at, report.checks);
  const ReferencePoint point = reference_point_named(options.run.coordinates);
  check_system(at, point, report.checks);
  check_accelerations(at, point, report.checks);
  check_objectives(at, report.checks);
  if (!report.message.empty()) return report;
  for (const char* name : others) {
    const OneMethod method = run_method(name, model, rho, options, watch);
    if (method.stopped()) {
      report.message = method.failure + ": the run was not compared by all methods";
      return report;
    }
    compare_runs(model, rho, reference, method, report.checks);
  }
  return report;
}

}  // namespace kinegrad
