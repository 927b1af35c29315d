// Derivatives of a stage without matrices [ST-11] against those with matrices [ST-3], which share the pull-back
// alone, and against the complex step of the formulation.
#include "kinegrad/formulations/recursive_stage.hpp"

#include <gtest/gtest.h>

#include "kinegrad/assembly/joint_partials.hpp"
#include "kinegrad/formulations/chosen_stage.hpp"
#include "kinegrad/formulations/fully_recursive.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/math/views.hpp"
#include "support/allocation_counter.hpp"
#include "support/closed_loops.hpp"
#include "support/closure_samples.hpp"
#include "support/tree_samples.hpp"

namespace kinegrad {
namespace {

using test::relative;

/// Of M and of J M⁻¹Jᵀ; their condition times rounding.
constexpr double kSolved = 1e-9;

/// A solved stage at random q and v, which constraint equations need not hold: what does not hold is stabilised.
struct Solved {
  Solved(const Model& model, ReferencePoint reference, unsigned seed)
      : point(reference), formulation(model, reference, {}), rng(seed) {
    s = test::random_state(model, rng);
    formulation.set_parameters(s.p);
    lambda.resize(model.constraint_rows().size());
    EXPECT_TRUE(formulation.acceleration(kTime, s.q, s.v, s.a, lambda));
  }
  StagePoint at() const { return {kTime, s.q, s.v, s.a, lambda}; }
  std::unique_ptr<JointPartials> partials(const Model& model) const {
    auto out = std::make_unique<JointPartials>(model, point);
    out->set_parameters(s.p);
    return out;
  }
  VecX random(Eigen::Index n) {
    VecX x(n);
    for (double& entry : x) entry = test::uniform(rng);
    return x;
  }

  static constexpr double kTime = 0.3;
  ReferencePoint point;
  FullyRecursive<double> formulation;
  std::mt19937_64 rng;
  test::SampleState s;
  std::vector<double> lambda;
};

std::vector<int> all_parameters(const Model& model) {
  std::vector<int> out;
  for (int k = 0; k < model.design_map().parameter_count(); ++k) out.push_back(k);
  return out;
}

/// da and dλ by the complex step of the formulation along δ of q and v and a parameter each.
StateTangent stepped(const Model& model, const Solved& x, const StateTangent& d) {
  FullyRecursive<Complex> formulation(model, x.point, {});
  auto work = model.design_map().make_workspace<Complex>();
  const VecX rho = model.default_rho();
  StateTangent out = d;
  for (Eigen::Index k = 0; k < d.q.cols(); ++k) {
    std::vector<Complex> z(rho.begin(), rho.end()), p(x.s.p.size());
    std::vector<Complex> q = test::complexified(x.s.q), v = test::complexified(x.s.v), a(q.size()),
                         lambda(x.lambda.size());
    if (k < rho.size()) z[std::size_t(k)] += Complex(0, kComplexStep);
    model.design_map().evaluate<Complex>(z, p, work);
    for (std::size_t i = 0; i < q.size(); ++i) {
      q[i] += Complex(0, kComplexStep * d.q(Eigen::Index(i), k));
      v[i] += Complex(0, kComplexStep * d.v(Eigen::Index(i), k));
    }
    formulation.set_parameters(p);
    EXPECT_TRUE(formulation.acceleration(Solved::kTime, q, v, a, lambda));
    for (std::size_t i = 0; i < a.size(); ++i)
      out.a(Eigen::Index(i), k) = a[i].imag() / kComplexStep;
    for (std::size_t i = 0; i < lambda.size(); ++i) {
      out.lambda(Eigen::Index(i), k) = lambda[i].imag() / kComplexStep;
    }
  }
  return out;
}

void expect_right(const Model& model, unsigned seed) {
  const auto m = int(model.constraint_rows().size()), n = model.nq();
  const VecX rho = model.default_rho();
  const DesignJacobian design(model.design_map(), test::view(rho), all_parameters(model));
  for (const ReferencePoint point : test::kBothPoints) {
    Solved x(model, point, seed);
    const auto one = x.partials(model), other = x.partials(model);
    const StageRule rule = x.formulation.stage_rule();
    RecursiveStage recursive(*one, rule);
    StagePartials matrices(*other, rule);
    ASSERT_TRUE(recursive.linearize(x.at()));
    ASSERT_TRUE(matrices.linearize(x.at(), 0, 0, nullptr));
    StateTangent d;
    d.resize(n, m, design.parameters());
    for (MatX* part : {&d.q, &d.v}) part->reshaped() = x.random(part->size());
    StateTangent actual = d, expected = d;
    recursive.take_parameters(design);
    recursive.tangent(actual);
    matrices.take_parameters(design);
    matrices.tangent_at(expected);
    EXPECT_LE(relative(actual.a, expected.a), kSolved);
    EXPECT_LE(relative(actual.lambda, expected.lambda), kSolved);
    const StateTangent complex = stepped(model, x, d);
    EXPECT_LE(relative(actual.a, complex.a), kSolved);
    EXPECT_LE(relative(actual.lambda, complex.lambda), kSolved);
    StateCotangent bar;
    bar.set_zero(n, m);
    for (VecX* part : {&bar.q, &bar.v, &bar.a, &bar.lambda}) *part = x.random(part->size());
    VecX q = VecX::Constant(n, 1), v = q, p = VecX::Zero(one->physical()), q0 = q, v0 = v, p0 = p;
    recursive.adjoint(bar, out(q), out(v), out(p));
    matrices.adjoint(bar, out(q0), out(v0), out(p0));
    EXPECT_LE(relative(q, q0), kSolved);
    EXPECT_LE(relative(v, v0), kSolved);
    EXPECT_LE(relative(p, p0), kSolved);
  }
}

TEST(RecursiveStage, OpenChains) {
  unsigned seed = 810;
  for (const char* name : {"double_pendulum", "all_joints", "heavy_top", "chain"}) {
    SCOPED_TRACE(name);
    expect_right(test::example(name), seed++);
  }
  for (unsigned tree = 820; tree < 850; ++tree) {
    SCOPED_TRACE(tree);
    const Model model = compile_model(test::loaded_tree(tree, 2 + int(tree % 9)));
    if (model.nq() > 0) expect_right(model, tree);
  }
}

/// A loop closed by that joint, whose first mass is a parameter.
Model closed_by(const std::string& type, bool reversed) {
  ModelDescription d = test::closure_description(type, "minimal", reversed);
  ParameterSpec m;
  m.name = "m";
  m.value = 1.5;
  d.parameters.push_back(m);
  d.bodies[0].mass = "m";
  return compile_model(d);
}

TEST(RecursiveStage, EveryJointAsCut) {
  unsigned seed = 860;
  for (const test::Closure& c : test::kClosures) {
    SCOPED_TRACE(c.type);
    expect_right(closed_by(c.type, seed % 2 == 0), seed);
    ++seed;
  }
}

TEST(RecursiveStage, NonholonomicAndPrescribed) {
  unsigned seed = 880;
  for (const char* name : {"two_mass_nonholonomic", "slider_crank_planar", "driven_four_bar"}) {
    SCOPED_TRACE(name);
    const Model model = test::example(name);
    expect_right(model, seed++);
  }
}

/// The one way in which η, the multiplier of a normalisation, does not vanish.
TEST(RecursiveStage, EquationsThatReadEulerParameters) {
  expect_right(compile_model(parse_model_yaml(R"yaml(
parameters: {k: 3, L: 0.8}
bodies:
  a: {mass: k/2, com: [0.1, L/3, 0.2], inertia: [0.3, 0.4, 0.5, 0.01, 0.02, 0.03]}
  b: {mass: 0.7, com: [0.2, 0, 0.1], inertia: [0.2, 0.3, 0.25], points: {Q: [0.3, L/2, 0.2]}}
joints:
  J: {type: revolute, bodies: [ground, a], points: [[0, 0, 0], [0, 0, 0]], axes: [[0.6, 0, 0.8], y]}
  S: {type: spherical, bodies: [a, b], points: [[L, 0, 0.1], [0, 0, 0]]}
forces:
  weight: {type: gravity, acceleration: [0.1, -9.81, k]}
constraints:
  turn: {type: expression, expression: "S.q1*S.q2 + S.q3^2 - 0.1*k*sin(t) - 0.2*J.q"}
)yaml",
                                              "euler.yaml")),
               895);
}

TEST(RecursiveStage, NothingIsAllocated) {
  const Model model = closed_by("spherical", false);
  Solved x(model, ReferencePoint::kCom, 890);
  const auto partials = x.partials(model);
  RecursiveStage stage(*partials, x.formulation.stage_rule());
  StateCotangent bar;
  bar.set_zero(model.nq(), int(x.lambda.size()));
  bar.a.setOnes();
  VecX q = VecX::Zero(model.nq()), v = q, p = VecX::Zero(partials->physical());
  ASSERT_TRUE(stage.linearize(x.at()));
  stage.adjoint(bar, out(q), out(v), out(p));
  const AllocationCounter counter;
  ASSERT_TRUE(stage.linearize(x.at()));
  stage.adjoint(bar, out(q), out(v), out(p));
  EXPECT_EQ(counter.count(), 0);
}

TEST(RecursiveStage, PaysForFewEquationsOfALongChain) {
  EXPECT_FALSE(responses_pay(10, 2));
  EXPECT_FALSE(responses_pay(100, 60));
  EXPECT_TRUE(responses_pay(100, 6));
  EXPECT_TRUE(responses_pay(3000, 6));
}

}  // namespace
}  // namespace kinegrad
