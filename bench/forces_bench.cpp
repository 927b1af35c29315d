// Cost of a force per call, with and without partials, for every force of forces/all.hpp.
#include <benchmark/benchmark.h>

#include <string>

#include "kinegrad/forces/all.hpp"

namespace kinegrad::bench {
namespace {

/// Loaded and moving: attributes of order one, the frames of a pair turned by a little, the second one close to the first.
template <typename F>
ForceInput<F, double> moving() {
  ForceInput<F, double> in;
  in.t = 0.1;
  in.x.setConstant(0.3);
  in.xdot.setConstant(0.2);
  in.p.setConstant(0.7);
  int place = 0;
  for (const AttributeInfo& a : F::attributes) {
    const bool further = a.ground || !a.words.empty() || a.name == "relaxation_length";
    if (further) in.p.segment(place, a.size).setZero();
    place += a.size;
  }
  if constexpr (F::port == PortKind::kFramePair) {
    in.x << 0.1, 0.2, 0.4, 1, 0, 0, 0, 0, -1, 0, 1, 0;  // axis along −y
    in.xdot << 0.1, -3, 0.2, 2, 0.1, 0.01;
  }
  return in;
}

template <typename F>
void effort(benchmark::State& state) {
  ForceInput<F, double> in = moving<F>();
  for (auto _ : state) {
    benchmark::DoNotOptimize(in);
    benchmark::DoNotOptimize(F::template effort<double>(in));
  }
}

/// On a ground, with states.
template <typename F>
ForceInput<F, double> on_a_ground() {
  ForceInput<F, double> in = moving<F>();
  in.p.template tail<6>() << 1, 0.1, 0.2, 0.01, 0.1, -0.1;
  in.z.setConstant(0.01);
  if constexpr (requires { F::kRelaxation; }) in.p(F::kRelaxation) = 0.3;
  if constexpr (requires { F::kOwn; }) in.p(F::kOwn + contact::kNormal) = 2;
  return in;
}

template <typename F>
void with_partials(benchmark::State& state, ForceInput<F, double> in) {
  ForceStructPartials<F> out;
  for (auto _ : state) {
    benchmark::DoNotOptimize(in);
    benchmark::DoNotOptimize(F::template effort<double>(in));
    if constexpr (HandPartials<F>) {
      F::partials(in, out);
    } else {
      dual_partials<F>(in, out);
    }
    benchmark::DoNotOptimize(out);
  }
}

template <typename... Fs>
bool add_all(TypeList<Fs...>) {
  const auto add = []<typename F>(F*) {
    const std::string name = "force/" + std::string(F::name);
    benchmark::RegisterBenchmark((name + "/effort").c_str(), effort<F>);
    benchmark::RegisterBenchmark((name + "/partials").c_str(), with_partials<F>, moving<F>());
    if constexpr (F::port == PortKind::kFramePair && ForceInput<F, double>::ns > 0) {
      if constexpr (F::attributes.back().ground) {
        benchmark::RegisterBenchmark((name + "/ground, states").c_str(), with_partials<F>,
                                     on_a_ground<F>());
      }
    }
  };
  (add(static_cast<Fs*>(nullptr)), ...);
  return true;
}

const bool kAdded = add_all(Forces{});

}  // namespace
}  // namespace kinegrad::bench
