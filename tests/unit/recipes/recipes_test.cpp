// The code of the recipes (docs/howto/add_a_….md) does what the pages say. Joint and force are also in their
// conformance suites; tools/check_recipes.py compares the files with the pages.
#include <gtest/gtest.h>

#include <cmath>

#include "kinegrad/assembly/systems.hpp"
#include "kinegrad/formulations/all.hpp"
#include "kinegrad/integrators/all.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "recipes/central_difference.hpp"
#include "recipes/cubic_spring.hpp"
#include "recipes/descent.hpp"
#include "recipes/heun3.hpp"
#include "recipes/pin_slot.hpp"
#include "recipes/ramp.hpp"
#include "recipes/stabilised.hpp"
#include "support/closed_loops.hpp"

namespace kinegrad {
namespace {

Catalogue with_recipes() {
  Catalogue catalogue = builtin_catalogue();
  catalogue.add(joint_model<PinSlot>());
  catalogue.add(force_model<CubicSpring>());
  catalogue.add(constraint_model<Ramp>());
  return catalogue;
}

/// A block on a pin in a slot along x, pulled by the cubic spring to a point on the slot's line, and a slider that a
/// ramp lifts as the block turns.
Model recipe_model(const Catalogue& catalogue) {
  return compile_model(parse_model_yaml(R"(
parameters: {k: 40, k3: 7, c: 0.2}
points: {W: [0.9, 0, 0]}
bodies:
  block: {mass: 2, inertia: [0.1, 0.1, 0.1], points: {P: [0, 0, 0]}}
  lift: {mass: 1, inertia: [0.1, 0.1, 0.1], points: {Q: [0, 0, 0]}}
joints:
  S: {type: slot, bodies: [ground, block], point: [0, 0, 0], axis: z, reference: x}
  L: {type: prismatic, bodies: [ground, lift], point: [1, 1, 0], axis: z}
forces:
  spring: {type: cubic-spring, points: [W, P], stiffness: k, cubic: k3}
constraints:
  ramp: {type: ramp, point: Q, normal: z, coordinate: S.q2, slope: c}
initial: {S.q1: 0.3, S.q2: 0.5, S.v2: 1.5}
)",
                                        "recipes", catalogue),
                       catalogue);
}

/// Along x the block sees the spring alone: 2 a = (k + k₃s)d with d = 0.6, s = d²; about z it carries the lift with it,
/// (0.1 + c²) θ̈ = 0.
TEST(Recipes, JointForceAndConstraintInAModel) {
  const Catalogue catalogue = with_recipes();
  const Model model = recipe_model(catalogue);
  const std::vector<double> p = model.default_physical();
  const auto formulation = make_formulation<double>("ali3p", model, ReferencePoint::kCom);
  formulation->set_parameters(p);
  StepState<double> x = test::assembled<double>(model, p);
  const auto n = static_cast<std::size_t>(model.nq());
  std::vector<double> a(n), lambda(static_cast<std::size_t>(formulation->multipliers()));
  ASSERT_TRUE(formulation->acceleration(0, {x.q.data(), n}, {x.v.data(), n}, a, lambda));
  const double d = 0.6;
  EXPECT_NEAR(a[0], (40 + 7 * d * d) * d / 2, 1e-11);
  EXPECT_NEAR(a[1], 0, 1e-11);
  EXPECT_NEAR(x.q(2), 0.2 * 0.5, 1e-12) << "the ramp lifts by the slope times the angle";
  EXPECT_NEAR(x.v(2), 0.2 * 1.5, 1e-12);
}

/// The block swings in the slot with the force law's own frequency: errors of Heun's method fall by 2³ from one to the next.
TEST(Recipes, TableauHasItsOrder) {
  const Catalogue catalogue = with_recipes();
  const Model model = recipe_model(catalogue);
  const std::vector<double> p = model.default_physical();
  const auto formulation = make_formulation<double>("index1", model, ReferencePoint::kCom);
  formulation->set_parameters(p);
  const auto end = [&](const IntegratorEntry& integrator, int steps) {
    const auto map = make_step_map<double>(integrator, *formulation, {});
    StepState<double> x0 = test::assembled<double>(model, p), x1;
    EXPECT_TRUE(map->start(x0).usable());
    for (int k = 0; k < steps; ++k) {
      EXPECT_TRUE(map->step(x0, 0.5 / steps, x1).usable());
      std::swap(x0, x1);
    }
    return x0.q(0);
  };
  const IntegratorEntry heun3 = integrator_entry<Heun3Method>();
  const double exact = end(integrator_named("dopri5"), 2000);
  const double coarse = std::abs(end(heun3, 100) - exact);
  const double fine = std::abs(end(heun3, 200) - exact);
  EXPECT_NEAR(std::log2(coarse / fine), 3, 0.15);
}

/// The derivatives of its steps come with the entry: the tangent along k₃ against differences of the step itself, whose
/// error is d²/6 times a third derivative, and rounding over d.
TEST(Recipes, TableauHasItsDerivatives) {
  const Catalogue catalogue = with_recipes();
  const Model model = recipe_model(catalogue);
  const auto formulation =
      make_formulation<double>(formulation_entry<Stabilised>(), model, ReferencePoint::kCom);
  const IntegratorEntry heun3 = integrator_entry<Heun3Method>();
  const auto map = make_step_map<double>(heun3, *formulation, {});
  const auto step = [&](double k3, StepState<double>& x0, StepState<double>& x1) {
    const std::vector<double> p = physical_at(model, std::vector<double>{40, k3, 0.2});
    formulation->set_parameters(p);
    x0 = test::assembled<double>(model, p);
    EXPECT_TRUE(map->start(x0).usable());
    EXPECT_TRUE(map->step(x0, 0.01, x1).usable());
  };
  const double k3 = 7, d = 1e-3;
  StepState<double> x0, x1, above, below;
  step(k3 + d, x0, above);
  step(k3 - d, x0, below);
  step(k3, x0, x1);
  const auto partials = make_step_partials(heun3, {}, formulation->stage_rule(), [&] {
    auto system = make_system_partials(model, ReferencePoint::kCom);
    system->set_parameters(model.default_physical());
    return system;
  });
  const std::vector<int> which{1};
  const DesignJacobian design(model.design_map(), std::vector<double>{40, 7, 0.2}, which);
  StateTangent x;  // q and v of the start do not depend on the spring
  x.resize(model.nq(), formulation->multipliers(), 1);
  x.q.setZero();
  x.v.setZero();
  ASSERT_TRUE(partials->start_tangent(x0, nullptr, design, x));
  const StepRecord record{.h = 0.01, .x0 = &x0, .x1 = &x1, .before = &x1, .stages = map->stages()};
  ASSERT_TRUE(partials->tangent(record, design, x, [](int, const StateTangent&) {}));
  const VecX difference = (above.v - below.v) / (2 * d);
  EXPECT_LT((x.v.col(0) - difference).norm(), 1e-9 * std::max(1.0, difference.norm()));
  EXPECT_GT(difference.norm(), 1e-5) << "the parameter moves the step";
}

/// A method of the program's own, one class and its entry, beside the adjoint: d² and rounding over d remain.
TEST(Recipes, GradientMethodRuns) {
  const Model model = test::example("double_pendulum");
  GradientOptions options;
  options.run.step = 0.01;
  options.run.end = 0.1;
  std::vector<double> rho(static_cast<std::size_t>(model.design_map().parameter_count()));
  for (const Parameter& parameter : model.parameters()) {
    if (parameter.index >= 0) rho[static_cast<std::size_t>(parameter.index)] = parameter.value;
  }
  const GradientReport adjoint = gradient(model, rho, options);
  const GradientReport own =
      gradient(gradient_method_entry<CentralDifference>(), model, rho, options);
  ASSERT_EQ(own.status, RunStatus::kDone) << own.message;
  ASSERT_GT(adjoint.gradient.norm(), 0);
  EXPECT_LT((own.gradient - adjoint.gradient).norm(), 1e-7 * adjoint.gradient.norm());
}

/// Stabilised equations lead an opened loop back: Φ falls like e^(−Ωt)(1 + Ωt) with ξ = 1.
TEST(Recipes, RuleStabilises) {
  const Catalogue catalogue = with_recipes();
  const Model model = recipe_model(catalogue);
  const std::vector<double> p = model.default_physical();
  const auto formulation =
      make_formulation<double>(formulation_entry<Stabilised>(), model, ReferencePoint::kCom);
  formulation->set_parameters(p);
  EXPECT_EQ(formulation->stage_rule().stabilisation.omega, 20);
  const auto map = make_step_map<double>("rk4", *formulation, {});
  StepState<double> x0 = test::assembled<double>(model, p), x1;
  const double opened = 1e-3, end = 0.2;
  x0.q(2) += opened;
  ASSERT_TRUE(map->start(x0).usable());
  for (int k = 0; k < 200; ++k) {
    ASSERT_TRUE(map->step(x0, end / 200, x1).usable());
    std::swap(x0, x1);
  }
  const double left = x0.q(2) - 0.2 * x0.q(1);
  EXPECT_NEAR(left, opened * std::exp(-20 * end) * (1 + 20 * end), 1e-8 * opened);
}

/// f = (x − 1)² + 4(y − 2)², with y ≤ 1.5.
class Bowl final : public Nlp {
 public:
  Bowl() {
    start_ = Eigen::Vector2d(-1, 0);
    lower_ = Eigen::Vector2d(-10, -10);
    upper_ = Eigen::Vector2d(10, 1.5);
  }
  const NlpPoint& at(const VecX& x) override {
    ++asked_;
    const double u = x(0) - 1, w = x(1) - 2;
    point_.f = u * u + 4 * w * w;
    point_.f_x = Eigen::Vector2d(2 * u, 8 * w);
    return point_;
  }
  bool finished() const override { return asked_ > 500; }
  double best() const { return point_.f; }

 private:
  NlpPoint point_;
  int asked_ = 0;
};

TEST(Recipes, DescentEndsAtTheBound) {
  Bowl bowl;
  Descent().minimize(bowl);
  EXPECT_NEAR(bowl.best(), 1, 1e-6);
}

}  // namespace
}  // namespace kinegrad
