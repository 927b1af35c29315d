// The derivative checker: quiet where all is well, and naming what is not.
#include "kinegrad/sensitivity/derivative_checker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kinegrad/forces/force_concept.hpp"
#include "kinegrad/io/gradient_output.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/math/linear_algebra.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/model/model_builder.hpp"
#include "sensitivity/convergence_checks.hpp"
#include "support/run_command.hpp"
#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

using testing::HasSubstr;
using testing::Not;

DerivativeReport check(const Model& model, const GradientOptions& options) {
  const VecX rho = model.default_rho();
  return check_derivatives(model, {rho.data(), std::size_t(rho.size())}, options);
}

GradientOptions options_of(double step, double end, const std::string& integrator = "trapezoidal") {
  GradientOptions options;
  options.run.step = step;
  options.run.end = end;
  options.run.integrator = integrator;
  return options;
}

DerivativeReport check(const Model& model, double step, double end,
                       const std::string& integrator = "trapezoidal") {
  return check(model, options_of(step, end, integrator));
}

/// The lines of the continuous adjoint.
std::vector<DerivativeCheck> continuous(const DerivativeReport& report) {
  std::vector<DerivativeCheck> lines;
  for (const DerivativeCheck& line : report.checks) {
    if (line.what.find("continuous-adjoint") != std::string::npos) lines.push_back(line);
  }
  return lines;
}

TEST(DerivativeChecker, ExamplesAgree) {
  for (const char* name : {"five_bar", "rolling_disc", "driven_four_bar", "all_joints",
                           "slider_crank_planar", "double_pendulum", "free_body"}) {
    SCOPED_TRACE(name);
    const Model model = test::example(name);
    const DerivativeReport report = check(model, 5e-3, 0.02);
    EXPECT_TRUE(report.agree()) << report.message << derivative_text(report);
    EXPECT_GT(report.checks.size(), 20u);
    EXPECT_EQ(derivative_text(report).find("accelerations, a_tau pulled back") != std::string::npos,
              model.constraint_rows().empty());
    EXPECT_EQ(continuous(report).size(), model.objectives().size());
    for (const DerivativeCheck& line : continuous(report)) {
      EXPECT_EQ(line.left, "");
      EXPECT_TRUE(line.difference < 1e-8 || line.order >= 1.5) << line.what;
    }
  }
}

/// Runs that control their steps, steps that are not those of the run, both approaches.
TEST(DerivativeChecker, ContinuousAdjointConverges) {
  GradientOptions adaptive = options_of(1e-2, 1, "dopri5");
  adaptive.run.details.tolerance = 1e-6;
  adaptive.run.formulation = "matrix-r";
  GradientOptions own_step = options_of(5e-3, 0.2);
  own_step.run.formulation = "index1";
  own_step.adjoint_step = 3e-3;
  GradientOptions by_parts = own_step;
  by_parts.adjoint_approach = 1;
  for (const auto& [name, options] : {std::pair{"slider_crank_planar", adaptive},
                                      {"five_bar", own_step},
                                      {"five_bar", by_parts}}) {
    SCOPED_TRACE(name);
    const DerivativeReport report = check(test::example(name), options);
    EXPECT_TRUE(report.agree()) << report.message << derivative_text(report);
    EXPECT_FALSE(continuous(report).empty());
    for (const DerivativeCheck& line : continuous(report)) EXPECT_NEAR(*line.order, 2, 0.5);
  }
}

TEST(DerivativeChecker, ARefusedContinuousAdjointIsSaid) {
  GradientOptions options = options_of(5e-3, 0.02);
  options.run.formulation = "ali3p";
  options.adjoint_approach = 1;
  const DerivativeReport report = check(test::example("five_bar"), options);
  EXPECT_TRUE(report.agree()) << report.message;
  EXPECT_THAT(derivative_text(report),
              HasSubstr("not compared: the continuous adjoint of the formulation ali3p"));
}

/// Which of many reactions a step finds is its own matter.
TEST(DerivativeChecker, ReactionsThatAreNotUniqueAreSaid) {
  ModelDescription bricard = read_model_yaml(test::source_path("examples/bricard.yaml"));
  ObjectiveSpec push;
  push.name = "push";
  push.integral = "reaction(J6, fx)^2";
  bricard.objectives = {push};
  GradientOptions options = options_of(2e-3, 0.4);
  options.run.formulation = "penalty";
  const DerivativeReport report = check(compile_model(bricard), options);
  ASSERT_EQ(continuous(report).size(), 1u);
  EXPECT_THAT(continuous(report)[0].left, HasSubstr("one solution of many"));
}

TEST(DerivativeChecker, AnOrderIsJudged) {
  const auto judged = [](double coarse, double fine) {
    DerivativeCheck line;
    judge_convergence(coarse, {fine, kRunRounding, "by k"}, line);
    return line;
  };
  EXPECT_TRUE(judged(4e-3, 1e-3).agrees());
  EXPECT_DOUBLE_EQ(*judged(4e-3, 1e-3).order, 2);
  EXPECT_TRUE(judged(8e-3, 1e-3).agrees()) << "faster than it must";
  EXPECT_FALSE(judged(2e-3, 1e-3).agrees()) << "first order";
  EXPECT_FALSE(judged(1e-6, 1e-6).agrees()) << "another limit";
  EXPECT_TRUE(judged(3e-15, 4e-15).agrees()) << "rounding";
  EXPECT_FALSE(judged(3e-15, 4e-15).order.has_value());
}

/// Where the partials of a spring are wrong: a term too many by x, none by its stiffness, or a term too
/// many by x at instants that no step of the run visits, halved up to three times.
enum class Mistake { kByX, kByStiffness, kBetweenSteps };
constexpr double kStep = 1e-2;

template <Mistake kMistake>
struct WrongSpring {
  static constexpr std::string_view name = "wrong-spring";
  static constexpr std::string_view summary = "spring of no length with wrong partials";
  static constexpr PortKind port = PortKind::kPointPair;
  static constexpr std::array<AttributeInfo, 1> attributes{{{"k", "N/m"}}};
  template <typename T>
  static Vec<T, 3> effort(const ForceInput<WrongSpring, T>& in) {
    return in.x * (-in.p(0));
  }
  static void partials(const ForceInput<WrongSpring, double>& in,
                       ForceStructPartials<WrongSpring>& out) {
    out.e_x = -in.p(0) * Mat3::Identity();
    out.e_xdot.setZero();
    out.e_t.setZero();
    out.e_p = -in.x;
    if (kMistake == Mistake::kByX) out.e_x(1, 2) += 1e-4;
    if (kMistake == Mistake::kByStiffness) out.e_p.setZero();
    const double off = std::abs(std::remainder(in.t, kStep / 8));
    if (kMistake == Mistake::kBetweenSteps && off > 1e-9) out.e_x(1, 1) += 10;
  }
};

template <Mistake kMistake>
Model pendulum_on_a_wrong_spring() {
  static const Catalogue catalogue = [] {
    Catalogue own = builtin_catalogue();
    own.add(force_model<WrongSpring<kMistake>>());
    return own;
  }();
  ModelBuilder builder(catalogue);
  builder.parameter("k", 5.0);
  builder.ground_point("O", {1.0, 0.2, 0.3});
  BodySpec rod;
  rod.name = "rod";
  rod.mass = 1.0;
  rod.com = VectorSpec(0.5, 0.0, 0.0);
  rod.points.push_back({"P", VectorSpec(1.0, 0.1, 0.0), {}});
  builder.body(rod);
  builder.revolute("A", "ground", "rod", {0.0, 0.0, 0.0}, {0.0, 0.6, 0.8});
  ForceSpec spring;
  spring.name = "tether";
  spring.type = "wrong-spring";
  spring.points = {"O", "P"};
  spring.numbers["k"] = "k";
  builder.force(spring);
  builder.gravity("weight", {0.0, -9.81, 0.0});
  builder.integral_objective("swing", "A.v^2");
  return builder.build();
}

std::string lines_of(const DerivativeReport& report, bool agreeing) {
  std::string text;
  for (const DerivativeCheck& c : report.checks) {
    if (c.agrees() == agreeing) text += c.what + " (" + c.against + "): " + c.where + "\n";
  }
  return text;
}

TEST(DerivativeChecker, WrongPartialsAreNamed) {
  const DerivativeReport report =
      check(pendulum_on_a_wrong_spring<Mistake::kByX>(), kStep, 0.1, "rk4");
  ASSERT_EQ(report.message, "");
  EXPECT_FALSE(report.agree());
  const std::string wrong = lines_of(report, false), right = lines_of(report, true);
  EXPECT_THAT(wrong, HasSubstr("force \"tether\" (complex step): effort 2 by x3"));
  EXPECT_THAT(wrong, HasSubstr("force \"tether\" (differences): effort 2 by x3"));
  EXPECT_THAT(wrong, Not(HasSubstr("weight")));
  EXPECT_THAT(wrong, Not(HasSubstr("joint \"A")));
  EXPECT_THAT(right, HasSubstr("equations of motion, f_v")) << "it does not depend on x";
  EXPECT_THAT(wrong, HasSubstr("accelerations, a_q (complex step): acceleration 1 by A.q"));
  EXPECT_THAT(wrong, HasSubstr("accelerations, a_q pulled back (complex step)"));
  EXPECT_THAT(right, HasSubstr("accelerations, a_v"));
  EXPECT_THAT(right, HasSubstr("accelerations, a_tau (mass matrix)"));
  EXPECT_THAT(derivative_text(report), Not(HasSubstr(" agrees")));
}

/// What is wrong by a parameter shows in every gradient but those that need no partials.
TEST(DerivativeChecker, WrongAttributesReachTheGradient) {
  const DerivativeReport report =
      check(pendulum_on_a_wrong_spring<Mistake::kByStiffness>(), kStep, 0.1, "rk4");
  ASSERT_EQ(report.message, "");
  const std::string wrong = lines_of(report, false), right = lines_of(report, true);
  EXPECT_THAT(wrong, HasSubstr("force \"tether\" (complex step): effort 3 by k"));
  EXPECT_THAT(wrong,
              HasSubstr("equations of motion, by parameters (complex step): equation 1 by k"));
  EXPECT_THAT(wrong, HasSubstr("accelerations, by parameters (complex step): acceleration 1 by k"));
  EXPECT_THAT(wrong, HasSubstr("objective \"swing\", forward"));
  EXPECT_THAT(wrong, HasSubstr("objective \"swing\", adjoint"));
  EXPECT_THAT(right, HasSubstr("objective \"swing\", finite-difference"));
}

/// What only the continuous adjoint reads wrong shows in its line alone.
TEST(DerivativeChecker, AWrongContinuousAdjointIsNamed) {
  GradientOptions options = options_of(kStep, 0.1);
  options.adjoint_step = 0.7 * kStep;
  const DerivativeReport report =
      check(pendulum_on_a_wrong_spring<Mistake::kBetweenSteps>(), options);
  ASSERT_EQ(report.message, "");
  EXPECT_EQ(lines_of(report, false),
            "objective \"swing\", continuous-adjoint (adjoint, h/8): by k\n");
  ASSERT_EQ(continuous(report).size(), 1u);
  EXPECT_LT(*continuous(report)[0].order, 0.5);
  EXPECT_THAT(derivative_text(report), HasSubstr("DIFFERS by k, order "));
}

TEST(DerivativeChecker, ARunThatCannotStartIsNoAgreement) {
  const Model model = pendulum_on_a_wrong_spring<Mistake::kByX>();
  const DerivativeReport report = check(model, options_of(kStep, 0.1, "nonsense"));
  EXPECT_FALSE(report.agree());
  EXPECT_THAT(report.message, HasSubstr("nonsense"));
}

/// 0 stands for another value where a number was not given (the radius of a length, an exponent); beside it it stands for itself,
/// and nothing moves it.
TEST(DerivativeChecker, NumbersThatAreNotGivenAreNotTakenForZero) {
  for (const char* force :
       {"type: joint-friction, joint: ja, normal_force: 5*mu, friction: mu",
        "type: sphere-on-plane, bodies: [ground, a], points: [[0, 0, 0], [0, 0, 0]], axes: [x, x], "
        "references: [y, y], stiffness: 300*mu",
        "type: translational-bump-stop, joint: ja, stiffness: 300*mu, length: 0.5"}) {
    const Model model = compile_model(parse_model_yaml(
        std::string("parameters: {mu: 0.3, v: 1}\n"
                    "bodies: {a: {mass: 1, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n"
                    "joints: {ja: {type: prismatic, bodies: [ground, a], point: [0, 0, 0], axis: x}}\n"
                    "initial: {ja.q: -0.1, ja.v: v}\nobjectives: {o: {terminal: ja.q}}\n"
                    "forces: {f: {") +
            force + "}}\n",
        "block.yaml"));
    GradientOptions options;
    options.run.step = 1e-3;
    options.run.end = 0.01;
    const VecX rho = model.default_rho();
    const DerivativeReport report = check_derivatives(model, in(rho), options);
    EXPECT_TRUE(report.agree()) << force << "\n" << derivative_text(report);
  }
}

TEST(CommandLineDerivatives, CheckPrintsItsTable) {
  const std::string model = test::source_path("examples/five_bar.yaml");
  const auto result = test::run_kinegrad("gradient " + model + " --check --end 0.01");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("equations of motion, f_q"));
  EXPECT_THAT(result.output, HasSubstr("objective \"psi2\", adjoint"));
  EXPECT_THAT(result.output, HasSubstr("objective \"psi2\", continuous-adjoint"));
  EXPECT_THAT(result.output, HasSubstr("agrees, order "));
  EXPECT_THAT(result.output, HasSubstr("comparisons agree"));
  EXPECT_EQ(test::run_kinegrad("gradient " + model + " --check --out x.json").status, 2);
  const auto own =
      test::run_kinegrad("gradient " + model + " --check --end 0.01 --adjoint-step 7e-4");
  EXPECT_EQ(own.status, 0) << own.output;
}

}  // namespace
}  // namespace kinegrad
