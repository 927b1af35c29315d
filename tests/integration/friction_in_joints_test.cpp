// Friction in joints from what they carry [BF]: closed forms, exact gradients, random mechanisms with friction in every
// joint, refusals.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "kinegrad/base/error.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "kinegrad/simulation/signal_table.hpp"
#include "support/gradient_distance.hpp"
#include "support/rubbing_mechanisms.hpp"

namespace kinegrad {
namespace {

using testing::HasSubstr;

struct Way {
  const char *coordinates, *formulation, *integrator;
};

SignalTable run(const std::string& text, const Way& way, double step, double end) {
  const Model model = compile_model(parse_model_yaml(text, "rubs.yaml"), builtin_catalogue(),
                                    coordinate_set_named(way.coordinates));
  RunOptions options;
  options.coordinates = way.coordinates;
  options.formulation = way.formulation;
  options.integrator = way.integrator;
  options.step = step;
  options.end = end;
  return simulate(model, options);
}

double last(const SignalTable& table, const char* name) {
  const VecX column = table.column(name);
  return column(column.size() - 1);
}

constexpr Way kSlides[] = {{"joint-com", "semi-recursive", "rk4"},
                           {"cartesian", "index1", "rk4"},
                           {"cartesian", "matrix-r", "trapezoidal"},
                           {"cartesian", "ali3p", "trapezoidal"},
                           {"natural", "matrix-r", "rk4"}};

/// A block on a rail of the length a, pulled by P at the height h above it. The rail carries N = max(m g, 2 h P/a): below
/// h P = m g a/2 both ends press in one direction, above it in opposite ones.                        [BF-5]
std::string slider(double P, double h, double v0, double mu_s, double mu_d) {
  const auto number = [](double x) { return fmt::format("{:.17g}", x); };
  return R"yaml(
parameters: {m: 2, g: 9.81, a: 0.2, P: )yaml" +
         number(P) + ", h: " + number(h) + ", mu_s: " + number(mu_s) + ", mu_d: " + number(mu_d) +
         R"yaml(}
bodies: {b: {mass: m, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1], points: {H: [0, 0, h]}}}
joints: {S: {type: prismatic, bodies: [ground, b], axis: x, reference: y}}
forces:
  weight: {type: gravity, acceleration: [0, 0, -g]}
  pull: {type: point-force, point: b.H, force: [P, 0, 0]}
  rub: {type: friction, joint: S, friction: mu_d, static_friction: mu_s, slip_speed: 1e-3, end1: -a/2, end2: a/2, load_smoothing: 1e-10}
initial: {S.v: )yaml" +
         number(v0) + R"yaml(}
signals: {x: S.q, speed: S.v, rate: S.a}
)yaml";
}

TEST(FrictionInJoints, SliderUnderAnOffsetLoadDecelerates) {
  for (const double h : {0.05, 0.6}) {
    const double P = 4, N = std::max(2 * 9.81, 2 * h * P / 0.2), expected = (P - 0.25 * N) / 2;
    for (const Way& way : kSlides) {
      SCOPED_TRACE(way.coordinates + std::string(" ") + way.formulation);
      const SignalTable table = run(slider(P, h, 3, 0.25, 0.25), way, 1e-2, 0.3);
      ASSERT_EQ(table.report.status, RunStatus::kDone) << table.report.message;
      EXPECT_NEAR(last(table, "rate"), expected, 1e-9);
      EXPECT_NEAR(last(table, "speed"), 3 + 0.3 * expected, 1e-9);
      EXPECT_TRUE(table.report.warnings.empty()) << table.report.warnings.front().text;
    }
  }
}

/// The largest coefficient of Brown and McPhee's law.
double peak(double mu_s, double mu_d) {
  double most = 0;
  for (int k = 1; k < 400000; ++k) {
    const double x = 1e-5 * k, hump = x * x / 4 + 0.75;
    most = std::max(most, mu_d * std::tanh(4 * x) + (mu_s - mu_d) * x / (hump * hump));
  }
  return most;
}

/// A step adds less than v_s, so that it cannot leap over the peak. From rest it creeps below 1.01 v_s while P < μ N, and slides beyond. Both sides of the limit, N of an offset load.
TEST(FrictionInJoints, SliderSticksUpToThePeakOfItsLaw) {
  const double h = 0.1;  // P h < m g a/2: N = m g
  const double limit = peak(0.4, 0.3) * 2 * 9.81;
  for (const double part : {0.995, 1.005}) {
    for (const Way& way : {Way{"joint-com", "semi-recursive", "generalized-alpha"},
                           Way{"cartesian", "matrix-r", "generalized-alpha"}}) {
      const SignalTable table = run(slider(part * limit, h, 0, 0.4, 0.3), way, 1e-4, 0.1);
      ASSERT_EQ(table.report.status, RunStatus::kDone) << table.report.message;
      if (part < 1) {
        EXPECT_LT(last(table, "speed"), 1.02e-3) << way.coordinates;
      } else {
        EXPECT_GT(last(table, "speed"), 1e-2) << way.coordinates;
      }
    }
  }
}

/// A shaft on an upright axis runs down under its own weight: ω̇ = −μ r_t m g/J while r_t ω is far above v_s.
TEST(FrictionInJoints, ShaftWithThrustRunsDown) {
  const std::string text = R"yaml(
parameters: {m: 3, g: 9.81, mu: 0.4, r: 0.03, rt: 0.02, J: 0.05, w0: 8}
bodies: {b: {mass: m, com: [0, 0, 0.1], inertia: [0.1, 0.1, J]}}
joints: {A: {type: revolute, bodies: [ground, b], axis: z}}
forces:
  weight: {type: gravity, acceleration: [0, 0, -g]}
  rub: {type: friction, joint: A, friction: mu, slip_speed: 1e-4, radius: r, thrust_radius: rt, end1: 0, end2: 0.2, load_smoothing: 1e-9}
initial: {A.v: w0}
signals: {w: A.v}
)yaml";
  const double rate = 0.4 * 0.02 * 3 * 9.81 / 0.05, time = 8 / rate;
  for (const Way& way : kSlides) {
    const SignalTable table = run(text, way, time / 500, 0.98 * time);
    ASSERT_EQ(table.report.status, RunStatus::kDone) << table.report.message;
    // multipliers at position level are settled to 1e-8 of their size in each of 490 steps
    EXPECT_NEAR(last(table, "w"), 0.02 * 8, 4e-6) << way.coordinates << way.formulation;
    const bool open = way.coordinates == std::string("joint-com");
    const SignalTable rest =
        run(text, {way.coordinates, open ? "semi-recursive" : "matrix-r", "generalized-alpha"},
            time / 500, 1.02 * time);
    ASSERT_EQ(rest.report.status, RunStatus::kDone) << rest.report.message;
    EXPECT_LT(std::abs(last(rest, "w")), 1e-2) << way.coordinates;
  }
}

/// The reaction in the joint's own axes is that of the world, turned.
TEST(FrictionInJoints, ReactionsInTheirOwnAxes) {
  const std::string text = R"yaml(
bodies:
  a: {mass: 1, com: [0.3, 0.1, 0.05], inertia: [0.02, 0.03, 0.04], vectors: {ex: [1, 0, 0], ey: [0, 1, 0], ez: [0, 0, 1]}}
  b: {mass: 2, com: [0.2, 0, 0.1], inertia: [0.02, 0.03, 0.04]}
joints:
  A: {type: revolute, bodies: [ground, a], axis: [0, 0.6, 0.8]}
  B: {type: revolute, bodies: [a, b], points: [[0.5, 0, 0], [0, 0, 0]], axes: [z, z], references: [x, x]}
forces: {g: {type: gravity, acceleration: [0, -9.81, 0]}}
initial: {A.v: 3, B.v: -2}
signals:
  fx: reaction(B, fx, joint)
  fx2: "reaction(B, fx)*ex.x + reaction(B, fy)*ex.y + reaction(B, fz)*ex.z"
  tz: reaction(B, tz, joint)
  tz2: "reaction(B, tx, world)*ez.x + reaction(B, ty)*ez.y + reaction(B, tz)*ez.z"
  ty: reaction(B, ty, joint)
  ty2: "reaction(B, tx)*ey.x + reaction(B, ty)*ey.y + reaction(B, tz)*ey.z"
)yaml";
  for (const Way& way : {Way{"joint-com", "semi-recursive", "rk4"},
                         Way{"cartesian", "index1", "rk4"}, Way{"natural", "index1", "rk4"}}) {
    const SignalTable table = run(text, way, 1e-2, 0.3);
    ASSERT_EQ(table.report.status, RunStatus::kDone) << table.report.message;
    for (const char* name : {"fx", "tz", "ty"}) {
      const VecX own = table.column(name), turned = table.column(name + std::string("2"));
      EXPECT_LE((own - turned).norm(), 1e-11 * (1 + own.norm())) << name << " " << way.coordinates;
    }
    EXPECT_LE(table.column("tz").norm(), 1e-5);  // nothing acts about the axis; index1 drifts
    EXPECT_GT(table.column("fx").norm(), 1);
  }
}

/// Coordinate sets and formulations agree up to the error of rk4 at 1 ms; energies balance, which a run would warn about.
/// A few jam: their accelerations grow beyond all bounds as μ rises to less than theirs, and none is found in any coordinates.
TEST(FrictionInJoints, RandomMechanismsAgreeInAllCoordinates) {
  int compared = 0, jammed = 0;
  for (unsigned seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE(seed);
    const std::string text = test::RubbingMechanisms(seed).tree();
    const SignalTable expected = run(text, {"joint-com", "semi-recursive", "rk4"}, 1e-3, 0.02);
    const Way ways[] = {{"joint-origin", "index1", "rk4"},
                        {"cartesian", "index1", "rk4"},
                        {"cartesian", "matrix-r", "rk4"},
                        {"natural", "index1", "rk4"}};
    const SignalTable actual = run(text, ways[seed % 4], 1e-3, 0.02);
    if (expected.report.status != RunStatus::kDone) {
      EXPECT_THAT(expected.report.message, HasSubstr("admits none there"));
      EXPECT_NE(actual.report.status, RunStatus::kDone) << text;
      ++jammed;
      continue;
    }
    EXPECT_TRUE(expected.report.warnings.empty()) << expected.report.warnings.front().text;
    ASSERT_EQ(actual.report.status, RunStatus::kDone) << actual.report.message << text;
    for (const char* name : {"x0", "x1"}) {
      EXPECT_NEAR(last(actual, name), last(expected, name), 1e-8) << text;
    }
    ++compared;
  }
  EXPECT_GE(compared, 108);
  EXPECT_LE(jammed, 12);
}

/// Forward, adjoint and complex step to 1e-9 of max|ρ ∂ψ/∂ρ|. False where no run exists at all.
bool gradients_agree(const std::string& text, const Way& way) {
  const Model model = compile_model(parse_model_yaml(text, "random.yaml"), builtin_catalogue(),
                                    coordinate_set_named(way.coordinates));
  const VecX rho = model.default_rho();
  GradientOptions options;
  options.run.coordinates = way.coordinates;
  options.run.formulation = way.formulation;
  options.run.integrator = way.integrator;
  options.run.step = 2e-3;
  options.run.end = 0.02;
  options.method = "complex-step";
  const GradientReport expected = gradient(model, in(rho), options);
  if (expected.status != RunStatus::kDone) return false;
  for (const char* method : {"forward", "adjoint"}) {
    options.method = method;
    const GradientReport actual = gradient(model, in(rho), options);
    EXPECT_EQ(actual.status, RunStatus::kDone) << actual.message;
    if (actual.status != RunStatus::kDone) continue;
    EXPECT_LE(test::gradient_distance(model, actual, expected), 1e-9) << method << "\n" << text;
  }
  return true;
}

TEST(FrictionInJoints, RandomMechanismsHaveExactGradients) {
  const Way ways[] = {
      {"joint-com", "semi-recursive", "trapezoidal"}, {"cartesian", "index1", "trapezoidal"},
      {"cartesian", "ali3p", "trapezoidal"},          {"joint-com", "index1", "rk4"},
      {"cartesian", "matrix-r", "generalized-alpha"}, {"natural", "matrix-r", "rk4"},
      {"joint-origin", "semi-recursive", "esdirk3"},  {"cartesian", "index1", "esdirk3"}};
  int compared = 0;
  for (unsigned seed = 1; seed <= 24; ++seed) {
    const Way& way = ways[seed % std::size(ways)];
    SCOPED_TRACE(std::to_string(seed) + " " + way.coordinates + " " + way.formulation);
    compared += gradients_agree(test::RubbingMechanisms(seed).tree(), way);
  }
  EXPECT_GE(compared, 20);
}

/// Every joint of a loop rubs, the one that is cut, too [BF-8].
TEST(FrictionInJoints, RandomLoopsAgreeInAllCoordinates) {
  const Way ways[] = {{"joint-origin", "index1", "rk4"},
                      {"cartesian", "index1", "rk4"},
                      {"joint-com", "penalty", "rk4"},
                      {"cartesian", "matrix-r", "rk4"},
                      {"natural", "index1", "rk4"}};
  int compared = 0, jammed = 0;
  for (unsigned seed = 1; seed <= 80; ++seed) {
    SCOPED_TRACE(seed);
    const std::string text = test::RubbingMechanisms(seed).loop();
    const SignalTable expected = run(text, {"joint-com", "matrix-r", "rk4"}, 1e-3, 0.02);
    const Way& way = ways[seed % std::size(ways)];
    const SignalTable actual = run(text, way, 1e-3, 0.02);
    EXPECT_EQ(expected.report.status, actual.report.status)
        << expected.report.message << " / " << actual.report.message << "\n" << text;
    if (expected.report.status != RunStatus::kDone || actual.report.status != RunStatus::kDone) {
      ++jammed;
      continue;
    }
    for (const char* name : {"x0", "x1"}) {
      EXPECT_NEAR(last(actual, name), last(expected, name), 1e-6)
          << way.coordinates << " " << way.formulation << "\n" << text;
    }
    ++compared;
  }
  EXPECT_GE(compared, 72);
  EXPECT_LE(jammed, 8);
}

TEST(FrictionInJoints, RandomLoopsHaveExactGradients) {
  const Way ways[] = {
      {"joint-com", "matrix-r", "trapezoidal"}, {"joint-com", "index1", "rk4"},
      {"joint-origin", "ali3p", "trapezoidal"}, {"joint-com", "penalty", "trapezoidal"},
      {"joint-com", "index3", "hht"},           {"cartesian", "index1", "esdirk3"},
      {"cartesian", "ali3p", "trapezoidal"},    {"cartesian", "matrix-r", "generalized-alpha"},
      {"natural", "matrix-r", "rk4"},           {"natural", "penalty", "trapezoidal"},
      {"joint-com", "matrix-r", "esdirk4"},     {"natural", "index1", "esdirk3"}};
  int compared = 0;
  for (unsigned seed = 1001; seed <= 1036; ++seed) {
    const Way& way = ways[seed % std::size(ways)];
    SCOPED_TRACE(std::to_string(seed) + " " + way.coordinates + " " + way.formulation);
    compared += gradients_agree(test::RubbingMechanisms(seed).loop(), way);
  }
  EXPECT_GE(compared, 24);
}

/// A block on a rail that carries its weight alone: the laws with states are those of joint-friction with N = m g, which are other code.
TEST(FrictionInJoints, BristlesAreThoseOfAGivenNormalForce) {
  const auto text = [](const std::string& rub) {
    return "parameters: {m: 2, g: 9.81}\n"
           "bodies: {b: {mass: m, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n"
           "joints: {S: {type: prismatic, bodies: [ground, b], axis: x, reference: y}}\n"
           "forces:\n"
           "  weight: {type: gravity, acceleration: [0, 0, -g]}\n"
           "  pull: {type: joint-force, joint: S, value: 12*sin(20*t)}\n"
           "  rub: {" + rub + ", joint: S, friction: 0.3, static_friction: 0.4, slip_speed: 2e-2, "
           "viscous_friction: 0.1, bristle_stiffness: 3000, bristle_damping: 10}\n"
           "signals: {x: S.q, w: rub.deflection}\n";
  };
  for (const char* law : {"friction_law: lugre", "friction_law: gonthier, dwell_time: 0.05, dwell: 0.4"}) {
    const std::string mine = text("type: friction, load_smoothing: 1e-9, " + std::string(law));
    const std::string given =
        text("type: joint-friction, normal_force: m*g, " + std::string(law));
    for (const Way& way : {Way{"joint-com", "semi-recursive", "rk4"},
                           Way{"cartesian", "matrix-r", "rk4"}, Way{"natural", "index1", "rk4"}}) {
      const SignalTable actual = run(mine, way, 1e-4, 0.3);
      const SignalTable expected = run(given, {"joint-com", "semi-recursive", "rk4"}, 1e-4, 0.3);
      ASSERT_EQ(actual.report.status, RunStatus::kDone) << actual.report.message;
      ASSERT_EQ(expected.report.status, RunStatus::kDone) << expected.report.message;
      for (const char* name : {"x", "w"}) {
        const double size = expected.column(name).cwiseAbs().maxCoeff();
        EXPECT_GT(size, 1e-5);
        EXPECT_LE((actual.column(name) - expected.column(name)).cwiseAbs().maxCoeff(), 1e-9 * size)
            << law << " " << way.coordinates << " " << name;
      }
    }
  }
}

/// What Brown and McPhee let creep, bristles hold: under a load P that grows slowly to less than μ_s N the block stands, its bristles bent
/// by P/(σ₀N); beyond that it slides.
TEST(FrictionInJoints, BristlesHoldUpToTheirLimit) {
  const auto text = [](double part) {
    return fmt::format(
        "bodies: {{b: {{mass: 2, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}}}}\n"
        "joints: {{S: {{type: prismatic, bodies: [ground, b], axis: x, reference: y}}}}\n"
        "forces:\n"
        "  weight: {{type: gravity, acceleration: [0, 0, -9.81]}}\n"
        "  pull: {{type: joint-force, joint: S, value: \"{:.17g}*2*9.81*min(2*t, 1)\"}}\n"
        "  rub: {{type: friction, joint: S, friction: 0.3, static_friction: 0.4, slip_speed: 1e-2, "
        "load_smoothing: 1e-9, friction_law: gonthier, bristle_stiffness: 3000, bristle_damping: 30, "
        "dwell_time: 0.1, dwell: 1}}\n"
        "signals: {{x: S.q, v: S.v, w: rub.deflection}}\n",
        part);
  };
  for (const Way& way : {Way{"joint-com", "semi-recursive", "generalized-alpha"},
                         Way{"cartesian", "matrix-r", "generalized-alpha"}}) {
    for (const double part : {0.2, 0.39}) {
      const SignalTable rests = run(text(part), way, 1e-3, 2);
      ASSERT_EQ(rests.report.status, RunStatus::kDone) << rests.report.message;
      EXPECT_NEAR(last(rests, "w"), part / 3000, 1e-9) << way.coordinates;
      EXPECT_NEAR(last(rests, "x"), part / 3000, 0.02 * part / 3000) << "slips a little as it bends";
      EXPECT_NEAR(last(rests, "v"), 0, 1e-12);
    }
    const SignalTable slides = run(text(0.41), way, 1e-3, 2);
    ASSERT_EQ(slides.report.status, RunStatus::kDone) << slides.report.message;
    EXPECT_GE(last(slides, "x"), 1);
  }
}

/// A spatial slider-crank with friction in crank and slider moves alike whichever joint is cut.                     [BF-8]
std::string slider_crank(const std::string& cut, const std::string& angle = "0") {
  const auto at = [&](const char* joint, const char* rest) {
    return std::string("  ") + joint + ": {" + (cut == joint ? "cut: true, " : "") + rest + "}\n";
  };
  return "parameters: {mu: 0.1, r: 0.02}\nbodies:\n"
         "  a: {mass: 1, com: [0.1, 0, 0], inertia: [0.01, 0.02, 0.03],\n"
         "    placement: {orientation: {axis: z, angle: pi/2}}, points: {T: [0.3, 0, 0]}}\n"
         "  b: {mass: 1, com: [0.2, 0, 0.02], inertia: [0.01, 0.02, 0.03],\n"
         "    placement: {position: [0, 0.3, 0], orientation: {axis: z, angle: -asin(0.6)}}}\n"
         "  c: {mass: 1, com: [0, 0.1, 0], inertia: [0.01, 0.02, 0.03], placement: {position: [0.4, 0, 0]}}\n"
         "joints:\n" +
         at("A", "type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: z, reference: x") +
         at("B", "type: spherical, bodies: [a, b], point: [0, 0.3, 0]") +
         at("C", "type: universal, bodies: [b, c], point: [0.4, 0, 0], axis: z, axis2: y") +
         at("D", "type: prismatic, bodies: [ground, c], point: [0.4, 0, 0], axis: x, reference: y") +
         "forces:\n"
         "  weight: {type: gravity, acceleration: [0, -9.81, 0]}\n"
         "  fa: {type: friction, joint: A, friction: mu, radius: r, end1: -0.03, end2: 0.01, slip_speed: 0.05, "
         "load_smoothing: 0.01}\n"
         "  fd: {type: friction, joint: D, friction: mu, end1: -0.03, end2: 0.04, slip_speed: 0.05, "
         "load_smoothing: 0.01}\n"
         "initial: {A.v: 10, A.q: " + angle + "}\n"
         "signals: {angle: A.q, x: D.q, tip: T.x, load: \"reaction(D, fx, joint)\", bend: \"reaction(A, tx, joint)\"}\n";
}

TEST(FrictionInJoints, AnyJointOfALoopMayBeCut) {
  const SignalTable expected = run(slider_crank(""), {"cartesian", "index1", "rk4"}, 1e-3, 0.1);
  ASSERT_EQ(expected.report.status, RunStatus::kDone) << expected.report.message;
  EXPECT_NEAR(expected.column("angle")(0), 0, 1e-9);
  for (const char* cut : {"A", "B", "C", "D"}) {
    for (const Way& way : {Way{"joint-com", "matrix-r", "rk4"}, Way{"joint-com", "index1", "rk4"},
                           Way{"natural", "matrix-r", "rk4"}}) {
      const SignalTable actual = run(slider_crank(cut), way, 1e-3, 0.1);
      ASSERT_EQ(actual.report.status, RunStatus::kDone) << actual.report.message;
      for (const char* name : {"angle", "x", "load", "bend"}) {
        const double size = expected.column(name).cwiseAbs().maxCoeff();
        EXPECT_GT(size, 0.01) << name;
        EXPECT_LE((actual.column(name) - expected.column(name)).cwiseAbs().maxCoeff(), 1e-6 * size)
            << cut << " " << way.coordinates << " " << way.formulation << " " << name;
      }
    }
  }
}

/// The weld of a cut joint would hold half a turn away, too, where the crank is not where its angle says.
TEST(FrictionInJoints, CutJointsStartWhereTheirCoordinatesSay) {
  for (const char* angle : {"0.4", "-0.7", "-0.2"}) {
    for (const char* cut : {"A", "D"}) {
      for (const char* coordinates : {"joint-com", "cartesian"}) {
        const SignalTable table =
            run(slider_crank(cut, angle), {coordinates, "matrix-r", "rk4"}, 1e-3, 2e-3);
        ASSERT_EQ(table.report.status, RunStatus::kDone) << table.report.message;
        EXPECT_NEAR(table.column("angle")(0), std::stod(angle), 1e-12);
        EXPECT_NEAR(table.column("tip")(0), -0.3 * std::sin(std::stod(angle)), 1e-9)
            << cut << " " << angle << " " << coordinates;
      }
    }
  }
}

/// A block whose centre of mass is at the height H above a rail of the length L has N = max(m g, 2 H m|a|/L). Pulled by
/// k m g while it slides with μ = 1 and L = H, it has a = (k − 1)g and, besides, a = −k g as long as k > ½, and no acceleration
/// below. An explicit run ends there. An implicit step stops the block at once
/// and says that it has several solutions, or fails.
TEST(FrictionInJoints, JammingIsSaid) {
  const std::string text = R"yaml(
parameters: {m: 2, mu: 1, g: 9.81, L: 0.2, H: 0.2}
bodies: {b: {mass: m, com: [0, 0, H], inertia: [0.1, 0.1, 0.1]}}
joints: {S: {type: prismatic, bodies: [ground, b], axis: x, reference: y}}
forces:
  weight: {type: gravity, acceleration: [0, 0, -g]}
  pull: {type: joint-force, joint: S, value: "m*g*(0.8 - 2*t)"}
  rub: {type: friction, joint: S, friction: mu, slip_speed: 1e-2, end1: -L/2, end2: L/2, load_smoothing: 1e-3}
initial: {S.v: 1}
signals: {speed: S.v, rate: S.a}
)yaml";
  for (const char* coordinates : {"joint-com", "cartesian"}) {
    const bool open = coordinates == std::string("joint-com");
    const SignalTable ends = run(text, {coordinates, "index1", "rk4"}, 1e-2, 0.5);
    EXPECT_EQ(ends.report.status, RunStatus::kFailed);
    EXPECT_NEAR(ends.report.t, 0.15, 1e-3);  // k = ½, which the smoothing moves a little
    EXPECT_NEAR(last(ends, "rate"), -0.5 * 9.81, 0.02);
    EXPECT_THAT(ends.report.message, HasSubstr("admits none there"));
    for (const char* formulation : {"index1", open ? "semi-recursive" : "matrix-r"}) {
      const SignalTable passes = run(text, {coordinates, formulation, "trapezoidal"}, 1e-2, 0.2);
      if (passes.report.status != RunStatus::kDone) {  // nothing was found, which is said as well
        EXPECT_NEAR(passes.report.t, 0.15, 0.011);
        continue;
      }
      EXPECT_GE(passes.report.events.several.count, 2) << coordinates << " " << formulation;
      ASSERT_FALSE(passes.report.events.several.times.empty());
      EXPECT_NEAR(passes.report.events.several.times.front(), 0.15, 0.021);
    }
  }
}

TEST(FrictionInJoints, WrongOnesAreRefusedWithTheirLine) {
  const auto refusal = [](const std::string& joint, const std::string& friction) {
    const std::string text =
        "bodies: {b: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}}\n"
        "joints: {S: {type: " +
        joint + ", bodies: [ground, b]" + (joint == "spherical" ? "" : ", axis: x") +
        "}}\nforces:\n  rub: {type: friction, joint: S, " + friction + "}\n";
    try {
      compile_model(parse_model_yaml(text, "odd.yaml"));
    } catch (const InvalidModel& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refusal("prismatic", "friction: 0.3"), "accepted");
  EXPECT_THAT(refusal("spherical", "friction: 0.3"), HasSubstr("revolute, prismatic, cylindrical"));
  EXPECT_THAT(refusal("revolute", "friction: 0.3"), HasSubstr("radius"));
  EXPECT_THAT(refusal("revolute", "radius: 0.1"), HasSubstr("friction"));
  EXPECT_THAT(refusal("revolute", "friction: 0.3, radius: -1"),
              HasSubstr("radius must be positive"));
  EXPECT_THAT(refusal("prismatic", "friction: -0.3"), HasSubstr("must not be negative"));
  EXPECT_THAT(refusal("prismatic", "friction: 0.3, static_friction: 0.2"),
              HasSubstr("below friction"));
  EXPECT_THAT(refusal("prismatic", "friction: 0.3, end1: 1"), HasSubstr("both end1 and end2"));
  EXPECT_THAT(refusal("prismatic", "friction: 0.3, end1: 1, end2: 1"), HasSubstr("same place"));
  EXPECT_THAT(refusal("prismatic", "friction: 0.3, radius: 1"), HasSubstr("does not turn"));
  EXPECT_THAT(refusal("planar", "friction: 0.3, width: 1"), HasSubstr("odd.yaml:4"));
  EXPECT_THAT(refusal("planar", "friction: 0.3, friction_law: coulomb"),
              HasSubstr("brown-mcphee, ambrosio, lugre or gonthier"));
  const std::string lugre =
      "friction: 0.3, friction_law: lugre, bristle_stiffness: 1e4, bristle_damping: 30";
  EXPECT_EQ(refusal("planar", lugre), "accepted");
  EXPECT_THAT(refusal("planar", lugre + ", dwell: 1"), HasSubstr("belongs to gonthier"));
  EXPECT_THAT(refusal("planar", "friction: 0.3, friction_law: lugre, bristle_stiffness: 1e4"),
              HasSubstr("needs bristle_damping"));
  EXPECT_THAT(refusal("planar", "friction: 0.3, bristle_stiffness: 1e4"),
              HasSubstr("no bristles"));
  const std::string gonthier = "friction_law: gonthier, bristle_stiffness: 1e4, bristle_damping: ";
  EXPECT_EQ(refusal("planar", "friction: 0.3, dwell_time: 1, " + gonthier + "30"), "accepted");
  EXPECT_THAT(refusal("planar", "friction: 0.3, " + gonthier + "30"),
              HasSubstr("needs dwell_time"));
  EXPECT_THAT(refusal("planar", "friction: 0, dwell_time: 1, " + gonthier + "30"),
              HasSubstr("friction must be positive"));
  EXPECT_THAT(refusal("planar", "friction: 0.3, dwell_time: 1, " + gonthier + "0"),
              HasSubstr("bristle_damping must be positive"));
  EXPECT_THAT(refusal("planar", "friction: 0.3, dwell_time: 1, dwell: 2, " + gonthier + "30"),
              HasSubstr("between 0 and 1"));
}

}  // namespace
}  // namespace kinegrad
