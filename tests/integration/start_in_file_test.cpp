// analysis: {start: equilibrium} (docs/theory/kinematic_problems.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "support/run_command.hpp"

namespace kinegrad {
namespace {

using test::run_kinegrad;
using test::TemporaryFile;
using testing::HasSubstr;
using testing::Not;

void write(const TemporaryFile& file, const std::string& start,
           const std::string& stiffness = "100") {
  std::ofstream(file.path())
      << "bodies: {b: {mass: 2, com: [0, 0, 0], inertia: [1, 1, 1]}}\n"
         "joints: {J: {type: prismatic, bodies: [ground, b], point: [0, 0, 0], axis: z}}\n"
         "forces:\n"
         "  weight: {type: gravity, acceleration: [0, 0, -10]}\n"
         "  spring: {type: translational-spring-damper, joint: J, stiffness: "
      << stiffness << "}\n"
      << "signals: {z: J.q}\n"
      << "analysis: {step: 0.01, end: 0.5" << start << "}\n";
}

TEST(StartInFile, IsThatOfTheOption) {
  const TemporaryFile model("start_in_file.yaml");
  write(model, ", start: equilibrium");
  const auto z_of = [&](const std::string& options) {
    const auto result = run_kinegrad("simulate " + model.path() + " --csv - --quiet " + options);
    EXPECT_EQ(result.status, 0) << result.output;
    const auto last = result.output.rfind(',');
    return std::stod(result.output.substr(last + 1));
  };
  EXPECT_NEAR(z_of(""), -0.2, 1e-9);
  EXPECT_NEAR(z_of("--start equilibrium"), -0.2, 1e-9);
  EXPECT_GT(std::abs(z_of("--start given") + 0.2), 1e-3);
  write(model, ", start: given");
  EXPECT_GT(std::abs(z_of("") + 0.2), 1e-3);
  EXPECT_NEAR(z_of("--start equilibrium"), -0.2, 1e-9);
}

TEST(StartInFile, CheckAndInfoSaySo) {
  const TemporaryFile model("start_in_file_check.yaml");
  write(model, ", start: equilibrium");
  EXPECT_THAT(run_kinegrad("check " + model.path()).output,
              HasSubstr("start at a static equilibrium"));
  EXPECT_THAT(run_kinegrad("info " + model.path()).output,
              HasSubstr("runs start at the static equilibrium"));
  write(model, "");
  EXPECT_THAT(run_kinegrad("check " + model.path()).output, Not(HasSubstr("equilibrium")));
  write(model, ", start: rest");
  const auto wrong = run_kinegrad("check " + model.path());
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.output, HasSubstr(":7: "));
  EXPECT_THAT(wrong.output, HasSubstr("given, equilibrium"));
  write(model, ", start: equilibrium", "0");  // nothing holds it
  const auto falls = run_kinegrad("check " + model.path());
  EXPECT_EQ(falls.status, 2);
  EXPECT_THAT(falls.output, HasSubstr("it cannot start: no static equilibrium"));
}

}  // namespace
}  // namespace kinegrad
