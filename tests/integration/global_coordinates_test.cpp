// Cartesian and natural coordinates give the motion and the gradients of joint coordinates, for every
// example, with the formulations, integrators and methods that these have (docs/theory/global_coordinates.md).
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "kinegrad/assembly/coordinate_change.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "kinegrad/simulation/mobility.hpp"
#include "kinegrad/simulation/simulator.hpp"
#include "support/closed_loops.hpp"
#include "support/example_runs.hpp"
#include "support/gradient_distance.hpp"
#include "support/refusals.hpp"

namespace kinegrad {
namespace {

constexpr CoordinateSet kGlobal[] = {CoordinateSet::kCartesian, CoordinateSet::kNatural};

std::string name_of(CoordinateSet set) {
  return set == CoordinateSet::kCartesian ? "cartesian"
         : set == CoordinateSet::kNatural ? "natural"
                                          : "joint-com";
}

using Example = test::ExampleRun;

RunOptions run_of(CoordinateSet set, const Example& example) {
  RunOptions run;
  run.coordinates = name_of(set);
  run.step = example.step;
  run.end = example.end;
  return run;
}

/// Steps so small that only rounding and drift are left.
RunOptions accurate(CoordinateSet set, const Example& example) {
  RunOptions run = run_of(set, example);
  run.formulation = "index1";
  run.integrator = "dopri5";
  run.details.tolerance = 1e-11;
  return run;
}

/// Where all bodies are and how they move, energy, and the signals of the model.
struct End {
  std::vector<double> numbers;
  RunReport report;
};

End end_of(const Model& model, RunOptions run) {
  if (model.constraints().empty()) run.formulation = "semi-recursive";
  Simulator simulator(model, run);
  const std::vector<double> p = model.default_physical();
  StepState<double> last;
  End end;
  end.report = simulator.run(p, [&](const StepState<double>& x) {
    last = x;
    return true;
  });
  if (!end.report.done()) return end;
  SignalEvaluator<double> motion(model);
  motion.evaluate(p, last.t, in(last.q), in(last.v), in(last.a), in(last.lambda));
  for (std::size_t b = 1; b < model.start().bodies().size(); ++b) {
    if (model.bodies()[b].auxiliary) continue;
    const auto add = [&](const auto& x) {
      for (Eigen::Index k = 0; k < x.size(); ++k) end.numbers.push_back(x(k));
    };
    add(motion.position().X_WB[b].p);
    add(motion.position().X_WB[b].R);
    add(motion.velocity().w_WB[b]);
    add(motion.velocity().v_WB[b]);
    add(motion.acceleration().a_WB[b]);
  }
  for (int k = 0; k < int(model.signals().size()); ++k) end.numbers.push_back(motion.signal(k));
  for (const double psi : end.report.objectives) end.numbers.push_back(psi);
  return end;
}

class GlobalCoordinates : public testing::TestWithParam<Example> {};

TEST_P(GlobalCoordinates, MoveAsJointCoordinatesDo) {
  const Example& example = GetParam();
  const End expected =
      end_of(test::example(example.name), accurate(CoordinateSet::kJoint, example));
  ASSERT_TRUE(expected.report.done()) << expected.report.message;
  for (const CoordinateSet set : kGlobal) {
    SCOPED_TRACE(name_of(set));
    const End actual = end_of(test::example(example.name, set), accurate(set, example));
    ASSERT_TRUE(actual.report.done()) << actual.report.message;
    ASSERT_EQ(actual.numbers.size(), expected.numbers.size());
    // the integrator's tolerance, and what constraints at acceleration level drift by in a short run
    constexpr double kSame = 2e-8;
    double size = 1;
    for (const double x : expected.numbers) size = std::max(size, std::abs(x));
    for (std::size_t k = 0; k < expected.numbers.size(); ++k) {
      EXPECT_NEAR(actual.numbers[k], expected.numbers[k], kSame * size) << "number " << k;
    }
  }
}

/// One of each kind of formulation and integrator; all_pairs: all that go together.
std::vector<test::Method> methods_for(const Model& model) {
  std::vector<test::Method> some;
  for (test::Method method : test::methods_for(model, ReferencePoint::kCom)) {
    const bool hht = method.formulation == "index3" && method.integrator == "hht";
    const bool usual = method.integrator == "trapezoidal";
    const bool explicitly = method.integrator == "rk4" && method.formulation == "matrix-r";
    if (!hht && !usual && !explicitly) continue;
    method.details.tolerance = 1e-13;
    if (method.formulation == "penalty") method.constraints.penalty = 1e7;
    some.push_back(method);
  }
  return some;
}

TEST_P(GlobalCoordinates, ForwardAdjointAndComplexStepAreOne) {
  const Example& example = GetParam();
  for (const CoordinateSet set : kGlobal) {
    const Model model = test::example(example.name, set);
    if (model.objectives().empty()) continue;
    int pairs = 0;
    for (const test::Method& method : methods_for(model)) {
      SCOPED_TRACE(name_of(set) + " × " + method.formulation + " × " + method.integrator);
      const auto by = [&](const char* name) {
        GradientOptions options;
        options.method = name;
        options.run = run_of(set, example);
        options.run.formulation = method.formulation;
        options.run.integrator = method.integrator;
        options.run.details = method.details;
        options.run.constraints = method.constraints;
        const VecX rho = model.default_rho();
        return gradient(model, in(rho), options);
      };
      const GradientReport expected = by("complex-step");
      if (expected.run.input_wrong) continue;  // kinematic, where motion is left
      ASSERT_EQ(expected.status, RunStatus::kDone) << expected.message;
      for (const char* name : {"forward", "adjoint"}) {
        const GradientReport actual = by(name);
        ASSERT_EQ(actual.status, RunStatus::kDone) << name << ": " << actual.message;
        // index1 drifts off the only places where rows of Bricard's loop agree, and sees them disagree
        const bool strained =
            std::string(example.name) == "bricard" && method.formulation == "index1";
        EXPECT_LE(test::gradient_distance(model, expected, actual), strained ? 2e-8 : 1e-9) << name;
      }
      ++pairs;
    }
    EXPECT_GE(pairs, model.constraints().empty() ? 1 : 3);
  }
}

TEST_P(GlobalCoordinates, GradientsAreThoseOfJointCoordinates) {
  const Example& example = GetParam();
  const auto by = [&](CoordinateSet set) {
    const Model model = test::example(example.name, set);
    GradientOptions options;
    options.method = "adjoint";
    options.run = accurate(set, example);
    if (model.constraints().empty()) options.run.formulation = "semi-recursive";
    const VecX rho = model.default_rho();
    return gradient(model, in(rho), options);
  };
  const Model joints = test::example(example.name);
  if (joints.objectives().empty()) return;
  const GradientReport expected = by(CoordinateSet::kJoint);
  ASSERT_EQ(expected.status, RunStatus::kDone) << expected.message;
  for (const CoordinateSet set : kGlobal) {
    const GradientReport actual = by(set);
    ASSERT_EQ(actual.status, RunStatus::kDone) << actual.message;
    // both discretise by themselves, to the integrator's tolerance; derivatives have some digits less
    EXPECT_LE(test::gradient_distance(joints, expected, actual), 1e-6) << name_of(set);
  }
}

/// There and back: the state that was converted, and every row of the other set holds.
TEST_P(GlobalCoordinates, StatesConvertThereAndBack) {
  for (const CoordinateSet set : kGlobal) {
    const Model model = test::example(GetParam().name, set);
    SCOPED_TRACE(name_of(set));
    RunOptions options = run_of(set, GetParam());
    RunStart<double> start(model, options);
    const std::vector<double> p = model.default_physical();
    StepState<double> x;
    RunReport report;
    ASSERT_TRUE(start.find(p, x, report)) << report.message;
    EXPECT_EQ(x.q.size(), model.state_size());
    MechanicalSystem<double>& system = start.system();
    system.move(0, in(x.q), in(x.v), in(x.v));
    if (system.rows() > 0) {
      EXPECT_LE(system.Phi().cwiseAbs().maxCoeff(), 1e-11);
      EXPECT_LE(system.Phi_dot().cwiseAbs().maxCoeff(), 1e-9 * (1 + x.v.cwiseAbs().maxCoeff()));
    }
    const StepState<double>& found = start.found();
    VecX q0 = found.q, v0;
    ToJointCoordinates<double>(model).convert(p, in(x.q), in(x.v), q0, v0);
    EXPECT_LE((q0 - found.q).norm(), 1e-11 * (1 + found.q.norm()));
    EXPECT_LE((v0 - found.v).norm(), 1e-10 * (1 + found.v.norm()));
  }
}

INSTANTIATE_TEST_SUITE_P(Examples, GlobalCoordinates, testing::ValuesIn(test::kExampleRuns),
                         [](const auto& example) { return std::string(example.param.name); });

TEST(GlobalCoordinatesCounts, SpatialSliderCrank) {
  const Model joints = test::example("slider_crank");
  EXPECT_EQ(joints.state_size(), 4);
  EXPECT_EQ(joints.constraint_rows().size(), 3u);
  for (const CoordinateSet set : kGlobal) {
    const Model model = test::example("slider_crank", set);
    const Mobility m = mobility_of(model, model.default_physical());
    EXPECT_EQ(m.freedom, 1) << name_of(set);
  }
  // thesis: about 25 coordinates and 28 rows; ours has no row that sharing makes superfluous
  const Model natural = test::example("slider_crank", CoordinateSet::kNatural);
  EXPECT_GE(natural.state_size(), 20);
  EXPECT_LE(natural.state_size(), 27);
  EXPECT_LE(natural.constraint_rows().size(), 28u);
}

/// A four-bar of any size, from metres to millimetres, has the same gradient in its own measures.
TEST(GlobalCoordinatesSizes, MillimetresAndMetres) {
  const auto gradient_at = [](double size, CoordinateSet set) {
    ModelDescription d = parse_model_yaml(R"yaml(
parameters: {s: 1, m: 2}
bodies:
  crank: {mass: m, com: [0.15*s, 0, 0], inertia: {xx: 0.001*s^2, yy: 0.02*s^2, zz: 0.02*s^2}}
  rod: {mass: 1, com: [0.4*s, 0, 0], inertia: {xx: 0.001*s^2, yy: 0.05*s^2, zz: 0.05*s^2}}
  rocker: {mass: 1, com: [0.3*s, 0, 0], inertia: {xx: 0.001*s^2, yy: 0.03*s^2, zz: 0.03*s^2}, points: {P: [0.3*s, 0, 0]}}
joints:
  A: {type: revolute, bodies: [ground, crank], points: [[0, 0, 0], [0, 0, 0]], axes: [z, z]}
  B: {type: revolute, bodies: [crank, rod], points: [[0.3*s, 0, 0], [0, 0, 0]], axes: [z, z]}
  C: {type: revolute, bodies: [rod, rocker], points: [[0.8*s, 0, 0], [0.6*s, 0, 0]], axes: [z, z]}
  D: {type: revolute, bodies: [ground, rocker], points: [[0.9*s, 0, 0], [0, 0, 0]], axes: [z, z], cut: true}
forces: {weight: {type: gravity, acceleration: [0, -9.81*s, 0]}}
initial: {A.q: 1}
objectives: {b: {integral: (rocker.P.y/s)^2}}
)yaml",
                                          "sizes");
    set_parameter(d, "s", std::to_string(size));
    const Model model = compile_model(d, builtin_catalogue(), set);
    GradientOptions options;
    options.run = run_of(set, {"", 1e-3, 0.05});
    const VecX rho = model.default_rho();
    const GradientReport report = gradient(model, in(rho), options);
    EXPECT_EQ(report.status, RunStatus::kDone) << report.message;
    return VecX(report.gradient.row(0).transpose());
  };
  const VecX expected = gradient_at(1, CoordinateSet::kJoint);
  for (const CoordinateSet set : kGlobal) {
    for (const double size : {1.0, 0.01, 0.001}) {
      const VecX actual = gradient_at(size, set);
      SCOPED_TRACE(name_of(set) + ", " + std::to_string(size));
      // by mass alone: the run is the same at every size, to what the steps of each set leave
      EXPECT_NEAR(actual(1), expected(1), 1e-4 * std::abs(expected(1)));
      EXPECT_LE(std::abs(actual(0)) * size, 1e-6);  // nothing depends on the size
    }
  }
}

/// Natural coordinates of a rod leave some without mass: rows hold them, at every step of a long run.
TEST(GlobalCoordinatesSizes, CoordinatesWithoutMass) {
  const Model model = test::example("pendulum", CoordinateSet::kNatural);
  GradientOptions options;
  options.run.coordinates = "natural";
  options.run.formulation = "ali3p";
  options.run.step = 1e-3;
  options.run.end = 1;
  const VecX rho = model.default_rho();
  const auto by = [&](const char* method) {
    options.method = method;
    options.run.details.tolerance = 1e-13;
    const GradientReport report = gradient(model, {rho.data(), std::size_t(rho.size())}, options);
    EXPECT_EQ(report.status, RunStatus::kDone) << report.message;
    return report;
  };
  const GradientReport complex = by("complex-step");
  for (const char* method : {"forward", "adjoint"}) {
    EXPECT_LE(test::gradient_distance(model, complex, by(method)), 1e-9) << method;
  }
}

/// Held by four points of the ground: there is nothing to share, and something to solve for.
TEST(GlobalCoordinatesSizes, BodyThatCannotMove) {
  const ModelDescription d = parse_model_yaml(R"yaml(
parameters: {h: 0.3}
bodies: {plate: {mass: 1, com: [0.5, 0.5, 0], inertia: {xx: 1, yy: 1, zz: 1}, points: {P: [0, 0, h]}}}
joints:
  A: {type: spherical, bodies: [ground, plate], points: [[0, 0, 0], [0, 0, 0]]}
  B: {type: spherical, bodies: [ground, plate], points: [[1, 0, 0], [1, 0, 0]]}
  C: {type: spherical, bodies: [ground, plate], points: [[0, 1, 0], [0, 1, 0]]}
  D: {type: spherical, bodies: [ground, plate], points: [[0, 0, 1], [0, 0, 1]]}
objectives: {z: {terminal: plate.P.z}}
)yaml",
                                              "held");
  const Model model = compile_model(d, builtin_catalogue(), CoordinateSet::kNatural);
  EXPECT_GT(model.state_size(), 0);
  GradientOptions options;
  options.run = run_of(CoordinateSet::kNatural, {"", 1e-3, 0.01});
  const VecX rho = model.default_rho();
  const GradientReport report = gradient(model, in(rho), options);
  ASSERT_EQ(report.status, RunStatus::kDone) << report.message;
  EXPECT_NEAR(report.gradient(0, 0), 1, 1e-9);
}

TEST(GlobalCoordinatesNames, AreUnique) {
  for (const Example& example : test::kExampleRuns) {
    for (const CoordinateSet set : kGlobal) {
      const std::vector<std::string> names = test::example(example.name, set).coordinate_names();
      EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size())
          << example.name << " " << name_of(set);
    }
  }
}

TEST(GlobalCoordinatesRefusals, AreNamed) {
  const Model joints = test::example("five_bar");
  const Model cartesian = test::example("double_pendulum", CoordinateSet::kCartesian);
  RunOptions run;
  run.step = 1e-2;
  run.end = 0.1;
  run.coordinates = "natural";
  EXPECT_NE(test::refusal([&] { Simulator(joints, run); }).find("compiled"), std::string::npos);
  for (const char* name : {"semi-recursive", "fully-recursive"}) {
    const std::string why =
        test::refusal([&] { make_formulation<double>(name, cartesian, ReferencePoint::kCom); });
    EXPECT_NE(why.find("made for joint coordinates"), std::string::npos) << why;
  }
}

}  // namespace
}  // namespace kinegrad
