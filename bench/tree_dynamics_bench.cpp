// Cost of the open-chain assembly on chains of N links; bench/README.md has the targets.
#include <benchmark/benchmark.h>

#include "bench/chain_model.hpp"
#include "kinegrad/assembly/acceleration_partials.hpp"
#include "kinegrad/tree/mass_matrix.hpp"

namespace kinegrad::bench {
namespace {

/// The arguments of a case: N, planar or spatial, reference point.
struct Case {
  explicit Case(const benchmark::State& state)
      : chain(static_cast<int>(state.range(0)), state.range(1) != 0),
        tree(chain.model, state.range(2) != 0 ? ReferencePoint::kOrigin : ReferencePoint::kCom),
        x(tree),
        articulated(tree.bodies) {
    tree.set(chain.p);
    find_accelerations();
  }
  void find_accelerations() {
    accelerations<double>(tree, 0, chain.q, chain.v, x, articulated, chain.a);
  }
  void find_residual() { residual<double>(tree, 0, chain.q, chain.v, chain.a, x, chain.r); }

  Chain chain;
  LoadedTree<double> tree;
  TreeState<double> x;
  ArticulatedBodies<double> articulated;
};

void name_and_count(benchmark::State& state) {
  state.SetLabel(std::string(state.range(1) != 0 ? "spatial" : "planar") +
                 (state.range(2) != 0 ? " joint-origin" : " joint-com"));
  // seconds per joint and call; shown with its unit, so 100n is 100 ns
  state.counters["per_joint"] = benchmark::Counter(
      static_cast<double>(state.range(0)),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void accelerations(benchmark::State& state) {
  Case c(state);
  for (auto _ : state) {
    c.find_accelerations();
    benchmark::DoNotOptimize(c.chain.a.data());
    benchmark::ClobberMemory();
  }
  name_and_count(state);
}

void residual(benchmark::State& state) {
  Case c(state);
  for (auto _ : state) {
    c.find_residual();
    benchmark::DoNotOptimize(c.chain.r.data());
    benchmark::ClobberMemory();
  }
  name_and_count(state);
}

void mass_matrix(benchmark::State& state) {
  Case c(state);
  MatX M = MatX::Zero(state.range(0), state.range(0));
  MassMatrixWorkspace<double> workspace(c.tree.bodies);
  for (auto _ : state) {
    mass_matrix<double>(c.tree.bodies, c.chain.q, workspace, M);
    benchmark::DoNotOptimize(M.data());
    benchmark::ClobberMemory();
  }
  name_and_count(state);
}

void partial_matrices(benchmark::State& state) {
  Case c(state);
  LinearizedTree L(c.tree.bodies, c.x.motion);
  LinearizedForces forces(c.tree, c.x);
  CompositeBodies beyond(c.tree.bodies.nodes.size());
  const auto n = state.range(0);
  MatX r_q(n, n), r_v(n, n), r_a(n, n);
  for (auto _ : state) {
    c.find_residual();
    linearize(0, c.chain.q, c.chain.v, c.chain.a, L, forces);
    residual_matrices(L, forces, beyond, r_q, r_v, r_a);
    benchmark::DoNotOptimize(r_q.data());
    benchmark::ClobberMemory();
  }
  name_and_count(state);
}

/// Residual, linearisation and the pull-back to q, v, a and every physical parameter.
void pullback(benchmark::State& state) {
  Case c(state);
  LinearizedTree L(c.tree.bodies, c.x.motion);
  LinearizedForces forces(c.tree, c.x);
  const std::vector<double> w(c.chain.q.size(), 1.0);
  std::vector<double> q(w.size()), v(w.size()), a(w.size()), p(c.chain.p.size());
  const ResidualCotangent out{q, v, a, p};
  for (auto _ : state) {
    c.find_residual();
    linearize(0, c.chain.q, c.chain.v, c.chain.a, L, forces);
    residual_pullback(L, forces, w, out);
    benchmark::DoNotOptimize(p.data());
    benchmark::ClobberMemory();
  }
  name_and_count(state);
}

/// Accelerations, then [a_q, a_v, a_τ] in full.
void acceleration_matrices(benchmark::State& state) {
  Case c(state);
  LinearizedTree L(c.tree.bodies, c.x.motion);
  LinearizedForces forces(c.tree, c.x);
  AccelerationPartials partials(L, forces, c.articulated);
  for (auto _ : state) {
    c.find_accelerations();
    partials.linearize(0, c.chain.q, c.chain.v, c.chain.a);
    benchmark::DoNotOptimize(partials.matrices().data());
    benchmark::ClobberMemory();
  }
  name_and_count(state);
}

/// Accelerations, then their pull-back to q, v, τ and every physical parameter.
void acceleration_pullback(benchmark::State& state) {
  Case c(state);
  LinearizedTree L(c.tree.bodies, c.x.motion);
  LinearizedForces forces(c.tree, c.x);
  AccelerationPartials partials(L, forces, c.articulated);
  const std::vector<double> w(c.chain.q.size(), 1.0);
  std::vector<double> q(w.size()), v(w.size()), tau(w.size()), p(c.chain.p.size());
  for (auto _ : state) {
    c.find_accelerations();
    partials.linearize(0, c.chain.q, c.chain.v, c.chain.a);
    partials.pullback(w, {q, v, tau, p});
    benchmark::DoNotOptimize(p.data());
    benchmark::ClobberMemory();
  }
  name_and_count(state);
}

const std::vector<int64_t> kEither{0, 1};

void linear_cases(benchmark::internal::Benchmark* b) {
  b->ArgNames({"N", "spatial", "origin"})->ArgsProduct({{8, 32, 128, 512, 1024}, kEither, kEither});
}

/// Matrices of 512 and more are memory traffic.
void matrix_cases(benchmark::internal::Benchmark* b) {
  b->ArgNames({"N", "spatial", "origin"})
      ->ArgsProduct({{8, 32, 128}, kEither, kEither})
      ->Unit(benchmark::kMicrosecond);
}

void derivative_cases(benchmark::internal::Benchmark* b) {
  b->ArgNames({"N", "spatial", "origin"})
      ->ArgsProduct({{8, 32, 128, 512}, kEither, kEither})
      ->Unit(benchmark::kMicrosecond);
}

BENCHMARK(accelerations)->Apply(linear_cases);
BENCHMARK(residual)->Apply(linear_cases);
BENCHMARK(pullback)->Apply(linear_cases);
BENCHMARK(mass_matrix)->Apply(matrix_cases);
BENCHMARK(partial_matrices)->Apply(matrix_cases);
BENCHMARK(acceleration_matrices)->Apply(derivative_cases);
BENCHMARK(acceleration_pullback)->Apply(linear_cases);

}  // namespace
}  // namespace kinegrad::bench
