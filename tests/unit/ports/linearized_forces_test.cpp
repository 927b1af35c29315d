// Level L1 of the derivative ladder for trees: every partial of the residual against complex step.
#include "kinegrad/ports/linearized_forces.hpp"

#include <gtest/gtest.h>

#include "support/allocation_counter.hpp"
#include "support/tree_samples.hpp"

namespace kinegrad {
namespace {

using test::complexified;
using test::kBothPoints;
using test::relative;

/// L1: sums over up to ten bodies of products of a few dozen operations.
constexpr double kAssembly = 1e-12;
constexpr double kStep = 1e-200;  // its square is below the smallest double
constexpr double kTime = 0.3;

/// The derivative that the residual carries.
VecX derivative(test::MovingTree<Complex>& dynamics, const std::vector<Complex>& q,
                const std::vector<Complex>& v, const std::vector<Complex>& a) {
  std::vector<Complex> r(q.size(), Complex(test::kNaN, test::kNaN));
  dynamics.residual(kTime, q, v, a, r);
  VecX out(static_cast<Eigen::Index>(r.size()));
  for (std::size_t i = 0; i < r.size(); ++i) out(Eigen::Index(i)) = r[i].imag() / kStep;
  return out;
}

struct Blocks {
  MatX r_q, r_v, r_a;
};

Blocks by_complex_step(const Model& model, ReferencePoint point, const test::SampleState& s) {
  test::MovingTree<Complex> dynamics(model, point);
  dynamics.set_parameters(complexified(s.p));
  const int n = model.nq();
  Blocks out{MatX(n, n), MatX(n, n), MatX(n, n)};
  MatX* const blocks[] = {&out.r_q, &out.r_v, &out.r_a};
  for (int which = 0; which < 3; ++which) {
    for (int j = 0; j < n; ++j) {
      std::vector<Complex> x[] = {complexified(s.q), complexified(s.v), complexified(s.a)};
      x[which][std::size_t(j)] += Complex(0, kStep);
      blocks[which]->col(j) = derivative(dynamics, x[0], x[1], x[2]);
    }
  }
  return out;
}

/// Dynamics and partials at a state.
struct Linearized {
  Linearized(const Model& model, ReferencePoint point, const test::SampleState& s)
      : dynamics(model, point), partials(dynamics), r(test::poisoned(model.nq())) {
    dynamics.set_parameters(s.p);
    dynamics.residual(kTime, s.q, s.v, s.a, r);
    partials.linearize(kTime, s.q, s.v, s.a);
  }
  test::MovingTree<double> dynamics;
  test::ResidualDerivatives partials;
  std::vector<double> r;
};

Blocks poisoned_blocks(int n) {
  const MatX M = MatX::Constant(n, n, test::kNaN);
  return {M, M, M};
}

template <typename Check>
void for_all_trees(const Check& check) {
  test::for_loaded_trees(21, check);
}

TEST(LinearizedForces, MatricesAgainstComplexStep) {
  for_all_trees([](const Model& model, const test::SampleState& s, const std::string& name) {
    for (ReferencePoint point : kBothPoints) {
      const Blocks expected = by_complex_step(model, point, s);
      Linearized at(model, point, s);
      Blocks actual = poisoned_blocks(model.nq());
      at.partials.matrices(actual.r_q, actual.r_v, actual.r_a);
      EXPECT_LE(relative(actual.r_q, expected.r_q), kAssembly) << name;
      EXPECT_LE(relative(actual.r_v, expected.r_v), kAssembly) << name;
      EXPECT_LE(relative(actual.r_a, expected.r_a), kAssembly) << name;
    }
  });
}

TEST(LinearizedForces, PullbackIsTheTransposedMatrices) {
  std::mt19937_64 rng(22);
  for_all_trees([&](const Model& model, const test::SampleState& s, const std::string& name) {
    for (ReferencePoint point : kBothPoints) {
      const Blocks expected = by_complex_step(model, point, s);
      Linearized at(model, point, s);
      const std::size_t n = s.q.size();
      // it adds to what is there
      std::vector<double> w(n), q(n, 1.0), v(n, 2.0), a(n, 3.0), p(s.p.size(), 0.0);
      for (double& x : w) x = test::uniform(rng);
      at.partials.pullback(w, {q, v, a, p});
      const VecX weights = test::map(w);
      const auto error = [&](const std::vector<double>& bar, double before, const MatX& block) {
        const VecX added = (test::map(bar).array() - before).matrix();
        // |rᵀw| ≤ |r| |w|: relative to the block, not to a product that may cancel
        return (added - block.transpose() * weights).norm() / std::max(1.0, block.norm());
      };
      EXPECT_LE(error(q, 1, expected.r_q), kAssembly) << name;
      EXPECT_LE(error(v, 2, expected.r_v), kAssembly) << name;
      EXPECT_LE(error(a, 3, expected.r_a), kAssembly) << name;
    }
  });
}

/// p̄ᵀṗ for a direction ṗ against the derivative along it.
TEST(LinearizedForces, PullbackOfTheDesignParameters) {
  std::mt19937_64 rng(23);
  for_all_trees([&](const Model& model, const test::SampleState& s, const std::string& name) {
    const VecX rho = model.default_rho();
    const std::span<const double> at_rho = test::view(rho);
    auto work = model.design_map().make_workspace<double>();
    auto complex_work = model.design_map().make_workspace<Complex>();
    for (ReferencePoint point : kBothPoints) {
      Linearized at(model, point, s);
      const std::size_t n = s.q.size();
      std::vector<double> w(n), q(n, 0.0), v(n, 0.0), a(n, 0.0), p_bar(s.p.size(), 0.0);
      for (double& x : w) x = test::uniform(rng);
      at.partials.pullback(w, {q, v, a, p_bar});
      std::vector<double> p(s.p.size()), rho_bar(std::size_t(rho.size()), 0.0);
      model.design_map().evaluate<double>(at_rho, p, work);
      model.design_map().reverse(at_rho, p, p_bar, rho_bar, work);

      test::MovingTree<Complex> dynamics(model, point);
      for (Eigen::Index j = 0; j < rho.size(); ++j) {
        std::vector<Complex> z(rho.data(), rho.data() + rho.size()), p_z(s.p.size());
        z[std::size_t(j)] += Complex(0, kStep);
        model.design_map().evaluate<Complex>(z, p_z, complex_work);
        dynamics.set_parameters(p_z);
        const VecX column =
            derivative(dynamics, complexified(s.q), complexified(s.v), complexified(s.a));
        EXPECT_NEAR(rho_bar[std::size_t(j)], column.dot(test::map(w)),
                    kAssembly * std::max(1.0, column.norm()))
            << name << ", parameter " << j;
      }
    }
  });
}

bool is_rotation(const Model& model, int k) {
  for (const FrameBlock frame : test::frames_of(model)) {
    if (k >= frame.rotation() && k < frame.first + FrameBlock::kSize) return true;
  }
  return false;
}

/// Every physical parameter by itself, on a model where each is free: masses, centres of mass,
/// inertias, points, attributes. Rotations of frames cannot change entry by entry; they turn with
/// the design parameter `c` above and the joints' axes of it.
TEST(LinearizedForces, PullbackOfEveryPhysicalParameter) {
  std::mt19937_64 rng(24);
  for_all_trees([&](const Model& model, const test::SampleState& s, const std::string& name) {
    const std::size_t n = s.q.size();
    Linearized at(model, ReferencePoint::kCom, s);
    std::vector<double> w(n), q(n, 0.0), v(n, 0.0), a(n, 0.0), p_bar(s.p.size(), 0.0);
    for (double& x : w) x = test::uniform(rng);
    at.partials.pullback(w, {q, v, a, p_bar});
    test::MovingTree<Complex> dynamics(model, ReferencePoint::kCom);
    for (std::size_t k = 0; k < s.p.size(); ++k) {
      if (is_rotation(model, int(k))) continue;
      std::vector<Complex> p = complexified(s.p);
      p[k] += Complex(0, kStep);
      dynamics.set_parameters(p);
      const VecX column =
          derivative(dynamics, complexified(s.q), complexified(s.v), complexified(s.a));
      EXPECT_NEAR(p_bar[k], column.dot(test::map(w)), kAssembly * std::max(1.0, column.norm()))
          << name << ", " << model.physical()[k].name;
    }
  });
}

/// The parts of r_q and r_v that the forces make: all of it less that of the tree without forces.
Blocks force_part(const ModelDescription& loaded, const test::SampleState& s) {
  ModelDescription bare = loaded;
  bare.forces.clear();
  const Model with = compile_model(loaded), without = compile_model(bare);
  Linearized at(with, ReferencePoint::kCom, s);
  test::SampleState t = s;
  t.p = without.default_physical();
  Linearized other(without, ReferencePoint::kCom, t);
  Blocks a = poisoned_blocks(with.nq()), b = a;
  at.partials.matrices(a.r_q, a.r_v, a.r_a);
  other.partials.matrices(b.r_q, b.r_v, b.r_a);
  return {a.r_q - b.r_q, a.r_v - b.r_v, a.r_a - b.r_a};
}

/// The force matrices leave out how levers change with q, and nothing else: of r_v they have all,
/// of r_q all that joint springs make, which have no lever.
TEST(LinearizedForces, ForceMatricesAreThePartOfTheForces) {
  std::mt19937_64 rng(25);
  for (unsigned seed = 600; seed < 620; ++seed) {
    const ModelDescription all = test::loaded_tree(seed, 6);
    ModelDescription joints_only = all;
    std::erase_if(joints_only.forces,
                  [](const ForceSpec& f) { return f.type.name != "torsional-spring-damper"; });
    for (const ModelDescription& d : {all, joints_only}) {
      const Model model = compile_model(d);
      if (model.nq() == 0) continue;
      const test::SampleState s = test::random_state(model, rng);
      Linearized at(model, ReferencePoint::kCom, s);
      Blocks part = poisoned_blocks(model.nq()), whole = part;
      at.partials.force_matrices(part.r_q, part.r_v);
      at.partials.matrices(whole.r_q, whole.r_v, whole.r_a);
      const Blocks expected = force_part(d, s);
      // a difference of matrices: relative to them
      EXPECT_LE((part.r_v - expected.r_v).norm(), kAssembly * whole.r_v.norm()) << seed;
      if (d.forces.size() == all.forces.size()) continue;  // with levers
      EXPECT_LE((part.r_q - expected.r_q).norm(), kAssembly * whole.r_q.norm()) << seed;
    }
  }
}

/// At rest the springs' stiffness is that of a potential and r_v is the damping alone.
TEST(LinearizedForces, ForceMatricesAtRest) {
  for_all_trees([](const Model& model, test::SampleState s, const std::string& name) {
    std::fill(s.v.begin(), s.v.end(), 0.0);
    Linearized at(model, ReferencePoint::kCom, s);
    Blocks exact = poisoned_blocks(model.nq()), part = exact;
    at.partials.matrices(exact.r_q, exact.r_v, exact.r_a);
    at.partials.force_matrices(part.r_q, part.r_v);
    EXPECT_LE(relative(part.r_v, exact.r_v), kAssembly) << name;
    const auto wrench = [](const Force& f) { return f.body2 >= 0; };
    if (std::any_of(model.forces().begin(), model.forces().end(), wrench)) return;  // unsymmetric
    EXPECT_LE(relative(part.r_q, part.r_q.transpose()), kAssembly) << name;
    EXPECT_LE(relative(part.r_v, part.r_v.transpose()), kAssembly) << name;
  });
}

TEST(LinearizedForces, NothingOfTheStateChanges) {
  const Model model = test::example("all_joints");
  std::mt19937_64 rng(26);
  const test::SampleState s = test::random_state(model, rng);
  Linearized at(model, ReferencePoint::kCom, s);
  const double energy = at.dynamics.kinetic_energy();
  Blocks first = poisoned_blocks(model.nq()), second = first;
  at.partials.matrices(first.r_q, first.r_v, first.r_a);
  const std::size_t n = s.q.size();
  std::vector<double> w(n, 1.0), q(n, 0.0), v(n, 0.0), a(n, 0.0), p(s.p.size(), 0.0);
  at.partials.pullback(w, {q, v, a, p});
  MatX K = first.r_q, C = first.r_v;
  at.partials.force_matrices(K, C);
  at.partials.matrices(second.r_q, second.r_v, second.r_a);
  EXPECT_EQ(first.r_q, second.r_q);
  EXPECT_EQ(first.r_v, second.r_v);
  EXPECT_EQ(first.r_a, second.r_a);
  EXPECT_EQ(at.dynamics.kinetic_energy(), energy);
  std::vector<double> r = test::poisoned(model.nq());
  at.dynamics.residual(kTime, s.q, s.v, s.a, r);
  EXPECT_EQ(r, at.r);
}

TEST(LinearizedForces, NoAllocations) {
  const Model model = test::example("all_joints");
  std::mt19937_64 rng(27);
  const test::SampleState s = test::random_state(model, rng);
  Linearized at(model, ReferencePoint::kOrigin, s);
  Blocks out = poisoned_blocks(model.nq());
  const std::size_t n = s.q.size();
  std::vector<double> w(n, 1.0), q(n, 0.0), v(n, 0.0), a(n, 0.0), p(s.p.size(), 0.0);
  const auto allocations = [](const auto& work) {
    const AllocationCounter counter;
    work();
    return counter.count();
  };
  EXPECT_EQ(allocations([&] { at.partials.linearize(kTime, s.q, s.v, s.a); }), 0);
  EXPECT_EQ(allocations([&] { at.partials.matrices(out.r_q, out.r_v, out.r_a); }), 0);
  EXPECT_EQ(allocations([&] { at.partials.force_matrices(out.r_q, out.r_v); }), 0);
  EXPECT_EQ(allocations([&] { at.partials.pullback(w, {q, v, a, p}); }), 0);
}

}  // namespace
}  // namespace kinegrad
