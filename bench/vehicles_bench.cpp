// Vehicles of the examples: `real_time` is simulated seconds per second of the processor, `step` the time of a step, `ratio` that of a whole adjoint gradient
// by five parameters over the simulation alone.
#include <benchmark/benchmark.h>

#include <ctime>

#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "kinegrad/simulation/coordinate_choice.hpp"

namespace kinegrad::bench {
namespace {

struct Manoeuvre {
  std::string file;
  double step, end;
  std::string start;
};

const Manoeuvre kStepDescent{"buggy/step_descent", 1e-3, 4.5, "given"};
const Manoeuvre kBump{"iltis/bump", 4e-3, 2.5, "equilibrium"};

RunOptions options_of(const Manoeuvre& m, CoordinateSet set, const std::string& formulation) {
  RunOptions run;
  run.coordinates = coordinate_set_name(set);
  run.formulation = formulation;
  run.step = m.step;
  run.end = m.end;
  run.start = m.start;
  run.details.tolerance = 1e-9;
  return run;
}

Model model_of(const Manoeuvre& m, CoordinateSet set) {
  return compile_model(
      read_model_yaml(std::string(KINEGRAD_SOURCE_DIR "/examples/") + m.file + ".yaml"),
      builtin_catalogue(), set);
}

void simulate(benchmark::State& state, const Manoeuvre& m, CoordinateSet set,
              const std::string& formulation) {
  const Model model = model_of(m, set);
  Simulator simulator(model, options_of(m, set, formulation));
  const std::vector<double> p = model.default_physical();
  long steps = 0;
  for (auto _ : state) {
    const RunReport report = simulator.run(p, [](const StepState<double>&) { return true; });
    if (!report.done()) return state.SkipWithError(report.message.c_str());
    steps += report.steps;
  }
  state.counters["step"] =
      benchmark::Counter(double(steps), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["real_time"] =
      benchmark::Counter(m.end * double(state.iterations()), benchmark::Counter::kIsRate);
}

/// A whole gradient by the first five parameters, simulation included.
void differentiate(benchmark::State& state, const Manoeuvre& m, const std::string& formulation) {
  const Model model = model_of(m, CoordinateSet::kJoint);
  GradientOptions options;
  options.method = "adjoint";
  options.objectives = {0};
  options.parameters = {0, 1, 2, 3, 4};
  options.run = options_of(m, CoordinateSet::kJoint, formulation);
  const VecX rho = model.default_rho();
  const std::vector<double> p = model.default_physical();
  Simulator simulator(model, options.run);
  const auto seconds = [](auto&& work) {  // of the processor
    const std::clock_t begin = std::clock();
    work();
    return double(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  double alone = 0, whole = 0;
  for (auto _ : state) {
    alone += seconds([&] { simulator.run(p, [](const StepState<double>&) { return true; }); });
    whole += seconds([&] { gradient(model, {rho.data(), std::size_t(rho.size())}, options); });
  }
  state.counters["ratio"] = whole / alone;
}

[[maybe_unused]] const bool registered = [] {
  for (const Manoeuvre* m : {&kStepDescent, &kBump}) {
    for (const CoordinateSet set :
         {CoordinateSet::kJoint, CoordinateSet::kCartesian, CoordinateSet::kNatural}) {
      for (const char* formulation : {"ali3p", "matrix-r"}) {
        benchmark::RegisterBenchmark(
            ("vehicle/" + m->file + "/" + std::string(coordinate_set_name(set)) + "/" + formulation)
                .c_str(),
            [m, set, formulation](benchmark::State& s) { simulate(s, *m, set, formulation); })
            ->Unit(benchmark::kMillisecond);
      }
    }
    benchmark::RegisterBenchmark(("vehicle/" + m->file + "/gradient/ali3p").c_str(),
                                 [m](benchmark::State& s) { differentiate(s, *m, "ali3p"); })
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace kinegrad::bench
