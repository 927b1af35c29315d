#include "kinegrad/simulation/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kinegrad/base/error.hpp"
#include "kinegrad/simulation/independent_choice.hpp"

namespace kinegrad {

void RunOptions::validate() const {
  if (start != "given" && start != "equilibrium") {
    throw InvalidArgument("a run starts as \"given\" or at its \"equilibrium\", not \"" + start +
                          "\"");
  }
  if (only_start) return;
  if (!(step > 0) || !std::isfinite(step)) {
    throw InvalidArgument("give a positive step (analysis: step, or --step)");
  }
  if (!(end > 0) || !std::isfinite(end)) {
    throw InvalidArgument("give a positive end (analysis: end, or --end)");
  }
  if (!(max_step >= 0) || !std::isfinite(max_step)) {
    throw InvalidArgument("the largest step must be positive (analysis: max_step, or --max-step)");
  }
  if (!(min_step >= 0) || !std::isfinite(min_step)) {
    throw InvalidArgument("the smallest step must be positive (analysis: min_step, or --min-step)");
  }
  if (max_step > 0 && min_step > max_step) {
    throw InvalidArgument("the smallest step (min_step) is larger than the largest (max_step)");
  }
  constexpr double kMostSteps = 1e9;
  if (end / step > kMostSteps) throw InvalidArgument("the step is too small for the end: over 1e9");
  details.validate();
  constraints.validate();
}

namespace {

/// Bodies without mass or inertia are what makes a mass matrix singular.
std::string weightless_bodies(const Model& model) {
  const std::vector<double> p = model.default_physical();
  std::string text;
  for (const Body& body : model.bodies()) {
    if (body.auxiliary || body.mass.mass < 0) continue;
    const double m = p[static_cast<std::size_t>(body.mass.mass)];
    const auto J = p.begin() + body.mass.inertia;
    const bool turns = std::any_of(J, J + 6, [](double x) { return x != 0; });
    if (m != 0 && turns) continue;
    text += fmt::format("{} body \"{}\" has no {}", text.empty() ? ":" : ",", body.name,
                        m != 0  ? "inertia"
                        : turns ? "mass"
                                : "mass and no inertia");
  }
  return text;
}

}  // namespace

std::string describe_failure(const Model& model, const StepReport& step, double t) {
  const bool reactive = step.status == StepStatus::kSingular && !model.reactive_forces().empty();
  std::string message = fmt::format(
      "at t = {:.9g}: {}", t,
      reactive ? std::string_view("no accelerations were found") : describe(step.status));
  if (step.where >= 0 && model.independent().empty()) {  // else it may be one of those
    message += ", worst at " + model.coordinate_names()[static_cast<std::size_t>(step.where)];
  }
  if (reactive) {
    message += ": force \"" + model.reactive_forces().front().name +
               "\", which reads reactions, or another of its kind admits none there, as friction "
               "that jams does, its slope is not finite, or the mass matrix is singular" +
               weightless_bodies(model);
  } else if (step.status == StepStatus::kSingular) {
    message += weightless_bodies(model);
  }
  if (step.status == StepStatus::kNotIndependent) {
    message += ": choose others than " + independent_names(model) +
               ", or none, and matrix-r changes them on the way";
  }
  if (step.status == StepStatus::kNotConverged) {
    message += fmt::format(" ({} iterations; a smaller step may help)", step.iterations);
  }
  return message;
}

}  // namespace kinegrad
