// What a gradient says where a run meets a kink or a jump (docs/theory/monitors.md, [KN]).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kinegrad/io/gradient_output.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/derivative_checker.hpp"
#include "kinegrad/sensitivity/gradient.hpp"

namespace kinegrad {
namespace {

using ::testing::HasSubstr;

/// A block on a rail.
std::string block(const std::string& rest) {
  return R"yaml(
parameters: {k: 2, x0: 0.3}
points: {G: [0, 0, 0]}
bodies:
  a: {mass: 1, com: [0,0,0], inertia: [0.1,0.1,0.1], points: {ta: [0,0,0]}}
joints:
  ja: {type: prismatic, bodies: [ground, a], points: [[0,0,0],[0,0,0]], axes: [x, x], references: [y, y]}
)yaml" + rest;
}

GradientReport gradient_of(const std::string& text, const std::string& method = "adjoint",
                           double step = 0.01, double end = 0.5) {
  const Model model = compile_model(parse_model_yaml(text, "block.yaml"));
  const VecX rho = model.default_rho();
  GradientOptions options;
  options.method = method;
  options.run.step = step;
  options.run.end = end;
  return gradient(model, {rho.data(), static_cast<std::size_t>(rho.size())}, options);
}

std::vector<Warning> kinks_of(const GradientReport& report) {
  std::vector<Warning> kinks;
  for (const Warning& warning : report.run.warnings) {
    if (warning.kind == "kink") kinks.push_back(warning);
  }
  return kinks;
}

TEST(Kinks, SmoothExpressionsAreNotMentioned) {
  const GradientReport report = gradient_of(block(R"yaml(
forces: {f: {type: joint-force, joint: ja, value: "-k*smooth_abs(ja.q, 0.1)*ja.q - smooth_step(t, 0.1, 0, 0.3, 1)"
}
}
initial: {ja.q: x0, ja.v: -2}
objectives: {o: {terminal: ja.q^2}, i: {integral: "smooth_max(ja.q, 0, 0.1)"}}
)yaml"));
  ASSERT_EQ(report.status, RunStatus::kDone) << report.message;
  EXPECT_TRUE(kinks_of(report).empty());
}

TEST(Kinks, AbsThatIsPassedHasTheDerivativeOfItsSteps) {
  const std::string model = block(R"yaml(
forces: {f: {type: joint-force, joint: ja, value: "-k*abs(ja.q)"
}
}
initial: {ja.q: x0, ja.v: -2}
objectives: {o: {terminal: ja.q}}
)yaml");
  const GradientReport report = gradient_of(model);
  ASSERT_EQ(report.status, RunStatus::kDone) << report.message;
  const auto kinks = kinks_of(report);
  ASSERT_EQ(kinks.size(), 1u);
  EXPECT_EQ(kinks[0].element, "f");
  EXPECT_NEAR(kinks[0].t, 0.15, 0.02);  // 0.3 m at 2 m/s, and a little braking
  EXPECT_THAT(kinks[0].text, HasSubstr("abs() in force \"f\" passes its kink (once)"));
  EXPECT_THAT(kinks[0].text, HasSubstr("the derivative of the recorded steps is right"));
  // and it is: differences of the same steps
  const GradientReport differences = gradient_of(model, "finite-difference");
  for (Eigen::Index j = 0; j < report.gradient.cols(); ++j) {
    EXPECT_NEAR(report.gradient(0, j), differences.gradient(0, j), 1e-5);
  }
}

TEST(Kinks, StartAtRestIsExactlyAtTheKink) {
  const auto kinks = kinks_of(gradient_of(block(R"yaml(
forces: {f: {type: joint-force, joint: ja, value: "k - 0.3*abs(ja.v)*ja.v"}}
initial: {ja.q: x0, ja.v: 0}
objectives: {o: {terminal: ja.q}}
)yaml")));
  ASSERT_EQ(kinks.size(), 1u);
  EXPECT_EQ(kinks[0].t, 0);
  EXPECT_THAT(kinks[0].text, HasSubstr("exactly at its kink (once)"));
}

TEST(Kinks, SignIsAJump) {
  const auto kinks = kinks_of(gradient_of(block(R"yaml(
forces: {f: {type: joint-force, joint: ja, value: "-k*ja.q"}}
initial: {ja.q: x0, ja.v: -2}
objectives: {o: {integral: "sign(ja.q)"}, other: {
terminal:
  "min(ja.q, 5)"
}
}
)yaml")));
  ASSERT_EQ(kinks.size(), 1u);
  EXPECT_EQ(kinks[0].element, "o");
  EXPECT_THAT(kinks[0].text, HasSubstr("sign() in objective \"o\" jumps (once)"));
  EXPECT_THAT(kinks[0].text, HasSubstr("wrong altogether"));
}

TEST(Kinks, ObjectivesThatAreNotAskedForDoNotMatter) {
  const Model model = compile_model(parse_model_yaml(block(R"yaml(
initial: {ja.q: x0, ja.v: -2}
objectives: {o: {integral: "sign(ja.q)"}, other: {
terminal:
  "max(ja.q, -5)"
}
}
)yaml"),
                                                     "block.yaml"));
  const VecX rho = model.default_rho();
  GradientOptions options;
  options.run.step = 0.01;
  options.run.end = 0.5;
  options.objectives = {1};
  const GradientReport report = gradient(model, {rho.data(), 2}, options);
  EXPECT_TRUE(kinks_of(report).empty());
}

/// x = 0.1 − 2.1 t + 10.5 t² is positive at both ends of the one step of 0.2 s, and negative between.
TEST(Kinks, StagesInsideAStepAreSeen) {
  const std::string model = block(R"yaml(
forces: {f: {type: joint-force, joint: ja, value: "21 + 0*k"}}
initial: {ja.q: 0.1, ja.v: -2.1}
objectives: {o: {integral: "abs(ja.q)"}}
)yaml");
  const Model compiled = compile_model(parse_model_yaml(model, "block.yaml"));
  const VecX rho = compiled.default_rho();
  for (const char* method : {"adjoint", "forward", "complex-step", "finite-difference"}) {
    GradientOptions options;
    options.method = method;
    options.run.integrator = "rk4";
    options.run.step = 0.2;
    options.run.end = 0.2;
    const auto kinks = kinks_of(gradient(compiled, {rho.data(), 2}, options));
    ASSERT_EQ(kinks.size(), 1u) << method;
    EXPECT_THAT(kinks[0].text, HasSubstr("abs() in objective \"o\" passes its kink (once)"));
    options.run.monitors = false;  // as in a search, which shows nothing
    EXPECT_TRUE(kinks_of(gradient(compiled, {rho.data(), 2}, options)).empty()) << method;
  }
}

/// What reads the time alone has its kinks where it has them, whatever the parameters: no derivative misses them.
TEST(Kinks, OfTheTimeAloneDoNotMatter) {
  const std::string model = block(R"yaml(
forces: {f: {type: joint-force, joint: ja, value: "-k*ja.q*sign(t - 0.203) + max(t - 0.1, 0)"}}
initial: {ja.q: x0, ja.v: -2}
objectives: {o: {terminal: ja.q, integral: "abs(t - 0.2)*ja.q"}}
)yaml");
  const GradientReport report = gradient_of(model);
  ASSERT_EQ(report.status, RunStatus::kDone) << report.message;
  EXPECT_TRUE(kinks_of(report).empty());
  const GradientReport differences = gradient_of(model, "finite-difference");
  for (Eigen::Index j = 0; j < report.gradient.cols(); ++j) {
    EXPECT_NEAR(report.gradient(0, j), differences.gradient(0, j), 1e-9);
  }
  // but a time that a parameter moves does
  const auto moved = kinks_of(gradient_of(block(R"yaml(
forces: {f: {type: joint-force, joint: ja, value: "-k*ja.q*sign(t - x0)"}}
initial: {ja.q: 0.4, ja.v: -2}
objectives: {o: {terminal: ja.q}}
)yaml")));
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_THAT(moved[0].text, HasSubstr("sign() in force \"f\" jumps"));
}

/// An angle by atan2 jumps by 2π behind the origin.
TEST(Kinks, AnglesOfHalfATurnJump) {
  const auto kinks = kinks_of(gradient_of(block(R"yaml(
forces: {f: {type: joint-force, joint: ja, value: "-k*atan2(ja.q, -1)"}}
initial: {ja.q: x0, ja.v: -2}
objectives: {o: {terminal: ja.q}}
)yaml")));
  ASSERT_EQ(kinks.size(), 1u);
  EXPECT_THAT(kinks[0].text, HasSubstr("atan2() in force \"f\" jumps"));
}

/// Derivatives of the recorded steps agree at a jump, and all are wrong beside the motion: the judge says so.
TEST(Kinks, TheJudgeRepeatsTheWarning) {
  const Model model = compile_model(parse_model_yaml(block(R"yaml(
forces: {f: {type: joint-force, joint: ja, value: "-k*ja.q"}}
initial: {ja.q: x0, ja.v: -2}
objectives: {o: {integral: "sign(ja.q)"}}
)yaml"),
                                                     "block.yaml"));
  GradientOptions options;
  options.run.step = 0.01;
  options.run.end = 0.5;
  const VecX rho = model.default_rho();
  const DerivativeReport report = check_derivatives(model, {rho.data(), 2}, options);
  EXPECT_TRUE(report.agree());
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_EQ(report.warnings[0].kind, "kink");
  EXPECT_THAT(derivative_text(report), HasSubstr("warning: at t = 0.15"));
}

/// Signs and absolute values that are written otherwise, and poles: every one is passed, at 0.15 s or beyond.
TEST(Kinks, DisguisedSignsAndPolesAreSeen) {
  struct Disguise {
    const char *objective, *text;
  };
  for (const Disguise& one :
       {Disguise{"ja.q/sqrt(ja.q^2)", "a quotient by the square root of squares"},
        Disguise{"ja.q/abs(ja.q)", "a quotient by abs() in objective \"o\" jumps"},
        Disguise{"sqrt(ja.q^2)", "the square root of squares in objective \"o\" passes its kink"},
        Disguise{"hypot(ja.q, ta.y)", "the square root of squares"},
        Disguise{"atan(1/ja.q)", "a quotient whose divisor passes zero"},
        Disguise{"atan(tan(ja.q + pi/2))", "tan() in objective \"o\" jumps (once)"},
        Disguise{"atan(ja.q^-1)", "a power with a negative exponent"}}) {
    const auto kinks = kinks_of(gradient_of(
        block(std::string("forces: {f: {type: joint-force, joint: ja, value: \"-k*ja.q\"}}\n"
                          "initial: {ja.q: x0, ja.v: -2}\nobjectives: {o: {integral: \"") +
              one.objective + "\"}}\n")));
    ASSERT_EQ(kinks.size(), 1u) << one.objective;
    EXPECT_THAT(kinks[0].text, HasSubstr(one.text));
    EXPECT_NEAR(kinks[0].t, 0.15, 0.02) << one.objective;
  }
}

/// What only looks like it: a numerator that vanishes with its divisor, roots that stay away from zero.
TEST(Kinks, QuotientsAndRootsThatAreSmoothAreNotMentioned) {
  for (const char* objective : {"sin(ja.q)/ja.q", "hypot(ja.q, 0.1)", "hypot(ja.q, ja.q + 0.1)",
                                "sqrt(ja.q^4)", "ja.q/(2 + ja.v^2)", "tan(ja.q)"}) {
    const GradientReport report = gradient_of(
        block(std::string("forces: {f: {type: joint-force, joint: ja, value: \"-k*ja.q\"}}\n"
                          "initial: {ja.q: x0, ja.v: -2}\nobjectives: {o: {integral: \"") +
              objective + "\"}}\n"));
    ASSERT_EQ(report.status, RunStatus::kDone) << report.message;
    EXPECT_TRUE(kinks_of(report).empty()) << objective;
  }
}

TEST(Kinks, SpringThroughZeroLength) {
  const std::string rest = R"yaml(
initial: {ja.q: 0.2, ja.v: -3}
objectives: {o: {terminal: ja.q}}
)yaml";
  for (const char* method : {"adjoint", "forward", "finite-difference"}) {
    const auto kinks =
        kinks_of(gradient_of(block("forces: {s: {type: spring-damper, points: [G, ta], stiffness: "
                                   "5*k, length: 0.5, damping: 0.1}}" +
                                   rest),
                             method));
    ASSERT_EQ(kinks.size(), 1u) << method;
    EXPECT_EQ(kinks[0].element, "s");
    EXPECT_NEAR(kinks[0].t, 0.07, 0.011);
    EXPECT_THAT(kinks[0].text, HasSubstr("its force jumps by 10 N"));
  }
  // without a natural length it passes its zero as smoothly as any other place
  const auto none = kinks_of(gradient_of(block(
      "forces: {s: {type: spring-damper, points: [G, ta], stiffness: 5*k, length: 0}}" + rest)));
  EXPECT_TRUE(none.empty());
}

/// It does, but not its length and rate: an integral of them lacks what the instant of the jump does (−1.76 where 0.20 is right).
TEST(Kinks, LengthAndRateThatAreReadWhereTheSpringPassesItsOtherEnd) {
  struct Read {
    const char *integrand, *text;
  };
  for (const Read& one : {Read{"s.rate", "objective \"o\" jumps where the points of force \"s\" meet"},
                          Read{"s.length", "objective \"o\" has a kink where the points of force"},
                          Read{"s.rate*s.length", ""}, Read{"s.length^2", ""},
                          Read{"ja.q + s.rate^2", ""}, Read{"abs(s.rate)", ""}}) {
    for (const char* method : {"adjoint", "forward"}) {
      auto kinks = kinks_of(gradient_of(
          block(std::string("forces: {s: {type: spring-damper, points: [G, ta], stiffness: 5*k, "
                            "length: 0}}\ninitial: {ja.q: 0.2, ja.v: -3}\n"
                            "objectives: {o: {integral: \"") +
                one.integrand + "\"}}\n"),
          method));
      // what an expression says of itself is another test's
      std::erase_if(kinks, [](const Warning& warning) {
        return warning.text.find("the points of") == std::string::npos;
      });
      ASSERT_EQ(kinks.size(), *one.text ? 1u : 0u) << one.integrand << ", " << method;
      if (!*one.text) continue;
      EXPECT_EQ(kinks[0].element, "o");
      EXPECT_THAT(kinks[0].text, HasSubstr(one.text));
      EXPECT_NEAR(kinks[0].t, 0.0657, 1e-3);
    }
  }
}

/// u = (1, 1, 1, 1): the limiter is homogeneous there, not linear [SP-8].
TEST(Kinks, MonotoneSplineWithEqualValues) {
  const std::string model = R"yaml(
parameters: {u: {value: 1, count: 4}}
splines: {sp: {type: monotone, nodes: [0, 1, 2, 3], values: u}}
bodies: {a: {mass: 1, com: [0,0,0], inertia: [0.1,0.1,0.1]}}
joints: {ja: {type: prismatic, bodies: [ground, a], points: [[0,0,0],[0,0,0]], axes: [x, x], references: [y, y]}}
objectives: {o: {terminal: sp(t)}}
)yaml";
  for (const char* method : {"adjoint", "forward", "complex-step", "finite-difference"}) {
    const GradientReport report = gradient_of(model, method, 0.1, 0.5);
    ASSERT_EQ(report.status, RunStatus::kDone) << method << report.message;
    const double expected[] = {0.3125, 0.75, 0, 0};
    const double tolerance = method == std::string("finite-difference") ? 1e-8 : 1e-14;
    for (Eigen::Index j = 0; j < 4; ++j) {
      EXPECT_NEAR(report.gradient(0, j), expected[j], tolerance) << method << " " << j;
    }
    const auto kinks = kinks_of(report);
    ASSERT_EQ(kinks.size(), 1u) << method;
    EXPECT_EQ(kinks[0].element, "sp");
    EXPECT_THAT(kinks[0].text, HasSubstr("no gradient exists"));
  }
}

/// √|q − q₀| at the start: an infinite partial of what no parameter moves.
TEST(Kinks, ForwardTakesInfinitePartialsOfWhatDoesNotMove) {
  const std::string model = R"yaml(
parameters: {L: 1, m: 2}
bodies: {rod: {mass: m, com: [L/2, 0, 0], inertia: [0.01, 0.1, 0.1]}}
joints: {hinge: {type: revolute, bodies: [ground, rod], points: [[0,0,0],[0,0,0]], axes: [z, z], references: [x, x]}}
forces: {weight: {type: gravity, acceleration: [0, -9.81, 0]}}
initial: {hinge.q: 0.2, hinge.v: 0.1}
objectives: {o: {integral: sqrt(abs(hinge.q - 0.2))*L}}
)yaml";
  const GradientReport forward = gradient_of(model, "forward", 0.01, 0.2);
  const GradientReport adjoint = gradient_of(model, "adjoint", 0.01, 0.2);
  ASSERT_EQ(forward.status, RunStatus::kDone) << forward.message;
  ASSERT_EQ(adjoint.status, RunStatus::kDone) << adjoint.message;
  for (Eigen::Index j = 0; j < 2; ++j) {
    EXPECT_NEAR(forward.gradient(0, j), adjoint.gradient(0, j), 1e-12) << j;
  }
}

}  // namespace
}  // namespace kinegrad
