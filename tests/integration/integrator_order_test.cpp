// Integrators converge with the order they declare, with Euler parameters and without.
#include <gtest/gtest.h>

#include <cmath>

#include "kinegrad/integrators/all.hpp"
#include "support/closed_loops.hpp"
#include "support/tolerances.hpp"

namespace kinegrad {
namespace {

/// A motion from its initial state to an end.
struct Problem {
  const Model& model;
  std::vector<double> p;
  double end;
};

VecX joined(const StepState<double>& x) {
  VecX out(2 * x.q.size());
  out << x.q, x.v;
  return out;
}

StepState<double> initial(const Problem& run) {
  StepState<double> x;
  x.q = Eigen::Map<const VecX>(run.p.data() + run.model.initial_q(), run.model.nq());
  x.v = Eigen::Map<const VecX>(run.p.data() + run.model.initial_v(), run.model.nq());
  return x;
}

/// (q, v) at the end after n equal steps; NaN if one fails.
VecX integrate(const Problem& run, StepMap<double>& map, int n) {
  StepState<double> x0 = initial(run), x1;
  const double h = run.end / n;
  bool fine = map.start(x0).usable();
  for (int k = 0; k < n && fine; ++k) {
    fine = map.step(x0, h, x1).usable();
    std::swap(x0, x1);
  }
  return fine ? joined(x0) : VecX::Constant(2 * run.model.nq(), test::kNaN);
}

/// Dormand-Prince with steps so small that rounding is all that is left (5th order, h = end/4000).
VecX reference(const Problem& run) {
  const auto formulation =
      make_formulation<double>("semi-recursive", run.model, ReferencePoint::kCom);
  formulation->set_parameters(run.p);
  return integrate(run, *make_step_map<double>("dopri5", *formulation, {}), 4000);
}

/// The slope of the error between n and 2n steps.
double observed_order(const Problem& run, StepMap<double>& map, const VecX& exact, int n) {
  const double coarse = (integrate(run, map, n) - exact).norm();
  const double fine = (integrate(run, map, 2 * n) - exact).norm();
  return std::log2(coarse / fine);
}

/// Steps per second in the asymptotic range: enough for the leading term of the error to be nearly
/// all of it, few enough for it to be above rounding (2e-11 at order 5, 5e-8 at order 4).
int steps_for(int order) { return order == 4 ? 640 : 400; }

IntegratorOptions tight() {
  IntegratorOptions options;
  options.tolerance = 1e-14;  // Newton's error far below that of the step
  return options;
}

void expect_declared_orders(const Problem& run, const IntegratorOptions& options) {
  const VecX exact = reference(run);
  for (const NamedChoice& formulation : formulations()) {
    if (!test::takes(formulation.name, run.model)) continue;
    const auto solver = make_formulation<double>(formulation.name, run.model, ReferencePoint::kCom);
    solver->set_parameters(run.p);
    for (const NamedChoice& integrator : integrators()) {
      if (!test::go_together(run.model,
                             {std::string(formulation.name), std::string(integrator.name)})) {
        continue;
      }
      const auto map = make_step_map<double>(integrator.name, *solver, options);
      const double order = observed_order(run, *map, exact, steps_for(map->order()));
      EXPECT_NEAR(order, map->order(), tolerance::kOrder)
          << formulation.name << " × " << integrator.name;
    }
  }
}

/// The double pendulum, both links horizontal at first, so that it swings far.
std::vector<double> swinging(const Model& model) {
  std::vector<double> p = model.default_physical();
  p[std::size_t(model.initial_q())] = 1.5;
  p[std::size_t(model.initial_q() + 1)] = 0.4;
  return p;
}

TEST(IntegratorOrder, DoublePendulum) {
  const Model model = test::example("double_pendulum");
  expect_declared_orders({model, swinging(model), 1.0}, tight());
}

TEST(IntegratorOrder, EveryJointType) {
  const Model model = test::example("all_joints");
  expect_declared_orders({model, model.default_physical(), 1.0}, tight());
}

TEST(IntegratorOrder, ExactTangentChangesOnlyTheIterations) {
  const Model model = test::example("all_joints");
  const Problem run{model, model.default_physical(), 0.1};
  const auto solver = make_formulation<double>("semi-recursive", model, ReferencePoint::kCom);
  solver->set_parameters(run.p);
  IntegratorOptions options = tight();
  const VecX cheap = integrate(run, *make_step_map<double>("trapezoidal", *solver, options), 50);
  options.exact_tangent = true;
  const VecX exact = integrate(run, *make_step_map<double>("trapezoidal", *solver, options), 50);
  // both stop when Newton's step is below 1e-14: 50 steps of that, grown by the motion
  EXPECT_LE((cheap - exact).norm(), 1e-10 * exact.norm());
}

TEST(IntegratorOrder, NewmarkWithDampingIsOfFirstOrder) {
  const Model model = test::example("double_pendulum");
  const Problem run{model, swinging(model), 1.0};
  IntegratorOptions options = tight();
  options.gamma = 0.7;
  options.beta = 0.36;
  const VecX exact = reference(run);
  for (const NamedChoice& formulation : formulations()) {
    if (!test::takes(formulation.name, model)) continue;
    const auto solver = make_formulation<double>(formulation.name, model, ReferencePoint::kCom);
    solver->set_parameters(run.p);
    const auto map = make_step_map<double>("newmark", *solver, options);
    EXPECT_EQ(map->order(), 1);
    EXPECT_NEAR(observed_order(run, *map, exact, 1600), 1, tolerance::kOrder) << formulation.name;
  }
}

TEST(IntegratorOrder, SpectralRadiusDoesNotChangeTheOrder) {
  const Model model = test::example("double_pendulum");
  const Problem run{model, swinging(model), 1.0};
  const VecX exact = reference(run);
  const auto solver = make_formulation<double>("fully-recursive", model, ReferencePoint::kOrigin);
  solver->set_parameters(run.p);
  for (const char* name : {"hht", "generalized-alpha"}) {
    for (double radius : {0.0, 0.5, 1.0}) {
      IntegratorOptions options = tight();
      options.spectral_radius = radius;
      const auto map = make_step_map<double>(name, *solver, options);
      EXPECT_EQ(map->order(), 2);
      EXPECT_NEAR(observed_order(run, *map, exact, 800), 2, tolerance::kOrder)
          << name << ", " << radius;
    }
  }
}

/// A body on a vertical rail.
Model falling() {
  ModelDescription d;
  BodySpec body;
  body.name = "stone";
  body.mass = 2.0;
  body.com = VectorSpec(0.1, 0.2, 0.3);
  InertiaSpec inertia;
  inertia.xx = inertia.yy = inertia.zz = 1.0;
  body.inertia = inertia;
  d.bodies.push_back(body);
  JointSpec rail;
  rail.name = "rail";
  rail.type = "prismatic";
  rail.bodies = {"ground", "stone"};
  rail.points = {VectorSpec(0.0, 0.0, 0.0), VectorSpec(0.0, 0.0, 0.0)};
  rail.axes = {"y", "y"};
  d.joints.push_back(rail);
  ForceSpec weight;
  weight.name = "weight";
  weight.type = "gravity";
  weight.vectors["acceleration"] = VectorSpec(0.0, -9.81, 0.0);
  d.forces.push_back(weight);
  return compile_model(d);
}

TEST(IntegratorOrder, ConstantAccelerationIsExact) {
  const Model model = falling();
  std::vector<double> p = model.default_physical();
  p[std::size_t(model.initial_q())] = 0.5;
  p[std::size_t(model.initial_v())] = 3;
  const Problem run{model, p, 2.0};
  const VecX exact = (VecX(2) << 0.5 + 3 * 2 - 0.5 * 9.81 * 4, 3 - 9.81 * 2).finished();
  for (const NamedChoice& formulation : formulations()) {
    if (!test::takes(formulation.name, model)) continue;
    const auto solver = make_formulation<double>(formulation.name, model, ReferencePoint::kCom);
    solver->set_parameters(p);
    for (const NamedChoice& integrator : integrators()) {
      if (!test::go_together(model,
                             {std::string(formulation.name), std::string(integrator.name)})) {
        continue;
      }
      IntegratorOptions options = tight();
      options.gamma = 0.6;  // of any order: a quadratic is within reach of all
      options.beta = 0.4;
      const auto map = make_step_map<double>(integrator.name, *solver, options);
      // thirteen steps of some ten roundings each, of numbers up to 20
      EXPECT_LE((integrate(run, *map, 13) - exact).norm(), 1e-13 * exact.norm())
          << formulation.name << " × " << integrator.name;
    }
  }
}

/// Largest error inside one step of size h from the start, against steps of h/64.
double inner_error(const Problem& run, StepMap<double>& map, StepMap<double>& fine, double h) {
  StepState<double> x0 = initial(run), x1, inside;
  EXPECT_TRUE(map.start(x0).usable());
  EXPECT_TRUE(map.step(x0, h, x1).usable());
  double worst = 0;
  for (double theta : {0.1, 0.25, 0.4, 0.5, 0.7, 0.9}) {
    map.interpolate(x0, x1, theta, inside);
    EXPECT_NEAR(inside.t, theta * h, 1e-15);
    const Problem part{run.model, run.p, theta * h};
    worst = std::max(worst, (joined(inside) - integrate(part, fine, 64)).norm());
  }
  return worst;
}

TEST(IntegratorOrder, DenseOutput) {
  const Model model = test::example("all_joints");
  const Problem run{model, model.default_physical(), 1.0};
  const auto solver = make_formulation<double>("semi-recursive", model, ReferencePoint::kCom);
  solver->set_parameters(run.p);
  const auto fine = make_step_map<double>("dopri5", *solver, {});
  struct Case {
    const char* name;
    int order;  // of the interpolant: its error inside a step is one order smaller
    double h;
  };
  for (const Case& c : {Case{"dopri5", 4, 0.01}, Case{"rk4", 3, 0.01}, Case{"esdirk3", 3, 0.01},
                        Case{"esdirk4", 3, 0.004}}) {
    const auto map = make_step_map<double>(c.name, *solver, tight());
    const double slope =
        std::log2(inner_error(run, *map, *fine, c.h) / inner_error(run, *map, *fine, 0.5 * c.h));
    EXPECT_NEAR(slope, c.order + 1, tolerance::kOrder) << c.name;
  }
}

TEST(IntegratorOrder, DenseOutputMeetsTheEndsOfTheStep) {
  const Model model = test::example("all_joints");
  const Problem run{model, model.default_physical(), 1.0};
  const auto solver = make_formulation<double>("semi-recursive", model, ReferencePoint::kCom);
  solver->set_parameters(run.p);
  for (const NamedChoice& integrator : integrators()) {
    const auto map = make_step_map<double>(integrator.name, *solver, {});
    StepState<double> x0 = initial(run), x1, inside;
    ASSERT_TRUE(map->start(x0).usable());
    ASSERT_TRUE(map->step(x0, 0.01, x1).usable());
    map->interpolate(x0, x1, 0, inside);
    EXPECT_EQ(joined(inside), joined(x0)) << integrator.name;
    map->interpolate(x0, x1, 1, inside);
    // y₀ + (y₁ − y₀) rounds
    EXPECT_LE((joined(inside) - joined(x1)).norm(), 1e-15 * joined(x1).norm()) << integrator.name;
  }
}

}  // namespace
}  // namespace kinegrad
