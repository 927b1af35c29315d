// Motions with closed loops against values computed elsewhere.
#include <gtest/gtest.h>

#include <array>

#include "kinegrad/signals/signal_evaluator.hpp"
#include "kinegrad/simulation/simulator.hpp"
#include "support/closed_loops.hpp"

namespace kinegrad {
namespace {

/// A run whose samples lie at multiples of `step`.
RunOptions independent_coordinates(double step, double end, double tolerance) {
  RunOptions options;
  options.formulation = "matrix-r";
  options.integrator = "dopri5";
  options.step = step;
  options.end = end;
  options.details.tolerance = tolerance;
  return options;
}

/// Signals of all samples.
std::vector<VecX> signals(const Model& model, const std::vector<double>& p,
                          const RunOptions& options) {
  std::vector<VecX> samples;
  SignalEvaluator<double> evaluator(model);
  const RunReport report = Simulator(model, options).run(p, [&](const StepState<double>& x) {
    evaluator.evaluate(p, x.t, test::view(x.q), test::view(x.v), test::view(x.a),
                       test::view(x.lambda));
    VecX values(static_cast<Eigen::Index>(model.signals().size()));
    for (Eigen::Index k = 0; k < values.size(); ++k) {
      values(k) = evaluator.signal(static_cast<int>(k));
    }
    samples.push_back(values);
    return true;
  });
  EXPECT_EQ(report.status, RunStatus::kDone) << report.message;
  return samples;
}

/// The slider-crank of SUNDIALS' idasSlCrank_FSA_dns, whose output (rtol 1e-6) prints 1.2757, 1.0236
/// and −0.49881 at t = 10. Here: the same equations integrated in quadruple precision, printed to 16
/// digits.
TEST(ClosedLoopReference, PlanarSliderCrank) {
  const Model model = test::example("slider_crank_planar");
  const std::vector<VecX> samples =
      signals(model, model.default_physical(), independent_coordinates(10, 10, 1e-12));
  constexpr std::array kExpected = {
      std::pair{"q", 1.275675848650239},     std::pair{"x", 1.023578558979839},
      std::pair{"p", -0.4988130491824987},   std::pair{"qdot", -0.2399149971960007},
      std::pair{"xdot", 0.1337782832157776}, std::pair{"pdot", 0.03973149599132174}};
  ASSERT_EQ(samples.size(), 2u);
  ASSERT_EQ(model.signals().size(), kExpected.size());
  for (std::size_t k = 0; k < kExpected.size(); ++k) {
    EXPECT_EQ(model.signals()[k].name, kExpected[k].first);
    // local errors of 1e-12 over a few thousand steps, in a damped motion
    EXPECT_NEAR(samples.back()(static_cast<Eigen::Index>(k)), kExpected[k].second, 1e-8)
        << kExpected[k].first;
  }
}

/// The spatial slider-crank of the IFToMM library (E. J. Haug's data), whose rod has 4e-4 kg m² about
/// its axis and which has no spring. Reference: its one equation of motion integrated in quadruple
/// precision.
TEST(ClosedLoopReference, SpatialSliderCrank) {
  struct Expected {
    double t, angle, rate, x;
  };
  constexpr Expected kExpected[] = {{0.5, 5.58376255330731, 14.4081608102004, 0.184952629777803},
                                    {1, 10.9135907298647, 10.4275930004121, 0.211721661393444},
                                    {5, 54.3333321683132, 11.494996265042, 0.240719573729614}};
  const Model model = test::example("slider_crank");
  const std::vector<double> p =
      test::physical_with(model, {{"k_S1", 0.0}, {"c_S1", 0.0}, {"J_axial", 4e-4}});
  const std::vector<VecX> samples = signals(model, p, independent_coordinates(0.5, 5, 1e-11));
  ASSERT_EQ(samples.size(), 11u);
  for (const Expected& e : kExpected) {
    const VecX& now = samples[static_cast<std::size_t>(std::lround(2 * e.t))];
    EXPECT_NEAR(now(0), e.angle, 1e-6) << e.t;
    EXPECT_NEAR(now(1), e.rate, 1e-6) << e.t;
    EXPECT_NEAR(now(2), e.x, 1e-6) << e.t;
  }
}

/// Published there to four digits: the slider starts at 0.2 m with 0.24 m/s, the rod turns with (1.92,
/// −0.96, 0.48) rad/s (EXUDYN's sliderCrank3Dbenchmark).
TEST(ClosedLoopReference, SpatialSliderCrankAtTheStart) {
  const Model model = test::example("slider_crank");
  const std::vector<double> p = model.default_physical();
  const StepState<double> x = test::assembled<double>(model, p);
  SignalEvaluator<double> evaluator(model);
  const VecX a = VecX::Zero(model.nq()),
             lambda = VecX::Zero(std::ptrdiff_t(model.constraint_rows().size()));
  evaluator.evaluate(p, 0, test::view(x.q), test::view(x.v), test::view(a), test::view(lambda));
  const auto slider = evaluator.joint_motion(model.find_joint("slide"));
  EXPECT_NEAR(evaluator.signal(2), 0.2, 1e-12);
  EXPECT_NEAR(slider.v(0), 0.24, 1e-12);
  const auto rod = static_cast<std::size_t>(model.find_body("rod"));
  const Vec3 turn = evaluator.velocity().w_WB[rod];
  EXPECT_LE((turn - Vec3(1.92, -0.96, 0.48)).norm(), 1e-12) << turn.transpose();
}

/// Objectives of the five-bar mechanism (A. López Varela 2022, section 7.1; values of an independent
/// program in absolute angles, Runge-Kutta at 1e-4, printed to 8 digits).
TEST(ClosedLoopReference, FiveBarObjectives) {
  const Model model = test::example("five_bar");
  const std::vector<double> p = model.default_physical();
  constexpr double kStep = 1e-3;
  std::vector<VecX> integrands;
  SignalEvaluator<double> evaluator(model);
  const RunReport report =
      Simulator(model, independent_coordinates(kStep, 5, 1e-12))
          .run(p, [&](const StepState<double>& x) {
            evaluator.evaluate(p, x.t, test::view(x.q), test::view(x.v), test::view(x.a),
                               test::view(x.lambda));
            VecX now(3);
            for (int k = 0; k < 3; ++k) {
              now(k) = evaluator.output(model.objectives()[static_cast<std::size_t>(k)].integral);
            }
            integrands.push_back(now);
            return true;
          });
  ASSERT_EQ(report.status, RunStatus::kDone) << report.message;
  ASSERT_EQ(integrands.size(), 5001u);
  VecX psi = VecX::Zero(3);  // Simpson's rule: its error h⁴ is below the last digit printed
  for (std::size_t k = 0; k < integrands.size(); ++k) {
    const bool end = k == 0 || k + 1 == integrands.size();
    psi += integrands[k] * (kStep / 3 * (end ? 1 : k % 2 ? 4 : 2));
  }
  EXPECT_NEAR(psi(0), 0.72687746, 0.6e-8);
  EXPECT_NEAR(psi(1), 7.3422878, 0.6e-7);
  EXPECT_NEAR(psi(2), 304.92069, 0.6e-5);
}

/// The default method at the step of the thesis: what second order leaves at 1 ms, a few 1e-6 of the
/// motion and ten times that of accelerations.
TEST(ClosedLoopReference, FiveBarObjectivesAtOneMillisecond) {
  const Model model = test::example("five_bar");
  const std::vector<double> p = model.default_physical();
  SignalEvaluator<double> evaluator(model);
  VecX psi = VecX::Zero(3);
  constexpr double kStep = 1e-3, kEnd = 5;
  test::run<double>(model, p, {"ali3p", "trapezoidal"}, kEnd, 5000, [&](const auto& x) {
    evaluator.evaluate(p, x.t, test::view(x.q), test::view(x.v), test::view(x.a),
                       test::view(x.lambda));
    const bool end = x.t < 0.5 * kStep || x.t > kEnd - 0.5 * kStep;
    for (int k = 0; k < 3; ++k) {
      psi(k) += (end ? 0.5 : 1) * kStep *
                evaluator.output(model.objectives()[static_cast<std::size_t>(k)].integral);
    }
  });
  EXPECT_NEAR(psi(0), 0.72687746, 1e-5 * 0.727);
  EXPECT_NEAR(psi(1), 7.3422878, 1e-5 * 7.34);
  EXPECT_NEAR(psi(2), 304.92069, 1e-4 * 305);
}

}  // namespace
}  // namespace kinegrad
