// Adaptive runs control what they report: integrals of objectives, coordinates that follow from constraint
// equations, samples between steps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kinegrad/base/error.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "kinegrad/simulation/simulator.hpp"
#include "support/closed_loops.hpp"
#include "support/gradient_distance.hpp"
#include "support/random_mechanisms.hpp"
#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

using testing::HasSubstr;

/// A crank-rocker whose crank is driven: nothing is left to integrate but the work of the drive, which is the
/// change of energy. `drive`: the angle over time.
std::string driven(const std::string& drive) {
  return R"yaml(
parameters: {L: 0.3, m: 1, rate: 5}
points: {O: [0, 0, 0], D: [1, 0, 0]}
bodies:
  crank: {mass: 0.5*m, com: [L/2, 0, 0], inertia: [0, 0.5*m*L^2/12, 0.5*m*L^2/12], points: {PA: [L, 0, 0]}}
  coupler: {mass: m, com: [0.45, 0.1, 0], inertia: [0.01*m, 0.07*m, 0.07*m], points: {PB: [0.9, 0, 0]}}
  rocker: {mass: 0.8*m, com: [0.35, 0, 0], inertia: [0, 0.03*m, 0.03*m], points: {PC: [0.7, 0, 0]}}
joints:
  A: {type: revolute, bodies: [ground, crank], points: [O, [0, 0, 0]], axes: [z, z], references: [x, x]}
  B: {type: revolute, bodies: [crank, coupler], points: [PA, [0, 0, 0]], axes: [z, z], references: [[0.6, 0.8, 0], x]}
  C: {type: revolute, bodies: [coupler, rocker], points: [PB, PC], axes: [z, z], references: [x, x], cut: true}
  E: {type: revolute, bodies: [ground, rocker], points: [D, [0, 0, 0]], axes: [z, z], references: [y, x]}
constraints:
  drive: {type: prescribed, coordinate: A.q, value: )yaml" +
         drive + R"yaml(}
forces:
  weight: {type: gravity, acceleration: [0, -9.81, 0]}
signals: {total: energy}
objectives:
  work: {integral: "reaction(A, tz)*A.v"}
  gain: {terminal: energy}
)yaml";
}

Model compiled(const std::string& text, const std::string& coordinates = "joint-com") {
  return compile_model(parse_model_yaml(text, "case"), builtin_catalogue(),
                       coordinate_set_named(coordinates));
}

RunOptions adaptive(const std::string& formulation, double step, double end, double tolerance) {
  RunOptions options;
  options.formulation = formulation;
  options.integrator = "dopri5";
  options.step = step;
  options.end = end;
  options.details.tolerance = tolerance;
  return options;
}

/// A run with its steps and the energy it begins with.
struct Motion {
  RunReport report;
  StepPlan plan;
  double first_energy = 0;
};

Motion run_of(const Model& model, const RunOptions& options) {
  Motion out;
  const std::vector<double> p = model.default_physical();
  SignalEvaluator<double> signals(model);
  out.report = Simulator(model, options)
                   .run(
                       p,
                       [&](const StepState<double>& x) {
                         signals.evaluate(p, x.t, in(x.q), in(x.v), in(x.a), in(x.lambda));
                         if (x.t == 0) out.first_energy = signals.signal(0);
                         return true;
                       },
                       &out.plan);
  EXPECT_TRUE(out.report.done()) << out.report.message;
  return out;
}

/// How far the work of the drive is from the energy it brings.
double work_error(const Motion& motion) {
  const std::vector<double>& psi = motion.report.objectives;
  return std::abs(psi.at(0) - (psi.at(1) - motion.first_energy));
}

/// Nothing is integrated, so that the work alone can ask for small steps.
TEST(AdaptiveRun, WorkOfADriveIsWithinTheTolerance) {
  const Model model = compiled(driven("rate*t"));
  long before = 0;
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    const Motion motion = run_of(model, adaptive("kinematic", 0.1, 2.3, tolerance));
    // an error of each step; those of the rule of order 5 are smaller than the estimate of order 4
    const double steps = static_cast<double>(motion.report.steps);
    const double size = 1 + std::abs(motion.report.objectives.at(0));
    EXPECT_LE(work_error(motion), tolerance * steps * size) << tolerance;
    EXPECT_GT(motion.report.steps, 1.5 * static_cast<double>(before)) << tolerance;
    before = motion.report.steps;
  }
}

/// The integrand alone is rough: a body at rest whose objective oscillates in time.
TEST(AdaptiveRun, AnIntegrandThatIsRougherThanTheMotionIsFollowed) {
  const Model model = compiled(R"yaml(
parameters: {w: 40}
bodies: {B: {mass: 1, inertia: [1, 1, 1]}}
joints: {J: {type: prismatic, bodies: [ground, B], point: [0, 0, 0], axis: x}}
signals: {x: J.q}
objectives: {area: {integral: "cos(w*t)^2"}}
)yaml");
  const RunReport report = run_of(model, adaptive("", 1, 3, 1e-9)).report;
  const double exact = 1.5 + std::sin(2 * 40 * 3.0) / (4 * 40);
  EXPECT_NEAR(report.objectives.at(0), exact, 1e-9 * static_cast<double>(report.steps));
  EXPECT_GT(report.rejected_steps, 0);
}

/// The embedded rule integrates t³ exactly and t⁴ not, the rule itself t⁴ and not t⁵.             [QU-3]
TEST(AdaptiveRun, EmbeddedQuadratureIsOneOrderLower) {
  const Model model = test::example("pendulum");
  const auto solver = make_formulation<double>("semi-recursive", model, ReferencePoint::kCom);
  const std::vector<double> p = model.default_physical();
  solver->set_parameters(p);
  const auto map = make_step_map<double>("dopri5", *solver, {});
  StepState<double> x0 = test::assembled<double>(model, p), x1;
  ASSERT_TRUE(map->start(x0).usable());
  ASSERT_TRUE(map->step(x0, 1, x1).usable());
  std::vector<QuadratureNode<double>> nodes;
  map->quadrature(x0, x1, nodes);
  for (int power = 0; power <= 5; ++power) {
    double integral = 0, difference = 0;
    for (const auto& node : nodes) {
      integral += node.weight * std::pow(node.state->t, power);
      difference += node.estimate * std::pow(node.state->t, power);
    }
    const bool exact = std::abs(integral - 1.0 / (power + 1)) < 1e-14;
    EXPECT_EQ(exact, power <= 4) << power;
    EXPECT_EQ(std::abs(difference) < 1e-14, power <= 3) << power;
  }
}

/// All methods differentiate the quadrature of the same steps.
TEST(AdaptiveRun, GradientsOfTheWorkAgree) {
  const Model model = compiled(driven("rate*t + 0.3*sin(7*t)"));
  const VecX rho = model.default_rho();
  std::vector<GradientReport> all;
  for (const char* method : {"complex-step", "forward", "adjoint", "finite-difference"}) {
    GradientOptions options;
    options.method = method;
    options.run = adaptive("kinematic", 0.1, 1.1, 1e-7);
    all.push_back(gradient(model, in(rho), options));
    ASSERT_EQ(all.back().status, RunStatus::kDone) << method << ": " << all.back().message;
    EXPECT_EQ(all.back().run.steps, all.front().run.steps) << method;
  }
  EXPECT_LE(test::gradient_distance(model, all[0], all[1]), 1e-9);
  EXPECT_LE(test::gradient_distance(model, all[0], all[2]), 1e-9);
  for (Eigen::Index j = 0; j < rho.size(); ++j) {  // by their own estimate, and rounding
    const double gap = std::abs(all[3].gradient(0, j) - all[0].gradient(0, j));
    EXPECT_LE(gap, all[3].error(0, j) + 1e-8 * std::abs(all[0].gradient(0, j))) << j;
  }
  // the work is the energy gained, whatever the parameters: so are their derivatives, to the tolerance
  const Motion motion = run_of(model, adaptive("kinematic", 0.1, 1.1, 1e-7));
  EXPECT_LE(work_error(motion), 1e-4);
}

TEST(AdaptiveRun, NoStepIsLongerThanTheLargest) {
  const Model model = compiled(driven("rate*t"));
  RunOptions options = adaptive("kinematic", 0.1, 2, 1e-3);
  const auto longest = [&] {
    const std::vector<double> times = run_of(model, options).plan.times;
    double most = 0;
    for (std::size_t k = 1; k < times.size(); ++k) most = std::max(most, times[k] - times[k - 1]);
    return most;
  };
  EXPECT_GT(longest(), 0.02);
  options.max_step = 0.02;
  EXPECT_LE(longest(), 0.02 * (1 + 1e-6));  // the last one may meet the end
}

/// A pulse that begins long after the start, while nothing moves: the largest step by default is a tenth of the run.
TEST(AdaptiveRun, APulseAfterALongRestIsSeen) {
  const Model model = compiled(R"yaml(
bodies: {B: {mass: 1, inertia: [1, 1, 1]}}
joints: {J: {type: prismatic, bodies: [ground, B], point: [0, 0, 0], axis: x}}
objectives: {area: {integral: "exp(-((t - 70)/4)^2)"}}
signals: {x: J.q}
)yaml");
  const RunReport report = run_of(model, adaptive("", 1, 100, 1e-8)).report;
  EXPECT_NEAR(report.objectives.at(0), 4 * std::sqrt(M_PI), 1e-6);
}

TEST(AdaptiveRun, LargestStepIsRefusedWhereStepsAreFixed) {
  const Model model = compiled(driven("rate*t"));
  RunOptions options = adaptive("kinematic", 0.1, 2, 1e-6);
  options.max_step = 0.1;
  options.integrator = "rk4";
  try {
    Simulator simulator(model, options);
    FAIL() << "not refused";
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("max_step"), HasSubstr("rk4")));
  }
  options.integrator = "dopri5";
  options.max_step = -1;
  EXPECT_THROW(Simulator(model, options), InvalidArgument);
}

/// Of an integral of 1e-9 a tolerance of 1e-8 leaves no digit: that is said.
TEST(AdaptiveRun, AnIntegralBelowTheToleranceIsWarnedOf) {
  const auto warnings = [](const std::string& scale, double tolerance) {
    const Model model = compiled(R"yaml(
bodies: {B: {mass: 1, inertia: [1, 1, 1]}}
joints: {J: {type: prismatic, bodies: [ground, B], point: [0, 0, 0], axis: x}}
signals: {x: J.q}
objectives: {area: {integral: "cos(7*t)^2*)yaml" +
                                 scale + "\"}}\n");
    return run_of(model, adaptive("", 1, 20, tolerance)).report.warnings;
  };
  const Warnings found = warnings("1e-9", 1e-8);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "integral");
  EXPECT_EQ(found[0].element, "area");
  EXPECT_THAT(found[0].text, HasSubstr("\"area\""));
  EXPECT_TRUE(warnings("1e-9", 1e-14).empty());
  EXPECT_TRUE(warnings("1", 1e-8).empty());
  EXPECT_TRUE(warnings("0", 1e-8).empty());
}

/// Largest violation of the constraint equations at the samples.
ConstraintNorms norms_at_samples(const Model& model, const RunOptions& options) {
  const std::vector<double> p = model.default_physical();
  ConstraintWatch watch(model, p);
  const RunReport report = Simulator(model, options).run(p, [&](const StepState<double>& x) {
    watch.see(x);
    return true;
  });
  EXPECT_TRUE(report.done()) << report.message;
  EXPECT_GT(options.end / options.step, 2 * static_cast<double>(report.steps));  // between steps
  return watch.norms();
}

/// Many samples within long steps, in mechanisms of 1 m and of 50 m.
TEST(AdaptiveRun, SamplesBetweenStepsSatisfyTheConstraints) {
  for (const char* coordinates : {"joint-com", "cartesian", "natural"}) {
    const Model model = compile_model(read_model_yaml(test::source_path("examples/four_bar.yaml")),
                                      builtin_catalogue(), coordinate_set_named(coordinates));
    RunOptions options = adaptive("matrix-r", 1e-3, 1, 1e-5);
    options.coordinates = coordinates;
    const ConstraintNorms norms = norms_at_samples(model, options);
    EXPECT_LE(norms[0], 1e-10) << coordinates;  // Newton's method arrives at the square of 1e-8
    EXPECT_LE(norms[1], 1e-9) << coordinates;
    EXPECT_LE(norms[2], 1e-7) << coordinates;  // accelerations of 100 m/s²
  }
  const Model driver = compiled(driven("rate*t"));
  EXPECT_LE(norms_at_samples(driver, adaptive("kinematic", 1e-3, 1, 1e-3))[0], 1e-10);
}

/// A random slider-crank 50 m long at which samples between steps were open by metres, energy 1.6 % wrong.
TEST(AdaptiveRun, SamplesOfALargeMechanismKeepItsEnergy) {
  const test::RandomCase random = test::random_case(604);
  ASSERT_EQ(random.run.integrator, "dopri5");
  const Model model = compiled(random.yaml(), random.run.coordinates);
  const std::vector<double> p = model.default_physical();
  SignalEvaluator<double> signals(model);
  double first = 0, change = 0;
  RunOptions options = random.run;
  options.step = options.end / 200;
  const RunReport report = Simulator(model, options).run(p, [&](const StepState<double>& x) {
    signals.evaluate(p, x.t, in(x.q), in(x.v), in(x.a), in(x.lambda));
    if (x.t == 0) first = signals.signal(0);
    change = std::max(change, std::abs(signals.signal(0) - first));
    return true;
  });
  ASSERT_TRUE(report.done()) << report.message;
  EXPECT_LE(change, 1e-6 * std::abs(first));  // the tolerance of the run is 1e-8 of each step
}

}  // namespace
}  // namespace kinegrad
