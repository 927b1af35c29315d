// Every formulation with every integrator that takes it goes to the same motion as the step goes to
// zero, at the order of the integrator: the examples with constraints.
#include <gtest/gtest.h>

#include <cmath>

#include "support/closed_loops.hpp"
#include "support/tolerances.hpp"

namespace kinegrad {
namespace {

using test::ConstraintSizes;
using test::Method;

IntegratorOptions tight() {
  IntegratorOptions options;
  options.tolerance = 1e-13;  // Newton's error far below that of the step
  return options;
}

/// A run to be repeated with many methods.
struct Problem {
  const char* name;
  double end;
  int steps;  ///< of an implicit method, in its asymptotic range
  friend std::ostream& operator<<(std::ostream& out, const Problem& p) { return out << p.name; }
};

/// The crank of the spatial slider-crank hurries past its dead points and wants smaller steps.
constexpr Problem kProblems[] = {{"bricard", 0.5, 300},
                                 {"driven_four_bar", 0.5, 300},
                                 {"five_bar", 0.5, 300},
                                 {"four_bar", 0.5, 300},
                                 {"rolling_disc", 0.5, 300},
                                 {"slider_crank", 0.25, 400},
                                 {"slider_crank_planar", 0.5, 200},
                                 {"two_mass_nonholonomic", 0.5, 200}};

class ClosedLoopAgreement : public testing::TestWithParam<Problem> {
 protected:
  ClosedLoopAgreement() : model_(test::example(GetParam().name)), p_(model_.default_physical()) {}

  VecX at_end(const Method& method, int steps) const {
    return test::joined(model_, test::run<double>(model_, p_, method, GetParam().end, steps));
  }

  /// Independent coordinates with Dormand-Prince, steps so small that rounding is left (4e-13 of the
  /// state between 2000 and 4000 steps in the worst case, the rolling disc).
  VecX reference() const { return at_end({"matrix-r", "dopri5"}, 2000); }

  Model model_;
  std::vector<double> p_;
};

/// A driven mechanism without freedom has nothing to integrate where positions are held.
bool kinematic(const std::string& name, const Method& method) {
  return name == "driven_four_bar" &&
         (method.formulation == "ali3p" || method.formulation == "matrix-r" ||
          method.formulation == "kinematic");
}

/// Bricard's loop moves only because its rows are compatible. Inside a step they are not, by O(h²),
/// and a penalty of 1e9 on what does not fit is felt: the error falls faster than it should.
bool strained(const std::string& name, const Method& method) {
  return name == "bricard" && method.formulation == "penalty";
}

TEST_P(ClosedLoopAgreement, ImplicitMethodsAreOfSecondOrder) {
  const VecX exact = reference();
  const int n = GetParam().steps;
  int compared = 0;
  for (const Method& method : test::methods_for(model_, ReferencePoint::kCom, tight())) {
    if (method.integrator == "rk4" || method.integrator == "newmark" ||
        has_adaptive_steps(method.integrator, StepSizes::kUsual)) {
      continue;  // others below and in esdirk_test; newmark is trapezoidal by default
    }
    ++compared;
    const double coarse = (at_end(method, n) - exact).norm();
    const double fine = (at_end(method, 2 * n) - exact).norm();
    if (kinematic(GetParam().name, method)) {
      // the rounding of t = Σh, some hundred times ε, at speeds of 10/s
      EXPECT_LE(fine, 1e-11) << method.name();
    } else if (strained(GetParam().name, method)) {
      EXPECT_GE(std::log2(coarse / fine), 2 - tolerance::kOrder) << method.name();
      EXPECT_LE(fine, 1e-5) << method.name();
    } else {
      EXPECT_NEAR(std::log2(coarse / fine), 2, tolerance::kOrder)
          << method.name() << ": " << coarse << ", " << fine;
    }
  }
  EXPECT_GE(compared, 17);  // five formulations with three integrators, index3 with two
}

TEST_P(ClosedLoopAgreement, ReferencePointsGiveTheSameSteps) {
  const int steps = GetParam().steps;
  for (Method method : test::methods_for(model_, ReferencePoint::kCom, tight())) {
    if (strained(GetParam().name, method)) continue;  // its penalty multiplies rounding as well
    const VecX com = at_end(method, steps);
    method.point = ReferencePoint::kOrigin;
    const VecX origin = at_end(method, steps);
    // mechanisms are a few metres from the origin: rounding, times what 300 steps and the
    // conditioning of a border with penalties make of it
    EXPECT_LE((com - origin).norm(), 1e-8 * com.norm()) << method.name();
  }
}

TEST_P(ClosedLoopAgreement, ProjectionsLeaveRoundingAtAllLevels) {
  ConstraintSizes sizes(model_, p_);
  test::run<double>(model_, p_, {"ali3p", "trapezoidal", ReferencePoint::kCom, tight()},
                    GetParam().end, GetParam().steps,
                    [&](const StepState<double>& x) { sizes.take(x); });
  // metres, up to 20 m/s and up to 500 m/s²: some ten roundings of each
  EXPECT_LE(sizes.positions, 1e-14);
  EXPECT_LE(sizes.speeds, 5e-14);
  EXPECT_LE(sizes.accelerations, 1e-12);
}

TEST_P(ClosedLoopAgreement, IndependentCoordinatesLeaveRoundingAtAllLevels) {
  for (const char* integrator : {"trapezoidal", "rk4"}) {
    ConstraintSizes sizes(model_, p_);
    test::run<double>(model_, p_, {"matrix-r", integrator}, GetParam().end, GetParam().steps,
                      [&](const StepState<double>& x) { sizes.take(x); });
    EXPECT_LE(sizes.positions, 1e-14) << integrator;
    EXPECT_LE(sizes.speeds, 5e-14) << integrator;
    EXPECT_LE(sizes.accelerations, 1e-12) << integrator;
  }
}

INSTANTIATE_TEST_SUITE_P(Examples, ClosedLoopAgreement, testing::ValuesIn(kProblems),
                         [](const auto& problem) { return std::string(problem.param.name); });

class ClosedLoop : public testing::Test {
 protected:
  Model five_bar_ = test::example("five_bar");
  std::vector<double> p_ = five_bar_.default_physical();
};

TEST_F(ClosedLoop, ExplicitMethodsHaveTheirOrders) {
  constexpr double kEnd = 0.5;
  const auto at_end = [&](const Method& method, int n) {
    return test::joined(five_bar_, test::run<double>(five_bar_, p_, method, kEnd, n));
  };
  const VecX exact = at_end({"matrix-r", "dopri5"}, 4000);
  for (const Method& method : test::methods_for(five_bar_, ReferencePoint::kCom)) {
    const bool rk4 = method.integrator == "rk4";
    if (!rk4 && method.integrator != "dopri5") continue;
    const int n = 100;
    const double coarse = (at_end(method, n) - exact).norm();
    const double fine = (at_end(method, 2 * n) - exact).norm();
    if (method.formulation == "penalty") {
      // λ/α is the violation of a penalty: 1e-9 of some ten newtons, and no smaller
      EXPECT_LE(fine, 2e-8) << method.name();
    } else {
      EXPECT_NEAR(std::log2(coarse / fine), rk4 ? 4 : 5, tolerance::kOrder) << method.name();
    }
  }
}

TEST_F(ClosedLoop, PenaltyIsOffByItsInverse) {
  const auto off = [&](double penalty) {
    Method method{"penalty", "dopri5"};
    method.constraints.penalty = penalty;
    ConstraintSizes sizes(five_bar_, p_);
    test::run<double>(five_bar_, p_, method, 0.5, 200,
                      [&](const StepState<double>& x) { sizes.take(x); });
    return sizes.positions;
  };
  EXPECT_NEAR(std::log10(off(1e6) / off(1e8)), 2, tolerance::kOrder);
}

TEST_F(ClosedLoop, MotionOfAugmentedLagrangianDoesNotDependOnThePenalty) {
  VecX first;
  for (const double penalty : {1e8, 1e9, 1e10, 1e11}) {
    Method method{"ali3p", "trapezoidal", ReferencePoint::kCom, tight()};
    method.constraints.penalty = penalty;
    const VecX x = test::joined(five_bar_, test::run<double>(five_bar_, p_, method, 1, 1000));
    if (first.size() == 0) first = x;
    EXPECT_LE((x - first).norm(), 1e-7 * first.norm()) << penalty;
  }
}

TEST_F(ClosedLoop, AugmentedLagrangianNeedsFewIterations) {
  long iterations = 0;
  constexpr int kSteps = 5000;
  test::run<double>(five_bar_, p_, {"ali3p", "trapezoidal"}, 5, kSteps, {}, &iterations);
  const double average = static_cast<double>(iterations) / kSteps;
  EXPECT_LE(average, 3.5);
  RecordProperty("iterations_per_step", std::to_string(average));
}

}  // namespace
}  // namespace kinegrad
