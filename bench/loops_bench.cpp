// Closed loops: one step of the five-bar, one constrained acceleration, and a ladder of four-bars
// whose cost should grow like their number.
#include <benchmark/benchmark.h>

#include "kinegrad/assembly/joint_system.hpp"
#include "kinegrad/integrators/all.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/model/model_builder.hpp"
#include "kinegrad/simulation/initial_state.hpp"

namespace kinegrad::bench {
namespace {

StepState<double> start_of(const Model& model, const std::vector<double>& p) {
  StepState<double> x;
  x.q = Eigen::Map<const VecX>(p.data() + model.initial_q(), model.nq());
  x.v = Eigen::Map<const VecX>(p.data() + model.initial_v(), model.nq());
  JointSystem<double> system(model, ReferencePoint::kCom);
  system.set_parameters(p);
  assemble_start<double>(model, system, 0, x.q, x.v);
  return x;
}

Model five_bar() {
  return compile_model(read_model_yaml(KINEGRAD_SOURCE_DIR "/examples/five_bar.yaml"));
}

InertiaSpec inertia(double xx, double yy) {
  InertiaSpec J;
  J.xx = xx;
  J.yy = yy;
  J.zz = 1.0 / 12;
  return J;
}

/// N + 1 rods of 1 m on the ground, N couplers of 1 m between their tips, released 0.5 rad from
/// upright.
Model ladder(int n) {
  ModelBuilder builder;
  const std::string angle = "0.5";
  for (int k = 0; k <= n; ++k) {
    BodySpec rod;
    rod.name = "rod" + std::to_string(k);
    rod.mass = 1.0;
    rod.com = VectorSpec(0.0, 0.5, 0.0);
    rod.inertia = inertia(1.0 / 12, 1e-3);
    rod.points = {{"tip", VectorSpec(0.0, 1.0, 0.0), {}}};
    builder.body(rod);
    JointSpec pin;
    pin.name = "pin" + std::to_string(k);
    pin.type = "revolute";
    pin.bodies = {"ground", NameSpec(rod.name)};
    pin.points = {VectorSpec(double(k), 0.0, 0.0), VectorSpec(0.0, 0.0, 0.0)};
    pin.axes = {"z", "z"};
    builder.joint(pin);
  }
  for (int k = 0; k < n; ++k) {
    BodySpec coupler;
    coupler.name = "coupler" + std::to_string(k);
    coupler.mass = 1.0;
    coupler.com = VectorSpec(0.5, 0.0, 0.0);
    coupler.inertia = inertia(1e-3, 1.0 / 12);
    builder.body(coupler);
    for (int side = 0; side < 2; ++side) {
      JointSpec knee;
      knee.name = (side ? "right" : "left") + std::to_string(k);
      knee.type = "revolute";
      knee.bodies = {NameSpec("rod" + std::to_string(k + side)), NameSpec(coupler.name)};
      knee.points = {VectorSpec(0.0, 1.0, 0.0), VectorSpec(double(side), 0.0, 0.0)};
      knee.axes = {"z", "z"};
      if (side) knee.cut = true;
      builder.joint(knee);
    }
  }
  ForceSpec weight;
  weight.name = "weight";
  weight.type = "gravity";
  weight.vectors["acceleration"] = VectorSpec(0.0, 9.81, 0.0);  // upwards: rods swing about upright
  builder.force(weight);
  return builder.build();
}

void run_steps(benchmark::State& state, const Model& model, const std::string& formulation_name,
               const std::string& integrator, StepState<double> start, double h) {
  const std::vector<double> p = model.default_physical();
  const auto formulation = make_formulation<double>(formulation_name, model, ReferencePoint::kCom);
  formulation->set_parameters(p);
  const auto map = make_step_map<double>(integrator, *formulation, {});
  if (!map->start(start).usable()) return state.SkipWithError("the run does not start");
  StepState<double> x0 = start, x1 = start;
  long steps = 0, iterations = 0;
  for (auto _ : state) {
    const StepReport report = map->step(x0, h, x1);
    if (!report.usable()) {
      state.SkipWithError("a step failed");
      break;
    }
    iterations += report.iterations;
    std::swap(x0, x1);
    if (++steps % 1000 == 0) x0 = start;
  }
  state.counters["iterations"] =
      static_cast<double>(iterations) / static_cast<double>(std::max(steps, 1L));
}

void five_bar_step(benchmark::State& state, const std::string& formulation) {
  const Model model = five_bar();
  run_steps(state, model, formulation, "trapezoidal", start_of(model, model.default_physical()),
            1e-3);
}
BENCHMARK_CAPTURE(five_bar_step, ali3p, "ali3p")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(five_bar_step, matrix_r, "matrix-r")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(five_bar_step, penalty, "penalty")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(five_bar_step, index1, "index1")->Unit(benchmark::kMicrosecond);

void five_bar_acceleration(benchmark::State& state, const std::string& name) {
  const Model model = five_bar();
  const std::vector<double> p = model.default_physical();
  const StepState<double> x = start_of(model, p);
  const auto formulation = make_formulation<double>(name, model, ReferencePoint::kCom);
  formulation->set_parameters(p);
  VecX a(model.nq()), lambda(formulation->multipliers());
  const auto n = static_cast<std::size_t>(model.nq());
  for (auto _ : state) {
    formulation->acceleration(0, {x.q.data(), n}, {x.v.data(), n}, {a.data(), n},
                              {lambda.data(), static_cast<std::size_t>(lambda.size())});
    benchmark::DoNotOptimize(a.data());
  }
}
BENCHMARK_CAPTURE(five_bar_acceleration, index1, "index1")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(five_bar_acceleration, matrix_r, "matrix-r")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(five_bar_acceleration, fully_recursive, "fully-recursive")
    ->Unit(benchmark::kMicrosecond);

void ladder_step(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  const Model model = ladder(n);
  // a parallelogram: rods lean by the same angle, couplers stay level
  StepState<double> start;
  start.q = VecX::Zero(model.nq());
  start.v = VecX::Zero(model.nq());
  for (int k = 0; k <= n; ++k) {
    const int pin =
        model.joints()[std::size_t(model.find_joint("pin" + std::to_string(k)))].q_first;
    start.q(pin) = 0.5;
    if (k == n) break;
    const int left =
        model.joints()[std::size_t(model.find_joint("left" + std::to_string(k)))].q_first;
    start.q(left) = -0.5;
  }
  run_steps(state, model, "ali3p", "trapezoidal", start, 1e-3);
  state.SetComplexityN(n);
}
BENCHMARK(ladder_step)
    ->RangeMultiplier(2)
    ->Arg(5)
    ->Arg(10)
    ->Arg(20)
    ->Arg(50)
    ->Arg(100)
    ->Arg(200)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace kinegrad::bench
