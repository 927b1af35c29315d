// Which steps of a run its self-check looks at (docs/theory/self_check.md).
#include "kinegrad/sensitivity/sampled_steps.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace kinegrad {
namespace {

constexpr std::size_t kSteps = 1000;

StepPlan plan_of(std::size_t steps) {
  StepPlan plan;
  plan.begin(0);
  for (std::size_t k = 0; k < steps; ++k) plan.add(1e-3 * static_cast<double>(k + 1), {});
  return plan;
}

/// The numbers of the steps that are kept.
std::vector<std::size_t> sampled(const StepPlan& plan, const StepEvents& events) {
  SampledSteps samples(plan, events);
  const StepState<double> x{};
  for (std::size_t k = 0; k < plan.size(); ++k) samples.see(k, {1e-3, &x, &x, &x, {}, nullptr});
  std::vector<std::size_t> out;
  for (const SampledStep& step : samples.kept()) out.push_back(step.number);
  return out;
}

std::size_t largest_hole(const std::vector<std::size_t>& steps) {
  std::size_t most = 0;
  for (std::size_t k = 1; k < steps.size(); ++k) most = std::max(most, steps[k] - steps[k - 1]);
  return most;
}

bool has(const std::vector<std::size_t>& steps, std::size_t step) {
  return std::binary_search(steps.begin(), steps.end(), step);
}

/// Five occurrences after step `first`, one after the other.
void add(Occurrences& some, const StepPlan& plan, std::size_t first) {
  for (std::size_t k = 0; k < Occurrences::kShown; ++k) some.add(plan.times[first + k + 1]);
}

TEST(SampledSteps, AreSpreadOverPlainRuns) {
  const StepPlan plan = plan_of(kSteps);
  const std::vector<std::size_t> steps = sampled(plan, {});
  EXPECT_LE(steps.size(), 10u);
  EXPECT_GE(steps.size(), 9u);  // one may be chosen twice
  EXPECT_EQ(steps.front(), 0u);
  EXPECT_EQ(steps.back(), kSteps - 1);
  EXPECT_LE(largest_hole(steps), 2 * kSteps / 8);  // parts of 125 steps
}

TEST(SampledSteps, HaveEveryKindOfStepAndStaySpread) {
  const StepPlan plan = plan_of(kSteps);
  StepEvents events;
  add(events.moved, plan, 10);
  add(events.divided, plan, 20);
  add(events.damped, plan, 30);
  add(events.several, plan, 40);
  const std::vector<std::size_t> steps = sampled(plan, events);
  EXPECT_LE(steps.size(), 10u);
  EXPECT_EQ(steps.front(), 0u);
  EXPECT_EQ(steps.back(), kSteps - 1);
  for (const std::size_t kind : {12u, 22u, 32u, 42u}) EXPECT_TRUE(has(steps, kind)) << kind;
  EXPECT_LE(largest_hole(steps), 2 * kSteps / 4);  // four are left for the run
}

TEST(SampledSteps, OfShortRunsAreAll) {
  EXPECT_EQ(sampled(plan_of(16), {}).size(), 16u);
  EXPECT_TRUE(sampled(plan_of(0), {}).empty());
}

}  // namespace
}  // namespace kinegrad
