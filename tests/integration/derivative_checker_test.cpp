// The derivative checker: quiet where all is well, and naming what is not.
#include "kinegrad/sensitivity/derivative_checker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kinegrad/forces/force_concept.hpp"
#include "kinegrad/io/gradient_output.hpp"
#include "kinegrad/math/linear_algebra.hpp"
#include "kinegrad/model/model_builder.hpp"
#include "support/run_command.hpp"
#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

using testing::HasSubstr;
using testing::Not;

DerivativeReport check(const Model& model, double step, double end,
                       const std::string& integrator = "trapezoidal") {
  GradientOptions options;
  options.run.step = step;
  options.run.end = end;
  options.run.integrator = integrator;
  const VecX rho = model.default_rho();
  return check_derivatives(model, {rho.data(), std::size_t(rho.size())}, options);
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
  }
}

/// A spring whose partials have a term too many by x, or none by its stiffness.
template <bool WrongByX>
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
    if (WrongByX) out.e_x(1, 2) += 1e-4;
    if (!WrongByX) out.e_p.setZero();
  }
};

template <bool WrongByX>
Model pendulum_on_a_wrong_spring() {
  static const Catalogue catalogue = [] {
    Catalogue own = builtin_catalogue();
    own.add(force_model<WrongSpring<WrongByX>>());
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
  const DerivativeReport report = check(pendulum_on_a_wrong_spring<true>(), 1e-2, 0.1, "rk4");
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
  const DerivativeReport report = check(pendulum_on_a_wrong_spring<false>(), 1e-2, 0.1, "rk4");
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

TEST(DerivativeChecker, ARunThatCannotStartIsNoAgreement) {
  const Model model = pendulum_on_a_wrong_spring<true>();
  GradientOptions options;
  options.run.step = 1e-2;
  options.run.end = 0.1;
  options.run.integrator = "nonsense";
  const VecX rho = model.default_rho();
  const DerivativeReport report =
      check_derivatives(model, {rho.data(), std::size_t(rho.size())}, options);
  EXPECT_FALSE(report.agree());
  EXPECT_THAT(report.message, HasSubstr("nonsense"));
}

TEST(CommandLineDerivatives, CheckPrintsItsTable) {
  const std::string model = test::source_path("examples/five_bar.yaml");
  const auto result = test::run_kinegrad("gradient " + model + " --check --end 0.01");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("equations of motion, f_q"));
  EXPECT_THAT(result.output, HasSubstr("objective \"psi2\", adjoint"));
  EXPECT_THAT(result.output, HasSubstr("comparisons agree"));
  EXPECT_EQ(test::run_kinegrad("gradient " + model + " --check --out x.json").status, 2);
}

}  // namespace
}  // namespace kinegrad
