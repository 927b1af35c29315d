// `gradient --check` as the judge of a run: it goes on where the complex step cannot, it has differences of
// the recorded steps beside it, and what it says of its own errors holds.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kinegrad/forces/force_concept.hpp"
#include "kinegrad/io/gradient_output.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/derivative_checker.hpp"
#include "support/four_bar_windows.hpp"
#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

using testing::HasSubstr;

ModelDescription described(const std::string& example) {
  return read_model_yaml(test::source_path("examples/" + example + ".yaml"));
}

GradientOptions options_of(double step, double end, const std::string& integrator,
                           const std::string& method = "adjoint") {
  GradientOptions options;
  options.run.step = step;
  options.run.end = end;
  options.run.integrator = integrator;
  options.method = method;
  return options;
}

/// A spring that complex numbers stop: their effort is not a number.
struct RealSpring {
  static constexpr std::string_view name = "real-spring";
  static constexpr std::string_view summary = "spring of no length, for real numbers";
  static constexpr PortKind port = PortKind::kPointPair;
  static constexpr std::array<AttributeInfo, 1> attributes{{{"k", "N/m"}}};
  template <typename T>
  static Vec<T, 3> effort(const ForceInput<RealSpring, T>& in) {
    const double factor = std::is_same_v<T, Complex> ? std::nan("") : 1;
    return in.x * (-in.p(0) * factor);
  }
  static void partials(const ForceInput<RealSpring, double>& in,
                       ForceStructPartials<RealSpring>& out) {
    out.e_x = -in.p(0) * Mat3::Identity();
    out.e_xdot.setZero();
    out.e_t.setZero();
    out.e_p = -in.x;
  }
};

DerivativeReport checked(const Model& model, const GradientOptions& options) {
  const VecX rho = model.default_rho();
  return check_derivatives(model, in(rho), options);
}

std::vector<DerivativeCheck> lines(const DerivativeReport& report, const std::string& word) {
  std::vector<DerivativeCheck> out;
  for (const DerivativeCheck& line : report.checks) {
    if ((line.what + "|" + line.against).find(word) != std::string::npos) out.push_back(line);
  }
  return out;
}

TEST(Judge, GoesOnWhereTheComplexStepFails) {
  ModelDescription description = described("double_pendulum");
  Catalogue catalogue = builtin_catalogue();
  catalogue.add(force_model<RealSpring>());
  ForceSpec spring;
  spring.name = "tether";
  spring.type = "real-spring";
  spring.points = {"elbow", "tip"};
  spring.numbers["k"] = "3*m_a";
  description.forces.push_back(spring);
  const Model model = compile_model(description, catalogue);
  const DerivativeReport report = checked(model, options_of(1e-2, 0.3, "rk4"));
  EXPECT_EQ(report.message, "");
  const auto complex = lines(report, "q1_end\", complex-step");
  ASSERT_EQ(complex.size(), 1u);
  EXPECT_NE(complex[0].left, "") << "not compared, and why";
  for (const char* what :
       {"q1_end\", forward|finite-difference", "q1_end\", adjoint|finite-difference",
        "q1_end\", adjoint|forward", "q1_end\", forward along all|recorded steps",
        "q1_end\", adjoint along all|recorded steps"}) {
    const auto found = lines(report, what);
    ASSERT_EQ(found.size(), 1u) << what;
    EXPECT_EQ(found[0].left, "") << what;
    EXPECT_LT(found[0].difference, 1e-7) << what;
    EXPECT_TRUE(found[0].agrees()) << what;
  }
}

/// Numbers that vanish but for rounding are compared with what rounding leaves, not with each other.
TEST(Judge, ObjectivesThatVanishAreNoAlarm) {
  ModelDescription description = described("five_bar");
  ObjectiveSpec nothing;
  nothing.name = "nothing";
  nothing.terminal =
      fmt::format("1e3*(sin({0}.q)^2 + cos({0}.q)^2 - 1)", description.joints[0].name);
  description.objectives.push_back(nothing);
  const DerivativeReport report =
      checked(compile_model(description), options_of(5e-3, 0.1, "trapezoidal"));
  EXPECT_TRUE(report.agree()) << report.message << derivative_text(report);
}

/// A double pendulum that turns over: its last angle depends on small differences by millions.
Model chaotic_pendulum() {
  ModelDescription description = described("double_pendulum");
  for (InitialSpec& initial : description.initial) {
    if (initial.key.name.ends_with(".q")) initial.values = {2.4};
  }
  return compile_model(description);
}

/// What differences say of their error holds while the run becomes more and more chaotic; in the end they say
/// that nothing is known.
TEST(Judge, ErrorsOfDifferencesHoldOnChaoticRuns) {
  const Model model = chaotic_pendulum();
  const VecX rho = model.default_rho();
  double worst = 0;
  for (const double end : {2.0, 6.0, 8.0, 10.0, 12.0, 14.0, 20.0}) {
    SCOPED_TRACE(end);
    GradientOptions options = options_of(1e-2, end, "rk4", "finite-difference");
    options.parameters = {0};
    const GradientReport differences = gradient(model, in(rho), options);
    options.method = "forward";
    const GradientReport exact = gradient(model, in(rho), options);
    ASSERT_EQ(differences.status, RunStatus::kDone) << differences.message;
    const double gap = std::abs(differences.gradient(0, 0) - exact.gradient(0, 0));
    // the exact one has rounding, too, amplified as much as anything
    const double rounding = 1e-9 * std::abs(exact.gradient(0, 0));
    EXPECT_LE(gap, differences.error(0, 0) + rounding) << exact.gradient(0, 0);
    worst = std::max(worst, std::abs(exact.gradient(0, 0)));
  }
  EXPECT_GT(worst, 1e6) << "not chaotic at all";
}

GradientReport continuous(const Model& model, GradientOptions options) {
  options.method = "continuous-adjoint";
  const VecX rho = model.default_rho();
  return gradient(model, in(rho), options);
}

/// The backward run past singular positions loses all digits, and says so.
TEST(Judge, AContinuousAdjointThatDivergesFails) {
  const Model model = compile_model(parse_model_yaml(test::four_bar_windows(2), "windows.yaml"),
                                    builtin_catalogue(), CoordinateSet::kCartesian);
  GradientOptions options = options_of(8e-3, 10, "trapezoidal");
  options.run.coordinates = "cartesian";
  const GradientReport report = continuous(model, options);
  EXPECT_EQ(report.status, RunStatus::kFailed);
  EXPECT_THAT(report.message, HasSubstr("at t = "));
  EXPECT_THAT(report.message, HasSubstr("the steps of the run instead"));
  for (const bool finished : report.finished) EXPECT_FALSE(finished);
}

/// Its error estimate covers the distance to a march with far smaller steps.
TEST(Judge, ErrorsOfTheContinuousAdjointHold) {
  for (const char* name : {"five_bar", "slider_crank_planar", "double_pendulum"}) {
    SCOPED_TRACE(name);
    const Model model = test::example(name);
    GradientOptions options = options_of(1e-3, 0.2, "trapezoidal");
    options.adjoint_step = 4e-3;
    const GradientReport coarse = continuous(model, options);
    options.adjoint_step = 1.25e-4;
    const GradientReport fine = continuous(model, options);
    ASSERT_EQ(coarse.status, RunStatus::kDone) << coarse.message;
    ASSERT_EQ(coarse.error.size(), coarse.gradient.size());
    for (Eigen::Index i = 0; i < coarse.error.size(); ++i) {
      const double gap = std::abs(coarse.gradient(i) - fine.gradient(i));
      EXPECT_LE(gap, coarse.error(i) + 1e-10 * (1 + std::abs(fine.gradient(i))));
      EXPECT_LE(coarse.error(i), 100 * gap + 1e-3 * (1 + std::abs(fine.gradient(i))))
          << "too cautious";
    }
  }
}

}  // namespace
}  // namespace kinegrad
