// A whole gradient of a long open chain by fully-recursive and rk4, simulation included, as a ratio to the
// simulation alone: it must not grow with the number of links.
#include <benchmark/benchmark.h>

#include <chrono>

#include "chain_model.hpp"
#include "kinegrad/sensitivity/gradient.hpp"

namespace kinegrad::bench {
namespace {

enum class Held { kFree, kTipOnPlane };

/// The spatial chain with mass, length and damping as parameters, a damper in every joint; the tip free, or held on a
/// plane by one constraint equation.
Model parametric_chain(int links, Held held) {
  ModelDescription d = chain_description(links, true);
  for (const auto& [name, value] :
       {std::pair("m", 1.0), std::pair("L", 1.0), std::pair("damping", 0.1)}) {
    ParameterSpec p;
    p.name = name;
    p.value = value;
    d.parameters.push_back(p);
  }
  for (int i = 0; i < links; ++i) {
    const auto k = static_cast<std::size_t>(i);
    BodySpec& link = d.bodies[k];
    link.mass = "m";
    link.com = VectorSpec("L/2", 0.0, 0.0);
    link.points = {{"tip", VectorSpec("L", 0.0, 0.0), {}}};
    if (i > 0) d.joints[k].points[0] = VectorSpec("L", 0.0, 0.0);
    ForceSpec coil;
    coil.name = "coil" + std::to_string(i);
    coil.type = "torsional-spring-damper";
    coil.joint = NameSpec(d.joints[k].name);
    coil.numbers = {{"stiffness", 1.0}, {"damping", "damping"}, {"angle", 0.05}};
    d.forces.push_back(coil);
  }
  const std::string tip = d.bodies.back().name + ".tip";
  if (held == Held::kTipOnPlane) {
    ConstraintSpec plane;
    plane.name = "plane";
    plane.type = NameSpec("prescribed");
    plane.numbers["coordinate"] = {tip + ".z"};
    plane.numbers["value"] = {0.0};
    d.constraints.push_back(plane);
  }
  ObjectiveSpec psi;
  psi.name = "psi";
  psi.integral = tip + ".y^2";
  d.objectives.push_back(psi);
  return compile_model(d);
}

/// `ratio`: seconds of the whole gradient, self-check included, over those of the simulation alone.
void chain_gradient(benchmark::State& state, Held held) {
  const Model model = parametric_chain(static_cast<int>(state.range(0)), held);
  GradientOptions options;
  options.method = "adjoint";
  options.run.formulation = "fully-recursive";
  options.run.integrator = "rk4";
  options.run.step = 5e-4;
  options.run.end = 0.1;
  const VecX defaults = model.default_rho();
  const std::span<const double> rho{defaults.data(), std::size_t(defaults.size())};
  const std::vector<double> p = model.default_physical();
  const auto seconds = [](auto&& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  double alone = 0, whole = 0;
  for (auto _ : state) {
    alone += seconds([&] {
      Simulator(model, options.run).run(p, [](const StepState<double>&) { return true; });
    });
    whole += seconds([&] {
      const GradientReport report = gradient(model, rho, options);
      if (report.status != RunStatus::kDone) state.SkipWithError(report.message.c_str());
    });
  }
  state.counters["ratio"] = whole / alone;
}

BENCHMARK_CAPTURE(chain_gradient, open, Held::kFree)
    ->Arg(100)
    ->Arg(1000)
    ->Arg(3000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(chain_gradient, constrained, Held::kTipOnPlane)
    ->Arg(100)
    ->Arg(1000)
    ->Arg(3000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace kinegrad::bench
