// The example of a quarter car on a sampled road (docs/examples/quarter_car.md).
#include <gtest/gtest.h>

#include <cmath>

#include "kinegrad/math/views.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "kinegrad/simulation/signal_table.hpp"
#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

RunOptions options_of(const Model& model, const std::string& coordinates, double end) {
  RunOptions options;
  options.coordinates = coordinates;
  options.formulation = "matrix-r";
  options.start = "equilibrium";
  options.step = model.analysis().step;
  options.end = end;
  return options;
}

TEST(QuarterCar, StandsOnItsRoadAndFollowsIt) {
  const Model model = test::example("quarter_car/quarter_car");
  EXPECT_EQ(model.analysis().start, "equilibrium");
  const SignalTable table =
      simulate(model, model.default_rho(), options_of(model, "joint-com", 1.5));
  ASSERT_TRUE(table.report.done()) << table.report.message;
  const VecX load = table.column("load"), spring = table.column("spring_force"),
             tow = table.column("tow_force"), road = table.column("road");
  EXPECT_NEAR(load(0), 360 * 9.81, 1e-6 * load(0));
  EXPECT_NEAR(spring(0), 320 * 9.81, 1e-6 * spring(0));
  EXPECT_NEAR(tow(0), 0, 1e-6);
  EXPECT_GT(road.maxCoeff() - road.minCoeff(), 0.01);
  EXPECT_GT(load.maxCoeff() - load.minCoeff(), 200) << "the road shakes it";
}

TEST(QuarterCar, GradientsAgreeInAllCoordinates) {
  for (const char* coordinates : {"joint-com", "joint-origin", "cartesian", "natural"}) {
    SCOPED_TRACE(coordinates);
    const Model model = test::example("quarter_car/quarter_car", coordinate_set_named(coordinates));
    const VecX rho = model.default_rho();
    GradientOptions options;
    options.run = options_of(model, coordinates, 0.4);
    options.run.step = 2e-3;
    const auto run = [&](const char* method) {
      options.method = method;
      return gradient(model, in(rho), options);
    };
    const GradientReport adjoint = run("adjoint"), expected = run("complex-step");
    ASSERT_EQ(adjoint.status, RunStatus::kDone) << adjoint.message;
    ASSERT_EQ(expected.status, RunStatus::kDone) << expected.message;
    for (Eigen::Index i = 0; i < expected.gradient.rows(); ++i) {
      EXPECT_LT((adjoint.gradient - expected.gradient).row(i).cwiseAbs().maxCoeff(),
                1e-8 * expected.gradient.row(i).cwiseAbs().maxCoeff());
    }
  }
}

}  // namespace
}  // namespace kinegrad
