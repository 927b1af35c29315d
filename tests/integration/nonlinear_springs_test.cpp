// Springs, dampers and stops with laws of their own: the same law written in several ways gives the same run, energies balance, gradients by
// every method in all coordinate sets, and what a file may say wrong. Lengths and rates of forces, and short forms of bodies, as signals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "kinegrad/base/error.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "kinegrad/simulation/signal_table.hpp"
#include "support/gradient_distance.hpp"

namespace kinegrad {
namespace {

using testing::HasSubstr;

constexpr CoordinateSet kSets[] = {CoordinateSet::kJoint, CoordinateSet::kCartesian,
                                   CoordinateSet::kNatural};

GradientReport gradient_of(const Model& model, CoordinateSet set, const std::string& method,
                           double end = 0.03) {
  const VecX rho = model.default_rho();
  GradientOptions options;
  options.method = method;
  options.run.coordinates = set == CoordinateSet::kJoint       ? "joint-com"
                            : set == CoordinateSet::kCartesian ? "cartesian"
                                                               : "natural";
  options.run.step = 2e-3;
  options.run.end = end;
  return gradient(model, in(rho), options);
}

/// An arm and a slider on it, with the forces of `forces`.
std::string arms(const std::string& forces) {
  return R"yaml(
parameters: {k: 300, c: 4, L: 0.4, m: 1.2, n: 1.7, w: 0.02}
points: {O: [0.1, -0.3, 0.05]}
splines: {push: {type: monotone, nodes: [0.1, 0.3, 0.5, 0.8], values: [k, 0, "-k", "-k*c"]}}
bodies:
  A: {mass: m, com: [L/2, 0, 0.02], inertia: [0.01, 0.02, 0.02], points: {tip: [L, 0, 0]}}
  B: {mass: 0.5, com: [0.1, 0.01, 0], inertia: [0.005, 0.01, 0.012], placement: {position: [L, 0, 0]}, points: {P: [0.2, 0, 0.1]}}
joints:
  J: {type: revolute, bodies: [ground, A], axis: z}
  S: {type: prismatic, bodies: [A, B], point: [L, 0, 0], axis: [6/7, 2/7, 3/7]}
forces:
  g: {type: gravity, acceleration: [0, -9.81, 1]}
  far: {type: spring-damper, points: [O, tip], stiffness: 20, length: 0.2}
)yaml" + forces +
         R"yaml(
initial: {J.q: 0.3, J.v: 2, S.q: 0.05, S.v: -0.4}
signals: {x: B.x, y: A.vy, e: energy, l: far.length, r: far.rate, a: B.az}
objectives:
  xx: {integral: "x^2 + y^2"}
  ye: {terminal: "A.y + far.rate"}
  load: {integral: "1e-4*reaction(J, fx)^2 + (far.length - L)^2 + 1e-4*B.ax"}
)yaml";
}

Model model_of(const std::string& forces, CoordinateSet set = CoordinateSet::kJoint) {
  return compile_model(parse_model_yaml(arms(forces), "arms.yaml"), builtin_catalogue(), set);
}

VecX end_of(const Model& model, double end = 0.1) {
  RunOptions run;
  run.step = 1e-3;
  run.end = end;
  const SignalTable table = simulate(model, run);
  EXPECT_TRUE(table.report.done()) << table.report.message;
  return table.values.bottomRows(1).transpose();
}

void expect_same(const char* one, std::initializer_list<const char*> others) {
  const VecX expected = end_of(model_of(one));
  for (const char* other : others) {
    VecX actual = end_of(model_of(other));
    actual(3) = expected(3);  // the energy of what has no potential is counted otherwise
    EXPECT_LE((actual - expected).norm(), 1e-11 * expected.norm()) << other;
  }
}

/// A linear spring and damper, written as expression, with a potential, as a leaf without kink.
TEST(NonlinearSprings, TheSameLawInSeveralWords) {
  expect_same(
      "  s: {type: spring-damper, points: [O, P], stiffness: k, damping: c, length: 0.3}",
      {"  s: {type: nonlinear-spring, points: [O, P], law: \"-k*(length - 0.3) - c*rate\"}",
       "  s: {type: nonlinear-spring, points: [O, P], potential: \"k/2*(length - 0.3)^2\", law: "
       "\"-c*rate\"}",
       "  s: {type: actuator, points: [O, P], force: \"-k*(s.length - 0.3) - c*s.rate\"}",
       "  s: {type: leaf-spring, points: [O, P], stiffness: k, damping: c, length: 0.3, kink: 0.4, "
       "stop_stiffness: k}"});
}

/// On joints, and along an axis of a body.
TEST(NonlinearSprings, TheSameLawOnJointsAndAxes) {
  expect_same(
      "  s: {type: torsional-spring-damper, joint: J, stiffness: 20, damping: 0.3, angle: 0.1}",
      {"  s: {type: torsional-nonlinear-spring, joint: J, law: \"-20*(angle - 0.1) - 0.3*rate\"}",
       "  s: {type: joint-force, joint: J, value: \"-20*(J.q - 0.1) - 0.3*J.v\"}"});
  expect_same(
      "  s: {type: translational-spring-damper, joint: S, stiffness: k, damping: c, length: 0.1}",
      {"  s: {type: translational-nonlinear-spring, joint: S, law: \"-k*(length - 0.1) - c*rate\"}",
       "  s: {type: axial-nonlinear-spring, bodies: [A, B], point: [L, 0, 0], axis: [6/7, 2/7, "
       "3/7], "
       "law: \"-k*(length - 0.1) - c*rate\"}"});
}

/// The rebound stop of the slider against the expression of it, with its energy.
TEST(NonlinearSprings, AStopIsItsExpression) {
  const VecX stop =
      end_of(model_of("  s: {type: translational-bump-stop, joint: S, stiffness: 5e4, length: "
                      "0.045, exponent: 2}"));
  const VecX law = end_of(model_of(
      "  s: {type: translational-nonlinear-spring, joint: S, potential: \"5e4/3*max(0, 0.045 - "
      "length)^3\"}"));
  EXPECT_LE((stop - law).norm(), 1e-11 * stop.norm());
}

/// Springs with potentials keep the energy.
TEST(NonlinearSprings, EnergyIsKept) {
  RunOptions run;
  run.integrator = "rk4";
  run.step = 2e-4;
  run.end = 0.2;
  const SignalTable table = simulate(
      model_of("  s: {type: nonlinear-spring, points: [O, P], potential: \"k/2*(length - 0.3)^2 + "
               "2e3*(length - 0.3)^4\"}\n"
               "  u: {type: translational-bump-stop, joint: S, stiffness: 4e3, length: 0.04, "
               "exponent: 2}\n"
               "  v: {type: rebound-stop, points: [O, P], stiffness: 3e3, length: 0.35, exponent: "
               "2.5}\n"
               "  w: {type: axial-leaf-spring, bodies: [A, B], point: [L, 0, 0], axis: [6/7, 2/7, "
               "3/7], stiffness: 50, length: 0, kink: 0.03, stop_stiffness: 900, width: w}"),
      run);
  ASSERT_TRUE(table.report.done());
  const VecX e = table.column("e");
  EXPECT_LE((e.array() - e(0)).abs().maxCoeff(), 1e-7 * (1 + std::abs(e(0))));
}

/// Length and rate of a force are those of its points, short forms those of the centre of mass.
TEST(NonlinearSprings, SignalsOfPoints) {
  const Model model = compile_model(parse_model_yaml(
      arms("") +
          "  dl: {terminal: \"far.length - sqrt((tip.x - O.x)^2 + (tip.y - O.y)^2 + (tip.z - "
          "O.z)^2)\"}\n"
          "  dr: {terminal: \"far.rate*far.length - (tip.x - O.x)*tip.vx - (tip.y - "
          "O.y)*tip.vy - (tip.z - O.z)*tip.vz\"}\n"
          "  dx: {terminal: \"B.x - B.com.x + A.vy - A.com.vy + B.az - B.com.az\"}\n",
      "arms.yaml"));
  RunOptions run;
  run.step = 1e-3;
  run.end = 0.05;
  const SignalTable table = simulate(model, run);
  ASSERT_TRUE(table.report.done()) << table.report.message;
  for (std::size_t k = 3; k < 6; ++k) EXPECT_NEAR(table.report.objectives[k], 0, 1e-14);
}

void expect_agreement(const std::string& forces, CoordinateSet set, double tolerance) {
  const Model model = model_of(forces, set);
  const GradientReport expected = gradient_of(model, set, "complex-step");
  ASSERT_EQ(expected.status, RunStatus::kDone) << expected.message;
  for (const char* method : {"forward", "adjoint"}) {
    const GradientReport actual = gradient_of(model, set, method);
    ASSERT_EQ(actual.status, RunStatus::kDone) << actual.message;
    EXPECT_LE(test::gradient_distance(model, actual, expected), tolerance) << method;
  }
}

/// Laws of all kinds, with parameters everywhere.
TEST(NonlinearSprings, GradientsAgreeInAllCoordinateSets) {
  const std::string springs[] = {
      "  s: {type: nonlinear-spring, points: [O, P], law: \"-k*(length - 0.3)^3*50 - "
      "c*smooth_abs(rate, w)*rate + sin(t)*A.x\", potential: \"k*w*(length - L)^2\"}\n"
      "  b: {type: bump-stop, points: [O, P], stiffness: 9e3, length: \"0.5 + w\", exponent: n}",
      "  s: {type: torsional-nonlinear-spring, joint: J, law: \"-0.1*k*sin(angle) - c*rate/(1 + "
      "rate^2) + S.q\"}\n"
      "  r: {type: torsional-rebound-stop, joint: J, stiffness: \"0.3*k\", angle: 0.31, exponent: "
      "n}",
      "  s: {type: nonlinear-spring, points: [O, P], law: \"push(length) - c*rate\"}\n"
      "  l: {type: leaf-spring, points: [tip, O], stiffness: k, damping: c, length: L, kink: 0.45, "
      "stop_stiffness: \"9*k\", width: w}",
      "  s: {type: axial-nonlinear-spring, bodies: [ground, B], points: [O, P], axes: [y, y], law: "
      "\"-k*length*abs(length) - c*rate - far.rate\"}\n"
      "  l: {type: translational-leaf-spring, joint: S, stiffness: k, damping: c, length: 0, kink: "
      "0.06, stop_stiffness: \"9*k\", width: w}"};
  for (const std::string& forces : springs) {
    for (const CoordinateSet set : kSets) {
      SCOPED_TRACE(forces.substr(0, 60) + std::to_string(static_cast<int>(set)));
      expect_agreement(forces, set, 1e-9);
    }
  }
}

/// Laws at the edges of their pieces: ends of the way where the motion begins, exponents at and beside 1, no width, tiny and large ones.
std::string random_laws(std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  const auto number = [&](double low, double high) {
    return std::to_string(std::uniform_real_distribution<double>(low, high)(rng));
  };
  const auto one_of = [&](std::initializer_list<const char*> words) {
    return std::string(words.begin()[rng() % words.size()]);
  };
  std::string out;
  const std::uint64_t count = 1 + rng() % 3;
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::uint64_t place = rng() % 4;
    const bool angle = place == 2;
    const std::string prefix[] = {"", "translational-", "torsional-", "axial-"};
    const std::string where[] = {"points: [O, P]", "joint: S", "joint: J",
                                 "bodies: [A, B], point: [L, 0, 0], axis: [6/7, 2/7, 3/7]"};
    const std::string s = angle ? "angle" : "length";
    const double now[] = {0.55, 0.05, 0.3, 0.05};  // where the motion begins, about
    const std::string at =
        rng() % 3 == 0 ? std::to_string(now[place]) : number(now[place] - 0.1, now[place] + 0.1);
    const std::string stiffness = angle ? "\"0.05*k\"" : rng() % 2 ? "k" : number(100, 5000);
    const std::string n = one_of({"1", "1.0001", "1.2", "1.5", "2", "3", "n"});
    const std::string w = one_of({"0", "1e-6", "w", "0.3"});
    const std::string stop = "stop, stiffness: " + stiffness + ", exponent: " + n;
    const std::string laws[] = {
        "bump-" + stop + ", " + s + ": " + at, "rebound-" + stop + ", " + s + ": " + at,
        "leaf-spring, stiffness: 20, stop_stiffness: " + stiffness + ", damping: " + number(0, 2) +
            ", kink: " + at + ", width: " + w + ", " + s + ": " + number(0, 0.3),
        "nonlinear-spring, law: \"-c*rate + 2*sin(m*" + s + ") + 9*max(0, " + at + " - " + s +
            ")^n\", potential: \"w*k*" + s + "^2\""};
    out += "  f" + std::to_string(k) + ": {" + where[place] + ", type: " + prefix[place] +
           laws[rng() % 4] + "}\n";
  }
  return out;
}

TEST(NonlinearSprings, RandomLawsAgreeByAllMethods) {
  const auto asked = [](const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text ? std::strtoull(text, nullptr, 10) : otherwise;
  };
  const std::uint64_t first = asked("KINEGRAD_ATTACK_SEED", 1);
  const std::uint64_t cases = asked("KINEGRAD_ATTACK_CASES", 20);
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    const std::string forces = random_laws(seed);
    const CoordinateSet set = kSets[seed % 4 == 0 ? 1 + seed / 4 % 2 : 0];
    SCOPED_TRACE("seed " + std::to_string(seed) + " " + std::to_string(static_cast<int>(set)) +
                 "\n" + forces);
    expect_agreement(forces, set, 1e-8);
  }
}

/// A stop of slope 1e7 N/m, written as expression, needs its slope in Newton's matrix, and has it.
TEST(NonlinearSprings, StiffExpressionsConverge) {
  const Model model = model_of(
      "  s: {type: translational-nonlinear-spring, joint: S, law: \"1e7*max(0, 0.04 - length) - "
      "c*rate\"}");
  RunOptions run;
  run.step = 1e-3;
  run.end = 0.1;
  const SignalTable table = simulate(model, run);
  ASSERT_TRUE(table.report.done()) << table.report.message;
  EXPECT_LE(table.report.iterations, 8 * table.report.steps);
}

std::string refusal_of(const std::string& force) {
  try {
    model_of(force);
  } catch (const InvalidModel& error) {
    return error.what();
  }
  return "";
}

TEST(NonlinearSprings, WrongOnesAreRefused) {
  const std::string spring = "  s: {type: nonlinear-spring, points: [O, P]";
  EXPECT_THAT(refusal_of(spring + "}"), HasSubstr("it has no value"));
  EXPECT_THAT(refusal_of(spring + ", law: \"-k*angle\"}"), HasSubstr("angle"));
  EXPECT_THAT(refusal_of(spring + ", law: \"-A.ax\"}"), HasSubstr("accelerations"));
  EXPECT_THAT(refusal_of(spring + ", potential: \"k*length*rate\"}"), HasSubstr("rate"));
  EXPECT_THAT(refusal_of(spring + ", potential: \"k*length*J.q\"}"),
              HasSubstr("potential: it depends on the length, t and parameters alone"));
  EXPECT_THAT(refusal_of("  s: {type: torsional-bump-stop, joint: S, stiffness: 1, angle: 0}"),
              HasSubstr("acts on an angle"));
  EXPECT_THAT(refusal_of("  s: {type: joint-force, joint: S, value: far.lenght}"),
              HasSubstr("force \"far\" has length, rate, force; not .lenght"));
}

}  // namespace
}  // namespace kinegrad
