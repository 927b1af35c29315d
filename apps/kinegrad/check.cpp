#include <fmt/core.h>

#include <algorithm>

#include "commands.hpp"
#include "kinegrad/simulation/simulator.hpp"

namespace kinegrad::app {

namespace {

/// Bodies of the file: neither the ground nor what states are made of.
std::ptrdiff_t body_count(const Model& model) {
  const auto& all = model.bodies();
  return std::count_if(all.begin() + 1, all.end(),
                       [](const Body& body) { return !body.auxiliary; });
}

/// Joints of the file, between such bodies.
std::ptrdiff_t joint_count(const Model& model) {
  const auto& all = model.joints();
  return std::count_if(all.begin(), all.end(), [&](const Joint& joint) {
    return !joint.automatic && !model.bodies()[static_cast<std::size_t>(joint.body1)].auxiliary &&
           !model.bodies()[static_cast<std::size_t>(joint.body2)].auxiliary;
  });
}

const char* run_starts(const Model& model) {
  return model.analysis().start == "equilibrium" ? "; its runs start at a static equilibrium" : "";
}

std::string counted(std::ptrdiff_t n, const char* one, const char* several) {
  return fmt::format("{} {}", n, n == 1 ? one : several);
}

/// Whether the mechanism can be assembled as `initial` says. @throws InvalidArgument
void assemble(const Model& model, const std::string& file) {
  RunOptions run;
  run.only_start = true;
  if (!model.analysis().start.empty()) run.start = model.analysis().start;
  Simulator simulator(model, run);
  const RunReport report =
      simulator.run(model.default_physical(), [](const StepState<double>&) { return true; });
  if (!report.done()) {
    throw InvalidArgument(located(model, file, "it cannot start: " + report.message));
  }
}

}  // namespace

int check(const CheckOptions& options) {
  const Model model = load_model(options.model).model;
  assemble(model, options.model.file);
  if (!options.quiet) {
    const auto bodies = body_count(model);
    const auto states = static_cast<std::ptrdiff_t>(model.bodies().size()) - 1 - bodies;
    fmt::print(
        "{}: the model is sound ({}, {}, {}{}){}\n", options.model.file,
        counted(bodies, "body", "bodies"), counted(joint_count(model), "joint", "joints"),
        states ? counted(states, "state", "states") + ", " : "",
        counted(static_cast<std::ptrdiff_t>(model.parameters().size()), "parameter", "parameters"),
        run_starts(model));
  }
  return kDone;
}

}  // namespace kinegrad::app
