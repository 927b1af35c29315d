// The tools of the attack on rank are tested before they judge others: equal seeds give equal cases, differences
// know their error, and the judge does find what is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "kinegrad/formulations/all.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/compile.hpp"
#include "support/judge_apart.hpp"
#include "support/recorded_differences.hpp"

namespace kinegrad {
namespace {

using test::Outcome;
using test::RandomCase;
using test::Verdict;
using testing::HasSubstr;

TEST(RandomMechanisms, EqualSeedsGiveEqualCases) {
  for (const std::uint64_t seed : {1u, 77u, 4711u}) {
    EXPECT_EQ(test::random_case(seed).yaml(), test::random_case(seed).yaml());
    EXPECT_NE(test::random_case(seed).yaml(), test::random_case(seed + 1).yaml());
  }
}

TEST(RandomMechanisms, FamiliesComeWithTwinsAndSingularPositions) {
  std::set<std::string> families;
  int twins = 0, singular = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const RandomCase random = test::random_case(seed);
    families.insert(random.mechanism.family);
    twins += random.has_twin();
    singular += random.mechanism.through_singular;
    EXPECT_NO_THROW(compile_model(parse_model_yaml(random.twin(), "twin"))) << random.name();
  }
  EXPECT_EQ(families.size(), 15u);
  EXPECT_GE(twins, 100);
  EXPECT_GE(singular, 30);
}

VecX one(double x) { return VecX::Constant(1, x); }

TEST(RecordedDifferences, ErrorIsKnown) {
  const auto smooth = test::directional_difference([](double h) { return one(std::exp(3 * h)); });
  ASSERT_TRUE(smooth);
  EXPECT_LE(std::abs(smooth->slope(0) - 3), smooth->error(0) + 1e-12);
  EXPECT_LE(smooth->error(0), 1e-8);
  // noise of 1e-9 that looks random along the line: no more than four digits are left, and that is said
  const auto noisy = test::directional_difference(
      [](double h) { return one(std::exp(3 * h) + 1e-9 * std::sin(1e13 * h * h + 3e11 * h)); });
  ASSERT_TRUE(noisy);
  EXPECT_LE(std::abs(noisy->slope(0) - 3), noisy->error(0));
  EXPECT_GE(noisy->error(0), 1e-8);
}

TEST(RecordedDifferences, RunsThatEndEarlyAreNoValues) {
  EXPECT_FALSE(test::directional_difference([](double) { return std::optional<VecX>(); }));
}

/// A loop that every method computes.
RandomCase sound() {
  RandomCase random = test::random_case(1);
  random.mechanism = {};
  random.mechanism.family = "four bar";
  random.mechanism.parameters = {"L: {value: 1}", "m: {value: 1}", "q0: {value: 0.1}"};
  random.mechanism.points = {"O: [0, 0, 0]", "D: [2.5, -1, 0]"};
  random.mechanism.bodies = {
      "A: {mass: m, com: [L/2, 0, 0], inertia: [0.01, 0.1, 0.1], points: {PA: [L, 0, 0]}}",
      "B: {mass: 2, com: [1, 0, 0], inertia: [0.01, 0.6, 0.6], points: {PB: [2, 0, 0]}}",
      "C: {mass: 2, com: [1, 0, 0], inertia: [0.01, 0.6, 0.6], points: {PC: [2, 0, 0]}}"};
  random.mechanism.joints = {
      "J1: {type: revolute, bodies: [ground, A], points: [O, [0, 0, 0]], axes: [z, z], references: "
      "[x, x]}",
      "J2: {type: revolute, bodies: [A, B], points: [PA, [0, 0, 0]], axes: [z, z], references: "
      "[[0.8, -0.6, 0], x]}",
      "J3: {type: revolute, bodies: [B, C], points: [PB, [0, 0, 0]], axes: [z, z], references: "
      "[[0.6, -0.8, 0], x]}",
      "J4: {type: revolute, bodies: [C, ground], points: [PC, D], axes: [z, z], cut: true}"};
  random.mechanism.forces = {"weight: {type: gravity, acceleration: [0, -9.81, 0]}"};
  random.mechanism.initial = {"J1.q: 0.5 + q0", "J1.v: 1"};
  random.mechanism.objectives = {"end: {terminal: J1.q}", "path: {integral: PB.x}"};
  random.mechanism.step = 0.01;
  random.mechanism.end = 0.2;
  random.run.coordinates = "joint-com";
  random.run.formulation = "ali3p";
  random.run.integrator = "trapezoidal";
  random.run.step = 0.01;
  random.run.end = 0.2;
  random.run.details.tolerance = 1e-12;
  return random;
}

TEST(GradientJudge, AgreesWithWhatIsRight) {
  RandomCase random = sound();
  EXPECT_EQ(test::judge_apart(random).outcome, Outcome::kAgrees);
  random.mechanism.extras = {"again: {type: coincident, points: [PC, D]}"};
  const Verdict verdict = test::judge_apart(random);
  EXPECT_EQ(verdict.outcome, Outcome::kAgrees) << verdict.reason;
}

TEST(GradientJudge, FindsATwinThatMovesOtherwise) {
  RandomCase random = sound();
  random.mechanism.extras = {
      "hold: {type: nonholonomic, expression: J1.v - 1}"};  // says something new
  const Verdict verdict = test::judge_apart(random);
  ASSERT_GE(verdict.outcome, Outcome::kWarned);  // the run may say so itself
  EXPECT_THAT(testing::PrintToString(verdict.wrong), HasSubstr("twin"));
}

/// A blow between the steps of 10 ms that a step of 5 ms meets: the energy does not belong to the step size.
TEST(GradientJudge, FindsEnergyThatAppears) {
  RandomCase random = sound();
  random.mechanism.forces.push_back(
      "blow: {type: joint-force, joint: J1, value: 50*exp(-((t - 0.105)/1e-3)^2)}");
  const Verdict verdict = test::judge_apart(random);
  ASSERT_GE(verdict.outcome, Outcome::kWarned);
  EXPECT_THAT(testing::PrintToString(verdict.wrong), HasSubstr("energy"));
}

TEST(GradientJudge, SaysWhyARunEnds) {
  RandomCase random = sound();
  random.run.formulation = "semi-recursive";
  EXPECT_EQ(test::judge_apart(random).outcome, Outcome::kRefused);
  random = sound();
  random.mechanism.forces.push_back("push: {type: joint-force, joint: J1, value: 1/(0.1 - t)^4}");
  const Verdict verdict = test::judge_apart(random);
  EXPECT_EQ(verdict.outcome, Outcome::kFailed) << verdict.reason;
  EXPECT_THAT(verdict.reason, HasSubstr("t = "));
}

}  // namespace
}  // namespace kinegrad
