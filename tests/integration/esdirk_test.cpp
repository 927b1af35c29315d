// The stiff methods and adaptive steps of implicit ones: orders on closed loops by formulation, stiff problems in few
// steps, friction that rests, gradients of adaptive runs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kinegrad/base/error.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "support/closed_loops.hpp"
#include "support/gradient_distance.hpp"
#include "support/random_mechanisms.hpp"
#include "support/tolerances.hpp"

namespace kinegrad {
namespace {

constexpr const char* kEsdirk[] = {"esdirk3", "esdirk4"};

RunOptions options_for(const std::string& integrator, double step, double end, double tolerance) {
  RunOptions options;
  options.integrator = integrator;
  options.step = step;
  options.end = end;
  options.details.tolerance = tolerance;
  return options;
}

RunReport run_of(const Model& model, const RunOptions& options, const Observer& observer = {}) {
  Simulator simulator(model, options);
  const RunReport report = simulator.run(model.default_physical(), observer);
  EXPECT_TRUE(report.done()) << report.message;
  return report;
}

// Orders on closed loops ---------------------------------------------------------------------------------------

/// Observed between n and 2n steps.
double observed(const Model& model, const test::Method& method, const VecX& exact, double end,
                int n) {
  const std::vector<double> p = model.default_physical();
  const auto error = [&](int steps) {
    return (test::joined(model, test::run<double>(model, p, method, end, steps)) - exact).norm();
  };
  return std::log2(error(n) / error(2 * n));
}

IntegratorOptions tight() {
  IntegratorOptions options;
  options.tolerance = 1e-14;
  return options;
}

/// Constraints on positions in every stage cost order (docs/theory/integrators.md): 2 is left, of ali3p with esdirk3
/// somewhat more.
bool at_positions(const test::Method& method) {
  return method.formulation == "ali3p" || method.formulation == "index3";
}

TEST(EsdirkOrder, ClosedLoops) {
  constexpr double kEnd = 0.5;
  for (const char* name : {"five_bar", "four_bar"}) {
    const Model model = test::example(name);
    const std::vector<double> p = model.default_physical();
    const VecX exact =
        test::joined(model, test::run<double>(model, p, {"matrix-r", "dopri5"}, kEnd, 4000));
    int pairs = 0;
    for (const test::Method& method : test::methods_for(model, ReferencePoint::kCom, tight())) {
      if (!method.integrator.starts_with("esdirk") || method.formulation == "penalty" ||
          method.formulation == "kinematic") {
        continue;
      }
      ++pairs;
      const double order = observed(model, method, exact, kEnd, 200);
      const double declared = method.integrator == "esdirk3" ? 3 : 4;
      RecordProperty(std::string(name) + " " + method.name(), std::to_string(order));
      EXPECT_GE(order, (at_positions(method) ? 2 : declared) - tolerance::kOrder)
          << name << ": " << method.name();
      EXPECT_LE(order, declared + tolerance::kOrder) << name << ": " << method.name();
    }
    EXPECT_GE(pairs, 10);
  }
}

// Stiff problems -----------------------------------------------------------------------------------------------

std::string with_states(const std::string& states, const std::string& objectives) {
  return R"(
parameters: {mu: {value: 1000}}
bodies: {block: {mass: 2, inertia: [1, 1, 1]}}
joints: {rail: {type: prismatic, bodies: [ground, block], points: [[0, 0, 0], [0, 0, 0]], axes: [x, x]}}
initial: {rail.q: 0, rail.v: 0}
states: )" +
         states + "\nobjectives: " + objectives + "\n";
}

const std::string kVanDerPol =
    with_states("{x: {rate: y, initial: 2}, y: {rate: \"mu*(1 - x^2)*y - x\", initial: 0}}",
                "{x_end: {terminal: x}, area: {integral: x^2}}");

/// μ = 1000 over a quarter of the slow phase. dopri5 is bound by stability, h·3μ ≤ 3.3.
TEST(Stiff, VanDerPolInOneThousandthOfTheSteps) {
  const Model model = test::model_of(kVanDerPol);
  const RunReport explicit_ = run_of(model, options_for("dopri5", 200, 200, 1e-6));
  for (const char* integrator : kEsdirk) {
    const RunReport stiff = run_of(model, options_for(integrator, 200, 200, 1e-6));
    EXPECT_LE(1000 * (stiff.steps + stiff.rejected_steps), explicit_.steps) << integrator;
    EXPECT_NEAR(stiff.objectives[0], explicit_.objectives[0], 1e-4) << integrator;
  }
}

/// Through the jump, where x changes from 1 to −2 within some 1/μ: both methods end at the same place.
TEST(Stiff, VanDerPolThroughItsJump) {
  const Model model = test::model_of(kVanDerPol);
  std::vector<double> ends;
  for (const char* integrator : kEsdirk) {
    const RunReport stiff = run_of(model, options_for(integrator, 1000, 1000, 1e-7));
    EXPECT_LE(stiff.steps + stiff.rejected_steps, 4000) << integrator;
    ends.push_back(stiff.objectives[0]);
    EXPECT_LE(stiff.objectives[0], -1.5) << "it has jumped";
  }
  EXPECT_NEAR(ends[0], ends[1], 1e-3);
}

/// ṡ = −L(s − sin t) + cos t: however large L is, s = sin t, in as many steps.
TEST(Stiff, ProtheroRobinson) {
  long most = 0, least = 1000000;
  for (const char* L : {"1e2", "1e4", "1e6", "1e8"}) {
    const Model model = test::model_of(
        with_states(fmt::format("{{s: {{rate: \"-{}*(s - sin(t)) + cos(t)\", initial: 0}}}}", L),
                    "{s: {terminal: s}}"));
    for (const char* integrator : kEsdirk) {
      const RunReport report = run_of(model, options_for(integrator, 3, 3, 1e-6));
      EXPECT_NEAR(report.objectives[0], std::sin(3.0), 1e-5) << L << ", " << integrator;
      most = std::max(most, report.steps);
      least = std::min(least, report.steps);
    }
  }
  EXPECT_LE(most, 300);
}

/// A loop of crank, coupler and rocker that a stiff bushing closes.
std::string bushing_loop(double stiffness, double damping) {
  return fmt::format(R"yaml(
parameters: {{m: 1, k: {}, c: {}}}
bodies:
  crank: {{mass: 0.5*m, com: [0, 0.15, 0], inertia: [0.004, 0.001, 0.004]}}
  coupler: {{mass: m, com: [0.5, 0, 0], inertia: [0.001, 0.08, 0.08], placement: {{position: [0, 0.3, 0]}}}}
  rocker: {{mass: 0.8*m, com: [0, -0.25, 0], inertia: [0.02, 0.001, 0.02], placement: {{position: [1, 0.3, 0]}}}}
joints:
  A: {{type: revolute, bodies: [ground, crank], point: [0, 0, 0], axis: z}}
  B: {{type: revolute, bodies: [crank, coupler], point: [0, 0.3, 0], axis: z}}
  C: {{type: revolute, bodies: [coupler, rocker], point: [1, 0.3, 0], axis: z}}
forces:
  weight: {{type: gravity, acceleration: [5, -9.81, 0]}}
  bush: {{type: bushing, bodies: [ground, rocker], point: [1, -0.2, 0], axis: z, stiffness: [k, k, k, 0, 0, 0], damping: [c, c, c, 0, 0, 0]}}
initial: {{A.q: 0, B.q: 0, C.q: 0, A.v: 0, B.v: 0, C.v: 0}}
objectives: {{angle: {{terminal: A.q}}, swing: {{integral: A.q^2}}}}
)yaml",
                     stiffness, damping);
}

TEST(Stiff, BushingInALoopInOneHundredthOfTheSteps) {
  const Model model = test::model_of(bushing_loop(1e8, 1e5));
  const RunReport explicit_ = run_of(model, options_for("dopri5", 0.2, 0.2, 1e-6));
  for (const char* integrator : kEsdirk) {
    const RunReport stiff = run_of(model, options_for(integrator, 0.2, 0.2, 1e-6));
    EXPECT_LE(100 * (stiff.steps + stiff.rejected_steps), explicit_.steps) << integrator;
    EXPECT_NEAR(stiff.objectives[0], explicit_.objectives[0], 1e-4) << integrator;
    EXPECT_NEAR(stiff.objectives[1], explicit_.objectives[1], 1e-4) << integrator;
  }
}

// Friction at rest ---------------------------------------------------------------------------------------------

std::string block(double v_s) {
  return fmt::format(R"yaml(parameters: {{m: 1, g: 9.81, mu_d: 0.3, mu_s: 0.4, v_s: {}, v0: 1}}
bodies: {{block: {{mass: m, inertia: [1, 1, 1]}}}}
joints:
  S: {{type: prismatic, bodies: [ground, block], points: [[0, 0, 0], [0, 0, 0]], axes: [x, x]}}
forces: {{rub: {{type: joint-force, joint: S, value: "-m*g*(mu_d*tanh(4*S.v/v_s) + (mu_s - mu_d)*(S.v/v_s)/((S.v/(2*v_s))^2 + 3/4)^2)"}}}}
initial: {{S.q: 0, S.v: v0}}
objectives: {{x_end: {{terminal: S.q}}, v_end: {{terminal: S.v}}}}
)yaml",
                     v_s);
}

/// The force decays; that of the trapezoidal rule alternates for ever.
TEST(FrictionEsdirk, TheBlockRestsWithoutAlternatingForces) {
  constexpr double kEnd = 1, kRests = 0.6;  // friction stops it after 0.3 s
  for (const double v_s : {1e-2, 1e-3, 1e-4, 1e-5}) {
    const Model model = test::model_of(block(v_s));
    for (const char* integrator : kEsdirk) {
      for (const double step : {0.0, 1e-3, 1e-2}) {  // 0: adaptive
        SCOPED_TRACE(fmt::format("{}, v_s = {}, h = {}", integrator, v_s, step));
        RunOptions options = options_for(integrator, step > 0 ? step : 1e-2, kEnd, 1e-6);
        if (step > 0) {
          options.details.steps = StepSizes::kFixed;
          options.details.tolerance = 1e-10;
        }
        double rest = NAN, drift = 0, v = NAN, force = 0;
        run_of(model, options, [&](const StepState<double>& x) {
          v = x.v(0);
          if (x.t < kRests) return true;
          if (std::isnan(rest)) rest = x.q(0);
          drift = std::max(drift, std::abs(x.q(0) - rest));
          force = std::max(force, std::abs(x.a(0)));
          return true;
        });
        EXPECT_LE(std::abs(v), 1e-3 * v_s);
        EXPECT_LE(drift, 2 * v_s * (kEnd - kRests));
        EXPECT_LE(force, 1e-3);  // of 4 m/s² while it slides
      }
    }
  }
}

// Gradients ----------------------------------------------------------------------------------------------------

constexpr double kAgreement = 1e-9;

void expect_gradients_agree(const Model& model, GradientOptions options, double most = kAgreement) {
  const VecX rho = model.default_rho();
  options.method = "complex-step";
  const GradientReport expected = gradient(model, in(rho), options);
  if (expected.run.input_wrong) return;  // kinematic, where motion is left
  ASSERT_EQ(expected.status, RunStatus::kDone) << expected.message;
  for (const char* method : {"forward", "adjoint"}) {
    options.method = method;
    const GradientReport actual = gradient(model, in(rho), options);
    ASSERT_EQ(actual.status, RunStatus::kDone) << method << ": " << actual.message;
    EXPECT_LE(test::gradient_distance(model, expected, actual), most) << method;
  }
}

/// The accelerations that index3 ends a step with carry the rounding of positions over (hγ)², 1e-16/(1e-3)².
double agreement_of(const std::string& formulation) {
  return formulation == "index3" ? 10 * kAgreement : kAgreement;
}

int expect_gradients_agree(const std::string& name, const std::string& coordinates, double end) {
  const Model model = test::example(name, coordinate_set_named(coordinates));
  int pairs = 0;
  for (const test::Method& method : test::methods_for(model, ReferencePoint::kCom)) {
    if (!method.integrator.starts_with("esdirk")) continue;
    SCOPED_TRACE(fmt::format("{} {} {}", name, coordinates, method.name()));
    GradientOptions options;
    options.run = options_for(method.integrator, end / 3, end, 1e-5);
    options.run.coordinates = coordinates;
    options.run.formulation = method.formulation;
    if (method.formulation == "penalty") options.run.constraints.penalty = 1e7;
    expect_gradients_agree(model, options, agreement_of(method.formulation));
    ++pairs;
  }
  return pairs;
}

TEST(EsdirkGradients, AgreeInAllCoordinateSets) {
  int pairs = expect_gradients_agree("all_joints", "cartesian", 0.005);  // Euler parameters
  for (const char* coordinates : {"joint-com", "cartesian", "natural"}) {
    pairs += expect_gradients_agree("four_bar", coordinates, 0.03);
    pairs += expect_gradients_agree("rolling_disc", coordinates, 0.01);
  }
  EXPECT_GE(pairs, 60);
}

/// The family of Newmark where the user asks for adaptive steps.
TEST(AdaptiveNewmark, MeetsTheToleranceAndHasExactGradients) {
  const Model model = test::example("four_bar");
  const RunReport exact = run_of(model, [] {
    RunOptions options = options_for("dopri5", 0.5, 0.5, 1e-12);
    options.formulation = "matrix-r";
    return options;
  }());
  for (const char* integrator : {"trapezoidal", "newmark", "hht", "generalized-alpha"}) {
    for (const char* formulation : {"ali3p", "matrix-r", "index1"}) {
      SCOPED_TRACE(fmt::format("{} {}", formulation, integrator));
      RunOptions run = options_for(integrator, 0.05, 0.5, 1e-6);
      run.formulation = formulation;
      run.details.steps = StepSizes::kAdaptive;
      const RunReport coarse = run_of(model, run);
      run.details.tolerance = 1e-8;
      const RunReport fine = run_of(model, run);
      EXPECT_GT(fine.steps, 2 * coarse.steps);
      for (std::size_t k = 0; k < exact.objectives.size(); ++k) {
        const double scale = 1 + std::abs(exact.objectives[k]);
        EXPECT_NEAR(coarse.objectives[k], exact.objectives[k], 3e-3 * scale);
        EXPECT_NEAR(fine.objectives[k], exact.objectives[k], 3e-4 * scale);
      }
      GradientOptions options;
      options.run = run;
      options.run.details.tolerance = 1e-4;
      options.run.end = 0.05;
      expect_gradients_agree(model, options);
    }
  }
}

TEST(AdaptiveSteps, SmallestAndLargest) {
  const Model model = test::model_of(kVanDerPol);
  RunOptions options = options_for("esdirk4", 1, 10, 1e-6);
  options.max_step = 0.1;
  EXPECT_GE(run_of(model, options).steps, 100);
  options.max_step = 0;
  options.min_step = 0.05;  // what begins with y = 0 moves within 1/3μ
  options.details.tolerance = 1e-10;
  const RunReport failed = Simulator(model, options).run(model.default_physical());
  EXPECT_EQ(failed.status, RunStatus::kFailed);
  EXPECT_NE(failed.message.find("min_step"), std::string::npos) << failed.message;
  options.details.steps = StepSizes::kFixed;
  EXPECT_THROW(Simulator(model, options), InvalidArgument);
  options.min_step = 0;
  EXPECT_EQ(run_of(model, options).steps, 10);
}

/// Springs, dampers and filters of any stiffness on chains of random joints.
std::string random_chain(test::Dice& dice) {
  static const std::vector<std::string> kJoints{"revolute", "cylindrical", "spherical",
                                                "prismatic"};
  std::string bodies, joints, forces, parent = "ground";
  const int n = 1 + dice.below(3);
  for (int i = 0; i < n; ++i) {
    const std::string name = fmt::format("B{}", i), type = dice.of(kJoints);
    const double x = 0.4 * i;
    bodies += fmt::format(
        "  {}: {{mass: m, com: [0.2, {:.3f}, 0], inertia: [0.02, 0.03, 0.025], placement: "
        "{{position: [{:.3f}, 0, 0]}}, points: {{tip: [0.4, 0, 0]}}}}\n",
        name, dice.uniform(-0.1, 0.1), x);
    const std::string axis = type == "spherical" ? "" : ", axis: z";
    joints += fmt::format("  J{}: {{type: {}, bodies: [{}, {}], point: [{:.3f}, 0, 0]{}}}\n", i,
                          type, parent, name, x, axis);
    parent = name;
  }
  forces = fmt::format(
      "  weight: {{type: gravity, acceleration: [0, {:.3f}, -9.81]}}\n"
      "  hold: {{type: spring-damper, points: [P, {}.tip], stiffness: \"{:.4g}*k\", damping: "
      "{:.4g}, length: 0.1}}\n",
      dice.uniform(-3, 3), parent, dice.decades(10, 1e5), dice.decades(0.1, 1e4));
  return "parameters: {m: 1.1, k: 1.2, T: " + fmt::format("{:.4g}", dice.decades(1e-5, 1)) +
         "}\npoints: {P: [0.3, 0.5, 0.4]}\nbodies:\n" + bodies + "joints:\n" + joints +
         "forces:\n" + forces +
         "states: {s: {rate: (sin(3*t) - s)/T, initial: 0.3}}\n"
         "objectives: {e: {terminal: " +
         parent + ".tip.z}, i: {integral: \"" + parent + ".tip.x^2 + s^2\"}}\n";
}

TEST(EsdirkAttack, RandomStiffChains) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    test::Dice dice(seed);
    const std::string text = random_chain(dice);
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, text));
    const Model model = test::model_of(text);
    const RunReport exact = run_of(model, options_for("dopri5", 0.05, 0.1, 1e-9));
    const char* integrator = kEsdirk[seed % 2];
    const RunReport report = run_of(model, options_for(integrator, 0.05, 0.1, 1e-7));
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(report.objectives[k], exact.objectives[k], 1e-5) << integrator;
    }
    GradientOptions options;
    options.run = options_for(integrator, 0.05, 0.05, 1e-5);
    expect_gradients_agree(model, options, 1e-8);
  }
}

}  // namespace
}  // namespace kinegrad
