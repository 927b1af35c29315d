// Derivatives of the equations of a tree along directions of the state [TG-10], in O(n): against the matrices
// of the same partials, which other code fills, and against the complex step.
#include <gtest/gtest.h>

#include <filesystem>

#include "kinegrad/assembly/joint_partials.hpp"
#include "kinegrad/assembly/systems.hpp"
#include "kinegrad/constraints/all.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "support/allocation_counter.hpp"
#include "support/closed_loops.hpp"
#include "support/closure_samples.hpp"
#include "support/system_samples.hpp"
#include "support/tree_samples.hpp"

namespace kinegrad {
namespace {

using test::kAssembly;
using Sample = test::SystemSample;

struct Tangents {
  MatX f;
  LevelTangent levels;
};

struct Directions {
  MatX q, v;
};

Directions random_directions(const Model& model, std::mt19937_64& rng) {
  constexpr int kColumns = 3;
  Directions d{MatX(model.nq(), kColumns), MatX(model.nq(), kColumns)};
  for (MatX* x : {&d.q, &d.v}) {
    for (double& entry : x->reshaped()) entry = test::uniform(rng);
  }
  return d;
}

Tangents by_matrices(JointPartials& partials, const Directions& d) {
  MatX f_q, f_v, f_a;
  RowJacobians J;
  partials.matrices(f_q, f_v, f_a);
  partials.jacobians(J, RowLevels::kAll);
  const int holonomic = partials.holonomic();
  return {f_q * d.q + f_v * d.v,
          {(J.Phi_q * d.q).topRows(holonomic), J.Phidot_q * d.q + J.Phi_q * d.v,
           J.Phiddot_q * d.q + J.Phiddot_v * d.v}};
}

Tangents by_complex_step(const Model& model, ReferencePoint point, const Sample& x,
                         const Directions& d) {
  const auto system = make_system<Complex>(model, point);
  system->set_parameters(test::complexified(x.p));
  const std::vector<Complex> a = test::complexified(x.a), lambda = test::complexified(x.lambda);
  const auto m = int(lambda.size());
  const auto count = d.q.cols();
  Tangents out{MatX(model.nq(), count),
               {MatX(model.holonomic_rows(), count), MatX(m, count), MatX(m, count)}};
  for (Eigen::Index k = 0; k < count; ++k) {
    std::vector<Complex> q = test::complexified(x.q), v = test::complexified(x.v);
    for (std::size_t i = 0; i < q.size(); ++i) {
      q[i] += Complex(0, kComplexStep * d.q(Eigen::Index(i), k));
      v[i] += Complex(0, kComplexStep * d.v(Eigen::Index(i), k));
    }
    system->evaluate(x.t, q, v, a);
    VecXT<Complex> f = system->r();
    system->Phi_q().add_transposed(lambda, {f.data(), a.size()});
    out.f.col(k) = f.imag() / kComplexStep;
    out.levels.Phi.col(k) = system->Phi().imag() / kComplexStep;
    out.levels.Phi_dot.col(k) = system->Phi_dot().imag() / kComplexStep;
    out.levels.Phi_ddot.col(k) = system->Phi_ddot().imag() / kComplexStep;
  }
  return out;
}

void expect_equal(const Tangents& actual, const Tangents& expected) {
  EXPECT_LE(test::relative(actual.f, expected.f), kAssembly);
  EXPECT_LE(test::relative(actual.levels.Phi, expected.levels.Phi), kAssembly);
  EXPECT_LE(test::relative(actual.levels.Phi_dot, expected.levels.Phi_dot), kAssembly);
  EXPECT_LE(test::relative(actual.levels.Phi_ddot, expected.levels.Phi_ddot), kAssembly);
}

void expect_right(const Model& model, unsigned seed) {
  std::mt19937_64 rng(seed);
  for (const ReferencePoint point : test::kBothPoints) {
    const Sample x = test::random_sample(model, rng);
    const Directions d = random_directions(model, rng);
    JointPartials partials(model, point);
    partials.set_parameters(x.p);
    partials.linearize(x.t, x.q, x.v, x.a, x.lambda);
    Tangents actual;
    partials.state_tangents(d.q, d.v, actual.f, actual.levels);
    expect_equal(actual, by_matrices(partials, d));
    expect_equal(actual, by_complex_step(model, point, x, d));
  }
}

TEST(StateTangents, EveryTypeOfConstraint) {
  unsigned seed = 740;
  Constraints::for_each([&]<typename C>() {
    const auto [first, last] = test::constraint_samples().equal_range(std::string(C::name));
    for (auto it = first; it != last; ++it) {
      SCOPED_TRACE(it->first + ": " + it->second);
      expect_right(test::model_of(test::constrained_mechanism(it->first, it->second)), seed++);
    }
  });
}

TEST(StateTangents, EveryJointAsCut) {
  unsigned seed = 720;
  for (const test::Closure& c : test::kClosures) {
    SCOPED_TRACE(c.type);
    expect_right(test::closed_by(c.type, c.redundant ? "redundant" : "minimal", seed % 2 == 0),
                 seed);
    ++seed;
  }
}

TEST(StateTangents, EveryExample) {
  unsigned seed = 760;
  for (const auto& file : std::filesystem::directory_iterator(test::source_path("examples"))) {
    if (file.path().extension() != ".yaml") continue;
    SCOPED_TRACE(file.path().stem());
    expect_right(test::example(file.path().stem()), seed++);
  }
}

TEST(StateTangents, RandomTrees) {
  for (unsigned tree = 700; tree < 740; ++tree) {
    SCOPED_TRACE(tree);
    const Model model = compile_model(test::loaded_tree(tree, 2 + int(tree % 11)));
    if (model.nq() > 0) expect_right(model, tree);
  }
}

/// Expressions of coordinates, speeds and points, axes of bodies, fields.
TEST(StateTangents, ForcesThatVary) {
  expect_right(compile_model(parse_model_yaml(R"yaml(
parameters: {k: 3, L: 0.8, u1: 0.4}
points: {O: [0.2, L, -0.1]}
bodies:
  a: {mass: 1.2, com: [0.1, L/3, 0.2], inertia: [0.3, 0.4, 0.5, 0.01, 0.02, 0.03], points: {P: [L, 0.1, 0]}}
  b: {mass: 0.7, com: [0.2, 0, 0.1], inertia: [0.2, 0.3, 0.25], points: {Q: [0.3, L/2, 0.2]}, vectors: {n: [0, 0.6, 0.8]}}
  c: {mass: 0.5, com: [0, 0.1, 0], inertia: [0.1, 0.1, 0.1], points: {T: [0.1, 0.2, k/10]}}
joints:
  J: {type: revolute, bodies: [ground, a], points: [O, [0, 0, 0]], axes: [[0.6, 0, 0.8], y]}
  U: {type: universal, bodies: [a, b], points: [P, [0.1, 0, 0]], axes: [z, x]}
  S: {type: spherical, bodies: [c, b], points: [[0, 0, 0.1], Q]}
forces:
  motor: {type: joint-force, joint: J, value: "k - u1*J.v + sin(U.q1)*Q.vx + n.vy*n.z + O.y"}
  push: {type: point-force, point: T, force: [k*T.x, "Q.z*J.q", "-u1*T.vy + t"]}
  jet: {type: point-force, point: Q, force: [1.5, "k*t + P.x", u1], axes: body}
  spin: {type: body-torque, body: c, torque: ["-k*U.v2", "L", "T.x"]}
  gyro: {type: body-torque, body: b, torque: [u1, "J.q^2", "cos(t)"], axes: body}
  weight: {type: gravity, acceleration: [0.1, -9.81, k]}
)yaml",
                                              "varying.yaml")),
               781);
}

/// Solutions with M leave the state as it was linearised: tangents before and after are the same bits. And
/// nothing is allocated.
TEST(StateTangents, SolutionsWithTheMassLeaveTheStateUnchanged) {
  std::mt19937_64 rng(782);
  const Model model = compile_model(test::loaded_tree(707, 9));
  const Sample x = test::random_sample(model, rng);
  const Directions d = random_directions(model, rng);
  JointPartials partials(model, ReferencePoint::kCom);
  partials.set_parameters(x.p);
  partials.linearize(x.t, x.q, x.v, x.a, x.lambda);
  Tangents before, after;
  partials.state_tangents(d.q, d.v, before.f, before.levels);
  partials.state_tangents(d.q, d.v, after.f, after.levels);
  std::vector<double> y(x.q.size()), phi(partials.euler_sets().size(), 0.3);
  const AllocationCounter counter;
  partials.eliminate_joints(x.q);
  partials.solve_mass(x.q, x.a, phi, y);
  partials.state_tangents(d.q, d.v, after.f, after.levels);
  EXPECT_EQ(counter.count(), 0);
  EXPECT_EQ(before.f, after.f);
}

}  // namespace
}  // namespace kinegrad
