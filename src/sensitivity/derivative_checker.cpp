#include "kinegrad/sensitivity/derivative_checker.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "kinegrad/math/views.hpp"
#include "sensitivity/convergence_checks.hpp"
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

}  // namespace

DerivativeReport check_derivatives(const Model& model, std::span<const double> rho,
                                   const GradientOptions& options, const GradientWatch& watch) {
  options_for("adjoint", options).validate(model);
  DerivativeReport report;
  std::optional<StepState<double>> start;
  const Observer keep_first = [&](const StepState<double>& x) {
    if (!start) start = x;
    return true;
  };
  MethodRun reference = run_method("complex-step", model, rho, options, watch, keep_first);
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
  MethodRun adjoint;
  for (const char* name : others) {
    MethodRun method = run_method(name, model, rho, options, watch);
    if (method.stopped()) {
      report.message = method.failure + ": the run was not compared by all methods";
      return report;
    }
    compare_runs(model, rho, reference, method, report.checks);
    if (method.name == "adjoint") adjoint = std::move(method);
  }
  if (!check_convergence(model, rho, options, *reference.report, adjoint, watch, report.checks)) {
    report.message = "stopped: the run was not compared by all methods";
  }
  return report;
}

}  // namespace kinegrad
