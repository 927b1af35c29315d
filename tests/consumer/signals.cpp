// The program of docs/howto/use_from_cpp.md, as it stands there.
#include <iostream>
#include <kinegrad/kinegrad.hpp>

int main() {
  using namespace kinegrad;
  const Model model = compile_model(parse_model_yaml(R"yaml(
parameters: {L: 1.2, g: 9.81}
bodies: {rod: {mass: 1, com: [L/2, 0, 0], inertia: [0, L^2/12, L^2/12], points: {tip: [L, 0, 0]}}}
joints: {hinge: {type: revolute, bodies: [ground, rod], point: [0, 0, 0], axis: z}}
forces: {weight: {type: gravity, acceleration: [0, -g, 0]}}
signals: {angle: hinge.q, height: tip.y, total: energy}
analysis: {step: 1e-3, end: 1}
)yaml",
                                                     "pendulum.yaml"));

  const SignalTable table = simulate(model);  // step and end are those of the model
  if (!table.report.done()) {
    std::cerr << table.report.message << "\n";
    return 1;
  }
  std::cout << "height at the end: " << table.column("height").tail(1) << " m\n";

  RunOptions options;  // other choices, and another length
  options.integrator = "rk4";
  options.end = 0.5;
  VecX rho = model.default_rho();
  rho(0) = 0.9;
  const VecX energy = simulate(model, rho, options).column("total");
  std::cout << "energy kept to " << energy.maxCoeff() - energy.minCoeff() << " J\n";
}
