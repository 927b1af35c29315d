#include "kinegrad/signals/signal_evaluator.hpp"

#include <gtest/gtest.h>

#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/compile.hpp"
#include "support/allocation_counter.hpp"
#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

using test::SampleState;

/// Two bodies joined to each other by every type of joint in turn, both free: the joint is cut by
/// request of the test and its coordinates read back from the relative motion.
std::string loop_model(const std::string& joint) {
  return R"(
bodies:
  A: {mass: 1, points: {P: [0.3, -0.2, 0.5]}}
  B: {mass: 1}
joints:
  fa: {type: floating, bodies: [ground, A], cut: false}
  fb: {type: floating, bodies: [ground, B], cut: false}
  J: {)" +
         joint +
         R"(, bodies: [A, B], cut: true}
)";
}

/// A state of the two free bodies in which joint J has the motion (q, v, a) and A moves anyhow.
void check_read_back(const std::string& joint_text) {
  const Model model = compile_model(parse_model_yaml(loop_model(joint_text), "loop.yaml"));
  const int j = model.find_joint("J");
  const Joint& joint = model.joints()[static_cast<std::size_t>(j)];
  ASSERT_TRUE(joint.cut);
  // the same mechanism with J in the tree gives the motion of B to impose
  std::string tree_text = loop_model(joint_text);
  tree_text.replace(tree_text.find("cut: true"), 9, "cut: false");
  const std::size_t fb = tree_text.find("fb:");
  tree_text.replace(tree_text.find("cut: false", fb), 10, "cut: true");
  const Model tree = compile_model(parse_model_yaml(tree_text, "tree.yaml"));
  ASSERT_FALSE(tree.joints()[static_cast<std::size_t>(tree.find_joint("J"))].cut);

  std::mt19937_64 rng(3);
  for (int round = 0; round < 5; ++round) {
    SampleState s = test::random_state(tree, rng);
    const Joint& tree_joint = tree.joints()[static_cast<std::size_t>(tree.find_joint("J"))];
    const auto first = static_cast<std::size_t>(tree_joint.q_first);
    // Euler parameters of J: on the sphere, with consistent speeds and accelerations
    for (int c = 0; c < joint.type->nq(); ++c) {
      const auto info = joint.type->coordinates()[static_cast<std::size_t>(c)];
      if (info.kind != CoordinateKind::kEulerParameter) continue;
      Eigen::Map<Vec<double, 4>> p(&s.q[first + static_cast<std::size_t>(c)]);
      Eigen::Map<Vec<double, 4>> v(&s.v[first + static_cast<std::size_t>(c)]);
      Eigen::Map<Vec<double, 4>> a(&s.a[first + static_cast<std::size_t>(c)]);
      p.normalize();
      v -= p * p.dot(v);
      a -= p * (p.dot(a) + v.squaredNorm());
      break;
    }
    SignalEvaluator<double> in_tree(tree);
    in_tree.evaluate(s.p, 0.0, s.q, s.v, s.a);
    // read the free coordinates of B (cut in the tree model) and feed them to the cut model
    const JointMotion<double> B = in_tree.joint_motion(tree.find_joint("fb"));
    SampleState t;
    t.p = model.default_physical();
    const auto place = [&](const char* name, const JointMotion<double>& m) {
      const auto k = static_cast<std::size_t>(
          model.joints()[static_cast<std::size_t>(model.find_joint(name))].q_first);
      for (std::size_t i = 0; i < 7; ++i) {
        const auto e = static_cast<Eigen::Index>(i);
        t.q[k + i] = m.q(e);
        t.v[k + i] = m.v(e);
        t.a[k + i] = m.a(e);
      }
    };
    t.q.resize(14);
    t.v.resize(14);
    t.a.resize(14);
    place("fa", in_tree.joint_motion(tree.find_joint("fa")));
    place("fb", B);
    SignalEvaluator<double> cut(model);
    cut.evaluate(t.p, 0.0, t.q, t.v, t.a);
    const JointMotion<double> read = cut.joint_motion(j);
    constexpr double kChain = 1e-12;  // two poses and their inverses, twice
    double sign = 1;
    for (int c = 0; c < joint.type->nq(); ++c) {
      const auto k = first + static_cast<std::size_t>(c);
      const auto info = joint.type->coordinates()[static_cast<std::size_t>(c)];
      if (info.name == "e0" && read.q(c) * s.q[k] < 0) sign = -1;  // p and −p are one rotation
      const double f = info.kind == CoordinateKind::kEulerParameter ? sign : 1;
      EXPECT_NEAR(read.q(c), f * s.q[k], kChain) << joint_text << " q" << c;
      EXPECT_NEAR(read.v(c), f * s.v[k], kChain * 10) << joint_text << " v" << c;
      EXPECT_NEAR(read.a(c), f * s.a[k], kChain * 100) << joint_text << " a" << c;
    }
  }
}

TEST(SignalEvaluator, CutJointsAreReadBack) {
  check_read_back("type: revolute, points: [P, [0.1, 0.2, 0]], axes: [[0.6, 0, 0.8], y]");
  check_read_back("type: prismatic, points: [P, [0.1, 0.2, 0]], axes: [[0.6, 0, 0.8], y]");
  check_read_back("type: universal, points: [P, [0.1, 0.2, 0]], axes: [[0.6, 0, 0.8], y]");
  check_read_back("type: cylindrical, points: [P, [0.1, 0.2, 0]], axes: [[0.6, 0, 0.8], y]");
  check_read_back("type: spherical, points: [P, [0.1, 0.2, 0]]");
  check_read_back("type: planar, points: [P, [0.1, 0.2, 0]], axes: [[0.6, 0, 0.8], y]");
  check_read_back("type: rectangular, points: [P, [0.1, 0.2, 0]], axes: [[0.6, 0, 0.8], y]");
  check_read_back("type: cartesian, points: [P, [0.1, 0.2, 0]]");
}

TEST(SignalEvaluator, SignalsOfTimeParametersSplinesAndMotion) {
  const Model model = compile_model(parse_model_yaml(R"(
parameters: {L: 2, k: 3}
splines: {u: {nodes: [0, 1, 2], values: [0, k, 4]}}
bodies: {rod: {mass: 1, com: [L/2, 0, 0], points: {tip: [L, 0, 0]}, vectors: {n: [0, 1, 0]}}}
joints: {J: {type: revolute, bodies: [ground, rod], points: [[0,0,0], [0,0,0]], axes: [z, z]}}
signals:
  height: tip.y
  speed: sqrt(tip.vx^2 + tip.vy^2)
  mixed: k*u(t) + J.q - J.v*J.a + rod.com.x + height
  turn: n.vx
)",
                                                     "signals.yaml"));
  SignalEvaluator<double> signals(model);
  const std::vector<double> p = model.default_physical(), q{0.5}, v{-2}, a{3};
  signals.evaluate(p, 1.0, q, v, a);
  const double c = std::cos(0.5), s = std::sin(0.5);
  constexpr double kFewOperations = 1e-14;
  EXPECT_NEAR(signals.signal(0), 2 * s, kFewOperations);
  EXPECT_NEAR(signals.signal(1), 4, kFewOperations);
  EXPECT_NEAR(signals.signal(2), 3 * 3 + 0.5 + 6 + c + 2 * s, 2 * kFewOperations);
  EXPECT_NEAR(signals.signal(3), 2 * c, kFewOperations);
  const AllocationCounter counter;
  signals.evaluate(p, 1.5, q, v, a);
  EXPECT_EQ(counter.count(), 0);
}

}  // namespace
}  // namespace kinegrad
