// kinegrad gradient as a user meets it: table, JSON, messages, exit statuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "support/run_command.hpp"
#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

using nlohmann::json;
using test::run_interrupted;
using test::run_kinegrad;
using test::TemporaryFile;
using testing::HasSubstr;
using testing::Not;

std::string example_path(const std::string& name) {
  return test::source_path("examples/" + name + ".yaml");
}

/// A mass that hangs on a spring; `spare` is used by nothing, `weight` is an expression of others.
const char* const kHangingMass = R"(name: hanging mass
parameters:
  m: {value: 2, unit: kg}
  k: {value: 50, unit: N/m}
  g: 9.81
  spare: 3
  weight: m*g
points: {O: [0, 0, 0]}
bodies:
  block: {mass: m, com: [0, 0, 0], inertia: [1, 1, 1], points: {P: [0, 0, 0]}}
joints:
  rail: {type: prismatic, bodies: [ground, block], points: [[0, 0, 0], [0, 0, 0]], axes: [x, x]}
forces:
  spring: {type: spring-damper, points: [O, P], stiffness: k, length: 0.5}
  pull: {type: joint-force, joint: rail, value: weight}
initial: {rail.q: 0.7}
)";

class HangingMass : public testing::Test {
 protected:
  HangingMass()
      : model_(std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) +
               ".yaml") {
    write("objectives: {place: {terminal: rail.q}, path: {integral: rail.q^2, unit: m^2 s}}\n");
  }
  void write(const std::string& rest) const {
    std::ofstream(model_.path()) << kHangingMass << rest << "analysis: {step: 1e-3, end: 0.1}\n";
  }
  std::string command() const { return "gradient " + model_.path() + " "; }

  TemporaryFile model_;
};

/// Gradients solve their steps further than they are told to; both are said.
TEST(CommandLineGradient, SettingsAreWhatWasAskedFor) {
  const TemporaryFile out("asked.json"), motion("asked.motion");
  const auto result = run_kinegrad(
      "gradient " + example_path("five_bar") +
      " --end 0.01 --tolerance 1e-7 --integrator newmark --beta 0.3 --out " + out.path());
  ASSERT_EQ(result.status, 0) << result.output;
  const json settings = json::parse(out.text()).at("settings");
  EXPECT_EQ(settings.at("tolerance"), 1e-7);
  EXPECT_EQ(settings.at("tolerance_of_differentiated_steps"), 1e-13);
  EXPECT_EQ(settings.at("beta"), 0.3);
  EXPECT_EQ(settings.at("gamma"), 0.5);
  EXPECT_EQ(settings.at("penalty"), "default");
  EXPECT_FALSE(settings.contains("spectral_radius")) << "newmark does not read it";
}

TEST(CommandLineGradient, ContinuousAdjointTakesItsOwnOptions) {
  const TemporaryFile out("continuous.json"), motion("continuous.motion");
  const std::string command = "gradient " + example_path("five_bar") +
                              " --method continuous-adjoint --end 0.05 --adjoint-step 2e-3 ";
  const auto result =
      run_kinegrad(command + "--formulation index1 --adjoint-approach 1 --out " + out.path());
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("index1 × trapezoidal, continuous-adjoint: 50 steps"));
  const json settings = json::parse(out.text()).at("settings");
  EXPECT_EQ(settings.at("adjoint_step"), 2e-3);
  EXPECT_EQ(settings.at("adjoint_approach"), 1);
  const auto refused = run_kinegrad(command + "--adjoint-approach 1");
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.output, HasSubstr("ali3p has one approach only"));
}

/// q = l + m g/k; the integral beside it has no value there, and is not asked for.
TEST_F(HangingMass, StaticsOfTheObjectiveThatIsNamed) {
  const TemporaryFile out("statics.json"), motion("statics.motion");
  const auto result = run_kinegrad(command() + "--statics --objectives place --out " + out.path());
  ASSERT_EQ(result.status, 0) << result.output;
  const json place = json::parse(out.text()).at("objectives").at("place");
  constexpr double kBalance = 1e-9;  // what the search for it leaves
  EXPECT_NEAR(place.at("value").get<double>(), 0.5 + 2 * 9.81 / 50, kBalance);
  EXPECT_NEAR(place.at("gradient").at("m").get<double>(), 9.81 / 50, kBalance);
  const auto all = run_kinegrad(command() + "--statics");
  EXPECT_EQ(all.status, 2);
  EXPECT_THAT(all.output, HasSubstr("\"path\" is an integral"));
}

TEST_F(HangingMass, CheckTakesABoundOnTheMemory) {
  const auto result = run_kinegrad(command() + "--check --memory 1mb");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("comparisons agree"));
}

TEST(CommandLineGradient, WritesTableAndJson) {
  const TemporaryFile out("gradient.json"), motion("gradient.motion");
  const auto result =
      run_kinegrad("gradient " + example_path("five_bar") + " --end 0.05 --out " + out.path());
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("joint-com × ali3p × trapezoidal, adjoint: 50 steps"));
  EXPECT_THAT(result.output, HasSubstr("psi2 = "));
  EXPECT_THAT(result.output, HasSubstr("L_A1"));
  EXPECT_THAT(result.output, Not(HasSubstr("\r"))) << "no progress into a pipe";

  const json all = json::parse(out.text());
  EXPECT_EQ(all.at("status"), "done");
  EXPECT_EQ(all.at("settings").at("method"), "adjoint");
  EXPECT_EQ(all.at("settings").at("formulation"), "ali3p");
  EXPECT_EQ(all.at("settings").at("step"), 1e-3);
  EXPECT_EQ(all.at("steps"), 50);
  EXPECT_GE(all.at("newton_iterations"), 50);
  EXPECT_EQ(all.at("parameters").at("L_s1").get<double>(), std::sqrt(5.0));
  EXPECT_TRUE(all.at("idle_parameters").empty());
  for (const char* level : {"position", "velocity", "acceleration"}) {
    EXPECT_LT(all.at("constraint_norm").at(level).get<double>(), 1e-6) << level;
  }
  EXPECT_GT(all.at("seconds").at("simulation").get<double>(), 0);
  EXPECT_GT(all.at("seconds").at("sensitivity").get<double>(), 0);
  EXPECT_EQ(all.at("objectives").size(), 3u);
  for (const auto& [name, objective] : all.at("objectives").items()) {
    EXPECT_TRUE(objective.at("value").is_number_float()) << name;
    EXPECT_EQ(objective.at("gradient").size(), 5u) << name;
  }
  EXPECT_EQ(all.at("motion"), std::filesystem::path(motion.path()).filename().string());
  EXPECT_FALSE(motion.text().empty());
}

/// A difference of two whole commands: what --set gives is what the gradient says.
TEST(CommandLineGradient, IsTheSlopeOfWhatSimulateGives) {
  const TemporaryFile out("slope.json"), motion("slope.motion");
  const std::string choices =
      " --formulation matrix-r --integrator dopri5 --end 0.5 --tolerance 1e-12 --quiet --out " +
      out.path();
  const auto value = [&](double mass) {
    run_kinegrad("simulate " + example_path("five_bar") + choices +
                 " --set m_A1=" + std::to_string(mass));
    return json::parse(out.text()).at("objectives").at("psi2").at("value").get<double>();
  };
  const double difference = (value(1.001) - value(0.999)) / 0.002;
  const auto result = run_kinegrad("gradient " + example_path("five_bar") + choices +
                                   " --parameters m_A1,L_s1 --objectives psi2");
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(result.output, "") << "quiet";
  const json objectives = json::parse(out.text()).at("objectives");
  EXPECT_EQ(objectives.size(), 1u);
  const json& gradient = objectives.at("psi2").at("gradient");
  EXPECT_EQ(gradient.size(), 2u);
  EXPECT_NEAR(gradient.at("m_A1").get<double>(), difference, 1e-6 * std::abs(difference) + 1e-7);
}

/// A derivative that vanishes here need not vanish elsewhere, and nothing else is said of it.
TEST(CommandLineGradient, ZeroIsAZeroOfThisPoint) {
  const TemporaryFile model("zero_here.yaml");
  std::ofstream(model.path())
      << "parameters: {L: {value: 1.0}, a: {value: 0}, spare: {value: 3}}\n"
         "bodies: {rod: {mass: 1, com: [L/2, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n"
         "joints: {hinge: {type: revolute, bodies: [ground, rod], point: [0, 0, 0], axis: z}}\n"
         "objectives: {o: {terminal: \"(L - 1)^2 + max(0, a)\"}}\n"
         "analysis: {step: 0.01, end: 0.1}\n";
  const auto result = run_kinegrad("gradient " + model.path());
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("0  zero at this point"));
  EXPECT_THAT(result.output, HasSubstr("nothing in the model depends on it"));
  EXPECT_THAT(result.output, Not(HasSubstr("no objective")));
}

TEST_F(HangingMass, IdleParameterIsNamed) {
  const TemporaryFile out("idle.json"), motion("idle.motion");
  const auto result = run_kinegrad(command() + "--out " + out.path());
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("nothing in the model depends on it"));
  const json all = json::parse(out.text());
  EXPECT_EQ(all.at("idle_parameters"), json::array({"spare"}));
  const json& slopes = all.at("objectives").at("path").at("gradient");
  EXPECT_EQ(slopes.size(), 4u) << "weight is no parameter of its own";
  EXPECT_EQ(slopes.at("spare"), 0.0);
  EXPECT_NE(slopes.at("g"), 0.0);
}

TEST_F(HangingMass, WrongNamesExitWithTwo) {
  const auto parameter = run_kinegrad(command() + "--parameters spar");
  EXPECT_EQ(parameter.status, 2);
  EXPECT_THAT(parameter.output, HasSubstr("no parameter \"spar\" (did you mean \"spare\"?)"));
  const auto derived = run_kinegrad(command() + "--parameters m,weight");
  EXPECT_EQ(derived.status, 2);
  EXPECT_THAT(derived.output, HasSubstr("\"weight\" is an expression of others"));
  const auto objective = run_kinegrad(command() + "--objectives pth");
  EXPECT_EQ(objective.status, 2);
  EXPECT_THAT(objective.output, HasSubstr("no objective \"pth\""));
  const auto method = run_kinegrad(command() + "--method adjont");
  EXPECT_EQ(method.status, 2);
  EXPECT_THAT(method.output, HasSubstr("unknown method \"adjont\" (did you mean \"adjoint\"?)"));
  write("");
  const auto none = run_kinegrad(command());
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.output, HasSubstr("no objectives"));
}

/// At rest q = 0.5 + mg/k, so the slopes are known; the complex step cannot get there and says so.
TEST_F(HangingMass, StartAtAnEquilibriumTakesEveryMethod) {
  const TemporaryFile out("rest.json"), motion("rest.motion");
  const auto result = run_kinegrad(command() + "--start equilibrium --method finite-difference " +
                                   "--objectives place --out " + out.path());
  ASSERT_EQ(result.status, 0) << result.output;
  const json place = json::parse(out.text()).at("objectives").at("place");
  EXPECT_NEAR(place.at("value").get<double>(), 0.5 + 2 * 9.81 / 50, 1e-9);
  EXPECT_NEAR(place.at("gradient").at("m").get<double>(), 9.81 / 50, 1e-7);
  EXPECT_NEAR(place.at("gradient").at("k").get<double>(), -2 * 9.81 / 2500, 1e-7);
  EXPECT_GT(place.at("error").at("m").get<double>(), 0);
  for (const char* method : {"forward", "adjoint", "complex-step"}) {
    const auto exact = run_kinegrad(command() + "--start equilibrium --objectives place --method " +
                                    method + " --out " + out.path());
    ASSERT_EQ(exact.status, 0) << exact.output;
    const json slopes = json::parse(out.text()).at("objectives").at("place").at("gradient");
    EXPECT_NEAR(slopes.at("m").get<double>(), 9.81 / 50, 1e-9) << method;
    EXPECT_NEAR(slopes.at("k").get<double>(), -2 * 9.81 / 2500, 1e-9) << method;
  }
}

TEST_F(HangingMass, FailingRunExitsWithOne) {
  const TemporaryFile out("failing.json"), motion("failing.motion");
  const auto result = run_kinegrad(
      command() + "--integrator rk4 --step 1 --end 400 --set k=5e6 --out " + out.path());
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr("at t = "));
  EXPECT_THAT(result.output, HasSubstr("what was computed is in " + out.path()));
  const json all = json::parse(out.text());
  EXPECT_EQ(all.at("status"), "failed");
  EXPECT_TRUE(all.at("objectives").at("path").at("gradient").is_object());
}

/// slot.q = rail.q − L holds to the last bit where the file draws it; its derivative must move with L
/// from the start on.
TEST(CommandLineGradient, StartDrawnExactlyClosedMovesWithItsParameters) {
  const TemporaryFile model("closed.yaml"), out("closed.json"), motion("closed.motion");
  std::ofstream(model.path()) << R"(name: tied sliders
parameters: {L: 1}
bodies:
  block: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}
  other: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}
joints:
  rail: {type: prismatic, bodies: [ground, block], points: [[0, 0, 0], [0, 0, 0]], axes: [x, x]}
  slot: {type: prismatic, bodies: [ground, other], points: [[0, 0, 0], [0, 0, 0]], axes: [y, y]}
constraints:
  tie: {type: coupling, coordinates: [rail.q, slot.q], factors: [1, -1], value: L}
initial: {rail.q: 1}
objectives: {place: {terminal: slot.q}, path: {integral: slot.q}}
analysis: {step: 1e-2, end: 0.1}
)";
  for (const char* method : {"forward", "adjoint", "complex-step", "finite-difference"}) {
    const auto result =
        run_kinegrad("gradient " + model.path() + " --method " + method + " --out " + out.path());
    ASSERT_EQ(result.status, 0) << result.output;
    const json objectives = json::parse(out.text()).at("objectives");
    EXPECT_NEAR(objectives.at("place").at("gradient").at("L").get<double>(), -1, 1e-9) << method;
    EXPECT_NEAR(objectives.at("path").at("gradient").at("L").get<double>(), -0.1, 1e-10) << method;
  }
}

TEST(CommandLineGradient, InterruptSaysWhatItHas) {
  const TemporaryFile out("gradient_stop.json"), motion("gradient_stop.motion");
  const TemporaryFile sign("gradient_stop.motion.unfinished");
  const auto result =
      run_interrupted("gradient " + example_path("pendulum") +
                          " --end 1e5 --step 0.01 --integrator trapezoidal --out " + out.path(),
                      sign);
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr("stopped at t = "));
  EXPECT_THAT(result.output, HasSubstr(out.path()));
  EXPECT_EQ(json::parse(out.text()).at("status"), "stopped");
}

TEST(CommandLineGradient, MethodsAreListed) {
  const auto result = run_kinegrad("list methods");
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.output, HasSubstr("complex-step"));
  EXPECT_THAT(result.output, HasSubstr("finite-difference"));
  EXPECT_THAT(result.output, HasSubstr("forward"));
  EXPECT_THAT(result.output, HasSubstr("adjoint"));
}

}  // namespace
}  // namespace kinegrad
