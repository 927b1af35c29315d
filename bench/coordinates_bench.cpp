// Joint against global coordinates: a step of the simulation, and a whole gradient by the adjoint, of small
// mechanisms and of chains. `step` is time per step; `per_link` of the chains must not grow with their length in
// sparse coordinates.
#include <benchmark/benchmark.h>

#include "chain_model.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "kinegrad/simulation/coordinate_choice.hpp"

namespace kinegrad::bench {
namespace {

constexpr CoordinateSet kSets[] = {CoordinateSet::kJoint, CoordinateSet::kCartesian,
                                   CoordinateSet::kNatural};

RunOptions options_for(const Model& model, int steps) {
  RunOptions run;
  run.coordinates = coordinate_set_name(model.coordinate_set());
  run.step = 1e-3;
  run.end = steps * run.step;
  return run;
}

/// The chain between two points of the ground if it is closed: its last tip cannot move along y and z.
Model chain(int links, bool closed, CoordinateSet set) {
  ModelDescription d = chain_description(links, false);
  const std::string last = "L" + std::to_string(links - 1);
  d.bodies.back().points = {{"tip", VectorSpec(1.0, 0.0, 0.0), {}}};
  if (closed) {
    ConstraintSpec rail;
    rail.name = "rail";
    rail.type = NameSpec("prescribed");
    rail.numbers["coordinate"] = {last + ".tip.y"};
    rail.numbers["value"] = {0.0};
    d.constraints.push_back(rail);
  }
  ParameterSpec g;
  g.name = "g";
  g.value = -9.81;
  d.parameters.push_back(g);
  d.forces.front().vectors["acceleration"] = VectorSpec(0.0, "g", 0.0);
  ObjectiveSpec sag;
  sag.name = "sag";
  sag.integral = last + ".tip.x";
  d.objectives.push_back(sag);
  return compile_model(d, builtin_catalogue(), set);
}

void simulate(benchmark::State& state, const Model& model, int steps, int links) {
  Simulator simulator(model, options_for(model, steps));
  const std::vector<double> p = model.default_physical();
  long done = 0, iterations = 0;
  for (auto _ : state) {
    const RunReport report = simulator.run(p, [](const StepState<double>&) { return true; });
    if (!report.done()) return state.SkipWithError(report.message.c_str());
    done += report.steps;
    iterations += report.iterations;
  }
  const auto rate = benchmark::Counter::kIsRate | benchmark::Counter::kInvert;
  state.counters["step"] = benchmark::Counter(double(done), rate);
  state.counters["per_link"] = benchmark::Counter(double(done) * links, rate);
  state.counters["iterations"] = double(iterations) / double(done);
}

void differentiate(benchmark::State& state, const Model& model, int steps, int links) {
  GradientOptions options;
  options.method = "adjoint";
  options.objectives = {0};
  options.run = options_for(model, steps);
  const VecX rho = model.default_rho();
  long done = 0;
  for (auto _ : state) {
    const GradientReport report = gradient(model, {rho.data(), std::size_t(rho.size())}, options);
    if (report.status != RunStatus::kDone) return state.SkipWithError(report.message.c_str());
    done += report.run.steps;
  }
  const auto rate = benchmark::Counter::kIsRate | benchmark::Counter::kInvert;
  state.counters["step"] = benchmark::Counter(double(done), rate);
  state.counters["per_link"] = benchmark::Counter(double(done) * links, rate);
}

void add(const std::string& name, const std::function<Model(CoordinateSet)>& make, int steps,
         int links) {
  for (const CoordinateSet set : kSets) {
    const std::string tail = "/" + name + "/" + std::string(coordinate_set_name(set));
    benchmark::RegisterBenchmark(
        ("coordinates/simulate" + tail).c_str(),
        [=](benchmark::State& state) { simulate(state, make(set), steps, links); })
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(
        ("coordinates/gradient" + tail).c_str(),
        [=](benchmark::State& state) { differentiate(state, make(set), steps, links); })
        ->Unit(benchmark::kMillisecond);
  }
}

/// As many as a self-check is made for; large mechanisms are left with fewer, of which it is a larger part.
int steps_of(int links) { return links <= 32 ? 1000 : links <= 128 ? 200 : 10; }

const bool kRegistered = [] {
  for (const char* name : {"five_bar", "slider_crank"}) {
    add(
        name,
        [=](CoordinateSet set) {
          const std::string path = std::string(KINEGRAD_SOURCE_DIR "/examples/") + name + ".yaml";
          return compile_model(read_model_yaml(path), builtin_catalogue(), set);
        },
        1000, 4);
  }
  for (const int links : {8, 32, 128, 512}) {
    for (const bool closed : {false, true}) {
      add((closed ? "closed_chain/" : "chain/") + std::to_string(links),
          [=](CoordinateSet set) { return chain(links, closed, set); }, steps_of(links), links);
    }
  }
  return true;
}();

}  // namespace
}  // namespace kinegrad::bench
