// States come back as they were kept, whatever their shape.
#include "kinegrad/simulation/state_store.hpp"

#include <gtest/gtest.h>

#include <random>

namespace kinegrad {
namespace {

StepState<double> state(std::mt19937_64& rng, int n, int m, int own) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  StepState<double> x;
  x.t = uniform(rng);
  x.q.resize(n);
  x.v.resize(n);
  x.a.resize(n);
  x.lambda.resize(m);
  x.own.resize(own);
  for (VecX* part : {&x.q, &x.v, &x.a, &x.lambda, &x.own}) {
    for (double& number : *part) number = uniform(rng);
  }
  return x;
}

TEST(StateStore, KeepsStates) {
  const struct {
    int n, m, own;
  } shapes[] = {{3, 2, 3}, {1, 0, 0}, {5000, 7, 1}, {40, 12, 40}, {0, 4, 0}};
  StateStore store;
  for (const auto& [n, m, own] : shapes) {  // the same store, one after the other
    std::mt19937_64 rng(5), again(5);
    store.clear();
    EXPECT_EQ(store.size(), 0u);
    for (int k = 0; k < 300; ++k) store.push(state(rng, n, m, own));
    ASSERT_EQ(store.size(), 300u);
    StepState<double> x;
    for (std::size_t k = 0; k < store.size(); ++k) {
      const StepState<double> expected = state(again, n, m, own);
      EXPECT_EQ(store.time(k), expected.t);
      store.read(k, x);
      EXPECT_EQ(x.t, expected.t);
      EXPECT_EQ(x.q, expected.q);
      EXPECT_EQ(x.v, expected.v);
      EXPECT_EQ(x.a, expected.a);
      EXPECT_EQ(x.lambda, expected.lambda);
      EXPECT_EQ(x.own, expected.own);
    }
  }
}

}  // namespace
}  // namespace kinegrad
