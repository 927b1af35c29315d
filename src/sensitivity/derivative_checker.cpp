#include "kinegrad/sensitivity/derivative_checker.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "kinegrad/math/views.hpp"
#include "kinegrad/sensitivity/adjoint.hpp"
#include "kinegrad/sensitivity/complex_step.hpp"
#include "kinegrad/sensitivity/finite_difference.hpp"
#include "kinegrad/sensitivity/forward.hpp"
#include "sensitivity/convergence_checks.hpp"
#include "sensitivity/derivative_checks.hpp"
#include "sensitivity/direction_checks.hpp"

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

}  // namespace

namespace {

constexpr const char* kStopped = "stopped: the run was not compared by all methods";

/// The gradient that others are compared with: by the complex step, or where that has none, by differences.
struct Reference {
  MethodRun run;
  MethodRun complex;  ///< where it is not the reference
  std::vector<std::string_view> others;
  bool exact() const { return run.name == ComplexStepMethod::name; }
};

Reference find_reference(const Model& model, std::span<const double> rho,
                         const GradientOptions& options, const GradientWatch& watch,
                         const Observer& observer) {
  Reference out;
  out.run = run_method(std::string(ComplexStepMethod::name), model, rho, options, watch, observer);
  out.others = {ForwardMethod::name, AdjointMethod::name, FiniteDifferenceMethod::name};
  const bool ran = !out.run.report || out.run.report->run.done();
  if (out.run.done() || out.run.stopped() || !ran) return out;
  out.complex = std::move(out.run);
  out.run =
      run_method(std::string(FiniteDifferenceMethod::name), model, rho, options, watch, observer);
  out.others.pop_back();
  return out;
}

/// Where elements and the system are compared: the start, stirred.
CheckPoint check_point(const Model& model, std::span<const double> rho,
                       const StepState<double>& start) {
  CheckPoint at{model, {rho.begin(), rho.end()}, physical_at(model, rho), start};
  stir(at.x.v, 0.3);
  stir(at.x.a, 0.9);
  stir(at.x.lambda, 1.3);
  return at;
}

/// What the complex step could not compare.
void note_left(const Model& model, const Reference& reference, DerivativeReport& report) {
  if (reference.exact()) return;
  MethodRun complex = reference.complex;
  complex.refusal += complex.failure;
  complex.failure.clear();
  const GradientReport& layout = *reference.run.report;
  for (std::size_t i = 0; i < layout.objectives.size(); ++i) {
    report.checks.push_back(line_of(model, layout, i, complex, reference.run.name));
  }
}

}  // namespace

DerivativeReport check_derivatives(const Model& model, std::span<const double> rho,
                                   const GradientOptions& given, const GradientWatch& watch) {
  options_for(std::string(AdjointMethod::name), given).validate(model);
  GradientOptions options = given;
  options.self_check = false;  // everything is compared here, and more
  DerivativeReport report;
  std::optional<StepState<double>> start;
  const Reference reference =
      find_reference(model, rho, options, watch, [&](const StepState<double>& x) {
        if (!start) start = x;
        return true;
      });
  if (reference.run.report) report.warnings = reference.run.report->run.warnings;
  if (!reference.run.done()) {
    report.message = reference.run.refusal + reference.run.failure;
    report.input_wrong = !reference.run.report || reference.run.report->input_wrong();
    if (!start) return report;
  }
  const CheckPoint at = check_point(model, rho, *start);
  check_joints(at, report.checks);
  check_forces(at, report.checks);
  const ReferencePoint point = reference_point_named(options.run.coordinates);
  check_system(at, point, report.checks);
  check_accelerations(at, point, report.checks);
  check_objectives(at, report.checks);
  if (!report.message.empty()) return report;
  note_left(model, reference, report);
  MethodRun forward, adjoint;
  for (const std::string_view name : reference.others) {
    MethodRun method = run_method(std::string(name), model, rho, options, watch);
    if (method.stopped()) {
      report.message = method.failure + ": the run was not compared by all methods";
      return report;
    }
    compare_runs(model, rho, reference.run, method, report.checks);
    if (method.name == ForwardMethod::name)
      forward = std::move(method);
    else if (method.name == AdjointMethod::name)
      adjoint = std::move(method);
  }
  // differences are less certain than the two are
  if (!reference.exact() && forward.done()) {
    compare_runs(model, rho, forward, adjoint, report.checks);
  }
  const MethodRun* const both[] = {&forward, &adjoint};
  if (!check_direction(model, rho, both, watch, report.checks) ||
      !check_convergence(model, rho, options, *reference.run.report, adjoint, watch,
                         report.checks)) {
    report.message = kStopped;
  }
  return report;
}

}  // namespace kinegrad
