// A tether that hangs loose with both ends in one place (docs/theory/forces.md, [BS-1]).
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/gradient.hpp"

namespace kinegrad {
namespace {

GradientReport thrown(double apart, const std::string& method, const std::string& type) {
  const Model model = compile_model(parse_model_yaml(fmt::format(R"yaml(
parameters: {{k: 200, l: 0.4, v: 3}}
points: {{A: [0, 0, 0]}}
bodies: {{b: {{mass: 1, com: [0, 0, 0], inertia: [1, 1, 1], points: {{P: [{:.17g}, 0, 0]}}}}}}
joints: {{fly: {{type: cartesian, bodies: [ground, b], points: [[0, 0, 0], [0, 0, 0]]}}}}
forces: {{tether: {{type: {}, points: [A, P], stiffness: k, length: l, exponent: 2}}}}
initial: {{fly.v1: v, fly.v2: 0.3*v}}
objectives: {{o: {{terminal: b.com.x + 2*b.com.y}}, e: {{integral: energy}}}}
)yaml",
                                                                 apart, type),
                                                     "tether.yaml"));
  const VecX rho = model.default_rho();
  GradientOptions options;
  options.method = method;
  options.run.step = 1e-3;
  options.run.end = 0.3;
  return gradient(model, in(rho), options);
}

TEST(Tether, MayHaveBothEndsInOnePlace) {
  const GradientReport beside = thrown(1e-9, "adjoint", "rebound-stop");
  ASSERT_EQ(beside.status, RunStatus::kDone) << beside.message;
  for (const char* method : {"adjoint", "forward", "complex-step"}) {
    const GradientReport report = thrown(0, method, "rebound-stop");
    ASSERT_EQ(report.status, RunStatus::kDone) << method << ": " << report.message;
    EXPECT_LT((report.gradient - beside.gradient).cwiseAbs().maxCoeff(),
              1e-6 * beside.gradient.cwiseAbs().maxCoeff())
        << method;
    EXPECT_TRUE(report.gradient.allFinite());
    // it is tight at the end
    EXPECT_NE(report.gradient(0, 0), 0);
  }
}

/// One that would have to push in no direction ends the run, as before.
TEST(Tether, BumpStopWithoutADirectionEndsTheRun) {
  EXPECT_NE(thrown(0, "adjoint", "bump-stop").status, RunStatus::kDone);
}

}  // namespace
}  // namespace kinegrad
