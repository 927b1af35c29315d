// The loops of SmallLdlt with their sizes known: most mechanisms have a dozen unknowns, and loops of a few
// passes cost more than what they compute.
#include "kinegrad/math/small_ldlt.hpp"

#include <cmath>
#include <utility>

namespace kinegrad::unrolled {

namespace {

/// f(First), …, f(Last − 1), each with a constant.
template <int First, int Last, typename F>
[[gnu::always_inline]] inline void each(const F& f) {
  if constexpr (First < Last) {
    f(std::integral_constant<int, First>{});
    each<First + 1, Last>(f);
  }
}

template <int N>
int factorize_of(double* K, int n, double lost, double part) {
  double least[N] = {};
  for (int j = 0; j < n; ++j) least[j] = lost * K[j * N + j];
  int failed = -1;
  each<0, N>([&](auto J) {
    constexpr int j = J;
    if (failed >= 0) return;
    double* const own = K + j * N;
    if (j == n) {
      for (int i = j; i < N; ++i) least[i] = part * std::abs(K[i * N + i]);  // holomorphic: double
    }
    const double pivot = j < n ? own[j] : std::abs(own[j]);  // holomorphic: double
    if (!(pivot > least[j])) {
      failed = j;
      return;
    }
    const double inverse = 1 / own[j];
    each<j + 1, N>([&](auto Row) {
      constexpr int k = Row;
      const double factor = own[k] * inverse;
      if (factor == 0) return;
      double* const other = K + k * N;
#pragma GCC unroll 16
      for (int i = k; i < N; ++i) other[i] -= own[i] * factor;
    });
#pragma GCC unroll 16
    for (int i = j + 1; i < N; ++i) own[i] *= inverse;
    own[j] = inverse;
  });
  return failed;
}

/// Both halves add column by column: what is subtracted from an unknown does not wait for the others.
template <int N>
void solve_of(const double* K, double* x) {
  double y[N];
#pragma GCC unroll 16
  for (int i = 0; i < N; ++i) y[i] = x[i];
  each<0, N>([&](auto J) {
    constexpr int j = J;
#pragma GCC unroll 16
    for (int i = j + 1; i < N; ++i) y[i] -= K[j * N + i] * y[j];
  });
#pragma GCC unroll 16
  for (int i = 0; i < N; ++i) y[i] *= K[i * N + i];
  each<0, N>([&](auto J) {
    constexpr int j = N - 1 - J;
#pragma GCC unroll 16
    for (int i = 0; i < j; ++i) y[i] -= K[i * N + j] * y[j];
  });
#pragma GCC unroll 16
  for (int i = 0; i < N; ++i) x[i] = y[i];
}

using Factorize = int (*)(double*, int, double, double);
using Solve = void (*)(const double*, double*);

template <int... N>
constexpr std::array<Factorize, kMost> factorizations(std::integer_sequence<int, N...>) {
  return {&factorize_of<N + 1>...};
}
template <int... N>
constexpr std::array<Solve, kMost> solutions(std::integer_sequence<int, N...>) {
  return {&solve_of<N + 1>...};
}
using Sizes = std::make_integer_sequence<int, kMost>;
constexpr std::array kFactorize = factorizations(Sizes{});
constexpr std::array kSolve = solutions(Sizes{});

}  // namespace

int factorize(double* K, int size, int n, double lost, double part) {
  return kFactorize[static_cast<std::size_t>(size - 1)](K, n, lost, part);
}

void solve(const double* K, int size, double* x) {
  kSolve[static_cast<std::size_t>(size - 1)](K, x);
}

}  // namespace kinegrad::unrolled
