// A chain whose links float and whose joints are cut: large, block sparse matrices. One step, and its
// derivatives backwards and forwards; `per_link` must not grow with the number of links.
#include <benchmark/benchmark.h>

#include "chain_model.hpp"
#include "kinegrad/assembly/joint_partials.hpp"
#include "kinegrad/integrators/all.hpp"
#include "kinegrad/model/design_jacobian.hpp"
#include "kinegrad/simulation/trajectory.hpp"

namespace kinegrad::bench {
namespace {

constexpr double kStep = 1e-3;
constexpr int kSteps = 8;  // of a run, over and over

/// The chain at its start and the steps from there; its rows hold as it is written.
struct CutChain {
  CutChain(int links, const std::string& formulation_name, const IntegratorOptions& details)
      : model(compile_model(described(links))),
        p(model.default_physical()),
        formulation(make_formulation<double>(formulation_name, model, ReferencePoint::kCom)),
        map(make_step_map<double>("trapezoidal", *formulation, details)) {
    formulation->set_parameters(p);
    start.q = Eigen::Map<const VecX>(p.data() + model.initial_q(), model.nq());
    start.v = Eigen::Map<const VecX>(p.data() + model.initial_v(), model.nq());
    x0 = x1 = start;
    usable = map->start(start).usable();
  }

  static ModelDescription described(int links) {
    ModelDescription d = cut_chain_description(links);
    for (const char* name : {"m", "c", "J", "g"}) {
      ParameterSpec parameter;
      parameter.name = name;
      parameter.value = name[0] == 'm'   ? 1.0
                        : name[0] == 'c' ? 0.5
                        : name[0] == 'J' ? 1.0 / 12
                                         : -9.81;
      d.parameters.push_back(parameter);
    }
    for (BodySpec& body : d.bodies) {
      body.mass = "m";
      body.com = VectorSpec("c", 0.0, 0.0);
      body.inertia->zz = "J";
    }
    d.forces.front().vectors["acceleration"] = VectorSpec(0.0, "g", 0.0);
    return d;
  }

  Model model;
  std::vector<double> p;
  std::unique_ptr<Formulation<double>> formulation;
  std::unique_ptr<StepMap<double>> map;
  StepState<double> start, x0, x1;
  bool usable = false;
};

void report(benchmark::State& state, long count) {
  state.counters["per_link"] =
      benchmark::Counter(double(count) * double(state.range(0)),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void cut_chain_step(benchmark::State& state, const std::string& formulation, bool exact) {
  IntegratorOptions details;
  details.exact_tangent = exact;
  CutChain c(int(state.range(0)), formulation, details);
  if (!c.usable) return state.SkipWithError("the run does not start");
  long steps = 0, iterations = 0;
  for (auto _ : state) {
    if (steps % kSteps == 0) c.x0 = c.start;
    const StepReport step = c.map->step(c.x0, kStep, c.x1);
    if (!step.usable()) return state.SkipWithError("a step failed");
    iterations += step.iterations;
    std::swap(c.x0, c.x1);
    ++steps;
  }
  state.counters["iterations"] = double(iterations) / double(std::max(steps, 1L));
  report(state, steps);
}

/// kSteps recorded steps, and their derivatives.
struct RecordedChain : CutChain {
  RecordedChain(int links, const std::string& formulation_name, const IntegratorOptions& details)
      : CutChain(links, formulation_name, details) {
    if (!usable) return;
    records.start(start, *formulation);
    x0 = start;
    for (int k = 0; k < kSteps && usable; ++k) {
      usable = map->step(x0, kStep, x1).usable();
      records.add(x1, *map, *formulation);
      std::swap(x0, x1);
    }
    partials = make_step_partials("trapezoidal", details, formulation->stage_rule(), [this] {
      auto system = std::make_unique<JointPartials>(model, ReferencePoint::kCom);
      system->set_parameters(p);
      return system;
    });
  }
  StepRecords records;
  RecordRoom room;
  std::unique_ptr<StepPartials> partials;
};

void cut_chain_adjoint(benchmark::State& state, const std::string& formulation) {
  RecordedChain c(int(state.range(0)), formulation, {});
  if (!c.usable) return state.SkipWithError("the run fails");
  StateCotangent x;
  x.set_zero(c.model.nq(), int(c.model.constraint_rows().size()));
  std::vector<double> p_bar(c.p.size(), 0.0);
  long steps = 0;
  for (auto _ : state) {
    if (steps % kSteps == 0) x.q.setOnes();
    const StepRecord record = c.records.record(std::size_t(kSteps - 1 - steps % kSteps), c.room);
    if (!c.partials->linearize(record)) return state.SkipWithError("no derivative");
    c.partials->adjoint(x, p_bar, {});
    ++steps;
  }
  report(state, steps);
}

void cut_chain_tangent(benchmark::State& state, const std::string& formulation) {
  RecordedChain c(int(state.range(0)), formulation, {});
  if (!c.usable) return state.SkipWithError("the run fails");
  const VecX rho = c.model.default_rho();
  const std::vector<int> parameters{0, 1, 2, 3};
  const DesignJacobian design(c.model.design_map(), {rho.data(), std::size_t(rho.size())},
                              parameters);
  StateTangent x;
  const int m = int(c.model.constraint_rows().size());
  x.resize(c.model.nq(), m, design.parameters());
  long steps = 0;
  for (auto _ : state) {
    const auto k = std::size_t(steps % kSteps);
    if (k == 0) x.resize(c.model.nq(), m, design.parameters());
    if (!c.partials->tangent(c.records.record(k, c.room), design, x, {})) {
      return state.SkipWithError("no derivative");
    }
    ++steps;
  }
  report(state, steps);
}

void sizes(benchmark::internal::Benchmark* b) {
  for (const int n : {8, 32, 128, 512}) b->Arg(n);
  b->Unit(benchmark::kMicrosecond);
}
BENCHMARK_CAPTURE(cut_chain_step, ali3p, "ali3p", false)->Apply(sizes);
BENCHMARK_CAPTURE(cut_chain_step, index1, "index1", false)->Apply(sizes);
BENCHMARK_CAPTURE(cut_chain_step, index1_exact, "index1", true)->Apply(sizes);
BENCHMARK_CAPTURE(cut_chain_step, penalty, "penalty", false)->Apply(sizes);
BENCHMARK_CAPTURE(cut_chain_step, penalty_exact, "penalty", true)->Apply(sizes);
BENCHMARK_CAPTURE(cut_chain_adjoint, ali3p, "ali3p")->Apply(sizes);
BENCHMARK_CAPTURE(cut_chain_adjoint, index1, "index1")->Apply(sizes);
BENCHMARK_CAPTURE(cut_chain_adjoint, penalty, "penalty")->Apply(sizes);
BENCHMARK_CAPTURE(cut_chain_tangent, ali3p, "ali3p")->Apply(sizes);

}  // namespace
}  // namespace kinegrad::bench
