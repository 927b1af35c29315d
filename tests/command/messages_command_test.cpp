// What a user reads who has made a mistake: the place, the reason, the choices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "support/run_command.hpp"
#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

using test::run_kinegrad;
using test::TemporaryFile;
using testing::HasSubstr;
using testing::Not;

std::string example(const std::string& name) {
  return test::source_path("examples/" + name + ".yaml");
}

void refused(const std::string& command, const std::string& message) {
  const auto result = run_kinegrad(command);
  EXPECT_EQ(result.status, 2) << command << "\n" << result.output;
  EXPECT_THAT(result.output, HasSubstr(message)) << command;
  EXPECT_THAT(result.output, Not(HasSubstr("internal error"))) << command;
}

TEST(Messages, UnknownWordsListTheChoices) {
  const std::string pendulum = example("pendulum");
  refused("simulate " + pendulum + " --integrator magic", "there are trapezoidal, newmark, ");
  refused("gradient " + pendulum + " --method magic", "there are forward, adjoint, ");
  refused("optimize " + example("five_bar_equilibrium") + " --optimizer magic",
          "there are lbfgsb, ipopt, ");
}

TEST(Messages, OptionsThatNobodyReadsAreRefused) {
  const std::string run = " --step 0.01 --end 0.1 ";
  for (const std::string command : {"simulate ", "gradient "}) {
    refused(command + example("pendulum") + run + "--integrator rk4 --spectral-radius 0.5",
            "--spectral-radius is for hht, generalized-alpha");
    refused(command + example("four_bar") + run + "--beta 0.3", "--beta is for newmark");
    refused(command + example("pendulum") + run + "--integrator rk4 --max-step 0.1",
            "--max-step) is for adaptive steps (dopri5, esdirk3, esdirk4, or steps: adaptive), and "
            "those of rk4 are fixed");
    refused(command + example("four_bar") + run + "--formulation index1 --project-once",
            "--project-once is for ali3p");
    refused(command + example("pendulum") + run + "--penalty 1e7", "--penalty is for ali3p");
  }
  refused("simulate " + example("four_bar") + run + "--projection-scale 2",
          "--projection-scale requires --project-once");
  const auto used = run_kinegrad("simulate " + example("four_bar") + run +
                                 "--formulation ali3p --penalty 1e8 --project-once");
  EXPECT_EQ(used.status, 0) << used.output;
}

/// A variable of the shell that nobody has set would lose the results without a word.
TEST(Messages, FilesHaveNames) {
  const std::string run = " --step 0.01 --end 0.1 ";
  for (const char* option : {"--out ''", "--csv ''", "--motion ''"}) {
    refused("simulate " + example("pendulum") + run + option, "the name of a file is empty");
  }
  refused("gradient " + example("pendulum") + run + "--method forward --sensitivities ''",
          "--sensitivities: the name of a file is empty");
  refused("info " + example("pendulum") + " --out ''", "--out: the name of a file is empty");
}

TEST(Messages, UnknownCommandsListTheChoices) {
  refused("simulte " + example("pendulum"),
          "unknown command \"simulte\"; there are check, info, simulate, gradient, ");
}

/// A choice that is left open goes along with the one that is made, and the first line says so.
TEST(Messages, OpenChoicesFollowTheOthers) {
  const auto index3 =
      run_kinegrad("simulate " + example("four_bar") + " --formulation index3 --end 0.1");
  EXPECT_EQ(index3.status, 0) << index3.output;
  EXPECT_THAT(index3.output, HasSubstr("index3 × generalized-alpha"));
  for (const std::string integrator : {"dopri5", "rk4"}) {
    const auto loop =
        run_kinegrad("simulate " + example("four_bar") + " --end 0.1 --integrator " + integrator);
    EXPECT_EQ(loop.status, 0) << loop.output;
    EXPECT_THAT(loop.output, HasSubstr("matrix-r × " + integrator));
  }
  refused("simulate " + example("four_bar") +
              " --formulation index3 --integrator trapezoidal --end 0.1",
          "do not go together");
}

TEST(Messages, NumbersOfOptions) {
  const std::string run = "gradient " + example("pendulum");
  refused(run + " --end 0", "--end: must be a positive number, not 0");
  refused(run + " --step nan", "--step: must be a positive number, not nan");
  refused(run + " --memory -5", "--memory: must be positive, not -5");
  refused(run + " --tolerance 0", "--tolerance: must be a positive number, not 0");
  refused(run + " --penalty -1", "--penalty: must be a positive number, not -1");
  refused(run + " --stabilisation -1", "--stabilisation: must be 0 or a positive number, not -1");
  refused("optimize " + example("five_bar_equilibrium") + " --evaluations -3",
          "--evaluations: must be a positive number, not -3");
  const TemporaryFile out("set_two.json");
  for (const std::string& arguments :
       {"--set g=5 m=3 " + example("pendulum"), example("pendulum") + " --set g=5 m=3",
        example("pendulum") + " --set g=5 --set m=3"}) {
    ASSERT_EQ(run_kinegrad("info " + arguments + " --quiet --out " + out.path()).status, 0)
        << arguments;
    EXPECT_THAT(out.text(), HasSubstr("\"value\": 5.0")) << arguments;
    EXPECT_THAT(out.text(), HasSubstr("\"value\": 3.0")) << arguments;
  }
}

/// Choices that the file makes are refused with its line; those of the command line are not.
TEST(Messages, ChoicesOfTheFileHaveAPlace) {
  const TemporaryFile model("choices.yaml");
  const auto with =
      [&](const std::string& analysis) {
        std::ofstream(model.path())
            << "parameters: {L: {value: 1, bounds: [0.5, 2]}}\n"
               "bodies: {rod: {mass: 1, com: [L, 0, 0], inertia: [1, 1, 1]}}\n"
               "joints: {J: {type: revolute, bodies: [ground, rod], point: [0, 0, 0], axis: z}}\n"
               "objectives: {o: {terminal: L^2}}\n"
               "analysis:\n"
            << analysis;
      };
  const auto everywhere = [&](const std::string& message, const std::string& options = "") {
    for (const std::string command : {"simulate ", "gradient ", "optimize "}) {
      refused(command + model.path() + options, message);
    }
  };
  with("  step: 0.1\n  end: 1\n  formulation: kinematic\n");
  everywhere(model.path() + ":8: analysis: the formulation kinematic needs prescribed motions");
  with("  step: 0.1\n  end: 1\n  tolerance: 5\n");
  everywhere(model.path() + ":8: analysis: the tolerance must be between 0 and 1");
  with("  end: 1\n  step: 1e-12\n");
  everywhere(model.path() + ":7: analysis: the step is too small");
  with("  step: 0.1\n  end: 1\n  formulation: index3\n");
  const auto result = run_kinegrad("simulate " + model.path() + " --step 1e-12");
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, Not(HasSubstr(":6:"))) << "the file's step is not at fault";
}

/// What a start finds out has the line of the element that it names.
TEST(Messages, StartsThatFailHaveAPlace) {
  const TemporaryFile model("weightless.yaml");
  const std::string joint = "  flight: {type: floating, bodies: [ground, drone]}\n";
  std::ofstream(model.path()) << "analysis: {end: 1}\n"
                                 "bodies:\n"
                                 "  drone: {mass: 3}\n"
                                 "joints:\n"
                              << joint;
  refused("check " + model.path(),
          model.path() +
              ":3: it cannot start: at t = 0: the mass matrix is singular: body "
              "\"drone\" has no inertia");
  refused("simulate " + model.path(), model.path() + ":1: give a positive step (analysis: step");
  std::ofstream(model.path()) << "bodies:\n"
                                 "  drone: {mass: 3, inertia: [1, 1, 1]}\n"
                                 "joints:\n"
                              << joint << "initial: {flight.v2: -1e308}\n";
  refused("check " + model.path(), model.path() + ":4: it cannot start: ");
  refused("simulate " + model.path() + " --end 1", model.path() + ": give a positive step");
  refused("gradient " + model.path(), model.path() + ": the model has no objectives");
}

TEST(Messages, WordsOfOtherPrograms) {
  const TemporaryFile model("words.yaml");
  const auto with = [&](const std::string& mass, const std::string& type,
                        const std::string& message) {
    std::ofstream(model.path()) << "bodies:\n  rod: {mass: " << mass << ", inertia: [1, 1, 1]}\n"
                                << "joints:\n  J: {type: " << type
                                << ", bodies: [ground, rod], point: [0, 0, 0], axis: z}\n";
    refused("check " + model.path(), message);
  };
  with("3 kg", "revolute",
       ":2: body \"rod\": \"mass\": \"3 kg\": an operator is missing after 3; numbers are in SI "
       "units and carry none");
  with("-2.5e-1 N/m", "revolute", "write -2.5e-1");
  with("30deg", "revolute", "write deg(30)");
  with("\"if(1, 2, 3)\"", "revolute", "there is no if()");
  with("max(1, 2)", "revolute",
       ":2: body \"rod\": unknown key \"2)\": a comma inside { } ends a value");
  with("1", "hinge",
       ":4: joint \"J\": \"type\": unknown joint type \"hinge\" (did you mean \"revolute\"?)");
  with("1", "magic", "there are fixed, revolute, ");
}

/// Infinity is no result.
TEST(Messages, CostsThatAreNotFiniteAreNoSuccess) {
  const TemporaryFile model("infinite.yaml");
  std::ofstream(model.path())
      << "parameters: {L: {value: 1, bounds: [0.5, 2]}}\n"
         "bodies: {rod: {mass: 1, com: [L, 0, 0], inertia: [1, 1, 1]}}\n"
         "joints: {J: {type: revolute, bodies: [ground, rod], point: [0, 0, 0], axis: z}}\n"
         "objectives: {a: {terminal: 10*L^2}, b: {terminal: 20*L}}\n"
         "analysis: {step: 0.1, end: 0.2}\n"
         "optimize: {minimize: {a: 1e308, b: 1e308}}\n";
  const auto result = run_kinegrad("optimize " + model.path());
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr("the cost is not finite"));
}

}  // namespace
}  // namespace kinegrad
