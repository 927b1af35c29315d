// Runs say what they leave open of constraint equations that hardly differ from others [OP-1], or end.
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
/// of its own the second equation has.
Model two_ropes(double part) {
  return compile_model(parse_model_yaml(fmt::format(R"yaml(
points: {{S: [3, 1, -0.3]}}
bodies:
  B: {{mass: 1, com: [0.4, 0, 0], inertia: [0.01, 0.03, 0.03], points: {{P: [1, 0, 0]}}, placement: {{position: [1, -0.5, 0.2]}}}}
constraints:
  rope: {{type: expression, expression: "P.x^2 + P.y^2 + P.z^2 - 4.29"}}
  both: {{type: expression, expression: "P.x^2 + P.y^2 + P.z^2 - 4.29 + {0}*((P.x - S.x)^2 + (P.y - S.y)^2 + (P.z - S.z)^2 - 3.5)"}}
forces: {{weight: {{type: gravity, acceleration: [0, -9.81, 0]}}}}
initial: {{B_free.w: [0.3, 1, 0.2]}}
)yaml",
                                                    part),
                                        "two_ropes"),
                       builtin_catalogue());
}

TEST(OpenEquationsOfRuns, NearlyEqualEquationsAreNotHalfHeldInSilence) {
  const RunReport clear = run_of(two_ropes(0.5), "ali3p", "trapezoidal", 0.01, 0.3);
  ASSERT_TRUE(clear.done()) << clear.message;
  EXPECT_FALSE(warns_of_constraints(clear));
  const RunReport near = run_of(two_ropes(1e-5), "ali3p", "trapezoidal", 0.01, 0.3);
  if (near.done()) {
    EXPECT_TRUE(warns_of_constraints(near));
  } else {
    EXPECT_THAT(near.message, HasSubstr("hardly differ"));
  }
}

}  // namespace
}  // namespace kinegrad
