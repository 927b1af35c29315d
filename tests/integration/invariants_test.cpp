// What a motion must keep: energy and momenta; and a pendulum whose motion is known.
#include <gtest/gtest.h>

#include <cmath>

#include "kinegrad/simulation/simulator.hpp"
#include "support/closed_loops.hpp"
#include "support/moving_tree.hpp"

namespace kinegrad {
namespace {

RunOptions options_of(const std::string& integrator, double step, double end) {
  RunOptions options;
  options.integrator = integrator;
  options.step = step;
  options.end = end;
  options.details.tolerance = 1e-12;
  return options;
}

/// The invariants of a body that turns and moves without forces, or about a point under gravity.
class Invariants {
 public:
  explicit Invariants(const Model& model)
      : p_(model.default_physical()),
        dynamics_(model, ReferencePoint::kCom),
        kinematics_(model),
        r_(test::poisoned(model.nq())) {
    dynamics_.set_parameters(p_);
  }

  void take(const StepState<double>& x) {
    dynamics_.residual(x.t, test::view(x.q), test::view(x.v), test::view(x.a), r_);
    kinematics_.evaluate(p_, x.t, test::view(x.q), test::view(x.v), test::view(x.a));
  }
  double kinetic_energy() const { return dynamics_.kinetic_energy(); }
  Vec3 linear_momentum() const { return dynamics_.linear_momentum(); }
  Vec3 angular_momentum() const { return dynamics_.angular_momentum(); }
  const Pose<double>& body() const { return kinematics_.position().X_WB[1]; }

 private:
  std::vector<double> p_;
  test::MovingTree<double> dynamics_;
  SignalEvaluator<double> kinematics_;
  std::vector<double> r_;
};

/// Largest change of each entry of f along a run, relative to the size of the first f.
template <typename F>
VecX drift(const Model& model, const RunOptions& options, const F& f) {
  Invariants invariants(model);
  Simulator simulator(model, options);
  VecX first, worst;
  const RunReport report = simulator.run(model.default_physical(), [&](const StepState<double>& x) {
    invariants.take(x);
    const VecX now = f(invariants);
    if (first.size() == 0) {
      first = now;
      worst = VecX::Constant(now.size(), 0.0);
    }
    worst = worst.cwiseMax((now - first).cwiseAbs());
    return true;
  });
  EXPECT_EQ(report.status, RunStatus::kDone) << report.message;
  return worst / first.norm();
}

VecX free_flight(const Invariants& body) {
  return (VecX(7) << body.kinetic_energy(), body.linear_momentum(), body.angular_momentum())
      .finished();
}

/// Energy, angular momentum about the vertical and about the axis of symmetry (y of the body).
VecX top(const Invariants& body) {
  constexpr double kMass = 15, kGravity = 9.81;
  const Vec3 axis = body.body().R.col(1);  // the centre of mass is 1 m along it
  const Vec3 L = body.angular_momentum();
  return (VecX(3) << body.kinetic_energy() + kMass * kGravity * axis(2), L(2), L.dot(axis))
      .finished();
}

/// The start of each invariant, so that a run that keeps wrong values is seen.
TEST(Invariants, ValuesAtTheStart) {
  const Model model = test::example("free_body");
  Invariants body(model);
  StepState<double> x;
  const std::vector<double> p = model.default_physical();
  x.q = Eigen::Map<const VecX>(p.data() + model.initial_q(), model.nq());
  x.v = Eigen::Map<const VecX>(p.data() + model.initial_v(), model.nq());
  x.a = VecX::Constant(model.nq(), 0.0);
  body.take(x);
  // m = 3, J = diag(2, 3, 4), v = (1, 0.5, 0), ω = (0.01, 5, 0) at the origin
  EXPECT_NEAR(body.kinetic_energy(), 0.5 * (3 * 1.25 + 2 * 1e-4 + 3 * 25), 1e-13);
  EXPECT_LE((body.linear_momentum() - Vec3(3, 1.5, 0)).norm(), 1e-14);
  EXPECT_LE((body.angular_momentum() - Vec3(0.02, 15, 0)).norm(), 1e-14);
}

TEST(Invariants, FreeBodyWithDormandPrince) {
  const Model model = test::example("free_body");
  for (const NamedChoice& formulation : formulations()) {
    if (!test::go_together(model, {std::string(formulation.name), "dopri5"})) continue;
    RunOptions options = options_of("dopri5", 0.05, 10);
    options.formulation = formulation.name;
    const VecX d = drift(model, options, free_flight);
    // local errors of 1e-12 per step, some thousand steps
    EXPECT_LE(d.maxCoeff(), 1e-9) << formulation.name << ": " << d.transpose();
  }
}

TEST(Invariants, FreeBodyWithTheTrapezoidalRule) {
  const Model model = test::example("free_body");
  const VecX coarse = drift(model, options_of("trapezoidal", 4e-3, 10), free_flight);
  const VecX fine = drift(model, options_of("trapezoidal", 2e-3, 10), free_flight);
  // second order: half the step, a quarter of the drift; momentum is linear in v, so it is kept
  EXPECT_NEAR(coarse(0) / fine(0), 4, 0.4) << coarse(0) << ", " << fine(0);
  const double turn = coarse.tail<3>().norm() / fine.tail<3>().norm();
  EXPECT_NEAR(turn, 4, 0.4) << coarse.tail<3>().norm();
  EXPECT_LE(coarse.segment<3>(1).maxCoeff(), 1e-11);
  EXPECT_LE(fine(0), 1e-3);
}

TEST(Invariants, HeavyTopWithDormandPrince) {
  const Model model = test::example("heavy_top");
  for (const NamedChoice& formulation : formulations()) {
    if (!test::go_together(model, {std::string(formulation.name), "dopri5"})) continue;
    RunOptions options = options_of("dopri5", 0.01, 1);
    options.formulation = formulation.name;
    const VecX d = drift(model, options, top);
    EXPECT_LE(d.maxCoeff(), 1e-9) << formulation.name << ": " << d.transpose();
  }
}

TEST(Invariants, HeavyTopWithTheTrapezoidalRule) {
  const Model model = test::example("heavy_top");
  const VecX coarse = drift(model, options_of("trapezoidal", 2.5e-4, 0.25), top);
  const VecX fine = drift(model, options_of("trapezoidal", 1.25e-4, 0.25), top);
  for (Eigen::Index k : {0, 2}) {
    EXPECT_NEAR(coarse(k) / fine(k), 4, 0.4) << k << ": " << coarse(k) << ", " << fine(k);
  }
  // the top starts close to steady precession, where the vertical part hardly changes: what is left
  // is Newton's tolerance of 1e-12, over some thousand steps
  EXPECT_LE(coarse(1), 1e-9);
}

/// IFToMM benchmark A01: m = 1, L = 1, g = 9.81, from rest at (-1, 0). Reference values computed in
/// quadruple precision from θ̈ = −(g/L) cos θ, θ(0) = π, as printed there to 17 digits.
struct Reference {
  double t, x, y;
};
constexpr Reference kPendulum[] = {{1, 0.98629175113187528, -0.16501085312554117},
                                   {5, -0.9423054350437573, -0.3347543384140006},
                                   {9.99, -0.31643646991303231, -0.94861370457577654},
                                   {10, -0.27508746257611688, -0.96141920509912504}};

TEST(Invariants, PendulumAgainstQuadruplePrecision) {
  const Model model = test::example("pendulum");
  for (const NamedChoice& formulation : formulations()) {
    if (!test::go_together(model, {std::string(formulation.name), "dopri5"})) continue;
    for (const ReferencePoint point : test::kBothPoints) {
      RunOptions options = options_of("dopri5", 0.01, 10);
      options.formulation = formulation.name;
      options.coordinates = coordinate_set_name(point);
      options.details.tolerance = 1e-13;
      Simulator simulator(model, options);
      std::size_t met = 0;
      double worst = 0;
      simulator.run(model.default_physical(), [&](const StepState<double>& x) {
        if (met < 4 && std::abs(x.t - kPendulum[met].t) < 1e-9) {
          worst = std::max({worst, std::abs(std::cos(x.q(0)) - kPendulum[met].x),
                            std::abs(std::sin(x.q(0)) - kPendulum[met].y)});
          ++met;
        }
        return true;
      });
      EXPECT_EQ(met, 4u);
      EXPECT_LE(worst, 1e-9) << formulation.name << " × " << options.coordinates;
      RecordProperty("worst", std::to_string(worst * 1e12) + "e-12");
    }
  }
}

/// d(x, y)/dρ at t = 10 by complex step through the whole run, in 4000 steps.
Eigen::Vector2d pendulum_gradient(const Model& model, std::string_view formulation,
                                  std::string_view integrator, int parameter) {
  constexpr double kStep = 1e-200;
  constexpr int kSteps = 4000;
  const VecX rho = model.default_rho();
  std::vector<Complex> z(rho.data(), rho.data() + rho.size());
  z[std::size_t(parameter)] += Complex(0, kStep);
  std::vector<Complex> p(model.default_physical().size());
  auto work = model.design_map().make_workspace<Complex>();
  model.design_map().evaluate<Complex>(z, p, work);
  const auto solver = make_formulation<Complex>(formulation, model, ReferencePoint::kCom);
  solver->set_parameters(p);
  const auto map = make_step_map<Complex>(integrator, *solver, {});
  StepState<Complex> x0, x1;
  x0.q = Eigen::Map<const VecXT<Complex>>(p.data() + model.initial_q(), model.nq());
  x0.v = Eigen::Map<const VecXT<Complex>>(p.data() + model.initial_v(), model.nq());
  EXPECT_TRUE(map->start(x0).usable());
  for (int k = 0; k < kSteps; ++k) {
    EXPECT_TRUE(map->step(x0, 10.0 / kSteps, x1).usable());
    std::swap(x0, x1);
  }
  SignalEvaluator<Complex> signals(model);
  const auto view = [](const VecXT<Complex>& x) {
    return std::span<const Complex>(x.data(), static_cast<std::size_t>(x.size()));
  };
  signals.evaluate(p, 10.0, view(x0.q), view(x0.v), view(x0.a));
  return {signals.signal(0).imag() / kStep, signals.signal(1).imag() / kStep};
}

/// The same source: d(x, y)/dg and d(x, y)/dL at t = 10, printed to 15 digits.
TEST(Invariants, PendulumGradientsByComplexStep) {
  const Model model = test::example("pendulum");
  const Eigen::Vector2d by_g(2.1282355254596, -0.608944472253045),
      by_L(-21.1530779673348, 5.01232606770325);
  int g = -1, L = -1;
  for (std::size_t k = 0; k < model.parameters().size(); ++k) {
    if (model.parameters()[k].name == "g") g = int(k);
    if (model.parameters()[k].name == "L") L = int(k);
  }
  for (const NamedChoice& formulation : formulations()) {
    if (!test::go_together(model, {std::string(formulation.name), "dopri5"})) continue;
    // h = 2.5e-3 and frequencies of 3 rad/s: (ωh)⁵ = 2e-11, grown by the motion over 10 s
    const auto error = [&](std::string_view integrator, int k, const Eigen::Vector2d& expected) {
      return (pendulum_gradient(model, formulation.name, integrator, k) - expected).norm() /
             expected.norm();
    };
    EXPECT_LE(error("dopri5", g, by_g), 1e-9) << formulation.name;
    EXPECT_LE(error("dopri5", L, by_L), 1e-9) << formulation.name;
    // second order: (ωh)² = 6e-5, grown by ten
    EXPECT_LE(error("trapezoidal", g, by_g), 1e-3) << formulation.name;
    EXPECT_LE(error("trapezoidal", L, by_L), 1e-3) << formulation.name;
  }
}

}  // namespace
}  // namespace kinegrad
