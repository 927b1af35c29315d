// kinegrad simulate as a user meets it: files, messages, exit statuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "support/run_command.hpp"
#include "support/sample_models.hpp"
#include "support/temporary_file.hpp"

namespace kinegrad {
namespace {

using test::run_interrupted;
using test::run_kinegrad;
using test::TemporaryFile;
using testing::HasSubstr;
using testing::Not;

std::string example_path(const std::string& name) {
  return test::source_path("examples/" + name + ".yaml");
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<double>> rows;
};

/// Every row must have all columns and the last line must be whole.
Table read_table(const TemporaryFile& file) {
  const std::string text = file.text();
  EXPECT_FALSE(text.empty());
  if (text.empty()) return {};
  EXPECT_EQ(text.back(), '\n');
  const std::vector<std::string> lines = split(text, '\n');
  Table table{split(lines.at(0), ','), {}};
  for (std::size_t k = 1; k < lines.size(); ++k) {
    std::vector<double> row;
    for (const std::string& cell : split(lines[k], ',')) row.push_back(std::stod(cell));
    EXPECT_EQ(row.size(), table.columns.size()) << "line " << k + 1;
    table.rows.push_back(row);
  }
  return table;
}

TEST(CommandLineSimulate, WritesSignalsSummaryAndMotion) {
  const TemporaryFile csv("all.csv"), out("all.json"), motion("all.motion");
  const auto result = run_kinegrad("simulate " + example_path("pendulum") +
                                   " --integrator trapezoidal --step 0.01 --end 0.255 --csv " +
                                   csv.path() + " --out " + out.path());
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("joint-com × semi-recursive × trapezoidal"));
  EXPECT_THAT(result.output, HasSubstr("x_end"));

  const Table table = read_table(csv);
  EXPECT_EQ(table.columns, (std::vector<std::string>{"t", "x", "y", "angle"}));
  ASSERT_EQ(table.rows.size(), 27u) << "the start, 25 whole steps and a shorter one";
  EXPECT_EQ(table.rows[0][0], 0);
  EXPECT_EQ(table.rows[0][1], -1);
  EXPECT_EQ(table.rows[1][0], 0.01);
  EXPECT_EQ(table.rows.back()[0], 0.255);

  const nlohmann::json json = nlohmann::json::parse(out.text());
  EXPECT_EQ(json.at("status"), "done");
  EXPECT_EQ(json.at("steps"), 26);
  EXPECT_EQ(json.at("t"), 0.255);
  EXPECT_EQ(json.at("settings").at("step"), 0.01);
  EXPECT_EQ(json.at("parameters").at("g"), 9.81);
  const std::vector<double>& last = table.rows.back();
  for (std::size_t k = 1; k < last.size(); ++k) {  // 17 digits: the same bits
    EXPECT_EQ(json.at("final").at(table.columns[k]).get<double>(), last[k]);
  }
  EXPECT_EQ(json.at("objectives").at("x_end").at("value").get<double>(), last[1]);
  EXPECT_GE(json.at("newton_iterations").get<int>(), 26);
  EXPECT_EQ(json.at("motion"), std::filesystem::path(motion.path()).filename().string());

  const Table poses = read_table(motion);
  EXPECT_EQ(poses.columns,
            (std::vector<std::string>{"t", "rod.x", "rod.y", "rod.z", "rod.e0", "rod.e1", "rod.e2",
                                      "rod.e3", "signal:x", "signal:y", "signal:angle"}));
  ASSERT_EQ(poses.rows.size(), table.rows.size());
  const std::vector<double>& pose = poses.rows.back();  // turned by the angle about z
  EXPECT_NEAR(pose[4] * pose[4] - pose[7] * pose[7], last[1], 1e-14);
  EXPECT_NEAR(2 * pose[4] * pose[7], last[2], 1e-14);
  for (std::size_t k = 1; k < last.size(); ++k) EXPECT_EQ(pose[7 + k], last[k]) << "the signals";
}

TEST(CommandLineSimulate, EveryTreeWithEveryChoice) {
  for (const char* name : {"all_joints", "chain", "heavy_top"}) {
    for (const char* choice :
         {"--formulation fully-recursive --integrator rk4", "--coordinates joint-origin",
          "--integrator dopri5", "--integrator hht --spectral-radius 0.6",
          "--integrator generalized-alpha --exact-tangent",
          "--integrator newmark --beta 0.3 --gamma 0.55"}) {
      const auto result =
          run_kinegrad("simulate " + example_path(name) + " --step 0.001 --end 0.01 " + choice);
      EXPECT_EQ(result.status, 0) << name << " " << choice << ": " << result.output;
    }
  }
}

TEST(CommandLineSimulate, SamplesOfAnAdaptiveRunAreEvenlySpaced) {
  const TemporaryFile csv("dopri.csv");
  const auto result = run_kinegrad("simulate " + example_path("pendulum") +
                                   " --integrator dopri5 --step 0.3 --end 1 --csv " + csv.path());
  ASSERT_EQ(result.status, 0) << result.output;
  const Table table = read_table(csv);
  ASSERT_EQ(table.rows.size(), 5u);
  const double times[] = {0, 0.3, 0.6, 0.9, 1};
  for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(table.rows[k][0], times[k], 1e-15);
  EXPECT_NEAR(table.rows[4][1], 0.98629175113187528, 1e-8);  // IFToMM A01 at t = 1
}

TEST(CommandLineSimulate, SetAndRepetition) {
  const TemporaryFile first("first.csv"), second("second.csv"), other("other.csv");
  const std::string run = "simulate " + example_path("all_joints") + " --step 0.01 --end 0.2 ";
  ASSERT_EQ(run_kinegrad(run + "--csv " + first.path()).status, 0);
  ASSERT_EQ(run_kinegrad(run + "--csv " + second.path()).status, 0);
  ASSERT_EQ(run_kinegrad(run + "--set m=3 --csv " + other.path()).status, 0);
  EXPECT_EQ(first.text(), second.text()) << "the same run gives the same bits";
  EXPECT_NE(first.text(), other.text());
}

TEST(CommandLineSimulate, QuietSaysNothing) {
  const std::string run = "simulate " + example_path("pendulum") + " --step 0.01 --end 0.1";
  EXPECT_EQ(run_kinegrad(run + " --quiet").output, "");
  EXPECT_THAT(run_kinegrad(run).output, Not(HasSubstr("\r"))) << "no progress into a pipe";
}

TEST(CommandLineSimulate, WrongChoicesExitWithTwo) {
  const std::string run = "simulate " + example_path("pendulum");
  const auto integrator = run_kinegrad(run + " --integrator dopri");
  EXPECT_EQ(integrator.status, 2);
  EXPECT_THAT(integrator.output, HasSubstr("did you mean \"dopri5\""));
  const auto formulation = run_kinegrad(run + " --formulation semi-recursve");
  EXPECT_EQ(formulation.status, 2);
  EXPECT_THAT(formulation.output, HasSubstr("did you mean \"semi-recursive\""));
  const auto coordinates = run_kinegrad(run + " --coordinates joint");
  EXPECT_EQ(coordinates.status, 2);
  EXPECT_THAT(coordinates.output, HasSubstr("joint-com"));
  EXPECT_EQ(run_kinegrad(run + " --step -1").status, 2);
  EXPECT_EQ(run_kinegrad(run + " --step 1e-12").status, 2);
  EXPECT_EQ(run_kinegrad(run + " --integrator newmark --gamma 0.2").status, 2);
  EXPECT_EQ(run_kinegrad(run + " --integrator hht --spectral-radius 2").status, 2);
  EXPECT_EQ(run_kinegrad(run + " --csv /nowhere/at/all.csv").status, 2);
  EXPECT_EQ(run_kinegrad("simulate /nowhere/at/all.yaml").status, 2);
}

/// In the file and on the command line; a file's own integrator must read it, another one that the user takes
/// need not.
TEST(CommandLineSimulate, LargestStepOfAnAdaptiveRun) {
  const TemporaryFile model("free.yaml"), out("free.json"), motion("free.motion");
  const auto write =
      [&](const std::string& analysis) {
        std::ofstream(model.path())
            << "bodies:\n  A: {mass: 1, inertia: [1, 1, 1]}\njoints:\n  J: {type: prismatic, "
               "bodies: [ground, A], point: [0, 0, 0], axis: x}\nanalysis: {"
            << analysis << ", step: 0.5, end: 1}\n";
      };
  const auto steps = [&](const std::string& options) {
    const auto result = run_kinegrad("simulate " + model.path() + options + " --out " + out.path());
    EXPECT_EQ(result.status, 0) << result.output;
    return nlohmann::json::parse(out.text()).at("steps").get<int>();
  };
  write("integrator: dopri5");
  EXPECT_LT(steps(""), 20);  // a tenth of the run at most
  EXPECT_GE(steps(" --max-step 0.01"), 100);
  write("integrator: dopri5, max_step: 0.02");
  EXPECT_GE(steps(""), 50);
  EXPECT_EQ(steps(" --integrator rk4"), 2);
  write("integrator: rk4, max_step: 0.02");
  const auto refused = run_kinegrad("simulate " + model.path());
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.output, HasSubstr(":5: analysis: max_step"));
  write("integrator: dopri5, max_step: -1");
  EXPECT_EQ(run_kinegrad("simulate " + model.path()).status, 2);
}

/// Signals into a pipe: nothing but the table of numbers, after what the stream had already.
TEST(CommandLineSimulate, SignalsToTheStandardOutput) {
  const TemporaryFile stream("stream.csv"), same("same.csv");
  std::ofstream(stream.path()) << "t,before\n";
  const std::string run = "simulate " + example_path("pendulum") + " --step 0.01 --end 0.05 ";
  ASSERT_EQ(run_kinegrad(run + "--csv - >> " + stream.path()).status, 0);
  ASSERT_EQ(run_kinegrad(run + "--csv " + same.path()).status, 0);
  EXPECT_EQ(stream.text(), "t,before\n" + same.text());
  const auto twice = run_kinegrad(run + "--csv - --out -");
  EXPECT_EQ(twice.status, 2);
  EXPECT_THAT(twice.output, HasSubstr("- is what"));
}

TEST(CommandLineSimulate, WritesNoMotionWhereNoneIsWanted) {
  const TemporaryFile out("still.json"), motion("still.motion");
  const std::string run =
      "simulate " + example_path("pendulum") + " --end 0.05 --out " + out.path();
  ASSERT_EQ(run_kinegrad(run + " --no-motion").status, 0);
  EXPECT_FALSE(std::filesystem::exists(motion.path()));
  EXPECT_TRUE(nlohmann::json::parse(out.text()).at("motion").is_null());
  EXPECT_EQ(run_kinegrad(run + " --no-motion --motion " + motion.path()).status, 2);
}

/// An equilibrium has no duration: nothing is printed that looks like a result.
TEST(CommandLineSimulate, StaticsHasNoIntegrals) {
  const TemporaryFile out("rest.json"), motion("rest.motion");
  const auto result =
      run_kinegrad("simulate " + example_path("five_bar") + " --statics --out " + out.path());
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("objective psi2  has no value: an integral"));
  EXPECT_TRUE(nlohmann::json::parse(out.text()).at("objectives").at("psi2").at("value").is_null());
}

TEST(CommandLineSimulate, FullDiskIsNoticed) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const auto result = run_kinegrad("simulate " + example_path("pendulum") +
                                   " --step 0.01 --end 0.1 --csv /dev/full");
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr("cannot write /dev/full: No space left on device"));
  EXPECT_THAT(result.output, HasSubstr("objective x_end")) << "what was computed is printed";
}

TEST(CommandLineSimulate, ClosedLoopIsRefusedByName) {
  const auto result = run_kinegrad("simulate " + example_path("five_bar") +
                                   " --formulation semi-recursive --step 0.01 --end 1");
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, HasSubstr("\"J2\""));
}

const char* const kSpringModel = R"(name: spring
points: {O: [0, 0, 0]}
bodies:
  weight: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1], points: {P: [0, 0, 0]}}
joints:
  rail: {type: prismatic, bodies: [ground, weight], points: [[0, 0, 0], [0, 0, 0]], axes: [x, x]}
forces:
  spring: {type: spring-damper, points: [O, P], stiffness: 100, length: 0.5}
)";

TEST(CommandLineSimulate, StepAndEndMustBeGivenSomewhere) {
  const TemporaryFile model("silent.yaml");
  std::ofstream(model.path()) << kSpringModel << "initial: {rail.q: 1}\n";
  const auto step = run_kinegrad("simulate " + model.path() + " --end 1");
  EXPECT_EQ(step.status, 2);
  EXPECT_THAT(step.output, HasSubstr("--step"));
  const auto end = run_kinegrad("simulate " + model.path() + " --step 0.1");
  EXPECT_EQ(end.status, 2);
  EXPECT_THAT(end.output, HasSubstr("--end"));
  EXPECT_EQ(run_kinegrad("simulate " + model.path() + " --step 0.01 --end 0.1").status, 0);
}

/// Without signals the coordinates and speeds are what is written.
TEST(CommandLineSimulate, CoordinatesWhereThereAreNoSignals) {
  const TemporaryFile model("plain.yaml"), csv("plain.csv");
  std::ofstream(model.path()) << kSpringModel << "initial: {rail.q: 1}\n";
  const auto result =
      run_kinegrad("simulate " + model.path() + " --step 0.01 --end 0.1 --csv " + csv.path());
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(read_table(csv).columns, (std::vector<std::string>{"t", "rail.q", "rail.v"}));
}

TEST(CommandLineSimulate, SpringOfNoLengthEndsWithItsTime) {
  const TemporaryFile model("zero.yaml"), out("zero.json"), motion("zero.motion");
  std::ofstream(model.path()) << kSpringModel << "initial: {rail.q: 0}\n";
  for (const char* integrator : {"trapezoidal", "rk4", "dopri5"}) {
    const auto result = run_kinegrad("simulate " + model.path() + " --step 0.01 --end 1 --quiet" +
                                     " --integrator " + integrator + " --out " + out.path());
    EXPECT_EQ(result.status, 1) << integrator;
    EXPECT_THAT(result.output, HasSubstr("at t = 0: the motion is not finite")) << integrator;
    EXPECT_THAT(result.output, HasSubstr("rail.q")) << integrator;
    const nlohmann::json json = nlohmann::json::parse(out.text());
    EXPECT_EQ(json.at("status"), "failed") << integrator;
    EXPECT_THAT(json.at("message").get<std::string>(), HasSubstr("t = 0")) << integrator;
    EXPECT_TRUE(json.at("final").at("rail.q").is_null()) << "no sample was taken";
  }
}

/// A force that ends to exist on the way: no shorter step helps.
TEST(CommandLineSimulate, StepThatFailsKeepsWhatWasComputed) {
  const TemporaryFile csv("huge.csv"), out("huge.json"), motion("huge.motion");
  const TemporaryFile model("huge.yaml");
  std::ofstream(model.path())
      << "bodies: {block: {mass: 1, inertia: [1, 1, 1]}}\n"
         "joints: {rail: {type: prismatic, bodies: [ground, block], axis: x}}\n"
         "forces: {pull: {type: joint-force, joint: rail, value: sqrt(0.305 - t)}}\n";
  const auto result = run_kinegrad("simulate " + model.path() +
                                   " --integrator trapezoidal --step 0.01 --end 1 --csv " +
                                   csv.path() + " --out " + out.path());
  ASSERT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr("at t = 0.30"));
  EXPECT_THAT(result.output, HasSubstr("rail.q"));
  EXPECT_THAT(result.output, HasSubstr("what was computed is in " + csv.path()));
  const Table table = read_table(csv);
  const nlohmann::json json = nlohmann::json::parse(out.text());
  EXPECT_EQ(json.at("status"), "failed");
  ASSERT_FALSE(table.rows.empty());
  EXPECT_EQ(table.rows.back()[0], json.at("t").get<double>());
  for (const auto& row : table.rows) {
    for (double x : row) EXPECT_TRUE(std::isfinite(x));
  }
}

TEST(CommandLineSimulate, ExplicitMethodThatDivergesSaysSo) {
  const auto result = run_kinegrad("simulate " + example_path("heavy_top") +
                                   " --integrator rk4 --step 0.5 --end 200 --quiet");
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr("at t = "));
}

TEST(CommandLineSimulate, InterruptKeepsWhatWasComputed) {
  for (const std::string integrator : {"trapezoidal", "dopri5"}) {
    const TemporaryFile csv("stop.csv"), out("stop.json"), motion("stop.motion");
    const TemporaryFile sign("stop.csv.unfinished");
    const auto result = run_interrupted("simulate " + example_path("pendulum") +
                                            " --end 1e5 --step 0.01 --integrator " + integrator +
                                            " --csv " + csv.path() + " --out " + out.path(),
                                        sign);
    EXPECT_EQ(result.status, 1) << result.output;
    EXPECT_THAT(result.output, HasSubstr("stopped at t = "));
    EXPECT_THAT(result.output, HasSubstr(csv.path()));
    const Table table = read_table(csv);
    const nlohmann::json json = nlohmann::json::parse(out.text());
    EXPECT_EQ(json.at("status"), "stopped");
    ASSERT_FALSE(table.rows.empty());
    EXPECT_EQ(table.rows.back()[0], json.at("t").get<double>());
  }
}

/// A signal that nobody integrates is looked at where it is recorded.
TEST(CommandLineSimulate, InfiniteSignalsAreNoSuccess) {
  const TemporaryFile model("signal.yaml"), out("signal.json"), motion("signal.motion");
  std::ofstream(model.path()) << kSpringModel << "initial: {rail.q: 1}\n"
                              << "signals: {fine: t, s: log(0.1 - t)}\n";
  const auto result =
      run_kinegrad("simulate " + model.path() + " --step 0.01 --end 0.2 --out " + out.path());
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr("at t = 0.1: signal \"s\" is not finite"));
  EXPECT_EQ(nlohmann::json::parse(out.text()).at("status"), "failed");
}

/// ∫ 1/(t − 0.1) dt meets its pole at a sample.
TEST(CommandLineSimulate, InfiniteObjectivesAreNoSuccess) {
  const TemporaryFile model("pole.yaml"), out("pole.json"), motion("pole.motion");
  std::ofstream(model.path()) << kSpringModel << "initial: {rail.q: 1}\n"
                              << "objectives: {fine: {integral: t}, o: {integral: 1/(t - 0.1)}}\n";
  const auto result =
      run_kinegrad("simulate " + model.path() + " --step 0.01 --end 0.2 --out " + out.path());
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr("at t = 0.1: objective \"o\" is not finite"));
  EXPECT_EQ(nlohmann::json::parse(out.text()).at("status"), "failed");
}

/// Nothing but the step size of an adaptive integrator knows how far the next sample is.
const char* const kStiffModel = R"(parameters: {k: {value: 1e14, bounds: [1e11, 1e15]}}
points: {W: [0, 0, 0]}
bodies:
  b: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1], points: {p: [1.000001, 0, 0]}}
joints:
  s: {type: prismatic, bodies: [ground, b], point: [0, 0, 0], axis: x}
forces:
  k: {type: spring-damper, points: [W, p], stiffness: k, length: 1}
objectives: {e: {terminal: s.q^2}}
analysis: {integrator: dopri5, step: 1, end: 100}
optimize: {minimize: e, seconds: 0.5}
)";

/// A run whose next sample is hours away stops all the same, where it is.
TEST(CommandLineSimulate, InterruptDoesNotWaitForASample) {
  const TemporaryFile model("stiff.yaml"), csv("stiff.csv"), sign("stiff.sign");
  std::ofstream(model.path()) << kStiffModel;
  const auto begin = std::chrono::steady_clock::now();
  std::thread later([&] {  // it writes nothing by which one could see that it runs
    std::this_thread::sleep_for(std::chrono::seconds(3));
    std::ofstream(sign.path()) << "now";
  });
  const auto result = run_interrupted("simulate " + model.path() + " --csv " + csv.path(), sign);
  later.join();
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr("stopped at t = "));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  const Table table = read_table(csv);
  ASSERT_EQ(table.rows.size(), 2u) << "the start, and how far it came";
  EXPECT_LT(table.rows.back()[0], 1);
}

TEST(CommandLineSimulate, LimitsOfTimeDoNotWaitForASample) {
  const TemporaryFile model("stiff_limit.yaml");
  std::ofstream(model.path()) << kStiffModel;
  const auto begin = std::chrono::steady_clock::now();
  const auto result = run_kinegrad("optimize " + model.path());
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr("the 0.5 seconds are over"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

}  // namespace
}  // namespace kinegrad
