// Level L1 of the derivative ladder with constraints: matrices, Jacobians of the rows and pull-backs
// against the complex step, for every type of constraint and every joint as cut, off the constraints.
#include "kinegrad/assembly/joint_partials.hpp"

#include <gtest/gtest.h>

#include "kinegrad/assembly/systems.hpp"
#include "kinegrad/constraints/all.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/signals/reactive_partials.hpp"
#include "support/allocation_counter.hpp"
#include "support/closed_loops.hpp"
#include "support/closure_samples.hpp"
#include "support/system_samples.hpp"

namespace kinegrad {
namespace {

using test::kAssembly;
using test::random_sample;
using Sample = test::SystemSample;

/// [SY-1] or [SY-2] and the levels at complex numbers: derivatives are their imaginary parts.
struct Derivative {
  VecX f, Phi, Phi_dot, Phi_ddot;
};

enum class Part { kP, kQ, kV, kA };

class Oracle {
 public:
  Oracle(const Model& model, ReferencePoint point, const Sample& x)
      : model_(model), owner_(make_system<Complex>(model, point)), system_(*owner_), x_(x) {
    set({});
  }

  Derivative along(Part part, std::size_t k, bool inertia = false) {
    std::vector<Complex> q(x_.q.begin(), x_.q.end()), v(x_.v.begin(), x_.v.end()),
        a(x_.a.begin(), x_.a.end()), p(x_.p.begin(), x_.p.end());
    (part == Part::kQ   ? q
     : part == Part::kV ? v
     : part == Part::kA ? a
                        : p)[k] += Complex(0, kComplexStep);
    if (part == Part::kP) set(p);
    VecXT<Complex> f;
    system_.evaluate(x_.t, q, v, a);
    if (inertia) {
      SparseUpper<Complex> M = system_.pattern();
      system_.mass_matrix(M);
      f.setConstant(model_.state_size(), Complex(0));
      M.add_product(a, {f.data(), a.size()});
    } else {
      f = system_.r();
    }
    const std::vector<Complex> lambda(x_.lambda.begin(), x_.lambda.end());
    system_.Phi_q().add_transposed(lambda, {f.data(), a.size()});
    const Derivative out{f.imag() / kComplexStep, system_.Phi().imag() / kComplexStep,
                         system_.Phi_dot().imag() / kComplexStep,
                         system_.Phi_ddot().imag() / kComplexStep};
    if (part == Part::kP) set({});
    return out;
  }

 private:
  void set(std::vector<Complex> p) {
    if (p.empty()) p.assign(x_.p.begin(), x_.p.end());
    system_.set_parameters(p);
  }

  const Model& model_;
  std::unique_ptr<MechanicalSystem<Complex>> owner_;
  MechanicalSystem<Complex>& system_;
  Sample x_;
};

double relative(const MatX& actual, const MatX& expected) {
  const double error = (actual - expected).norm() / std::max(1.0, expected.norm());
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

void expect_matrices(const Model& model, ReferencePoint point, const Sample& x) {
  const auto owner = make_system_partials(model, point);
  SystemPartials& partials = *owner;
  partials.set_parameters(x.p);
  partials.linearize(x.t, x.q, x.v, x.a, x.lambda);
  MatX f_q, f_v, f_a;
  partials.matrices(f_q, f_v, f_a);
  RowJacobians rows;
  partials.jacobians(rows, RowLevels::kAll);
  Oracle oracle(model, point, x);
  const int n = model.state_size(), m = int(x.lambda.size()), holonomic = model.holonomic_rows();
  MatX by_q(n, n), by_v(n, n), by_a(n, n), Phi_q(holonomic, n), Phidot_q(m, n), Phidot_v(m, n),
      Phiddot_q(m, n), Phiddot_v(m, n), Phiddot_a(m, n);
  for (int j = 0; j < n; ++j) {
    const Derivative q = oracle.along(Part::kQ, std::size_t(j));
    const Derivative v = oracle.along(Part::kV, std::size_t(j));
    const Derivative a = oracle.along(Part::kA, std::size_t(j));
    by_q.col(j) = q.f;
    by_v.col(j) = v.f;
    by_a.col(j) = a.f;
    Phi_q.col(j) = q.Phi;
    Phidot_q.col(j) = q.Phi_dot;
    Phidot_v.col(j) = v.Phi_dot;
    Phiddot_q.col(j) = q.Phi_ddot;
    Phiddot_v.col(j) = v.Phi_ddot;
    Phiddot_a.col(j) = a.Phi_ddot;
  }
  EXPECT_LE(relative(f_q, by_q), kAssembly);
  EXPECT_LE(relative(f_v, by_v), kAssembly);
  EXPECT_LE(relative(f_a, by_a), kAssembly);
  EXPECT_LE(relative(rows.Phi_q.topRows(holonomic), Phi_q), kAssembly);
  EXPECT_LE(relative(rows.Phi_q, Phidot_v), kAssembly);
  EXPECT_LE(relative(rows.Phi_q, Phiddot_a), kAssembly);
  EXPECT_LE(relative(rows.Phidot_q, Phidot_q), kAssembly);
  EXPECT_LE(relative(rows.Phiddot_q, Phiddot_q), kAssembly);
  EXPECT_LE(relative(rows.Phiddot_v, Phiddot_v), kAssembly);
}

bool is_rotation(const Model& model, std::size_t k) {
  for (const FrameBlock frame : test::frames_of(model)) {
    if (int(k) >= frame.rotation() && int(k) < frame.first + FrameBlock::kSize) return true;
  }
  return false;
}

/// Weights on everything, and what the derivative along one number is then.
struct Weights {
  Weights(const Model& model, std::mt19937_64& rng)
      : w(std::size_t(model.state_size())),
        Phi(std::size_t(model.holonomic_rows())),
        Phi_dot(model.constraint_rows().size()),
        Phi_ddot(Phi_dot.size()) {
    for (auto* x : {&w, &Phi, &Phi_dot, &Phi_ddot}) {
      for (double& value : *x) value = test::uniform(rng);
    }
  }
  double operator()(const Derivative& d, bool inertia) const {
    const double f = test::map(w).dot(d.f);
    if (inertia) return f;
    return f + test::map(Phi).dot(d.Phi) + test::map(Phi_dot).dot(d.Phi_dot) +
           test::map(Phi_ddot).dot(d.Phi_ddot);
  }
  std::vector<double> w, Phi, Phi_dot, Phi_ddot;
};

void expect_pullback(const Model& model, ReferencePoint point, const Sample& x, bool inertia,
                     std::mt19937_64& rng) {
  const auto owner = make_system_partials(model, point);
  SystemPartials& partials = *owner;
  partials.set_parameters(x.p);
  const Weights weights(model, rng);
  const std::size_t n = x.q.size();
  std::vector<double> q(n, 0.0), v(n, 0.0), a(n, 0.0), p(x.p.size(), 0.0);
  if (inertia) {
    partials.linearize_motion(x.t, x.q, x.v, x.a);
    partials.linearize_inertia(x.a, x.lambda);
    partials.pullback_inertia(weights.w, {q, v, a, p});
  } else {
    partials.linearize(x.t, x.q, x.v, x.a, x.lambda);
    partials.pullback(weights.w, {weights.Phi, weights.Phi_dot, weights.Phi_ddot}, {q, v, a, p});
    std::vector<double> q2(n, 0.0), v2(n, 0.0), a2(n, 0.0);
    partials.pullback(weights.w, {weights.Phi, weights.Phi_dot, weights.Phi_ddot},
                      {q2, v2, a2, {}});
    EXPECT_EQ(q, q2) << "without parameters";
  }
  Oracle oracle(model, point, x);
  const auto expect = [&](Part part, std::size_t k, double actual, const std::string& name) {
    const Derivative d = oracle.along(part, k, inertia);
    const double size = d.f.norm() + d.Phi.norm() + d.Phi_dot.norm() + d.Phi_ddot.norm();
    EXPECT_NEAR(actual, weights(d, inertia), kAssembly * std::max(1.0, size)) << name;
  };
  for (std::size_t k = 0; k < n; ++k) {
    expect(Part::kQ, k, q[k], "q" + std::to_string(k));
    if (!inertia) expect(Part::kV, k, v[k], "v" + std::to_string(k));
    expect(Part::kA, k, a[k], "a" + std::to_string(k));
  }
  for (std::size_t k = 0; k < p.size(); ++k) {
    if (is_rotation(model, k)) continue;  // these cannot change entry by entry
    expect(Part::kP, k, p[k], model.physical()[k].name);
  }
}

void expect_right(const Model& model, unsigned seed) {
  std::mt19937_64 rng(seed);
  for (const ReferencePoint point : test::kBothPoints) {
    const Sample x = random_sample(model, rng);
    expect_matrices(model, point, x);
    expect_pullback(model, point, x, false, rng);
    expect_pullback(model, point, x, true, rng);
  }
}

TEST(JointPartials, EveryTypeOfConstraint) {
  unsigned seed = 140;
  Constraints::for_each([&]<typename C>() {
    const auto [first, last] = test::constraint_samples().equal_range(std::string(C::name));
    for (auto it = first; it != last; ++it) {
      SCOPED_TRACE(it->first + ": " + it->second);
      expect_right(test::model_of(test::constrained_mechanism(it->first, it->second)), seed++);
    }
  });
}

TEST(JointPartials, EveryJointAsCut) {
  unsigned seed = 120;
  for (const test::Closure& c : test::kClosures) {
    for (const char* closure : {"minimal", "redundant"}) {
      if (std::string(closure) == "redundant" && c.redundant == 0) continue;
      SCOPED_TRACE(std::string(c.type) + ", " + closure);
      expect_right(test::closed_by(c.type, closure, seed % 2 == 0), seed);
      ++seed;
    }
  }
}

TEST(JointPartials, EveryExample) {
  unsigned seed = 160;
  for (const char* name : test::kLoopExamples) {
    SCOPED_TRACE(name);
    expect_right(test::example(name), seed++);
  }
}

/// Joints of every type cut or carrying a marker, states, rows on speeds, off the constraints and, in natural
/// coordinates, with axes that are not orthonormal.
TEST(SystemPartials, GlobalCoordinatesOfEveryExample) {
  unsigned seed = 180;
  for (const CoordinateSet set : {CoordinateSet::kCartesian, CoordinateSet::kNatural}) {
    for (const char* name :
         {"five_bar", "four_bar", "slider_crank", "bricard", "rolling_disc", "driven_four_bar",
          "two_mass_nonholonomic", "all_joints", "cart_pole_pid", "heavy_top", "free_body"}) {
      SCOPED_TRACE(name);
      expect_right(test::example(name, set), seed++);
    }
  }
}

/// (M u)_q as a matrix is what its pull-back says, unit vector by unit vector.
TEST(JointPartials, InertiaMatrixIsThePullback) {
  std::mt19937_64 rng(9);
  const Model model = test::example("bricard");
  const Sample x = random_sample(model, rng);
  JointPartials partials(model, ReferencePoint::kCom);
  partials.set_parameters(x.p);
  partials.linearize_motion(x.t, x.q, x.v, x.a);
  partials.linearize_inertia(x.a, x.lambda);
  MatX f_q;
  partials.inertia_matrix(f_q);
  const std::size_t n = x.q.size();
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> w(n, 0.0), q(n, 0.0), v(n, 0.0), a(n, 0.0);
    w[i] = 1;
    partials.pullback_inertia(w, {q, v, a, {}});
    EXPECT_LE((test::map(q) - f_q.row(Eigen::Index(i)).transpose()).norm(), kAssembly * f_q.norm());
  }
}

TEST(JointPartials, NothingIsAllocatedAfterTheFirstCall) {
  std::mt19937_64 rng(10);
  const Model model = test::example("slider_crank");
  const Sample x = random_sample(model, rng);
  JointPartials partials(model, ReferencePoint::kCom);
  partials.set_parameters(x.p);
  const Weights weights(model, rng);
  const std::size_t n = x.q.size();
  std::vector<double> q(n), v(n), a(n), p(x.p.size());
  MatX f_q, f_v, f_a;
  RowJacobians rows;
  const auto all = [&] {
    partials.linearize(x.t, x.q, x.v, x.a, x.lambda);
    partials.matrices(f_q, f_v, f_a);
    partials.jacobians(rows, RowLevels::kAll);
    partials.pullback(weights.w, {weights.Phi, weights.Phi_dot, weights.Phi_ddot}, {q, v, a, p});
    partials.linearize_inertia(x.a, x.lambda);
    partials.pullback_inertia(weights.w, {q, v, a, p});
  };
  all();
  const AllocationCounter counter;
  all();
  EXPECT_EQ(counter.count(), 0);
}

}  // namespace
}  // namespace kinegrad
