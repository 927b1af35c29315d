// Runs say what they leave open of constraint equations that hardly differ from others [LO-1], or end.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "kinegrad/formulations/all.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/simulation/simulator.hpp"
#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

using testing::HasSubstr;

RunReport run_of(const Model& model, const std::string& formulation, const std::string& integrator,
                 double step, double end) {
  RunOptions options;
  options.formulation = formulation;
  options.integrator = integrator;
  options.step = step;
  options.end = end;
  return Simulator(model, options).run(model.default_physical(), [](const auto&) { return true; });
}

bool warns_of_constraints(const RunReport& report) {
  return std::any_of(report.warnings.begin(), report.warnings.end(),
                     [](const Warning& x) { return x.kind == "constraints"; });
}

/// One equation of the loop depends on the others as long as it is closed; index1 lets it open.
TEST(OpenEquationsOfRuns, BricardsLoopDriftsAtAccelerationLevel) {
  const Model model = test::example("bricard");
  const RunReport drifting = run_of(model, "index1", "rk4", 5e-3, 2);
  ASSERT_TRUE(drifting.done()) << drifting.message;
  EXPECT_TRUE(warns_of_constraints(drifting));
  for (const char* formulation : {"ali3p", "matrix-r"}) {
    const RunReport held = run_of(model, formulation, "trapezoidal", 5e-3, 2);
    ASSERT_TRUE(held.done()) << held.message;
    EXPECT_FALSE(warns_of_constraints(held)) << formulation;
  }
}

/// A point on two spheres, the second written as the first and a part of the other: the smaller the part, the less
/// of its own the second equation has. All lengths times `size`.
Model two_ropes(double part, double size = 1) {
  return compile_model(parse_model_yaml(fmt::format(R"yaml(
parameters: {{s: {1}}}
points: {{S: [3*s, s, -0.3*s]}}
bodies:
  B: {{mass: 1, com: [0.4*s, 0, 0], inertia: [0.01*s^2, 0.03*s^2, 0.03*s^2], points: {{P: [s, 0, 0]}}, placement: {{position: [s, -0.5*s, 0.2*s]}}}}
constraints:
  rope: {{type: expression, expression: "P.x^2 + P.y^2 + P.z^2 - 4.29*s^2"}}
  both: {{type: expression, expression: "P.x^2 + P.y^2 + P.z^2 - 4.29*s^2 + {0}*((P.x - S.x)^2 + (P.y - S.y)^2 + (P.z - S.z)^2 - 3.5*s^2)"}}
forces: {{weight: {{type: gravity, acceleration: [0, -9.81*s, 0]}}}}
initial: {{B_free.w: [0.3, 1, 0.2]}}
objectives: {{x: {{terminal: P.x/s}}}}
)yaml",
                                                    part, size),
                                        "two_ropes"),
                       builtin_catalogue());
}

struct Solver {
  const char *formulation, *integrator;
};

/// The same motion in all sizes and however the second sphere is written; or the run says that it is not.
TEST(OpenEquationsOfRuns, NearlyEqualEquationsAreNotHalfHeldInSilence) {
  constexpr double kStep = 0.01, kEnd = 0.3;
  const RunReport clear = run_of(two_ropes(1), "ali3p", "trapezoidal", kStep, kEnd);
  ASSERT_TRUE(clear.done()) << clear.message;
  ASSERT_FALSE(warns_of_constraints(clear));
  constexpr double kOfMethod = 2e-3;  // the point is 0.12 elsewhere without the second sphere
  const Solver solvers[] = {
      {"ali3p", "trapezoidal"},           {"index1", "trapezoidal"},   {"index1", "rk4"},
      {"fully-recursive", "trapezoidal"}, {"fully-recursive", "rk4"},  {"penalty", "rk4"},
      {"index3", "generalized-alpha"},    {"matrix-r", "trapezoidal"}, {"matrix-r", "rk4"}};
  int wrong = 0, held = 0;
  for (const double size : {1e-5, 1e-3, 1.0, 1e3, 1e5}) {
    for (const double part : {1.0, 1e-2, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8}) {
      const Model model = two_ropes(part, size);
      for (const auto& [formulation, integrator] : solvers) {
        const RunReport run = run_of(model, formulation, integrator, kStep, kEnd);
        if (!run.done() || warns_of_constraints(run)) {
          ++wrong;
          continue;
        }
        ++held;
        EXPECT_NEAR(run.objectives[0], clear.objectives[0], kOfMethod)
            << formulation << " x " << integrator << ", part " << part << ", size " << size;
      }
    }
  }
  EXPECT_GT(wrong, 50);
  EXPECT_GT(held, 50);
}

TEST(OpenEquationsOfRuns, WordsNameTheEquationAndTheCure) {
  const RunReport run = run_of(two_ropes(1e-7), "index1", "trapezoidal", 0.01, 0.3);
  ASSERT_FALSE(run.done());
  EXPECT_THAT(run.message, HasSubstr("constraint \"both\" hardly differs from others"));
  EXPECT_THAT(run.message, HasSubstr("matrix-r may do better"));
}

}  // namespace
}  // namespace kinegrad
