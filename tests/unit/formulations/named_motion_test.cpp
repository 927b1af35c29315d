// [SD-3] against the complex step in every coordinate set, off the constraints, and backwards against
// forwards.
#include "kinegrad/formulations/named_motion.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "kinegrad/assembly/systems.hpp"
#include "kinegrad/math/derivative_check.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/signals/reactive_partials.hpp"
#include "support/named_coordinates.hpp"
#include "support/system_samples.hpp"
#include "support/tree_samples.hpp"

namespace kinegrad {
namespace {

using Sample = test::SystemSample;

VecX random_vector(std::size_t n, std::mt19937_64& rng) {
  VecX x(static_cast<Eigen::Index>(n));
  for (double& value : x) value = test::uniform(rng);
  return x;
}

/// y, ẏ and ÿ one after the other.
VecX derivative_of(const Model& model, ReferencePoint point, const Sample& x, const VecX& dq,
                   const VecX& dv, const VecX& da, const std::vector<double>& dp) {
  const auto along = [](const std::vector<double>& value, const auto& d) {
    std::vector<Complex> z(value.begin(), value.end());
    for (std::size_t k = 0; k < z.size(); ++k) {
      z[k] += Complex(0, kComplexStep * d[static_cast<Eigen::Index>(k)]);
    }
    return z;
  };
  const VecX dp_vector = read(dp);
  const auto q = along(x.q, dq), v = along(x.v, dv), a = along(x.a, da), p = along(x.p, dp_vector);
  const auto system = make_system<Complex>(model, point);
  system->set_parameters(p);
  system->move(x.t, q, v, a);
  system->measure_independent(x.t, q, v, a);
  const auto n = static_cast<Eigen::Index>(model.independent().size());
  VecX out(3 * n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const IndependentCoordinate& y = model.independent()[std::size_t(k)];
    const auto c = static_cast<std::size_t>(y.coordinate);
    const bool tree = y.coordinate >= 0;
    out(k) = (tree ? q[c] : system->independent()(y.row)).imag();
    out(n + k) = (tree ? v[c] : system->independent_dot()(y.row)).imag();
    out(2 * n + k) = (tree ? a[c] : system->independent_ddot()(y.row)).imag();
  }
  return out / kComplexStep;
}

void expect_right(const Model& model, ReferencePoint point, std::mt19937_64& rng) {
  Sample x = test::random_sample(model, rng);
  x.p = model.default_physical();
  const VecX rho = model.default_rho();
  std::vector<int> parameters(static_cast<std::size_t>(rho.size()));
  std::iota(parameters.begin(), parameters.end(), 0);
  const DesignJacobian design(model.design_map(), in(rho), parameters);
  auto system = make_system_partials(model, point, RowSet::kWithIndependent);
  system->set_parameters(x.p);
  NamedMotion motion(std::move(system), model.independent());
  motion.linearize({x.t, x.q, x.v, x.a, {}});
  motion.take_parameters(design);
  const VecX dq = random_vector(x.q.size(), rng), dv = random_vector(x.q.size(), rng),
             da = random_vector(x.q.size(), rng);
  const auto columns = [&](const VecX& d) { return MatX(d.replicate(1, rho.size())); };
  MatX y, ydot, yddot;
  motion.place_tangent(columns(dq), y);
  motion.speed_tangent(columns(dq), columns(dv), ydot);
  motion.acceleration_tangent(columns(dq), columns(dv), columns(da), yddot);

  const std::size_t d = model.independent().size();
  const VecX y_bar = random_vector(d, rng), ydot_bar = random_vector(d, rng),
             yddot_bar = random_vector(d, rng);
  VecX q_bar = VecX::Zero(dq.size()), v_bar = q_bar, a_bar = q_bar;
  std::vector<double> p_bar(x.p.size(), 0.0), dp(x.p.size());
  motion.adjoint(y_bar, ydot_bar, yddot_bar, q_bar, v_bar, a_bar, p_bar);
  for (Eigen::Index k = 0; k < rho.size(); ++k) {
    design.column(static_cast<int>(k), dp);
    VecX actual(3 * y.rows());
    actual << y.col(k), ydot.col(k), yddot.col(k);
    const VecX expected = derivative_of(model, point, x, dq, dv, da, dp);
    EXPECT_LE((actual - expected).norm(), test::kAssembly * (1 + expected.norm())) << k;
    const double forwards =
        y_bar.dot(y.col(k)) + ydot_bar.dot(ydot.col(k)) + yddot_bar.dot(yddot.col(k));
    const double backwards =
        q_bar.dot(dq) + v_bar.dot(dv) + a_bar.dot(da) + read(p_bar).dot(read(dp));
    EXPECT_NEAR(backwards, forwards, test::kAssembly * (1 + expected.norm())) << k;
  }
}

TEST(NamedMotion, DerivativesInAllCoordinates) {
  std::mt19937_64 rng(310);
  for (const test::NamedCase& c : test::named_cases()) {
    SCOPED_TRACE(c.name);
    for (const CoordinateSet set :
         {CoordinateSet::kJoint, CoordinateSet::kCartesian, CoordinateSet::kNatural}) {
      const Model model = test::naming(c.description(), c.names, set);
      for (const ReferencePoint point : test::kBothPoints) expect_right(model, point, rng);
    }
  }
}

}  // namespace
}  // namespace kinegrad
