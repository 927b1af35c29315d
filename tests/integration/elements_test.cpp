// Springs on lengths, point masses, rotors, central and written fields, angular velocities of joints, and names of
// signals: against closed forms and against models that say the same in another way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kinegrad/base/error.hpp"
#include "kinegrad/formulations/all.hpp"
#include "kinegrad/io/model_info.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "kinegrad/simulation/coordinate_choice.hpp"
#include "kinegrad/simulation/signal_table.hpp"
#include "support/gradient_distance.hpp"

namespace kinegrad {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::vector<std::string> kSets = {"joint-com", "joint-origin", "cartesian", "natural"};

Model compiled(const std::string& text, const std::string& coordinates = "joint-com") {
  return compile_model(parse_model_yaml(text, "f"), builtin_catalogue(),
                       coordinate_set_named(coordinates));
}

SignalTable run(const std::string& text, const std::string& coordinates, double end,
                double step = 1e-3, const std::string& integrator = "rk4") {
  RunOptions options;
  options.coordinates = coordinates;
  options.integrator = integrator;
  options.formulation = "matrix-r";
  options.step = step;
  options.end = end;
  return simulate(compiled(text, coordinates), options);
}

double last(const SignalTable& table, const char* signal) {
  EXPECT_TRUE(table.report.done()) << table.report.message;
  return table.column(signal)(table.values.rows() - 1);
}

std::string refusal(const std::string& text) {
  try {
    compiled(text);
  } catch (const InvalidModel& error) {
    return error.what();
  }
  return {};
}

// ---- springs on lengths ------------------------------------------------------------------------------

std::string block(const std::string& force) {
  return "parameters: {k: 40, c: 3, m: 2}\n"
         "bodies: {block: {mass: m, inertia: [1, 1, 1]}}\n"
         "joints: {rail: {type: prismatic, bodies: [ground, block], point: [0, 0, 0], axis: x}}\n"
         "forces: {spring: {" +
         force +
         "}}\n"
         "initial: {rail.q: 0.3}\nsignals: {x: rail.q}\nobjectives: {o: {terminal: rail.q}}\n";
}

/// m ẍ = −k (x − l) − c ẋ: x − l = e^(−δt)((x₀ − l) cos ωt + δ(x₀ − l)/ω sin ωt).
TEST(TranslationalSpring, MovesAsItsClosedForm) {
  const double delta = 0.75, w = std::sqrt(20 - delta * delta), T = 0.8, a = 0.3 - 0.1;
  const double x = 0.1 + std::exp(-delta * T) * a * (std::cos(w * T) + delta / w * std::sin(w * T));
  for (const std::string& set : kSets) {
    const SignalTable table =
        run(block("type: translational-spring-damper, joint: rail, stiffness: k, "
                  "damping: c, length: 0.1"),
            set, T);
    EXPECT_NEAR(last(table, "x"), x, 1e-10) << set;
  }
}

TEST(TranslationalSpring, MayBeADamperAlone) {
  const SignalTable table =
      run(block("type: translational-spring-damper, joint: rail, damping: c"), "joint-com", 0.5);
  EXPECT_NEAR(last(table, "x"), 0.3, 1e-14);
  EXPECT_THAT(refusal(block("type: translational-spring-damper, joint: rail")),
              HasSubstr("f:4: force \"spring\": it has no value: give one of stiffness, damping"));
}

TEST(TranslationalSpring, KindsOfCoordinatesAreToldApart) {
  EXPECT_THAT(
      refusal(block("type: torsional-spring-damper, joint: rail, stiffness: k")),
      HasSubstr(
          "f:4: force \"spring\": a torsional-spring-damper acts on an angle, and \"rail\" is "
          "a length; use translational-spring-damper"));
}

// ---- point masses and rotors -------------------------------------------------------------------------

/// A point mass that nothing joins has three freedoms, and falls as a point.
TEST(PointMass, FallsWithoutAJoint) {
  const std::string text =
      "parameters: {g: 9.81, v0: 2}\n"
      "bodies: {ball: {mass: 0.7, placement: {position: [1, 2, 3]}}}\n"
      "forces: {w: {type: gravity, acceleration: [0, -g, 0]}}\n"
      "initial: {ball.com.vx: v0}\n"
      "signals: {x: ball.com.x, y: ball.com.y, z: ball.com.z}\nobjectives: {o: {terminal: "
      "ball.com.x*ball.com.y}}\n";
  EXPECT_EQ(compiled(text).nq(), 3);
  for (const std::string& set : kSets) {
    const SignalTable table = run(text, set, 0.5, 1e-2);
    EXPECT_NEAR(last(table, "x"), 2, 1e-12) << set;
    EXPECT_NEAR(last(table, "y"), 2 - 0.5 * 9.81 * 0.25, 1e-12) << set;
    EXPECT_NEAR(last(table, "z"), 3, 1e-12) << set;
  }
}

/// A point mass on a rod without mass is a mathematical pendulum; all formulations bear its singular mass matrix in
/// cartesian and natural coordinates.
TEST(PointMass, SwingsAsAPendulum) {
  const std::string text =
      "parameters: {L: 0.8, m: 1.5, g: 9.81}\n"
      "bodies: {bob: {mass: m, com: [L, 0, 0]}}\n"
      "joints: {h: {type: revolute, bodies: [ground, bob], points: [[0,0,0],[0,0,0]], axes: [z,z], "
      "references: [x,x]}}\n"
      "forces: {w: {type: gravity, acceleration: [g, 0, 0]}}\n"
      "initial: {h.q: 1e-3}\nsignals: {q: h.q}\nobjectives: {o: {terminal: h.q}}\n";
  const double T = 0.6, expected = 1e-3 * std::cos(std::sqrt(9.81 / 0.8) * T);
  for (const std::string& set : kSets) {
    for (const char* formulation : {"index1", "matrix-r", "ali3p", "index3"}) {
      RunOptions options;
      options.coordinates = set;
      options.formulation = formulation;
      options.integrator = std::string(formulation) == "ali3p"    ? "trapezoidal"
                           : std::string(formulation) == "index3" ? "generalized-alpha"
                                                                  : "rk4";
      options.step = 1e-3;
      options.end = T;
      const SignalTable table = simulate(compiled(text, set), options);
      // sin q − q changes q by 1e-10; the rules of second order leave (ωh)²/12 of the phase
      EXPECT_NEAR(last(table, "q"), expected, 3e-9) << set << " × " << formulation;
    }
  }
}

/// A rotor of inertia alone on an arm: the arm feels its inertia when it turns with the arm, and its spin when the arm
/// tilts the axis. Against a rotor of a mass that hardly counts.
TEST(Rotor, HasInertiaAndNoMass) {
  const auto text = [](const std::string& mass) {
    return "parameters: {J: 0.2, g: 9.81}\n"
           "bodies:\n  arm: {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}\n  rotor: "
           "{mass: " +
           mass +
           ", inertia: [0.6*J, J, 0.6*J]}\n"
           "joints:\n"
           "  u: {type: universal, bodies: [ground, arm], points: [[0,0,0],[0,0,0]], axes: [z, "
           "y]}\n"
           "  r: {type: revolute, bodies: [arm, rotor], points: [[1,0,0],[0,0,0]], axes: [x,x], "
           "references: [y,y]}\n"
           "forces: {w: {type: gravity, acceleration: [0, 0, -g]}}\n"
           "initial: {r.v: 30}\n"
           "signals: {a: u.q1, b: u.q2, e: energy}\nobjectives: {o: {terminal: u.q1 + u.q2}}\n";
  };
  const SignalTable reference = run(text("1e-12"), "joint-com", 0.4, 5e-4);
  EXPECT_GT(std::abs(last(reference, "a")), 0.01);  // it precesses
  for (const std::string& set : kSets) {
    // the rotor turns by 0.015 rad in a step: in coordinates that turn with it, rk4 leaves up to 4e-7, and
    // 16 times less with half the step
    const SignalTable table = run(text("0"), set, 0.4, 5e-4);
    EXPECT_NEAR(last(table, "a"), last(reference, "a"), 1e-6) << set;
    EXPECT_NEAR(last(table, "b"), last(reference, "b"), 1e-6) << set;
  }
}

/// A force in body axes turns with the body, which a point mass cannot: it is not taken for one in silence.
TEST(PointMass, ForcesInBodyAxesNeedAnOrientation) {
  const auto text = [](const std::string& axes) {
    return "bodies: {ball: {mass: 0.7}}\n"
           "forces: {f: {type: point-force, point: ball.com, force: [1.4, 0, 0], axes: " +
           axes + "}}\nsignals: {x: ball.com.x}\n";
  };
  EXPECT_NEAR(last(run(text("world"), "joint-com", 0.5, 1e-2), "x"), 0.25, 1e-12);  // ½ (f/m) t²
  const SignalTable turned = run(text("body"), "joint-com", 0.5, 1e-2);
  EXPECT_FALSE(turned.report.done());
  EXPECT_THAT(turned.report.message, HasSubstr("body \"ball\" can move, and has no mass"));
}

/// Nothing resists the rotation of a point mass about a pin through it: refused with its name, in all coordinates and
/// formulations.
TEST(PointMass, IdleMotionNamesTheBody) {
  const std::string text =
      "bodies:\n  arm: {mass: 1, com: [0.5,0,0], inertia: [0.01,0.1,0.1]}\n  ball: {mass: 0.3}\n"
      "joints:\n"
      "  h: {type: revolute, bodies: [ground, arm], points: [[0,0,0],[0,0,0]], axes: [z,z], "
      "references: [x,x]}\n"
      "  r: {type: revolute, bodies: [arm, ball], points: [[1,0,0],[0,0,0]], axes: [y,y], "
      "references: [x,x]}\n"
      "forces: {w: {type: gravity, acceleration: [0, -9.81, 0]}}\nsignals: {q: h.q}\n";
  for (const std::string& set : kSets) {
    for (const char* formulation :
         {"matrix-r", "ali3p", "index1", "semi-recursive", "fully-recursive"}) {
      const bool tree = std::string(formulation).ends_with("recursive");
      if (tree && (set == "cartesian" || set == "natural")) continue;
      RunOptions options;
      options.coordinates = set;
      options.formulation = formulation;
      options.step = 1e-2;
      options.end = 0.1;
      const SignalTable table = simulate(compiled(text, set), options);
      EXPECT_FALSE(table.report.done()) << set << " × " << formulation;
      EXPECT_THAT(table.report.message, HasSubstr("body \"ball\" can move"))
          << set << " × " << formulation;
      EXPECT_THAT(table.report.message, Not(HasSubstr("\"arm\""))) << set << " × " << formulation;
    }
  }
}

/// A torque on a point mass, or a force beside its centre, wants something to turn: it is not dropped.
TEST(PointMass, IsNotTurnedInSilence) {
  const std::string text =
      "bodies: {ball: {mass: 1%}}\nforces: {n: {type: %, %}}\nsignals: {x: ball.com.x}\n";
  const auto filled = [&](const char* points, const char* type, const char* fields) {
    std::string out = text;
    for (const char* part : {points, type, fields}) out.replace(out.find('%'), 1, part);
    return out;
  };
  for (const std::string& model :
       {filled("", "body-torque", "body: ball, torque: [0, 0, 1]"),
        filled(", points: {P: [1, 0, 0]}", "point-force", "point: P, force: [0, 1, 0]")}) {
    const SignalTable table = run(model, "joint-com", 0.1, 1e-2);
    EXPECT_FALSE(table.report.done());
    EXPECT_THAT(table.report.message, HasSubstr("body \"ball\" can move"));
  }
}

// ---- fields ----------------------------------------------------------------------------------------------

std::string planet(const std::string& field) {
  return "parameters: {mu: 3, e: 0.4}\n"
         "bodies: {p: {mass: 2}}\n"
         "joints: {j: {type: cartesian, bodies: [ground, p], points: [[0,0,0],[0,0,0]]}}\n"
         "forces: {sun: {" +
         field +
         "}}\n"
         "initial: {j.q: [1 - e, 0, 0], j.v: [0, sqrt(mu*(1 + e)/(1 - e)), 0]}\n"
         "states: {u: {rate: j.q1}}\n"
         "signals: {x: p.com.x, y: p.com.y, total: energy}\n"
         "objectives: {o: {terminal: p.com.x + p.com.vy}, w: {integral: potential_energy}}\n";
}

/// Kepler's ellipse with semi-axis 1: after the period 2π/√μ the planet is back, the energy is −mμ/2.
TEST(CentralGravity, OrbitsAreEllipses) {
  const double period = 2 * std::numbers::pi / std::sqrt(3.0);
  for (const std::string& set : kSets) {
    const SignalTable table = run(planet("type: central-gravity, mu: mu"), set, period, 2e-3);
    EXPECT_NEAR(last(table, "x"), 0.6, 1e-7) << set;
    EXPECT_NEAR(last(table, "y"), 0, 1e-6) << set;
    EXPECT_NEAR(last(table, "total"), -3, 1e-7) << set;
    EXPECT_LE(table.report.monitors.balance, 1e-7) << set;
  }
}

/// The same field three times: as an element, by its potential, by its acceleration; with gradients by all methods.
TEST(GravityField, ExpressionsEqualTheElement) {
  const std::string r3 = "*mu/(x^2 + y^2 + z^2)^1.5";
  const std::vector<std::string> fields = {
      "type: central-gravity, mu: mu",
      "type: gravity-field, potential: \"-mu/sqrt(x^2 + y^2 + z^2)\"",
      "type: gravity-field, acceleration: [\"-x" + r3 + "\", \"-y" + r3 + "\", \"-z" + r3 + "\"]"};
  for (const std::string& set : kSets) {
    std::vector<GradientReport> first;
    for (std::size_t k = 0; k < fields.size(); ++k) {
      const Model model = compiled(planet(fields[k]), set);
      GradientOptions options;
      options.run.coordinates = set;
      options.run.formulation = "matrix-r";
      options.run.integrator = "rk4";
      options.run.step = 1e-2;
      options.run.end = 0.5;
      std::vector<GradientReport> all;
      for (const char* method : {"complex-step", "forward", "adjoint"}) {
        options.method = method;
        const VecX rho = model.default_rho();
        all.push_back(gradient(model, in(rho), options));
        ASSERT_EQ(all.back().status, RunStatus::kDone) << set << method << all.back().message;
        EXPECT_LE(test::gradient_distance(model, all[0], all.back()), 1e-9)
            << set << fields[k] << method;
      }
      if (k == 0) first = all;
      if (k == 1) {
        EXPECT_LE(test::gradient_distance(model, first[0], all[0]), 1e-9) << set;
        EXPECT_NEAR(first[0].values[0], all[0].values[0], 1e-12);
      }
      if (k == 2) {  // it moves alike, and has no potential: all of it is work
        EXPECT_LE((first[0].gradient.row(0) - all[0].gradient.row(0)).norm(), 1e-9) << set;
        EXPECT_LE(all[0].run.monitors.balance, all[0].run.monitors.resolution);
        EXPECT_LE(all[0].run.monitors.resolution, 1e-4);  // of 3 J, from 50 samples
        EXPECT_FALSE(all[0].run.monitors.conservative);
      }
    }
  }
}

TEST(GravityField, WhatItMayDependOn) {
  EXPECT_THAT(
      refusal(planet("type: gravity-field, potential: \"j.q1*x\"")),
      HasSubstr("f:4: force \"sun\": potential: it depends on x, y, z, t and parameters alone"));
  EXPECT_THAT(refusal(planet("type: gravity-field, potential: x, acceleration: [0, 0, 0]")),
              HasSubstr("give potential or acceleration"));
  EXPECT_THAT(refusal(planet("type: gravity-field, acceleration: [p.com.ax, 0, 0]")),
              HasSubstr("cannot depend on accelerations"));
  EXPECT_THAT(refusal(planet("type: gravity-field, potential: w")), HasSubstr("f:4: "));
}

// ---- signals ---------------------------------------------------------------------------------------------

TEST(SignalNames, MayBeThoseOfComponentsJointsAndEnergies) {
  const Model model = compiled(
      "bodies: {rod: {mass: 1, com: [2, 0, 0], inertia: [0.04, 0.1, 0.1]}}\n"
      "joints: {hinge: {type: revolute, bodies: [ground, rod], point: [0, 0, 0], axis: y}}\n"
      "forces: {weight: {type: gravity, acceleration: [0, 0, -9.81]}}\n"
      "signals: {fx: \"-reaction(hinge, fx)\", fz: \"2*fx + reaction(hinge, fz)\", hinge: "
      "\"reaction(hinge, ty)\", "
      "energy: energy, twice: 2*energy, kinetic_energy: 3*kinetic_energy}\n"
      "objectives: {o: {terminal: fz}}\n");
  const SignalTable table = simulate(model, [] {
    RunOptions options;
    options.step = 1e-2;
    options.end = 0.1;
    return options;
  }());
  ASSERT_TRUE(table.report.done());
  // released level: the rod turns with g m c/(m c² + J), the hinge bears the rest of the weight
  const double carried = 9.81 - 2 * (9.81 * 2 / 4.1);
  EXPECT_NEAR(table.column("fx")(0), 0, 1e-12);
  EXPECT_NEAR(table.column("fz")(0), carried, 1e-12);
  EXPECT_NEAR(table.column("twice")(5), 2 * table.column("energy")(5), 1e-12);
}

TEST(SignalNames, RealRingsAreStillFound) {
  EXPECT_THAT(refusal("bodies: {a: {mass: 1}}\nsignals: {fx: fy + 1, fy: 2*fx}\n"),
              HasSubstr("f:2: signal \"fx\" depends on itself (fx → fy → fx)"));
}

const char* const kTop = R"yaml(
parameters: {L: 0.6, w: 4}
bodies:
  rod: {mass: 1.2, com: [L/2, 0.05, 0], inertia: [0.02, 0.1, 0.11], points: {P: [L, 0, 0]}}
  arm: {mass: 0.5, com: [0, 0.1, 0], inertia: [0.01, 0.002, 0.01]}
  wrist: {mass: 0.1, com: [0, 0.02, 0.05], inertia: [0.01, 0.02, 0.015]}
joints:
  ball: {type: spherical, bodies: [ground, rod], points: [[0, 0, 0], [0, 0, 0]]}
  hinge: {type: revolute, bodies: [rod, arm], points: [P, [0, 0, 0]], axes: [x, x], references: [y, y]}
  tail: {type: spherical, bodies: [arm, wrist], points: [[0, 0.2, 0], [0, 0, 0]]}
forces: {weight: {type: gravity, acceleration: [0, 0, -9.81]}}
initial: {ball.w: [1, -2, w], hinge.v: 3, tail.w: [0.5, 0.25, -0.75]}
signals: {a: ball.wx, b: ball.wz, c: hinge.w, d: hinge.wz, e: tail.wx, f: tail.wy, g: tail.wz, h: arm.wy}
objectives: {o: {terminal: tail.wx*ball.wy + tail.wz, integral: hinge.w^2 + tail.wy}}
)yaml";

/// What `initial` gives in J.w is what the signals read at the start, in axes of F: also where the first body has turned.
TEST(JointAngularVelocity, IsThatOfTheInitialValues) {
  for (const std::string& set : kSets) {
    const SignalTable table = run(kTop, set, 0.05, 5e-3);
    ASSERT_TRUE(table.report.done()) << set << table.report.message;
    const std::vector<double> expected = {1, 4, 3, 3, 0.5, 0.25, -0.75};
    for (std::size_t k = 0; k < expected.size(); ++k) {
      EXPECT_NEAR(table.values(0, static_cast<Eigen::Index>(k) + 1), expected[k], 1e-9) << set << k;
    }
    EXPECT_GT(std::abs(last(table, "e") - 0.5), 1e-3);
  }
}

TEST(JointAngularVelocity, AgreesInAllCoordinatesAndMethods) {
  const VecX reference = run(kTop, "joint-com", 0.1, 1e-3).values.bottomRows(1).transpose();
  for (const std::string& set : kSets) {
    const VecX end = run(kTop, set, 0.1, 1e-3).values.bottomRows(1).transpose();
    EXPECT_LE((end - reference).cwiseAbs().maxCoeff(), 1e-7) << set;
    const Model model = compiled(kTop, set);
    const VecX rho = model.default_rho();
    std::vector<GradientReport> all;
    for (const char* method : {"complex-step", "forward", "adjoint"}) {
      GradientOptions options;
      options.method = method;
      options.run.coordinates = set;
      options.run.formulation = "matrix-r";
      options.run.integrator = "rk4";
      options.run.step = 1e-2;
      options.run.end = 0.1;
      all.push_back(gradient(model, in(rho), options));
      ASSERT_EQ(all.back().status, RunStatus::kDone) << method << ": " << all.back().message;
      EXPECT_LE(test::gradient_distance(model, all[0], all.back()), 1e-9) << set << method;
    }
  }
}

TEST(JointAngularVelocity, OtherNamesAreRefusedWithTheChoices) {
  const std::string text = kTop;
  const auto with = [&](const std::string& signal) {
    return text + "states: {u: {rate: " + signal + "}}\n";
  };
  EXPECT_THAT(refusal(with("ball.w")), HasSubstr("its angular velocity is ball.wx, .wy, .wz"));
  EXPECT_EQ(refusal(with("hinge.w")), "");
}

// ---- info ------------------------------------------------------------------------------------------------

TEST(ModelInfo, StatesAreNoFreedomsAndParametersNameTheirUsers) {
  const Model model = compiled(R"yaml(
parameters: {m: 1, kp: 5, ki: 2, ta: 0.1, s0: 0.2, ref: 0.2, q0: 0.3}
bodies: {A: {mass: m, com: [0.2, 0, 0], inertia: [0.01, 0.1, 0.1]}}
joints: {h: {type: revolute, bodies: [ground, A], point: [0, 0, 0], axis: z}}
forces: {drive: {type: joint-force, joint: h, value: c}}
states: {u: {rate: (h.q - u)/ta, initial: s0, unit: rad}}
controllers: {c: {error: ref - u, P: kp, I: ki}}
initial: {h.q: q0}
)yaml");
  const auto users = [&](const char* name) {
    for (const Parameter& p : model.parameters()) {
      if (p.name == name) return p.users;
    }
    return std::vector<std::string>{"no such parameter"};
  };
  EXPECT_THAT(users("ta"), ElementsAre("state \"u\""));
  EXPECT_THAT(users("s0"), ElementsAre("state \"u\""));
  EXPECT_THAT(users("kp"), ElementsAre("controller \"c\""));
  EXPECT_THAT(users("ref"), ElementsAre("controller \"c\""));
  EXPECT_THAT(users("q0"), ElementsAre("initial"));
  EXPECT_THAT(users("m"), ElementsAre("body \"A\""));

  const std::string text = model_info_text(model);
  EXPECT_THAT(text, HasSubstr("1 coordinate; 1 degree of freedom; 2 states"));
  EXPECT_THAT(text, HasSubstr("\nStates\n"));
  EXPECT_THAT(text, Not(HasSubstr("u.q")));
  EXPECT_THAT(text, HasSubstr("drive  joint-force  h.q"));
  EXPECT_THAT(text, Not(HasSubstr("c_integral   revolute")));
  EXPECT_EQ(count_coordinates(model).coordinates, 1);
  const std::vector<CoordinateSize> sizes = {coordinate_size(model)};
  EXPECT_THAT(model_info_text(model, sizes), HasSubstr("1 + 2 states"));
  EXPECT_THAT(model_info_json(model, sizes), Not(HasSubstr("\"coordinates\": 3")));
  const std::vector<StateStart> states = states_of(model, model.default_physical());
  ASSERT_EQ(states.size(), 2u);
  EXPECT_EQ(states[0].name, "u");
  EXPECT_EQ(states[0].start, 0.2);
  EXPECT_EQ(states[0].unit, "rad");
}

}  // namespace
}  // namespace kinegrad
