#include "kinegrad/simulation/signal_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "kinegrad/base/error.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/compile.hpp"
#include "support/places.hpp"

namespace kinegrad {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A block on a spring: x = A cos ωt, ω² = k/m.
Model block() {
  return compile_model(parse_model_yaml(R"yaml(
parameters: {k: 50, m: 2}
bodies: {block: {mass: m, inertia: [1, 1, 1]}}
joints: {rail: {type: prismatic, bodies: [ground, block], point: [0, 0, 0], axis: x}}
forces: {spring: {type: translational-spring-damper, joint: rail, stiffness: k}}
initial: {rail.q: 0.3}
signals: {x: rail.q, v: rail.v}
objectives: {end: {terminal: rail.q}}
analysis: {step: 1e-2, end: 0.5}
)yaml",
                                        "block"));
}

TEST(SignalTable, HasARowForEverySample) {
  const Model model = block();
  RunOptions options;
  options.integrator = "rk4";
  const SignalTable table = simulate(model, options);
  ASSERT_TRUE(table.report.done()) << table.report.message;
  EXPECT_THAT(table.names, ElementsAre("t", "x", "v"));
  ASSERT_EQ(table.values.rows(), 51);
  const VecX t = table.column("t"), x = table.column("x"), v = table.column("v");
  for (Eigen::Index k = 0; k < t.size(); ++k) {
    EXPECT_NEAR(t(k), 0.01 * static_cast<double>(k), 1e-12);
    // rk4 at ωh = 0.05: (ωh)⁴/120 per radian
    EXPECT_NEAR(x(k), 0.3 * std::cos(5 * t(k)), 1e-6);
    EXPECT_NEAR(v(k), -1.5 * std::sin(5 * t(k)), 1e-5);
  }
  EXPECT_EQ(table.report.objectives.at(0), x(50));
}

TEST(SignalTable, TakesParametersAndOptions) {
  const Model model = block();
  VecX rho = model.default_rho();
  rho(0) = 200;
  RunOptions options;
  options.integrator = "rk4";
  options.end = 0.1;
  const SignalTable table = simulate(model, rho, options);
  EXPECT_EQ(table.values.rows(), 11);
  EXPECT_NEAR(table.column("x")(10), 0.3 * std::cos(10 * 0.1), 1e-6);
  EXPECT_THROW(simulate(model, VecX::Zero(3), options), InvalidArgument);
}

TEST(SignalTable, UnknownSignalsAreRefusedWithASuggestion) {
  const SignalTable table = simulate(block());
  try {
    table.column("xx");
    FAIL() << "not refused";
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("there is no signal \"xx\""));
  }
}

TEST(SignalTable, ARunThatFailsIsReported) {
  const Model model = compile_model(parse_model_yaml(
      "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {j: {type: prismatic, bodies: [ground, a], point: [0, 0, 0], axis: x}}\n"
      "forces: {f: {type: joint-force, joint: j, value: 1/(0.05 - t)}}\n"
      "signals: {x: j.q}\nanalysis: {step: 0.01, end: 1}\n",
      "f"));
  const SignalTable table = simulate(model);
  EXPECT_FALSE(table.report.done());
  EXPECT_FALSE(table.report.message.empty());
  EXPECT_LT(table.values.rows(), 101);
}

TEST(Simulator, NeedsNoObserver) {
  const Model model = block();
  RunOptions options;
  options.step = 1e-2;
  options.end = 0.5;
  Simulator simulator(model, options);
  const RunReport alone = simulator.run(model.default_physical());
  ASSERT_TRUE(alone.done());
  const RunReport watched =
      simulator.run(model.default_physical(), [](const StepState<double>&) { return true; });
  EXPECT_EQ(alone.objectives, watched.objectives);
  EXPECT_TRUE(simulator.run(model.default_physical(), {}).done());
  options.integrator = "dopri5";
  EXPECT_TRUE(Simulator(model, options).run(model.default_physical()).done());
}

/// The program of the page is the one that is compiled.
TEST(SignalTable, HowToIsTheProgramOfTheTests) {
  const auto text = [](const std::string& path) {
    std::ifstream file(path);
    std::stringstream out;
    out << file.rdbuf();
    return out.str();
  };
  const std::string page = text(test::source_path("docs/howto/use_from_cpp.md"));
  std::string program = text(test::source_path("tests/consumer/signals.cpp"));
  program.erase(0, program.find('\n') + 1);
  ASSERT_GT(program.size(), 500u);
  EXPECT_NE(page.find(program), std::string::npos);
}

}  // namespace
}  // namespace kinegrad
