// kinegrad optimize as a user meets it: optimum, JSON, resuming, messages, exit statuses.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/optimization/design.hpp"
#include "kinegrad/optimization/optimizer.hpp"
#include "support/flipped_partials.hpp"
#include "support/pulled_block.hpp"
#include "support/run_command.hpp"
#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

using nlohmann::json;
using test::run_kinegrad;
using test::TemporaryFile;
using testing::HasSubstr;
using testing::Not;

std::string five_bar() { return test::source_path("examples/five_bar_equilibrium.yaml"); }

/// A result with the files beside it, gone after the test.
struct Result {
  explicit Result(const std::string& name)
      : out(name + ".json"),
        motion(name + ".motion"),
        start_motion(name + ".start.motion"),
        journal(name + ".journal"),
        old_journal(name + ".journal~") {}
  json parsed() const { return json::parse(out.text()); }
  TemporaryFile out, motion, start_motion, journal, old_journal;
};

/// Everything but the seconds.
json without_seconds(json all) {
  all.erase("seconds");
  for (const char* key : {"motion", "settings"}) all.erase(key);
  for (const char* point : {"start", "optimum"}) all.at(point).erase("motion");
  for (json& entry : all.at("history")) entry.erase("seconds");
  return all;
}

class FiveBarEquilibrium : public testing::TestWithParam<std::string> {};

/// Lengths with which forces balance at the start, from statics, with nine digits
/// (reference of the thesis of Y. Zhu, 2014, recomputed independently).
TEST_P(FiveBarEquilibrium, IsFoundByEveryOptimizer) {
  if (!find_optimizer(GetParam())->available()) GTEST_SKIP() << "not built in";
  const Result result("equilibrium_" + GetParam());
  const auto run = run_kinegrad("optimize " + five_bar() + " --optimizer " + GetParam() +
                                " --out " + result.out.path());
  ASSERT_EQ(run.status, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("converged"));
  EXPECT_THAT(run.output, Not(HasSubstr("\r"))) << "no progress into a pipe";
  const json all = result.parsed();
  const json& optimum = all.at("optimum");
  EXPECT_NEAR(optimum.at("parameters").at("L_s1").get<double>(), 2.43192357, 1e-6);
  EXPECT_NEAR(optimum.at("parameters").at("L_s2").get<double>(), 1.84486889, 1e-6);
  EXPECT_LT(optimum.at("objectives").at("psi").get<double>(), 1e-12);
  const int evaluations = all.at("evaluations").get<int>();
  EXPECT_LE(evaluations, GetParam() == "lbfgsb" ? 15 : 40);
  EXPECT_EQ(all.at("history").size(), static_cast<std::size_t>(evaluations));
}

INSTANTIATE_TEST_SUITE_P(All, FiveBarEquilibrium,
                         testing::Values("lbfgsb", "ipopt", "slsqp", "mma", "ccsa"),
                         [](const auto& name) { return name.param; });

TEST(OptimizedExamples, WritesEverythingIntoItsJson) {
  const Result result("optimize_json");
  const auto run = run_kinegrad("optimize " + five_bar() + " --out " + result.out.path());
  ASSERT_EQ(run.status, 0) << run.output;
  const json all = result.parsed();
  EXPECT_EQ(all.at("settings").at("optimizer"), "lbfgsb");
  EXPECT_EQ(all.at("settings").at("method"), "adjoint");
  EXPECT_EQ(all.at("settings").at("end"), 1.0);
  EXPECT_EQ(all.at("status"), "converged");
  EXPECT_THAT(all.at("stopped").get<std::string>(), HasSubstr("projected gradient"));
  EXPECT_EQ(all.at("start").at("parameters").at("L_s1").get<double>(), std::sqrt(5.0));
  EXPECT_NEAR(all.at("start").at("objectives").at("psi").get<double>(), 0.1144364, 1e-6);
  // the gradient of the source at the start, complex step, with its digits
  EXPECT_NEAR(all.at("start").at("gradient").at("psi").at("L_s1").get<double>(), -0.62561, 1e-5);
  EXPECT_NEAR(all.at("start").at("gradient").at("psi").at("L_s2").get<double>(), 0.47715, 1e-5);
  EXPECT_EQ(all.at("bounds").at("L_s1"), json::array({1.0, 4.0}));
  EXPECT_TRUE(all.at("active_bounds").empty());
  EXPECT_TRUE(all.at("multipliers").empty());
  EXPECT_EQ(all.at("constraint_violation"), 0.0);
  EXPECT_GT(all.at("seconds").get<double>(), 0);
  const json& first = all.at("history").front();
  EXPECT_EQ(first.at("evaluation"), 1);
  EXPECT_EQ(first.at("iteration"), 0);
  EXPECT_EQ(first.at("parameters"), all.at("start").at("parameters"));
  EXPECT_EQ(first.at("cost"), first.at("objectives").at("psi"));
  EXPECT_GT(first.at("projected_gradient").get<double>(),
            all.at("history").back().at("projected_gradient").get<double>());
  EXPECT_GT(first.at("seconds").get<double>(), 0);
  const auto name = [](const TemporaryFile& file) {
    return std::filesystem::path(file.path()).filename().string();
  };
  EXPECT_EQ(all.at("motion"), name(result.motion));
  EXPECT_EQ(all.at("optimum").at("motion"), name(result.motion));
  EXPECT_EQ(all.at("start").at("motion"), name(result.start_motion));
  EXPECT_FALSE(result.motion.text().empty());
  EXPECT_FALSE(result.start_motion.text().empty());
  EXPECT_NE(result.motion.text(), result.start_motion.text());
  EXPECT_FALSE(std::filesystem::exists(result.out.path() + ".new"));
}

/// Points so far away that their gradient, in the scales of the start, is beyond all numbers; its size was null.
TEST(OptimizedExamples, GradientsBeyondAllNumbersAreLeftOut) {
  std::ifstream file(test::source_path("examples/double_pendulum_tracking.yaml"));
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string weight = "0.001*(shoulder";
  ASSERT_NE(text.find(weight), std::string::npos);
  text.replace(text.find(weight), weight.size(), "1e308*(shoulder");
  const TemporaryFile model("optimize_beyond.yaml");
  std::ofstream(model.path()) << text;
  const Result result("optimize_beyond");
  const auto run = run_kinegrad("optimize " + model.path() + " --end 0.02 --evaluations 8 --out " +
                                result.out.path());
  EXPECT_LE(run.status, 1) << run.output;
  EXPECT_THAT(run.output, Not(HasSubstr("inf")));
  const json all = result.parsed();
  int without = 0;
  for (const json& entry : all.at("history")) {
    if (entry.contains("failed")) continue;
    without += !entry.contains("projected_gradient");
    EXPECT_FALSE(entry.contains("projected_gradient") && entry.at("projected_gradient").is_null());
  }
  EXPECT_GT(without, 0) << "otherwise this tests nothing";
}

/// What the optimum says is what a simulation with its parameters gives.
TEST(OptimizedExamples, OptimumIsWhatSimulateGives) {
  const Result result("optimum_again"), again("optimum_simulated");
  ASSERT_EQ(
      run_kinegrad("optimize " + five_bar() + " --evaluations 3 --out " + result.out.path()).status,
      1);
  const json optimum = result.parsed().at("optimum");
  std::string set;
  for (const auto& [name, value] : optimum.at("parameters").items()) {
    set += " --set " + name + "=" + value.dump();
  }
  ASSERT_EQ(run_kinegrad("simulate " + five_bar() + set + " --out " + again.out.path()).status, 0);
  EXPECT_NEAR(again.parsed().at("objectives").at("psi").at("value").get<double>(),
              optimum.at("objectives").at("psi").get<double>(), 1e-10);
}

class PulledBlock : public testing::Test {
 protected:
  PulledBlock()
      : name_(testing::UnitTest::GetInstance()->current_test_info()->name()),
        model_(name_ + ".yaml"),
        result_(name_) {}
  /// The model with that section, optimised.
  test::CommandResult run(const std::string& section, const std::string& options = "") const {
    std::ofstream(model_.path()) << test::kPulledBlock << section;
    return run_kinegrad("optimize " + model_.path() + " " + options + " --out " +
                        result_.out.path());
  }
  double optimum(const std::string& parameter) const {
    return result_.parsed().at("optimum").at("parameters").at(parameter).get<double>();
  }

  std::string name_;
  TemporaryFile model_;
  Result result_;
};

/// A weight on a spring, free to slide: it hangs at l − m g/k, and the stiffness for which that is where it should be has a
/// closed form. No run, no step, no end.
TEST(OptimizedStatics, FindsTheStiffness) {
  const TemporaryFile model("optimized_statics.yaml");
  const Result result("optimized_statics");
  std::ofstream(model.path()) << R"yaml(
parameters: {k: {value: 3000, bounds: [1000, 9000]}}
bodies: {sled: {mass: 1, inertia: [1, 1, 1]}, block: {mass: 2, inertia: [1, 1, 1]}}
joints:
  slide: {type: prismatic, bodies: [ground, sled], points: [[0, 0, 0], [0, 0, 0]], axes: [x, x]}
  lift: {type: prismatic, bodies: [sled, block], points: [[0, 0, 0], [0, 0, 0]], axes: [z, z]}
forces:
  weight: {type: gravity, acceleration: [0, 0, -9.81]}
  spring: {type: translational-spring-damper, joint: lift, stiffness: k, length: 0.1}
initial: {slide.q: 0.3}
objectives: {miss: {terminal: "1e6*(lift.q - 0.0959125)^2"}, lasts: {integral: lift.q}}
optimize: {minimize: miss, parameters: [k]}
)yaml";
  const std::string command = "optimize " + model.path() + " --statics --out " + result.out.path();
  ASSERT_EQ(run_kinegrad(command).status, 0);
  const double k = result.parsed().at("optimum").at("parameters").at("k").get<double>();
  EXPECT_NEAR(k, 2 * 9.81 / (0.1 - 0.0959125), 1e-3);
  const auto again = run_kinegrad(command + " --resume " + result.out.path());
  EXPECT_EQ(again.status, 0) << again.output;
  EXPECT_THAT(again.output, HasSubstr("evaluations are known"));
  EXPECT_EQ(result.parsed().at("optimum").at("parameters").at("k").get<double>(), k);
  const auto refused = run_kinegrad("gradient " + model.path() + " --statics --objectives lasts");
  EXPECT_EQ(refused.status, 2) << refused.output;
}

/// min F² with F/4 = 1: F = 4, and the effort 16 q² would grow by 32 per metre.
TEST_F(PulledBlock, EquationHoldsAndHasItsMultiplier) {
  for (const char* optimizer : {"slsqp", "ipopt"}) {
    if (!find_optimizer(optimizer)->available()) continue;
    const auto done =
        run("optimize: {minimize: effort, parameters: [F], constraints: {place: {equals: 1}}}\n",
            std::string("--optimizer ") + optimizer);
    ASSERT_EQ(done.status, 0) << done.output;
    EXPECT_NEAR(optimum("F"), 4, 1e-6) << optimizer;
    const json all = result_.parsed();
    EXPECT_NEAR(all.at("multipliers").at("place").get<double>(), -32, 1e-4);
    EXPECT_LE(all.at("constraint_violation").get<double>(), 1e-8);
    EXPECT_NEAR(all.at("optimum").at("objectives").at("place").get<double>(), 1, 1e-8);
    EXPECT_NEAR(all.at("optimum").at("objectives").at("far").get<double>(), 9, 1e-6)
        << "objectives that nobody asked for are shown too";
    EXPECT_THAT(done.output, HasSubstr("equals 1, multiplier -32"));
  }
}

/// The gradients of start and optimum say what they have to say, in the table, the JSON and the page.
TEST_F(PulledBlock, WarningsOfStartAndOptimumAreShown) {
  std::ofstream(model_.path()) << R"yaml(name: pulled block with drag
parameters:
  F: {value: 1, unit: N, bounds: [-100, 100]}
bodies: {block: {mass: 2, inertia: [1, 1, 1]}}
joints: {rail: {type: prismatic, bodies: [ground, block], points: [[0, 0, 0], [0, 0, 0]], axes: [x, x]}}
forces: {pull: {type: joint-force, joint: rail, value: "F - 0.1*abs(rail.v)*rail.v - 0.5*max(rail.q - 0.3, 0)"}}
objectives: {miss: {terminal: (rail.q - 1)^2}}
analysis: {step: 0.1, end: 1}
optimize: {minimize: miss, parameters: [F]}
)yaml";
  const auto done = run_kinegrad("optimize " + model_.path() + " --out " + result_.out.path());
  ASSERT_EQ(done.status, 0) << done.output;
  const json warnings = result_.parsed().at("warnings");
  ASSERT_EQ(warnings.size(), 2u) << warnings;
  const std::string first = warnings[0].at("text"), second = warnings[1].at("text");
  EXPECT_THAT(first,
              testing::StartsWith("at the start and at the optimum: abs() in force \"pull\""))
      << "once for both";
  EXPECT_EQ(warnings[0].at("kind"), "kink");
  EXPECT_THAT(second,
              testing::StartsWith("at the optimum: max() in force \"pull\" passes its kink"))
      << "the start does not get there";
  EXPECT_THAT(done.output, HasSubstr("warning: at t = 0 s: " + first));
  EXPECT_THAT(done.output, HasSubstr("at the optimum: max()"));
  const TemporaryFile page(name_ + ".html");
  const auto report = run_kinegrad("report " + result_.out.path() + " -o " + page.path());
  ASSERT_EQ(report.status, 0) << report.output;
  EXPECT_THAT(page.text(), HasSubstr("at the optimum: max() in force"));
}

/// A derivative that is wrong is found at the start and at the optimum, not in every evaluation.
TEST(OptimizedDesign, ItsGradientsCheckThemselves) {
  ModelDescription description = read_model_yaml(five_bar());
  const test::FlippedForce flipped(*builtin_catalogue().find_force("spring-damper"),
                                   test::FlippedForce::By::kX);
  Catalogue catalogue = builtin_catalogue();
  catalogue.add(flipped);
  for (ForceSpec& force : description.forces) {
    if (force.type.name == "spring-damper") force.type.name = std::string(flipped.name());
  }
  DesignOptions options;
  options.run.step = 1e-2;
  options.run.end = 0.1;
  const Model wrong = compile_model(description, catalogue);
  const Design design = make_design(wrong, options);
  const Warnings found = design_warnings(wrong, design, design.problem.start);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].kind, "self-check");
  const Model right = compile_model(read_model_yaml(five_bar()));
  const Design same = make_design(right, options);
  EXPECT_TRUE(design_warnings(right, same, same.problem.start).empty());
  // asked to stop, it says nothing
  EXPECT_TRUE(design_warnings(wrong, design, design.problem.start, [] { return false; }).empty());
}

TEST_F(PulledBlock, InequalityHoldsWithEveryOptimizerThatTakesIt) {
  for (const OptimizerInfo& info : optimizers()) {
    if (!info.inequalities || !info.available()) continue;
    const auto done =
        run("optimize: {minimize: effort, parameters: [F], constraints: {place: {at_least: 1}}, "
            "constraint_tolerance: 1e-10}\n",
            "--optimizer " + std::string(info.name));
    ASSERT_EQ(done.status, 0) << done.output;
    EXPECT_NEAR(optimum("F"), 4, 1e-6) << info.name;
    const json all = result_.parsed();
    EXPECT_LE(all.at("constraint_violation").get<double>(), 1e-10) << info.name;
    EXPECT_NEAR(all.at("multipliers").at("place").get<double>(), -32, 1e-3) << info.name;
  }
}

/// min F²/16 + (F/4 − 1)²: F = 2.
TEST_F(PulledBlock, WeightsAddUp) {
  const auto done = run("optimize: {minimize: {effort: 1/16, miss: 1}, parameters: [F]}\n");
  ASSERT_EQ(done.status, 0) << done.output;
  EXPECT_NEAR(optimum("F"), 2, 1e-6);
  EXPECT_NEAR(result_.parsed().at("optimum").at("cost").get<double>(), 0.5, 1e-9);
  EXPECT_EQ(result_.parsed().at("minimize").at("effort"), 0.0625);
}

/// Exit 0 says that there is an optimum; a limit, or a cost without one, does not.
TEST_F(PulledBlock, OnlyOptimaExitWithZero) {
  const auto limit = run("optimize: {minimize: far, parameters: [F], evaluations: 2}\n");
  EXPECT_EQ(limit.status, 1) << limit.output;
  EXPECT_THAT(limit.output, HasSubstr("the 2 evaluations are used up"));
  EXPECT_THAT(limit.output, HasSubstr("cost ")) << "what was found is printed";
  EXPECT_EQ(result_.parsed().at("status"), "limit");
  const auto start = run("optimize: {minimize: far, parameters: [F]}\n", "--set F=16");
  EXPECT_EQ(start.status, 0) << start.output;
  EXPECT_THAT(start.output, HasSubstr("converged"));
  EXPECT_EQ(result_.parsed().at("iterations"), 0);
  std::string free = test::kPulledBlock;
  free.erase(free.find(", bounds: [-100, 100]"), std::strlen(", bounds: [-100, 100]"));
  for (const char* optimizer : {"lbfgsb", "slsqp", "mma", "ccsa"}) {
    if (!find_optimizer(optimizer)->available()) continue;
    std::ofstream(model_.path()) << free << "optimize: {minimize: {place: -1}, parameters: [F]}\n";
    const auto slide = run_kinegrad("optimize " + model_.path() + " --evaluations 3000 --out " +
                                    result_.out.path() + " --optimizer " + optimizer);
    EXPECT_EQ(slide.status, 1) << optimizer << slide.output;
    EXPECT_THAT(slide.output, HasSubstr("the cost falls without end: F has come to"));
    EXPECT_EQ(result_.parsed().at("status"), "unbounded");
  }
}

/// The larger of F²/16 and (F/4 − 1)²: least where both are 1/4, at F = 2.
TEST_F(PulledBlock, MinimaxBalances) {
  const auto done =
      run("optimize: {minimize: {minimax: {effort: 1/16, miss: 1}}, parameters: [F]}\n");
  ASSERT_EQ(done.status, 0) << done.output;
  EXPECT_THAT(done.output, HasSubstr("slsqp"));
  EXPECT_NEAR(optimum("F"), 2, 1e-5);
  const json all = result_.parsed();
  EXPECT_NEAR(all.at("optimum").at("cost").get<double>(), 0.25, 1e-6);
  EXPECT_NEAR(all.at("multipliers").at("effort").get<double>(), 0.5, 1e-4);
}

/// The ballast wants m = 1/4; the first step goes far below zero, where there is no mechanics.
TEST_F(PulledBlock, MassesBelowZeroMakeItBackOff) {
  for (const OptimizerInfo& info : optimizers()) {
    if (!info.available()) continue;
    const auto done = run("optimize: {minimize: ballast, parameters: [m], scale: {m: 5}}\n",
                          "--optimizer " + std::string(info.name));
    ASSERT_EQ(done.status, 0) << done.output;
    EXPECT_NEAR(optimum("m"), 0.25, 1e-4) << info.name;
    bool failed = false;
    const json all = result_.parsed();
    for (const json& entry : all.at("history")) {
      if (!entry.contains("failed")) continue;
      failed = true;
      EXPECT_THAT(entry.at("failed").get<std::string>(),
                  HasSubstr("\"block\": the mass is negative (-"));
      EXPECT_TRUE(entry.at("cost").is_null());
    }
    EXPECT_TRUE(failed || info.name == "mma")  // whose first steps are short
        << info.name << ": the problem does not test what it should";
  }
}

TEST_F(PulledBlock, ActiveBoundIsReported) {
  const auto done = run("optimize: {minimize: far, parameters: [F]}\n", "--set F=90");
  ASSERT_EQ(done.status, 0) << done.output;
  EXPECT_NEAR(optimum("F"), 16, 1e-5);
  std::ofstream(model_.path()) << test::kPulledBlock
                               << "optimize: {minimize: {far: 1, place: -100}, parameters: [F]}\n";
  const auto at_bound = run_kinegrad("optimize " + model_.path() + " --out " + result_.out.path());
  ASSERT_EQ(at_bound.status, 0) << at_bound.output;
  const json active = result_.parsed().at("active_bounds");
  ASSERT_EQ(active.size(), 1u);
  EXPECT_EQ(active[0].at("parameter"), "F");
  EXPECT_EQ(active[0].at("side"), "upper");
  // d/dF of (F/4 − 4)² − 25 F at 100
  EXPECT_NEAR(active[0].at("multiplier").get<double>(), 14.5, 1e-6);
  EXPECT_THAT(at_bound.output, HasSubstr("at its upper bound"));
}

TEST_F(PulledBlock, ContradictionExitsWithOne) {
  const auto done =
      run("optimize: {minimize: effort, parameters: [F], evaluations: 100, "
          "constraints: {place: {at_least: 1}, miss: {at_least: 1}, far: {at_most: 1}, "
          "effort: {at_most: 1}}}\n");
  EXPECT_EQ(done.status, 1) << done.output;
  EXPECT_THAT(done.output, HasSubstr("no point was found that holds the constraints"));
  EXPECT_THAT(done.output, HasSubstr("what was computed is in " + result_.out.path()));
  EXPECT_EQ(result_.parsed().at("status"), "infeasible");
  EXPECT_GT(result_.parsed().at("constraint_violation").get<double>(), 0.1);
}

/// Each horizon begins at the optimum before; the last is the end of the run.
TEST_F(PulledBlock, HorizonsAreSolvedOneAfterTheOther) {
  const auto done = run("optimize: {minimize: far, parameters: [F], horizons: [0.25, 0.5]}\n");
  ASSERT_EQ(done.status, 0) << done.output;
  EXPECT_NEAR(optimum("F"), 16, 1e-5);
  const json history = result_.parsed().at("history");
  EXPECT_EQ(history.front().at("horizon"), 0.25);
  EXPECT_EQ(history.back().at("horizon"), 1.0);
  EXPECT_EQ(result_.parsed().at("settings").at("optimize").at("horizons"),
            json::array({0.25, 0.5, 1.0}));
}

TEST_F(PulledBlock, ManyStartsGiveTheSameBitsWithTwoThreads) {
  const std::string section =
      "optimize: {minimize: {far: 1, miss: 0.5}, parameters: [F, m], starts: 5, seed: 4}\n";
  const auto one = run(section, "--threads 1");
  ASSERT_EQ(one.status, 0) << one.output;
  const json first = without_seconds(result_.parsed());
  EXPECT_EQ(first.at("starts").size(), 5u);
  const auto two = run(section, "--threads 2");
  ASSERT_EQ(two.status, 0) << two.output;
  EXPECT_EQ(without_seconds(result_.parsed()), first);
  EXPECT_THAT(two.output, HasSubstr("(best)"));
}

TEST_F(PulledBlock, WrongOptionsExitWithTwo) {
  const std::string section = "optimize: {minimize: far, parameters: [F]}\n";
  const auto refused = [&](const std::string& options, const std::string& message) {
    const auto result = run(section, options);
    EXPECT_EQ(result.status, 2) << options << "\n" << result.output;
    EXPECT_THAT(result.output, HasSubstr(message)) << options;
  };
  refused("--optimizer magic", "unknown optimizer \"magic\"");
  refused("--method ajoint", "unknown method \"ajoint\" (did you mean \"adjoint\"?)");
  refused("--parameters G", "the model has no parameter \"G\"");
  refused("--evaluations 0", "--evaluations");
  refused("--threads 0", "--threads");
  refused("--set F=200", "outside its bounds");
  refused("--resume /nowhere/at/all", "cannot read /nowhere/at/all");
  refused("--formulation magic", "magic");
  refused("--horizon 3", "--horizon");
}

TEST_F(PulledBlock, WhatTheFileLeavesOpenIsSaid) {
  const auto open = run("");
  EXPECT_EQ(open.status, 2);
  EXPECT_THAT(open.output, HasSubstr("the model has 5 objectives: say which to minimise"));
  std::string bare = test::kPulledBlock;
  for (const char* bounds : {", bounds: [-100, 100]", ", bounds: [-5, 5]"}) {
    bare.erase(bare.find(bounds), std::strlen(bounds));
  }
  std::ofstream(model_.path()) << bare << "optimize: {minimize: far}\n";
  const auto none = run_kinegrad("optimize " + model_.path());
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.output, HasSubstr(model_.path() + ":15: optimize: no parameter has bounds"));
  const auto named = run_kinegrad("optimize " + model_.path() + " --parameters F");
  EXPECT_EQ(named.status, 0) << named.output;
  const auto starts = run_kinegrad("optimize " + model_.path() + " --parameters F --starts 3");
  EXPECT_EQ(starts.status, 2);
  EXPECT_THAT(starts.output, HasSubstr("two bounds of every parameter, which F has not"));
}

/// Of 24 cm rms at the start 9 mm are left, with three parameters at their bounds.
TEST(OptimizedExamples, FourBarFollowsItsPath) {
  const Result result("four_bar_path");
  const auto run = run_kinegrad("optimize " + test::source_path("examples/four_bar_path.yaml") +
                                " --step 0.02 --out " + result.out.path());
  ASSERT_EQ(run.status, 0) << run.output;
  const json all = result.parsed();
  EXPECT_EQ(all.at("status"), "converged");
  EXPECT_NEAR(all.at("start").at("cost").get<double>(), 0.0572, 1e-4);
  EXPECT_LT(all.at("optimum").at("cost").get<double>(), 1e-4);
  EXPECT_EQ(all.at("active_bounds").size(), 3u);
}

/// Mechanism and controller at once, under a constraint.
TEST(OptimizedExamples, SliderCrankIsDesignedWithItsMotor) {
  const Result result("codesign");
  const auto run = run_kinegrad(
      "optimize " + test::source_path("examples/slider_crank_codesign.yaml") +
      " --step 0.01 --end 1 --evaluations 60 --optimizer ipopt --out " + result.out.path());
  ASSERT_EQ(run.status, find_optimizer("ipopt")->available() ? 0 : 2) << run.output;
  if (run.status != 0) return;
  const json all = result.parsed();
  EXPECT_LT(all.at("optimum").at("cost").get<double>(),
            all.at("start").at("cost").get<double>() / 10);
  EXPECT_GE(all.at("optimum").at("objectives").at("stroke").get<double>(), 0.2 - 1e-8);
}

TEST(CommandLineOptimize, OptimizersAreListed) {
  const auto result = run_kinegrad("list optimizers");
  EXPECT_EQ(result.status, 0);
  for (const char* name : {"lbfgsb", "ipopt", "slsqp", "mma", "ccsa"}) {
    EXPECT_THAT(result.output, HasSubstr(name));
  }
}

/// Runs the command and sends it a signal once its journal has that many lines.
test::CommandResult run_signalled(const std::string& arguments, const TemporaryFile& journal,
                                  long lines, int signal) {
  const TemporaryFile output(std::filesystem::path(journal.path()).filename().string() + ".said");
  const std::string command = std::string("exec ") + test::command_path() + " " + arguments + " >" +
                              output.path() + " 2>&1";
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  for (int k = 0; k < 12000; ++k) {  // a minute at most
    const std::string text = journal.text();
    if (std::count(text.begin(), text.end(), '\n') >= lines) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  kill(child, signal);
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), output.text()};
}

/// Slow enough to be caught between two evaluations.
std::string slow_five_bar(const Result& result, const std::string& step = "2e-4") {
  return "optimize " + five_bar() + " --step " + step + " --out " + result.out.path();
}

TEST(OptimizedExamples, KilledRunResumesToTheSameBits) {
  const Result whole("never_killed"), killed("killed");
  ASSERT_EQ(run_kinegrad(slow_five_bar(whole)).status, 0);
  const auto first = run_signalled(slow_five_bar(killed), killed.journal, 4, SIGKILL);
  ASSERT_EQ(first.status, 128 + SIGKILL);
  EXPECT_FALSE(std::filesystem::exists(killed.out.path()));
  const auto resumed = run_kinegrad(slow_five_bar(killed) + " --resume " + killed.journal.path());
  ASSERT_EQ(resumed.status, 0) << resumed.output;
  EXPECT_THAT(resumed.output, HasSubstr("evaluations are known"));
  EXPECT_EQ(without_seconds(killed.parsed()), without_seconds(whole.parsed()));
  // named by its result, with nothing left to do
  const auto again = run_kinegrad(slow_five_bar(killed) + " --resume " + killed.out.path());
  ASSERT_EQ(again.status, 0) << again.output;
  EXPECT_EQ(without_seconds(killed.parsed()), without_seconds(whole.parsed()));
}

TEST(OptimizedExamples, InterruptKeepsTheBestPoint) {
  const Result result("interrupted");
  const auto stopped = run_signalled(slow_five_bar(result), result.journal, 4, SIGINT);
  EXPECT_EQ(stopped.status, 1) << stopped.output;
  EXPECT_THAT(stopped.output, HasSubstr("interrupted"));
  EXPECT_THAT(stopped.output, HasSubstr("go on with --resume " + result.journal.path()));
  const json all = result.parsed();
  EXPECT_EQ(all.at("status"), "interrupted");
  EXPECT_GE(all.at("evaluations").get<int>(), 3);
  EXPECT_LT(all.at("optimum").at("cost").get<double>(), all.at("start").at("cost").get<double>());
  EXPECT_FALSE(result.motion.text().empty());
}

/// Who asks twice is not made to wait, and the journal is whole.
TEST(OptimizedExamples, SecondInterruptEndsAtOnce) {
  const Result result("interrupted_twice");
  const std::string command = std::string("exec ") + test::command_path() + " " +
                              slow_five_bar(result, "2e-5") + " >/dev/null 2>&1";
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  for (int k = 0; k < 12000 && result.journal.text().empty(); ++k) {  // a minute at most
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  // both wait for the process to go on
  for (const int signal : {SIGSTOP, SIGINT, SIGTERM, SIGCONT}) kill(child, signal);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << "it ended by itself";
  EXPECT_EQ(result.journal.text().back(), '\n');
  EXPECT_FALSE(std::filesystem::exists(result.out.path()));
  for (const std::string& path :
       {result.out.path(), result.motion.path(), result.start_motion.path()}) {
    std::filesystem::remove(path + ".unfinished");
  }
}

TEST_F(PulledBlock, StartsAreLimited) {
  const std::string section = "optimize: {minimize: far, parameters: [F], starts: 1e9}\n";
  const auto many = run(section);
  EXPECT_EQ(many.status, 2);
  EXPECT_THAT(many.output,
              HasSubstr(model_.path() + ":15: optimize: starts must be at most 100000"));
  EXPECT_EQ(run("optimize: {minimize: far, parameters: [F]}\n", "--starts 1000000000").status, 2);
}

TEST_F(PulledBlock, JournalOfAnotherModelIsRefused) {
  const std::string section = "optimize: {minimize: far, parameters: [F]}\n";
  ASSERT_EQ(run(section).status, 0);
  const std::string resume = "--resume " + result_.journal.path();
  const auto other = run(section, resume + " --set m=3");
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.output, HasSubstr("was recorded with other fixed parameters"));
  const auto step = run(section, resume + " --step 0.05");
  EXPECT_EQ(step.status, 2);
  EXPECT_THAT(step.output, HasSubstr("was recorded with other settings"));
  std::string changed = test::kPulledBlock;
  changed.replace(changed.find("value: F}"), 9, "value: 2*F}");
  std::ofstream(model_.path()) << changed << section;
  const auto model = run_kinegrad("optimize " + model_.path() + " " + resume);
  EXPECT_EQ(model.status, 2);
  EXPECT_THAT(model.output, HasSubstr("has changed since"));
  EXPECT_EQ(run(section, resume + " --evaluations 400").status, 0) << "limits may change";
}

/// What the run of the optimum says of itself is said of the optimum.
TEST_F(PulledBlock, WarningsOfTheOptimumsRun) {
  const auto plain = run("optimize: {minimize: far, parameters: [F]}\n");
  ASSERT_EQ(plain.status, 0) << plain.output;
  EXPECT_TRUE(result_.parsed().at("warnings").empty());
  const auto beyond =
      run("splines: {s: {nodes: [0, 0.1], values: [0, 1]}}\nsignals: {read: s(t)}\n"
          "optimize: {minimize: far, parameters: [F]}\n");
  ASSERT_EQ(beyond.status, 0) << beyond.output;
  EXPECT_THAT(beyond.output, HasSubstr("signal \"read\" reads a spline at"));
  EXPECT_EQ(result_.parsed().at("warnings").at(0).at("kind"), "spline");
}

/// Evaluations with other constants of the integrator are evaluations of another problem.
TEST_F(PulledBlock, JournalOfAnotherIntegratorConstantIsRefused) {
  const std::string section = "optimize: {minimize: far, parameters: [F]}\n";
  const std::string hht = "--integrator hht --spectral-radius ";
  ASSERT_EQ(run(section, hht + "0.9").status, 0);
  EXPECT_EQ(result_.parsed().at("settings").at("spectral_radius"), 0.9);
  const auto other = run(section, hht + "0.6 --resume " + result_.journal.path());
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.output, HasSubstr("was recorded with other settings"));
}

}  // namespace
}  // namespace kinegrad
