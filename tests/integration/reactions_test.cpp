// Reactions do not depend on where a loop is cut, and they carry what momentum asks for.
#include <gtest/gtest.h>

#include "kinegrad/signals/joint_reactions.hpp"
#include "kinegrad/signals/signal_evaluator.hpp"
#include "support/closed_loops.hpp"
#include "support/moving_tree.hpp"

namespace kinegrad {
namespace {

/// The motion of a model at one time: q, v, a of all joints, cut or not.
std::vector<JointMotion<double>> motions(const Model& model, const std::vector<double>& p,
                                         const StepState<double>& x) {
  SignalEvaluator<double> evaluator(model);
  evaluator.evaluate(p, x.t, test::view(x.q), test::view(x.v), test::view(x.a),
                     test::view(x.lambda));
  std::vector<JointMotion<double>> out;
  for (std::size_t k = 0; k < model.joints().size(); ++k) {
    out.push_back(evaluator.joint_motion(static_cast<int>(k)));
  }
  return out;
}

/// An example with one joint cut; nothing is given at the start, the state comes from elsewhere.
Model cut_at(const std::string& name, std::size_t joint) {
  ModelDescription d = read_model_yaml(test::source_path("examples/" + name + ".yaml"));
  for (std::size_t k = 0; k < d.joints.size(); ++k) d.joints[k].cut = k == joint;
  d.initial.clear();
  return compile_model(d);
}

/// The state of joint motions in a model's own coordinates, with accelerations and multipliers of a
/// formulation.
StepState<double> state_of(const Model& model, const std::vector<double>& p, double t,
                           const std::vector<JointMotion<double>>& joints,
                           std::string_view formulation) {
  StepState<double> x;
  x.t = t;
  x.q = x.v = x.a = VecX::Constant(model.nq(), test::kNaN);
  for (std::size_t k = 0; k < model.joints().size(); ++k) {
    const int first = model.joints()[k].q_first;
    if (first < 0) continue;
    x.q.segment(first, joints[k].q.size()) = joints[k].q;
    x.v.segment(first, joints[k].v.size()) = joints[k].v;
  }
  const auto solver = make_formulation<double>(formulation, model, ReferencePoint::kCom);
  solver->set_parameters(p);
  x.lambda = VecX::Zero(solver->multipliers());
  EXPECT_TRUE(solver->acceleration(t, test::view(x.q), test::view(x.v),
                                   {x.a.data(), std::size_t(x.a.size())},
                                   {x.lambda.data(), std::size_t(x.lambda.size())}));
  return x;
}

/// Reactions of all joints.
std::vector<Twist<double>> reactions(const Model& model, const std::vector<double>& p,
                                     const StepState<double>& x) {
  JointReactions<double> forces(model);
  forces.evaluate(p, x.t, test::view(x.q), test::view(x.v), test::view(x.a), test::view(x.lambda));
  std::vector<Twist<double>> out;
  for (std::size_t k = 0; k < model.joints().size(); ++k) {
    out.push_back(forces.reaction(static_cast<int>(k)));
  }
  return out;
}

/// Some time into the motion of an example.
struct Moment {
  Model model;
  std::vector<double> p;
  StepState<double> x;
};
Moment moment(const std::string& name, double t) {
  Model model = test::example(name);
  std::vector<double> p = model.default_physical();
  StepState<double> x = test::run<double>(model, p, {"matrix-r", "rk4"}, t, 400);
  return {std::move(model), std::move(p), std::move(x)};
}

/// Relative to the largest: solves with a mass matrix and a border, three passes of which leave 1e-12
/// or so of the multipliers.
constexpr double kTolerance = 1e-9;

void expect_same_for_every_cut(const std::string& name, double t,
                               const std::vector<int>& components) {
  const Moment base = moment(name, t);
  const std::vector<Twist<double>> expected = reactions(base.model, base.p, base.x);
  const auto joints = motions(base.model, base.p, base.x);
  double size = 0;
  for (const Twist<double>& F : expected) size = std::max(size, F.norm());
  ASSERT_GT(size, 1);
  int cuts = 0;
  for (std::size_t cut = 0; cut < expected.size(); ++cut) {
    const Model model = cut_at(name, cut);
    if (!model.joints()[cut].cut) continue;
    ++cuts;
    const std::vector<double> p = model.default_physical();
    for (const char* formulation : {"index1", "matrix-r", "ali3p", "fully-recursive"}) {
      SCOPED_TRACE(name + ", cut at " + model.joints()[cut].name + ", " + formulation);
      const auto found = reactions(model, p, state_of(model, p, t, joints, formulation));
      for (std::size_t k = 0; k < expected.size(); ++k) {
        for (const int c : components) {
          EXPECT_NEAR(found[k](c), expected[k](c), kTolerance * size)
              << model.joints()[k].name << ", component " << c;
        }
      }
    }
  }
  EXPECT_EQ(cuts, static_cast<int>(expected.size()));
}

/// In the plane: f_x, f_y and n_z. Across it nothing acts, and five rows where two are needed leave
/// the rest open.
TEST(Reactions, FiveBarCutAnywhere) { expect_same_for_every_cut("five_bar", 0.8, {2, 3, 4}); }

/// In space all components are determined: as many independent rows as the loop closes.
TEST(Reactions, SpatialSliderCrankCutAnywhere) {
  expect_same_for_every_cut("slider_crank", 0.4, {0, 1, 2, 3, 4, 5});
}

/// Total momentum along a run.
Vec3 momentum(test::MovingTree<double>& dynamics, const StepState<double>& x, Vec3* angular) {
  std::vector<double> r(std::size_t(x.q.size()));
  dynamics.residual(x.t, test::view(x.q), test::view(x.v), test::view(x.a), r);
  *angular = dynamics.angular_momentum();
  return dynamics.linear_momentum();
}

/// Forces of the ground on the mechanism: reactions of its joints and whatever else it holds.
struct Ground {
  Vec3 force = Vec3::Zero(), moment = Vec3::Zero();  // about the world origin
};
Ground ground_of(const Moment& m) {
  Ground out;
  const auto all = reactions(m.model, m.p, m.x);
  SignalEvaluator<double> evaluator(m.model);
  evaluator.evaluate(m.p, m.x.t, test::view(m.x.q), test::view(m.x.v), test::view(m.x.a),
                     test::view(m.x.lambda));
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Joint& joint = m.model.joints()[k];
    if (joint.body1 != 0 && joint.body2 != 0) continue;
    const double sign = joint.body1 == 0 ? 1 : -1;  // body 1 on body 2
    const Pose<double>& X = evaluator.position().X_WB[std::size_t(joint.body2)];
    const Vec3 on_body = Eigen::Map<const Vec3>(m.p.data() + joint.M.origin());
    const Vec3 at = X.p + X.R * on_body;
    out.force += sign * all[k].tail<3>();
    out.moment += sign * (all[k].head<3>() + la::cross(at, Vec3(all[k].tail<3>())));
  }
  return out;
}

/// d/dt of both momenta by central differences of short runs.
std::pair<Vec3, Vec3> momentum_rate(const Moment& m) {
  test::MovingTree<double> dynamics(m.model, ReferencePoint::kCom);
  dynamics.set_parameters(m.p);
  constexpr double h = 1e-4;  // h² times third derivatives of 1e3 or so
  Vec3 rate = Vec3::Zero(), turn = Vec3::Zero();
  for (const double sign : {1.0, -1.0}) {
    const auto solver = make_formulation<double>("matrix-r", m.model, ReferencePoint::kCom);
    solver->set_parameters(m.p);
    const auto map = make_step_map<double>("rk4", *solver, {});
    StepState<double> x0 = m.x, x1;
    EXPECT_TRUE(map->start(x0).usable());
    EXPECT_TRUE(map->step(x0, sign * h, x1).usable());
    Vec3 angular;
    rate += sign / (2 * h) * momentum(dynamics, x1, &angular);
    turn += sign / (2 * h) * angular;
  }
  return {rate, turn};
}

/// Weight at the centres of mass, about the world origin.
void add_weight(const Moment& m, const Vec3& g, Ground* sum) {
  SignalEvaluator<double> evaluator(m.model);
  evaluator.evaluate(m.p, m.x.t, test::view(m.x.q), test::view(m.x.v), test::view(m.x.a),
                     test::view(m.x.lambda));
  for (std::size_t b = 1; b < m.model.bodies().size(); ++b) {
    const MassBlock& block = m.model.bodies()[b].mass;
    const Pose<double>& X = evaluator.position().X_WB[b];
    const Vec3 com = Eigen::Map<const Vec3>(m.p.data() + block.com);
    const Vec3 f = m.p[std::size_t(block.mass)] * g;
    sum->force += f;
    sum->moment += la::cross(Vec3(X.p + X.R * com), f);
  }
}

void expect_balance(const Moment& m, Ground sum, double scale) {
  const auto [rate, turn] = momentum_rate(m);
  // the difference is good for 1e-5 of the scale
  EXPECT_LE((sum.force - rate).norm(), 1e-5 * scale)
      << sum.force.transpose() << " | " << rate.transpose();
  EXPECT_LE((sum.moment - turn).norm(), 1e-5 * scale)
      << sum.moment.transpose() << " | " << turn.transpose();
}

TEST(Reactions, FiveBarCarriesItsMomentum) {
  const Moment m = moment("five_bar", 0.8);
  Ground sum = ground_of(m);
  add_weight(m, {0, -9.81, 0}, &sum);
  SignalEvaluator<double> evaluator(m.model);  // springs from B, on the ground, to P1 and P2
  evaluator.evaluate(m.p, m.x.t, test::view(m.x.q), test::view(m.x.v), test::view(m.x.a),
                     test::view(m.x.lambda));
  for (const auto& [name, length] :
       {std::pair{"P1", std::sqrt(5.0)}, {"P2", std::sqrt(17.0) / 2}}) {
    const Vec3 r = evaluator.point_motion(m.model.find_vector(name)).r;
    const Vec3 d = r - Vec3(1, 0, 0);
    const Vec3 f = -100 * (d.norm() - length) / d.norm() * d;
    sum.force += f;
    sum.moment += la::cross(r, f);
  }
  expect_balance(m, sum, 50);
}

TEST(Reactions, FourBarCarriesItsMomentum) {
  const Moment m = moment("four_bar", 0.6);
  Ground sum = ground_of(m);
  add_weight(m, {0, -9.81, 0}, &sum);
  expect_balance(m, sum, 1000);
}

TEST(Reactions, BricardCarriesItsMomentum) {
  const Moment m = moment("bricard", 1.1);
  Ground sum = ground_of(m);
  add_weight(m, {0, -9.81, 0}, &sum);
  expect_balance(m, sum, 50);
}

/// Torque of the drive of a mechanism without freedom: its power is the change of energy.
TEST(Reactions, DriveSuppliesTheEnergy) {
  const Model model = test::example("driven_four_bar");
  const std::vector<double> p = model.default_physical();
  JointReactions<double> forces(model);
  const int joint = model.find_joint("A");
  double work = 0, first = test::kNaN, energy = 0, before = 0, h = 1e-3;
  test::run<double>(model, p, {"matrix-r", "trapezoidal"}, 0.4, 400,
                    [&](const StepState<double>& x) {
                      forces.evaluate(p, x.t, test::view(x.q), test::view(x.v), test::view(x.a),
                                      test::view(x.lambda));
                      energy = forces.kinetic_energy() + forces.potential_energy(x.t);
                      const double power = forces.reaction(joint)(2) * 2 * M_PI;
                      if (std::isnan(first)) {
                        first = energy;
                      } else {
                        work += 0.5 * h * (before + power);
                      }
                      before = power;
                    });
  // trapezoidal quadrature at 1 ms of a power of some 100 W
  EXPECT_NEAR(work, energy - first, 1e-3);
  EXPECT_GT(std::abs(energy - first), 0.1);
}

}  // namespace
}  // namespace kinegrad
