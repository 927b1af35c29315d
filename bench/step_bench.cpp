// Cost of one step of a run, by example, formulation and integrator.
#include <benchmark/benchmark.h>

#include "kinegrad/integrators/all.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/compile.hpp"

namespace kinegrad::bench {
namespace {

/// Steps from the initial state; the run begins anew every thousand steps, so that all is bounded.
void step(benchmark::State& state, const std::string& example, const std::string& formulation_name,
          const std::string& integrator) {
  constexpr double kStep = 1e-3;
  constexpr int kRun = 1000;
  const Model model =
      compile_model(read_model_yaml(KINEGRAD_SOURCE_DIR "/examples/" + example + ".yaml"));
  const std::vector<double> p = model.default_physical();
  const auto formulation = make_formulation<double>(formulation_name, model, ReferencePoint::kCom);
  formulation->set_parameters(p);
  const auto map = make_step_map<double>(integrator, *formulation, {});
  StepState<double> start;
  start.q = Eigen::Map<const VecX>(p.data() + model.initial_q(), model.nq());
  start.v = Eigen::Map<const VecX>(p.data() + model.initial_v(), model.nq());
  if (!map->start(start).usable()) return state.SkipWithError("the run does not start");
  StepState<double> x0 = start, x1 = start;
  long steps = 0, iterations = 0;
  for (auto _ : state) {
    const StepReport report = map->step(x0, kStep, x1);
    if (!report.usable()) {
      state.SkipWithError("a step failed");
      break;
    }
    iterations += report.iterations;
    std::swap(x0, x1);
    if (++steps % kRun == 0) x0 = start;
  }
  state.counters["iterations"] =
      static_cast<double>(iterations) / static_cast<double>(std::max(steps, 1L));
}

struct Combination {
  const char *example, *formulation, *integrator;
};

constexpr Combination kCombinations[] = {{"double_pendulum", "semi-recursive", "trapezoidal"},
                                         {"double_pendulum", "semi-recursive", "rk4"},
                                         {"double_pendulum", "semi-recursive", "dopri5"},
                                         {"double_pendulum", "semi-recursive", "esdirk3"},
                                         {"double_pendulum", "semi-recursive", "esdirk4"},
                                         {"double_pendulum", "fully-recursive", "rk4"},
                                         {"all_joints", "semi-recursive", "trapezoidal"},
                                         {"all_joints", "semi-recursive", "rk4"},
                                         {"all_joints", "semi-recursive", "esdirk3"},
                                         {"all_joints", "semi-recursive", "esdirk4"},
                                         {"all_joints", "fully-recursive", "trapezoidal"},
                                         {"all_joints", "fully-recursive", "rk4"}};

const bool kRegistered = [] {
  for (const Combination& c : kCombinations) {
    const std::string name =
        std::string("step/") + c.example + "/" + c.formulation + "/" + c.integrator;
    benchmark::RegisterBenchmark(name.c_str(), [c](benchmark::State& state) {
      step(state, c.example, c.formulation, c.integrator);
    })->Unit(benchmark::kMicrosecond);
  }
  return true;
}();

}  // namespace
}  // namespace kinegrad::bench
