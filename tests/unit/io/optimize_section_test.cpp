// The section `optimize`, from YAML to what a model knows of it. Mistakes: tests/data/broken/optimize.
#include <gtest/gtest.h>

#include <limits>

#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/optimization/optimizer.hpp"
#include "support/pulled_block.hpp"

namespace kinegrad {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

OptimizeSection section_of(const std::string& text) {
  return compile_model(parse_model_yaml(test::kPulledBlock + text, "f")).optimize();
}

TEST(OptimizeSectionReader, ReadsEverything) {
  const OptimizeSection section = section_of(R"(optimize:
  minimize: {effort: 1/4, miss: -2}
  parameters: [m, F]
  constraints:
    place: {at_least: -1, at_most: 2*pi}
    far: {equals: 3}
  optimizer: ipopt
  method: forward
  tolerance: 1e-5
  objective_tolerance: 1e-4
  parameter_tolerance: 1e-3
  constraint_tolerance: 1e-2
  evaluations: 77
  seconds: 12
  scale: {F: 3}
  starts: 5
  seed: 9
  horizons: [0.25, 1/2]
)");
  EXPECT_TRUE(section.given);
  EXPECT_FALSE(section.minimax);
  ASSERT_EQ(section.minimize.size(), 2u);
  EXPECT_EQ(section.minimize[0].objective, 1);
  EXPECT_EQ(section.minimize[0].weight, 0.25);
  EXPECT_EQ(section.minimize[1].weight, -2);
  EXPECT_EQ(section.parameters, (std::vector<int>{1, 0}));
  ASSERT_EQ(section.constraints.size(), 2u);
  EXPECT_EQ(section.constraints[0].lower, -1);
  EXPECT_NEAR(section.constraints[0].upper, 6.283185307179586, 1e-15);
  EXPECT_EQ(section.constraints[1].lower, 3);
  EXPECT_EQ(section.constraints[1].upper, 3);
  EXPECT_EQ(section.optimizer, "ipopt");
  EXPECT_EQ(section.method, "forward");
  EXPECT_EQ(section.tolerance, 1e-5);
  EXPECT_EQ(section.objective_tolerance, 1e-4);
  EXPECT_EQ(section.parameter_tolerance, 1e-3);
  EXPECT_EQ(section.constraint_tolerance, 1e-2);
  EXPECT_EQ(section.evaluations, 77);
  EXPECT_EQ(section.seconds, 12);
  ASSERT_EQ(section.scale.size(), 1u);
  EXPECT_EQ(section.scale[0].parameter, 0);
  EXPECT_EQ(section.starts, 5);
  EXPECT_EQ(section.seed, 9);
  EXPECT_EQ(section.horizons, (std::vector<double>{0.25, 0.5}));
}

TEST(OptimizeSectionReader, LittleIsEnough) {
  const OptimizeSection section = section_of("optimize: {minimize: far}\n");
  ASSERT_EQ(section.minimize.size(), 1u);
  EXPECT_EQ(section.minimize[0].objective, 3);
  EXPECT_EQ(section.minimize[0].weight, 1);
  EXPECT_EQ(section.parameters, (std::vector<int>{0, 1})) << "all that have bounds";
  EXPECT_EQ(section.optimizer, "");
  EXPECT_EQ(section.evaluations, 0);
  EXPECT_FALSE(section_of("").given);
  EXPECT_EQ(section_of("optimize: {minimize: far, scale: automatic}\n").scale.size(), 0u);
}

TEST(OptimizeSectionReader, MinimaxOfAListOrWithWeights) {
  const OptimizeSection list = section_of("optimize: {minimize: {minimax: [far, miss]}}\n");
  EXPECT_TRUE(list.minimax);
  ASSERT_EQ(list.minimize.size(), 2u);
  EXPECT_EQ(list.minimize[1].weight, 1);
  const OptimizeSection map = section_of("optimize: {minimize: {minimax: {far: 2, miss: 3}}}\n");
  EXPECT_TRUE(map.minimax);
  EXPECT_EQ(map.minimize[1].weight, 3);
}

TEST(OptimizeSectionReader, OneSidedRangesAreOpen) {
  const OptimizeSection section = section_of(
      "optimize: {minimize: far, constraints: {miss: {at_most: 1}, place: {at_least: 0}}}\n");
  EXPECT_EQ(section.constraints[0].lower, -kInfinity);
  EXPECT_EQ(section.constraints[1].upper, kInfinity);
}

TEST(OptimizeSectionReader, EveryOptimizerMayStandInAFile) {
  for (const OptimizerInfo& info : optimizers()) {
    const std::string name(info.name);
    EXPECT_EQ(section_of("optimize: {minimize: far, optimizer: " + name + "}\n").optimizer, name);
  }
}

}  // namespace
}  // namespace kinegrad
