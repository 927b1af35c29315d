// Static equilibrium, runs of pure kinematics, and points as initial values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/simulation/simulator.hpp"
#include "kinegrad/simulation/statics.hpp"
#include "support/closed_loops.hpp"

namespace kinegrad {
namespace {

using testing::HasSubstr;

Model changed(const std::string& example,
              const std::vector<std::pair<std::string, std::string>>& values) {
  ModelDescription description =
      read_model_yaml(test::source_path("examples/" + example + ".yaml"));
  for (const auto& [name, value] : values) set_parameter(description, name, value);
  return compile_model(description);
}

struct Rest {
  KinematicReport report;
  VecX q, lambda;
};

Rest rest_of(const Model& model) {
  Rest out;
  const std::vector<double> p = model.default_physical();
  JointSystem<double> system(model, ReferencePoint::kCom);
  system.set_parameters(p);
  out.q = Eigen::Map<const VecX>(p.data() + model.initial_q(), model.nq());
  VecX v = VecX::Zero(model.nq());
  EXPECT_TRUE(assemble_start<double>(model, system, 0, out.q, v).solved);
  const Equilibrium found = find_equilibrium(model, p, out.q, v);
  out.report = found.report;
  out.q = found.q;
  if (found.report.solved) out.lambda = found.record.multipliers.head(system.holonomic());
  return out;
}

/// Forces of the rest state, in newtons; Newton's method stops at 1e-10 of them.
double forces_left(const Model& model, const Rest& rest) {
  const std::vector<double> p = model.default_physical();
  JointSystem<double> system(model, ReferencePoint::kCom);
  system.set_parameters(p);
  const VecX zero = VecX::Zero(model.nq());
  system.evaluate(0, test::view(rest.q), test::view(zero), test::view(zero));
  VecX f = system.r();
  system.Phi_q().add_transposed(test::view(rest.lambda),
                                {f.data(), static_cast<std::size_t>(f.size())});
  return f.norm();
}

TEST(Statics, PendulumHangsDown) {
  const Model model = test::example("pendulum");
  const Rest rest = rest_of(model);
  ASSERT_TRUE(rest.report.solved) << rest.report.message;
  EXPECT_NEAR(std::sin(rest.q(0)), -1, 1e-14);
}

/// The search asks in every iteration, and gives up at once: of four hundred bodies each of them takes long.
TEST(Statics, SearchCanBeStopped) {
  const Model model = test::example("pendulum");
  const std::vector<double> p = model.default_physical();
  const VecX q = VecX::Zero(model.nq()), v = VecX::Zero(model.nq());
  int asked = 0;
  const Equilibrium whole = find_equilibrium(model, p, q, v, std::nullopt, [&] { return ++asked > 0; });
  EXPECT_TRUE(whole.report.solved);
  EXPECT_FALSE(whole.stopped);
  EXPECT_GE(asked, whole.report.iterations);
  asked = 0;
  const Equilibrium stopped = find_equilibrium(model, p, q, v, std::nullopt, [&] { return ++asked < 2; });
  EXPECT_TRUE(stopped.stopped);
  EXPECT_FALSE(stopped.report.solved);
  EXPECT_EQ(asked, 2) << "nobody is asked again";
  RunOptions run;
  run.start = "equilibrium";
  run.only_start = true;
  run.go_on = [](double) { return false; };
  Simulator simulator(model, run);
  const RunReport report = simulator.run(p, {});
  EXPECT_EQ(report.status, RunStatus::kStopped);
  EXPECT_EQ(report.message, "stopped in the search for the equilibrium");
}

TEST(Statics, MechanismsWithLoopsRest) {
  for (const char* name : {"five_bar", "four_bar", "slider_crank", "bricard"}) {
    const Model model = test::example(name);
    const Rest rest = rest_of(model);
    ASSERT_TRUE(rest.report.solved) << name << ": " << rest.report.message;
    EXPECT_LE(forces_left(model, rest), 1e-8) << name;  // of some hundred newtons
  }
}

/// The spring lengths for which the five-bar rests where it starts (2.43192357, 1.84486889 to the
/// digits given) are a published optimisation's optimum.
TEST(Statics, FiveBarRestsWhereItStartsWithTheRightSprings) {
  const Model model = changed("five_bar", {{"L_s1", "2.43192357"}, {"L_s2", "1.84486889"}});
  const std::vector<double> p = model.default_physical();
  const Rest rest = rest_of(model);
  ASSERT_TRUE(rest.report.solved) << rest.report.message;
  EXPECT_NEAR(rest.q(0), p[static_cast<std::size_t>(model.initial_q())], 1e-7);
  EXPECT_NEAR(rest.q(1), p[static_cast<std::size_t>(model.initial_q()) + 1], 1e-7);
}

/// The crank starts upright, in balance but on a tip: the search leaves it and goes down.
TEST(Statics, DoesNotStayOnATip) {
  const Model model = changed("slider_crank", {{"k_S1", "0"}, {"c_S1", "0"}});
  const Rest rest = rest_of(model);
  ASSERT_TRUE(rest.report.solved) << rest.report.message;
  EXPECT_LT(std::cos(rest.q(model.joints()[0].q_first)), -0.9);
}

/// Where a damped motion settles, however long that takes.
VecX settled(const Model& model, double step, double end) {
  RunOptions options;
  options.integrator = "generalized-alpha";
  options.step = step;
  options.end = end;
  VecX q;
  double speed = 0;
  const RunReport report =
      Simulator(model, options).run(model.default_physical(), [&](const StepState<double>& x) {
        q = x.q;
        speed = x.v.norm();
        return true;
      });
  EXPECT_TRUE(report.done()) << report.message;
  EXPECT_LE(speed, 1e-9);  // it has settled
  return q;
}

/// A motor on the second joint that the angle of the first one rules: what it does to one, the other does not do
/// to it. Going downhill does not arrive; honey does.
TEST(Statics, ForcesWithoutAPotentialRestWhereTheDampedMotionSettles) {
  const Model model = compile_model(parse_model_yaml(R"yaml(
bodies:
  b0: {mass: 100, com: [0.056, 0, 0], inertia: [0.012, 0.12, 0.12], points: {p0: [0.11, 0, 0]}}
  b1: {mass: 100, com: [0.016, 0, 0], inertia: [0.001, 0.01, 0.01]}
joints:
  j0: {type: revolute, bodies: [ground, b0], points: [[0, 0, 0], [0, 0, 0]], axes: [z, z], references: [[0.46, -0.86, 0], x]}
  j1: {type: revolute, bodies: [b0, b1], points: [p0, [0, 0, 0]], axes: [z, z], references: [[0.43, -1.16, 0], x]}
forces:
  weight: {type: gravity, acceleration: [0, -9.81, 0]}
  d0: {type: torsional-spring-damper, joint: j0, stiffness: 0, damping: 20, angle: 0}
  d1: {type: torsional-spring-damper, joint: j1, stiffness: 29, damping: 20, angle: 0}
  motor: {type: joint-force, joint: j1, value: "92 - 175*j0.q^3"}
)yaml",
                                                     "honey"));
  const Rest rest = rest_of(model);
  ASSERT_TRUE(rest.report.solved) << rest.report.message;
  EXPECT_LE(forces_left(model, rest), 1e-7);  // 1e-10 of some hundred newtons, as the search stops
  EXPECT_LE((rest.q - settled(model, 2e-3, 20)).norm(), 1e-7);
}

/// Four links of a hundred metres, a spring, and a motor on the third joint that the angle of the first one rules.
constexpr const char* kDampedChain = R"yaml(
points: {O: [0,0,0], W: [22.8882,88.4837,0]}
bodies:
  b0: {mass: 1, com: [53.2865,0,0], inertia: [113.578,1135.78,1135.78], points: {p0: [106.573,0,0]}}
  b1: {mass: 1, com: [22.6047,0,0], inertia: [20.4389,204.389,204.389], points: {p1: [45.2094,0,0]}}
  b2: {mass: 1, com: [54.3174,0,0], inertia: [118.015,1180.15,1180.15], points: {p2: [108.635,0,0]}}
  b3: {mass: 1, com: [44.1624,0,0], inertia: [78.0125,780.125,780.125], points: {p3: [88.3247,0,0]}}
joints:
  j0: {type: revolute, bodies: [ground, b0], points: [O, [0,0,0]], axes: [z,z], references: [[0.697176,-0.143794,0], x]}
  j1: {type: revolute, bodies: [b0, b1], points: [p0, [0,0,0]], axes: [z,z], references: [[1.29912,-0.365045,0], x]}
  j2: {type: revolute, bodies: [b1, b2], points: [p1, [0,0,0]], axes: [z,z], references: [[2.4782,-0.055697,0], x]}
  j3: {type: revolute, bodies: [b2, b3], points: [p2, [0,0,0]], axes: [z,z], references: [[1.29253,0.97267,0], x]}
forces:
  weight: {type: gravity, acceleration: [0,-9.81,0]}
  d0: {type: torsional-spring-damper, joint: j0, stiffness: 294.3, damping: 6264.18, angle: 0}
  d1: {type: torsional-spring-damper, joint: j1, stiffness: 294.3, damping: 6264.18, angle: 0}
  d2: {type: torsional-spring-damper, joint: j2, stiffness: 0, damping: 6264.18, angle: 0}
  d3: {type: torsional-spring-damper, joint: j3, stiffness: 294.3, damping: 6264.18, angle: 0}
  s: {type: spring-damper, points: [W, p3], stiffness: 3.40397, damping: 0, length: 72.6986}
  tq: {type: joint-force, joint: j2, value: "822.438*sin(2.84092*j0.q) - 1954.9*tanh(5*j2.q)"}
)yaml";

/// The mass matrix as resistance goes round in circles; the dampers lead to a rest that a motion keeps.
TEST(Statics, DampersLeadWhereTheMassMatrixDoesNot) {
  const Model model = compile_model(parse_model_yaml(kDampedChain, "chain"));
  const Rest rest = rest_of(model);
  ASSERT_TRUE(rest.report.solved) << rest.report.message;
  EXPECT_LE(forces_left(model, rest), 1e-5);  // of some ten thousand newton metres
  RunOptions options;
  options.start = "equilibrium";
  options.step = 0.05;
  options.end = 20;
  VecX last;
  const RunReport report =
      Simulator(model, options).run(model.default_physical(), [&](const StepState<double>& x) {
        last = x.q;
        return true;
      });
  ASSERT_TRUE(report.done()) << report.message;
  EXPECT_LE((last - rest.q).norm(), 1e-6);
}

/// Two hanging links whose end is held at a height: equations count by the size of their terms, however small they are
/// written, and those that hold identically count for nothing.
TEST(Statics, RankIsThatOfTheRule) {
  const std::string model = R"yaml(
bodies:
  upper: {mass: 2, com: [0.5, 0, 0], inertia: [0, 0.1, 0.1], points: {A: [1, 0, 0]}}
  lower: {mass: 1, com: [0.5, 0, 0], inertia: [0, 0.1, 0.1], points: {E: [1, 0, 0]}}
joints:
  J: {type: revolute, bodies: [ground, upper], points: [[0, 0, 0], [0, 0, 0]], axes: [z, z]}
  K: {type: revolute, bodies: [upper, lower], points: [A, [0, 0, 0]], axes: [z, z]}
forces:
  weight: {type: gravity, acceleration: [0, -9.81, 0]}
initial: {J.q: -0.3}
guess: {K.q: -1}
constraints:
)yaml";
  const char* kinds[] = {"  held: {type: expression, expression: E.y + 0.9}\n",
                         "  held: {type: expression, expression: 1e-11*(E.y + 0.9)}\n",
                         "  held: {type: expression, expression: E.y + 0.9}\n"
                         "  again: {type: expression, expression: 1e-11*(E.y + 0.9)}\n",
                         "  nothing: {type: expression, expression: A.x^2 + A.y^2 - 1}\n"
                         "  held: {type: expression, expression: E.y + 0.9}\n"};
  const Rest plain = rest_of(compile_model(parse_model_yaml(model + kinds[0], "rest")));
  ASSERT_TRUE(plain.report.solved) << plain.report.message;
  for (const char* kind : kinds) {
    const Model other = compile_model(parse_model_yaml(model + kind, "rest"));
    const Rest rest = rest_of(other);
    ASSERT_TRUE(rest.report.solved) << kind << rest.report.message;
    if (std::string(kind).find("far") == std::string::npos) {
      EXPECT_LE((rest.q - plain.q).norm(), 1e-9) << kind;  // forces in balance to 1e-10
    } else {
      EXPECT_NEAR(std::sin(rest.q(0)), -0.6, 1e-10);
      EXPECT_NEAR(std::sin(rest.q(0) + rest.q(1)), -0.3, 1e-10);
    }
    EXPECT_LE(forces_left(other, rest), 1e-8) << kind;
  }
}

TEST(Statics, SaysWhenThereIsNone) {
  const Model model = test::example("all_joints");  // a body falls freely
  const Rest rest = rest_of(model);
  EXPECT_FALSE(rest.report.solved);
  EXPECT_THAT(rest.report.message, HasSubstr("no static equilibrium"));
}

TEST(Statics, ARunFromRestStaysThere) {
  const Model model = test::example("five_bar");
  RunOptions options;
  options.start = "equilibrium";
  options.step = 1e-2;
  options.end = 1;
  Simulator simulator(model, options);
  VecX first, last;
  const RunReport report = simulator.run(model.default_physical(), [&](const StepState<double>& x) {
    if (x.t == 0) first = x.q;
    last = x.q;
    return true;
  });
  ASSERT_EQ(report.status, RunStatus::kDone) << report.message;
  EXPECT_LE((last - first).norm(), 1e-9);
}

/// Positions do not depend on the step, and what the drive puts in changes the energy.
TEST(Kinematic, DrivenMechanismIsExactAtEveryStep) {
  const Model model = test::example("driven_four_bar");
  VecX ends[2];
  for (const int k : {0, 1}) {
    RunOptions options;
    options.formulation = "kinematic";
    options.step = k == 0 ? 0.1 : 0.013;
    options.end = 1.3;
    Simulator simulator(model, options);
    const RunReport report =
        simulator.run(model.default_physical(), [&](const StepState<double>& x) {
          ends[k] = x.q;
          return true;
        });
    ASSERT_EQ(report.status, RunStatus::kDone) << report.message;
  }
  EXPECT_LE((ends[0] - ends[1]).norm(), 1e-12);
}

TEST(Kinematic, RefusesFreedom) {
  const Model model = test::example("five_bar");
  RunOptions options;
  options.formulation = "kinematic";
  options.step = options.end = 0.1;
  Simulator simulator(model, options);
  const RunReport report =
      simulator.run(model.default_physical(), [](const StepState<double>&) { return true; });
  EXPECT_EQ(report.status, RunStatus::kFailed);
  EXPECT_TRUE(report.input_wrong);
  EXPECT_THAT(report.message, HasSubstr("2 degrees of freedom"));
}

/// Point 2 of the five-bar given instead of the two angles.
TEST(PointStart, PlaceAndVelocity) {
  ModelDescription description = read_model_yaml(test::source_path("examples/five_bar.yaml"));
  const auto give = [&](const char* name, double value) {
    InitialSpec spec;
    spec.key = name;
    spec.values = {value};
    description.initial.push_back(spec);
  };
  description.initial.clear();
  give("P2.x", 0.4);
  give("P2.y", -1.9);
  give("P2.vx", 0.3);
  const Model model = compile_model(description);
  const std::vector<double> p = model.default_physical();
  JointSystem<double> system(model, ReferencePoint::kCom);
  system.set_parameters(p);
  VecX q = Eigen::Map<const VecX>(p.data() + model.initial_q(), model.nq()), v = 0 * q;
  const KinematicReport report = assemble_start<double>(model, system, 0, q, v);
  ASSERT_TRUE(report.solved) << report.message;
  EXPECT_EQ(report.freedom, 2);
  SignalEvaluator<double> signals(model);
  signals.evaluate(p, 0, test::view(q), test::view(v), test::view(v), {});
  EXPECT_NEAR(signals.point_motion(model.find_vector("P2")).r(0), 0.4, 1e-11);
  EXPECT_NEAR(signals.point_motion(model.find_vector("P2")).r(1), -1.9, 1e-11);
  EXPECT_NEAR(signals.point_motion(model.find_vector("P2")).rdot(0), 0.3, 1e-11);
  EXPECT_NEAR(signals.point_motion(model.find_vector("P2")).rdot(1), 0, 1e-11);
}

}  // namespace
}  // namespace kinegrad
