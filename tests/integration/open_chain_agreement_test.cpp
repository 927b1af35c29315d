// Two formulations and two reference points are four ways to the same accelerations.
#include <gtest/gtest.h>

#include <Eigen/SVD>

#include "kinegrad/formulations/all.hpp"
#include "support/closed_loops.hpp"
#include "support/moving_tree.hpp"

namespace kinegrad {
namespace {

using test::kBothPoints;
using test::kEpsilon;

VecX accelerations(const Model& model, std::string_view formulation, ReferencePoint point,
                   const test::SampleState& s) {
  const auto solver = make_formulation<double>(formulation, model, point);
  solver->set_parameters(s.p);
  VecX a = VecX::Constant(model.nq(), test::kNaN);
  EXPECT_TRUE(solver->acceleration(0.2, s.q, s.v, {a.data(), s.q.size()}, {}));
  return a;
}

/// How many times ε the accelerations may differ, relative to their size and that of the terms of
/// the equations: a solve loses κ(M). At the world origin an inertia m d² with d the distance is
/// added to every body and taken away again, which loses ‖M⁻¹‖ m d².
struct Conditioning {
  double condition = 0, distance_term = 0;
};

Conditioning conditioning(const Model& model, const test::SampleState& s) {
  test::MovingTree<double> dynamics(model, ReferencePoint::kCom);
  dynamics.set_parameters(s.p);
  const Eigen::JacobiSVD<MatX> svd(test::completed_mass(dynamics, s.q));
  const VecX sigma = svd.singularValues();
  double mass = 0;
  for (const Body& body : model.bodies()) {
    if (body.mass.mass >= 0) mass += s.p[std::size_t(body.mass.mass)];
  }
  const double distance = test::reach(model, s);
  const double smallest = sigma(sigma.size() - 1);
  return {sigma(0) / smallest, mass * distance * distance / smallest};
}

/// Largest difference of the four ways over the bound, 1 if it is just met.
double disagreement(const Model& model, const test::SampleState& s) {
  const Conditioning c = conditioning(model, s);
  const VecX expected = accelerations(model, "semi-recursive", ReferencePoint::kCom, s);
  const double size = expected.norm();
  double worst = 0;
  for (const NamedChoice& formulation : formulations()) {
    if (!test::takes(formulation.name, model)) continue;
    for (ReferencePoint point : kBothPoints) {
      const VecX a = accelerations(model, formulation.name, point, s);
      const double allowed =
          point == ReferencePoint::kCom ? c.condition : c.condition + c.distance_term;
      const double error = (a - expected).norm() / (100 * allowed * kEpsilon * size);
      worst = std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(worst, error);
    }
  }
  return worst;
}

TEST(OpenChainAgreement, EveryJointType) {
  const Model model = test::example("all_joints");
  std::mt19937_64 rng(11);
  double worst = 0;
  for (int k = 0; k < 20; ++k) {
    const double d = disagreement(model, test::random_state(model, rng));
    EXPECT_LE(d, 1) << "state " << k;
    worst = std::max(worst, d);
  }
  RecordProperty("worst", std::to_string(worst));
}

TEST(OpenChainAgreement, TwoHundredRandomTrees) {
  std::mt19937_64 rng(12);
  double worst = 0;
  int moving = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Model model = compile_model(test::loaded_tree(seed, 2 + int(seed % 11)));
    const test::SampleState s = test::random_state(model, rng);
    if (model.nq() == 0) continue;
    ++moving;
    const double d = disagreement(model, s);
    EXPECT_LE(d, 1) << "seed " << seed;
    worst = std::max(worst, d);
  }
  EXPECT_GE(moving, 195) << "a tree of fixed joints only says nothing";
  RecordProperty("worst", std::to_string(worst));
}

/// The tree without ground springs, everything moved by x along the world's x axis.
Model moved_tree(unsigned seed, double x) {
  ModelDescription d = test::random_tree(seed, 6);
  ForceSpec weight;
  weight.name = "weight";
  weight.type = "gravity";
  weight.vectors["acceleration"] = VectorSpec(0.0, -9.81, 0.0);
  d.forces.push_back(weight);
  for (JointSpec& joint : d.joints) {
    for (std::size_t side = 0; side < 2; ++side) {
      if (joint.bodies[side].name != "ground") continue;
      NumberSpec& entry = joint.points[side].entries[0];
      entry = NumberSpec(entry.text + " + " + std::to_string(x));
    }
  }
  return compile_model(d);
}

/// Levers of the centres of mass are vectors of the bodies [D-11]: they do not know where the
/// mechanism is. Seen from the world origin its distance enters with the square.
TEST(OpenChainAgreement, CentresOfMassDoNotCareWhereTheMechanismIs) {
  // where a difference of world positions is good for 1e-10 m, and its rounding would be seen
  constexpr double kThousandKilometres = 1 << 20;
  double worst_com = 0, worst_origin = 0;
  for (unsigned seed = 300; seed < 330; ++seed) {
    const Model near = moved_tree(seed, 0), far = moved_tree(seed, kThousandKilometres);
    std::mt19937_64 rng(seed);
    const test::SampleState s = test::random_state(near, rng);
    test::SampleState t = s;  // the coordinates of joints do not know where the ground is
    t.p = far.default_physical();
    if (near.nq() == 0) continue;
    const Conditioning c = conditioning(near, s);
    for (const NamedChoice& formulation : formulations()) {
      if (!test::takes(formulation.name, near)) continue;
      const VecX a = accelerations(near, formulation.name, ReferencePoint::kCom, s);
      const VecX com = accelerations(far, formulation.name, ReferencePoint::kCom, t);
      const VecX origin = accelerations(far, formulation.name, ReferencePoint::kOrigin, t);
      const double bound = c.condition * kEpsilon * a.norm();
      EXPECT_LE((com - a).norm(), 10 * bound) << seed << ", " << formulation.name;
      worst_com = std::max(worst_com, (com - a).norm() / bound);
      worst_origin = std::max(worst_origin, (origin - a).norm() / bound);
    }
  }
  EXPECT_GT(worst_origin, 100 * worst_com) << "the world origin is expected to lose digits here";
  RecordProperty("worst_com", std::to_string(worst_com));
  RecordProperty("worst_origin", std::to_string(worst_origin));
}

}  // namespace
}  // namespace kinegrad
