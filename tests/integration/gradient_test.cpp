// Gradients of whole runs: against published values, and the methods against each other.
#include "kinegrad/sensitivity/gradient.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "kinegrad/base/error.hpp"
#include "kinegrad/io/gradient_output.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/catalogue.hpp"
#include "kinegrad/model/compile.hpp"
#include "support/constraint_oracles.hpp"
#include "support/four_bar_windows.hpp"
#include "support/refusals.hpp"
#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

GradientOptions options_for(const Model& model, const std::string& method, double end = 0) {
  GradientOptions options;
  options.method = method;
  const AnalysisDefaults& analysis = model.analysis();
  options.run.formulation = analysis.formulation;
  if (!analysis.integrator.empty()) options.run.integrator = analysis.integrator;
  options.run.step = analysis.step;
  options.run.end = end > 0 ? end : analysis.end;
  options.run.details.tolerance = analysis.tolerance > 0 ? analysis.tolerance : 1e-10;
  return options;
}

GradientReport gradient_of(const Model& model, const GradientOptions& options) {
  const VecX rho = model.default_rho();
  const GradientReport report = gradient(model, {rho.data(), std::size_t(rho.size())}, options);
  EXPECT_EQ(report.status, RunStatus::kDone) << report.message;
  return report;
}

/// A. López Varela, doctoral thesis, 2022, tables 7.4 to 7.6, printed to four digits, at the step of
/// the thesis; its own methods differ among each other by up to 0.3 %.
TEST(Gradient, FiveBarOfTheThesis) {
  const Model model = test::example("five_bar");
  const GradientReport report = gradient_of(model, options_for(model, "complex-step"));
  MatX expected(3, 5);                               // L_s1, L_s2, m_A1, r_G, L_A1
  expected << -4.228, 3.212, 0.3186, 0.4423, 3.360,  //
      -15.45, 50.32, 0.9700, 0.7454, -27.37,         //
      221.8, 2437, -32.51, -85.70, -2547;
  ASSERT_EQ(report.gradient.rows(), 3);
  ASSERT_EQ(report.gradient.cols(), 5);
  for (Eigen::Index i = 0; i < 3; ++i) {
    for (Eigen::Index j = 0; j < 5; ++j) {
      EXPECT_NEAR(report.gradient(i, j), expected(i, j), 1e-3 * std::abs(expected(i, j)))
          << model.objectives()[std::size_t(i)].name << ", " << parameter_at(model, int(j)).name;
    }
  }
  EXPECT_LT(report.constraint_norms[0], 1e-10);
  EXPECT_GT(report.constraint_norms[2], 0);
  EXPECT_GT(report.sensitivity_seconds, report.simulation_seconds);
}

/// SUNDIALS' idasSlCrank_FSA_dns prints dG/dk = 0.33346 and dG/dc = −0.36375; here the same equations
/// with their variational ones in quadruple precision. a moves the start as well.
TEST(Gradient, PlanarSliderCrankOfSundials) {
  const Model model = test::example("slider_crank_planar");
  const GradientReport report = gradient_of(model, options_for(model, "complex-step"));
  const std::map<std::string, double> expected{
      {"k", 0.333448106128},  {"c", -0.363754033971}, {"a", 6.06077760034},   {"J1", 1.10183273627},
      {"J2", 0.191038037418}, {"m2", 0.169739059402}, {"l0", 0.734758944948}, {"F", 1.71326485682}};
  ASSERT_EQ(report.parameters.size(), expected.size());
  for (std::size_t j = 0; j < report.parameters.size(); ++j) {
    const std::string& name = parameter_at(model, report.parameters[j]).name;
    // a local error of 1e-11 over 250 steps
    EXPECT_NEAR(report.gradient(0, Eigen::Index(j)), expected.at(name), 1e-9) << name;
  }
}

/// Implicit with a loop, adaptive, explicit with Euler parameters.
TEST(Gradient, FiniteDifferencesAgreeToTheirErrorEstimate) {
  for (const auto& [name, end] :
       {std::pair{"five_bar", 0.5}, {"slider_crank_planar", 2.0}, {"heavy_top", 0.1}}) {
    const Model model = test::example(name);
    const GradientReport exact = gradient_of(model, options_for(model, "complex-step", end));
    const GradientReport differences =
        gradient_of(model, options_for(model, "finite-difference", end));
    EXPECT_EQ(exact.error.size(), 0);
    ASSERT_EQ(differences.error.size(), exact.gradient.size());
    for (Eigen::Index i = 0; i < exact.gradient.rows(); ++i) {
      for (Eigen::Index j = 0; j < exact.gradient.cols(); ++j) {
        const double slope = exact.gradient(i, j), error = differences.error(i, j);
        EXPECT_NEAR(differences.gradient(i, j), slope, error)
            << name << ", " << parameter_at(model, int(j)).name;
        // and the estimate is worth something: five digits of what matters
        const double scale = std::abs(slope) + std::abs(exact.values[std::size_t(i)]);
        EXPECT_LE(error, 1e-5 * scale) << name << ", " << parameter_at(model, int(j)).name;
      }
    }
  }
}

/// The motion of a free body does not depend on its mass: a derivative that is rounding alone ends all
/// the same.
TEST(Gradient, ParameterThatDoesNotMoveAnything) {
  const Model model = test::example("free_body");
  GradientOptions options = options_for(model, "complex-step", 0.1);
  options.run.integrator = "trapezoidal";
  const GradientReport report = gradient_of(model, options);
  EXPECT_EQ(parameter_at(model, 0).name, "m");
  EXPECT_NEAR(report.gradient(0, 0), 0, 1e-12);
  EXPECT_TRUE(report.idle.empty()) << "it is used all the same";
}

TEST(Gradient, ChosenParametersAndObjectives) {
  const Model model = test::example("five_bar");
  GradientOptions options = options_for(model, "complex-step", 0.05);
  const GradientReport all = gradient_of(model, options);
  options.parameters = {4, 0};
  options.objectives = {2};
  const GradientReport some = gradient_of(model, options);
  ASSERT_EQ(some.gradient.rows(), 1);
  ASSERT_EQ(some.gradient.cols(), 2);
  EXPECT_EQ(some.values.at(0), all.values.at(2));
  EXPECT_EQ(some.gradient(0, 0), all.gradient(2, 4));
  EXPECT_EQ(some.gradient(0, 1), all.gradient(2, 0));
}

TEST(Gradient, StopKeepsTheParametersThatAreFinished) {
  const Model model = test::example("five_bar");
  const GradientOptions options = options_for(model, "complex-step", 0.05);
  const GradientReport all = gradient_of(model, options);
  const VecX rho = model.default_rho();
  const GradientReport report =
      gradient(model, {rho.data(), std::size_t(rho.size())}, options,
               [](std::string_view what, double) { return what != "m_A1"; });
  EXPECT_EQ(report.status, RunStatus::kStopped);
  EXPECT_NE(report.message.find("m_A1"), std::string::npos) << report.message;
  EXPECT_EQ(report.finished, (std::vector<bool>{true, true, false, false, false}));
  EXPECT_EQ(report.gradient.leftCols(2), all.gradient.leftCols(2));
  EXPECT_TRUE(report.gradient.rightCols(3).array().isNaN().all());
}

TEST(Gradient, WrongChoicesAreRefusedByName) {
  const Model model = test::example("five_bar");
  const auto refused = [&](const GradientOptions& o) { return test::refusal_of(model, o); };
  GradientOptions options = options_for(model, "complex-stp");
  EXPECT_NE(refused(options).find("did you mean \"complex-step\""), std::string::npos);
  options = options_for(model, "adjoint");
  options.adjoint_step = 1e-3;
  EXPECT_NE(refused(options).find("for continuous-adjoint, not for adjoint"), std::string::npos);
  options = options_for(model, "complex-step");
  options.memory = 1'000'000;
  EXPECT_NE(refused(options).find("for forward and adjoint"), std::string::npos);
  options = options_for(model, "complex-step");
  options.parameters = {5};
  EXPECT_NE(refused(options).find("no parameter 5"), std::string::npos);
}

/// A block on a rail, a spring that is slack or not, a point that nothing reads.
Model block(const std::string& forces, const std::string& objectives) {
  return test::model_of(
      "parameters: {m: 2, k: 50, far: 3, z: 0}\n"
      "bodies: {block: {mass: m, points: {P: [far, 0, 0]}}}\n"
      "joints: {rail: {type: prismatic, bodies: [ground, block], point: [0, 0, 0], "
      "axis: x}}\nforces: " +
      forces + "\ninitial: {rail.q: 1}\nobjectives: " + objectives +
      "\nanalysis: {step: 1e-2, end: 0.1}\n");
}

TEST(Gradient, ZerosAreSaid) {
  const Model model = block("{pull: {type: joint-force, joint: rail, value: -k*rail.q + z}}",
                            "{end: {terminal: rail.q}}");
  for (const char* method : {"forward", "adjoint", "complex-step"}) {
    const GradientReport report = gradient_of(model, options_for(model, method));
    ASSERT_EQ(report.unmoved.size(), 1u) << method;
    EXPECT_EQ(parameter_at(model, report.unmoved[0]).name, "far") << method;
    EXPECT_TRUE(report.idle.empty()) << method;
  }
}

/// The slope of a root at zero.
TEST(Gradient, InfiniteDerivativesFailByName) {
  const Model model = block("{pull: {type: joint-force, joint: rail, value: -k*rail.q + sqrt(z)}}",
                            "{end: {terminal: rail.q}}");
  const VecX rho = model.default_rho();
  const GradientReport report =
      gradient(model, {rho.data(), std::size_t(rho.size())}, options_for(model, "adjoint"));
  EXPECT_EQ(report.status, RunStatus::kFailed);
  EXPECT_NE(report.message.find("with respect to z"), std::string::npos) << report.message;
}

/// Nothing pulls the block anywhere: it rests where the file puts it, and goes on from there.
TEST(Gradient, IndifferentEquilibriumIsTheStart) {
  const Model model = block("{}", "{end: {terminal: rail.q}}");
  const VecX rho = model.default_rho();
  GradientOptions options = options_for(model, "adjoint");
  options.run.start = "equilibrium";
  const GradientReport report = gradient(model, {rho.data(), std::size_t(rho.size())}, options);
  EXPECT_EQ(report.status, RunStatus::kDone) << report.message;
  EXPECT_EQ(*report.settings.held, std::vector<int>{0});
  EXPECT_NEAR(report.values[0], 1, 1e-12);  // its speed is 1 m/s, as the file says
  EXPECT_TRUE(report.gradient.isZero(0));
}

/// dq₁/dL_a and du̇₁/dL_a over time: at every sample what the run up to there gives as its end.
TEST(Gradient, SensitivitiesOverTime) {
  for (const char* name : {"double_pendulum", "four_bar"}) {
    const Model model = test::example(name);
    GradientOptions options = options_for(model, "forward");
    options.run.step = 1e-2;
    options.run.end = 0.2;
    options.parameters = model.find_parameters("L_a");
    std::vector<std::pair<double, MatX>> samples;
    options.sensitivities = [&](double t, std::span<const int> parameters, const MatX& ds) {
      EXPECT_EQ(parameters.size(), 1u);
      samples.emplace_back(t, ds);
    };
    const GradientReport whole = gradient_of(model, options);
    ASSERT_EQ(samples.size(), 21u) << name;
    options.sensitivities = {};
    const auto signal_of = [&](const std::string& objective) {
      const std::string signal = objective.substr(0, objective.find("_end"));
      Eigen::Index k = 0;
      while (model.signals()[std::size_t(k)].name != signal) ++k;
      return k;
    };
    for (const std::size_t at : {5u, 10u, 20u}) {
      options.run.end = samples[at].first;
      for (const char* method : {"forward", "adjoint", "complex-step"}) {
        options.method = method;
        const GradientReport report = gradient_of(model, options);
        for (Eigen::Index i = 0; i < report.gradient.rows(); ++i) {
          const auto& objective =
              model.objectives()[std::size_t(report.objectives[std::size_t(i)])];
          const double expected = report.gradient(i, 0);
          // L4, over a few steps
          EXPECT_NEAR(samples[at].second(signal_of(objective.name), 0), expected,
                      1e-9 * (1 + std::abs(expected)))
              << name << " " << method << " " << objective.name << " " << at;
        }
      }
    }
  }
}

/// A block of weight m g on a spring k: it rests at m g/k.
TEST(Gradient, StaticEquilibriumAlone) {
  const Model model = block(
      "{weight: {type: joint-force, joint: rail, value: 9.81*m}, "
      "pull: {type: joint-force, joint: rail, value: -k*rail.q}}",
      "{place: {terminal: rail.q}}");
  for (const char* method : {"forward", "adjoint", "complex-step", "finite-difference"}) {
    GradientOptions options = options_for(model, method);
    options.run.start = "equilibrium";
    options.run.only_start = true;
    const GradientReport report = gradient_of(model, options);
    EXPECT_EQ(report.run.steps, 0) << method;
    // statics balances to 1e-10 of the forces; differences add theirs
    EXPECT_NEAR(report.values[0], 9.81 * 2 / 50, 1e-10) << method;
    EXPECT_NEAR(report.gradient(0, 0), 9.81 / 50, 1e-8) << method;
    EXPECT_NEAR(report.gradient(0, 1), -9.81 * 2 / 2500, 1e-8) << method;
  }
  GradientOptions options = options_for(model, "continuous-adjoint");
  options.run.only_start = true;
  EXPECT_THROW(options.validate(model), InvalidArgument) << "nothing moves";
  const Model lasting = block("{}", "{all: {integral: rail.q}}");
  options = options_for(lasting, "adjoint");
  options.run.only_start = true;
  EXPECT_THROW(options.validate(lasting), InvalidArgument) << "an equilibrium has no duration";
}

/// The closure of a planar loop has rows that depend on others; a pendulum has none.
TEST(Gradient, ReactionsThatNeedNotBeUniqueAreSaid) {
  const Model loop = test::example("driven_four_bar");
  const GradientReport report = gradient_of(loop, options_for(loop, "adjoint"));
  std::vector<std::string> names;
  for (const int k : report.ambiguous) names.push_back(loop.objectives()[std::size_t(k)].name);
  EXPECT_EQ(names, std::vector<std::string>{"effort"});
  const Model open = block("{}", "{force: {integral: \"reaction(rail, fy)\"}}");
  EXPECT_TRUE(gradient_of(open, options_for(open, "adjoint")).ambiguous.empty());
}

/// Two thousand steps past a place that magnifies what Newton's method leaves over. Of index1 it left 1e-12
/// where its matrix had terms missing, and the gradient was off by 6e-9.
TEST(Gradient, StepsAreSolvedBeforeTheyAreDifferentiated) {
  const Model model = test::example("four_bar");
  GradientOptions options = options_for(model, "complex-step");
  options.run.formulation = "index1";
  options.run.step = 1e-3;
  options.run.end = 2;
  const GradientReport expected = gradient_of(model, options);
  for (const char* method : {"forward", "adjoint"}) {
    options.method = method;
    const GradientReport report = gradient_of(model, options);
    for (Eigen::Index i = 0; i < report.gradient.rows(); ++i) {  // L4
      EXPECT_LE((report.gradient.row(i) - expected.gradient.row(i)).norm(),
                1e-9 * expected.gradient.row(i).norm())
          << method << " " << i;
    }
  }
}

/// Past a singular position at 8.5 s, with a step that cannot be solved as far as derivatives want: rounding is 6e-12 there.
Model model_of_loose_steps() {
  return compile_model(parse_model_yaml(test::four_bar_windows(2), "windows.yaml"),
                       builtin_catalogue(), coordinate_set_named("natural"));
}

GradientReport gradient_of_loose_steps(const GradientWatch& watch = {}) {
  const Model model = model_of_loose_steps();
  GradientOptions options = options_for(model, "adjoint", 9);
  options.run.coordinates = "natural";
  options.run.step = 2e-4 * std::pow(25, 89 / 99.0);
  options.self_check = false;
  const VecX rho = model.default_rho();
  return gradient(model, {rho.data(), std::size_t(rho.size())}, options, watch);
}

TEST(Gradient, WhatStepsLeaveOpenIsEstimated) {
  const GradientReport report = gradient_of_loose_steps();
  ASSERT_EQ(report.status, RunStatus::kDone) << report.message;
  EXPECT_GT(report.tolerance_effect, 0);
  EXPECT_TRUE(std::isfinite(report.tolerance_effect));
  EXPECT_NE(tolerance_text(report).find("would change by"), std::string::npos);
}

/// The looser run has no gradient here: it is stopped, as others fail. The estimate was infinite then, and the table said "inf".
TEST(Gradient, WhatCannotBeEstimatedIsSaidInWords) {
  bool differentiated = false;
  const GradientReport report = gradient_of_loose_steps([&](std::string_view what, double) {
    if (what != "simulation") differentiated = true;
    return what != "simulation" || !differentiated;
  });
  ASSERT_EQ(report.status, RunStatus::kDone) << report.message;
  EXPECT_EQ(report.tolerance_effect, 0);
  EXPECT_NE(report.tolerance_unknown.find("stopped"), std::string::npos)
      << report.tolerance_unknown;
  const std::string text = tolerance_text(report);
  EXPECT_NE(text.find("cannot be estimated"), std::string::npos) << text;
  EXPECT_EQ(text.find("inf"), std::string::npos) << text;
  const std::string json = gradient_json(model_of_loose_steps(), {}, report, "");
  EXPECT_NE(json.find("\"tolerance_unknown\": \""), std::string::npos);
  EXPECT_EQ(json.find("\"tolerance_effect\""), std::string::npos);
}

/// The same motion prescribed twice: what each of both drives does is one solution of many. One drive is unique, also beside
/// a loop whose equations depend on each other.
TEST(Gradient, MultipliersThatNeedNotBeUniqueAreSaid) {
  const auto driven = [](const std::string& again) {
    return compile_model(parse_model_yaml(
        "parameters: {m: 2}\n"
        "bodies: {a: {mass: m, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n"
        "joints: {A: {type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: z}}\n"
        "constraints:\n"
        "  drive: {type: prescribed, coordinate: A.q, value: \"0.3*t^2\"}\n" +
            again + "objectives: {work: {integral: multiplier(drive)*A.v}}\n"
        "analysis: {step: 0.01, end: 0.5}\n",
        "driven.yaml"));
  };
  const auto ambiguous = [&](const Model& model) {
    return gradient_of(model, options_for(model, "adjoint")).ambiguous.size();
  };
  EXPECT_EQ(ambiguous(driven("  other: {type: prescribed, coordinate: A.q, value: \"0.3*t^2\"}\n")),
            1u);
  EXPECT_EQ(ambiguous(driven("")), 0u);
}

}  // namespace
}  // namespace kinegrad
