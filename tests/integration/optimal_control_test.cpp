// Control by splines and by gains, through the command, on the examples.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/run_command.hpp"
#include "support/sample_models.hpp"
#include "support/temporary_file.hpp"

namespace kinegrad {
namespace {

using nlohmann::json;
using test::run_kinegrad;
using test::TemporaryFile;

/// The result of an example; `name` is of the test alone, tests may run at the same time.
json optimized(const std::string& name, const std::string& example, const std::string& options = "",
               int status = 0) {
  const std::string file = "control_" + name;
  const TemporaryFile out(file + ".json"), journal(file + ".journal"), motion(file + ".motion"),
      start(file + ".start.motion");
  const auto run = run_kinegrad("optimize " + test::source_path("examples/" + example + ".yaml") +
                                " " + options + " --quiet --out " + out.path());
  EXPECT_EQ(run.status, status) << run.output;
  return json::parse(out.text());
}

double first_gradient(const json& result) {
  return result.at("history").front().at("projected_gradient").get<double>();
}
double last_gradient(const json& result) {
  return result.at("optimum").at("projected_gradient").get<double>();
}

/// 200 values of two torques: the projected gradient falls to 1e-4 of the start's and further.
TEST(OptimalControl, TipIsLedRoundACircle) {
  const json result = optimized("circle", "double_pendulum_tracking");
  EXPECT_EQ(result.at("bounds").size(), 200u);
  EXPECT_EQ(result.at("settings").at("method"), "adjoint");
  EXPECT_LE(last_gradient(result), 1e-4 * first_gradient(result));
  EXPECT_LT(result.at("optimum").at("cost").get<double>(),
            0.01 * result.at("start").at("cost").get<double>());
}

/// Upright, in the middle, at rest: what is left of the cost is effort.
TEST(OptimalControl, PoleIsSwungUp) {
  const json result = optimized("swing", "cart_pole_swing_up");
  EXPECT_EQ(result.at("status"), "converged");
  EXPECT_LT(result.at("optimum").at("cost").get<double>(),
            0.02 * result.at("start").at("cost").get<double>());
}

/// The integral is needed: in a steady wind the cart comes back to the middle only with it.
TEST(OptimalControl, GainsOfPidControllers) {
  const json result = optimized("gains", "cart_pole_pid");
  EXPECT_EQ(result.at("status"), "converged");
  EXPECT_GT(result.at("optimum").at("parameters").at("Ci").get<double>(), 1.0);
  EXPECT_LT(result.at("optimum").at("cost").get<double>(),
            0.05 * result.at("start").at("cost").get<double>());
}

/// `u` names all of them, `u[3]` one.
TEST(OptimalControl, RangesAreNamedAsAWhole) {
  const json all = optimized("whole", "cart_pole_swing_up", "--parameters u --evaluations 2", 1);
  EXPECT_EQ(all.at("bounds").size(), 40u);
  const json two =
      optimized("two", "cart_pole_swing_up", "--parameters 'u[3],u[5]' --evaluations 2", 1);
  EXPECT_EQ(two.at("bounds").size(), 2u);
}

}  // namespace
}  // namespace kinegrad
