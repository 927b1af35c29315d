// Derivatives of the change of a state from joint coordinates [GC-3], [GC-4]: against the complex step and
// against central differences of the change itself.
#include "kinegrad/assembly/coordinate_change.hpp"

#include <gtest/gtest.h>

#include "kinegrad/math/derivative_check.hpp"
#include "kinegrad/math/views.hpp"
#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

template <Scalar T>
T weighed(const Model& model, const std::vector<T>& p, const std::vector<T>& q0,
          const std::vector<T>& v0, const VecX& q_bar, const VecX& v_bar) {
  VecXT<T> q, v;
  FromJointCoordinates<T>(model).convert(p, q0, v0, q, v);
  T sum(0);
  for (Eigen::Index k = 0; k < q.size(); ++k) sum += q(k) * T(q_bar(k)) + v(k) * T(v_bar(k));
  return sum;
}

std::vector<Complex> stepped(const std::vector<double>& x, std::size_t k) {
  std::vector<Complex> y(x.begin(), x.end());
  y[k] += Complex(0, kComplexStep);
  return y;
}
std::vector<Complex> real(const std::vector<double>& x) { return {x.begin(), x.end()}; }

void expect_right(const Model& model, std::mt19937_64& rng) {
  const test::SampleState s = test::random_state(model.start(), rng);
  const std::vector<double> p = model.default_physical();
  const auto n = static_cast<Eigen::Index>(model.state_size());
  VecX q_bar(n), v_bar(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    q_bar(k) = test::uniform(rng);
    v_bar(k) = test::uniform(rng);
  }
  FromJointPartials partials(model);
  partials.set_parameters(p);
  partials.linearize(s.q, s.v);
  std::vector<double> q0(s.q.size(), 0.0), v0 = q0, p_bar(p.size(), 0.0);
  partials.pullback(in(q_bar), in(v_bar), q0, v0, p_bar);
  constexpr double kChange =
      1e-11;  // frames, their motion and Euler parameters of them: a few hundred operations
  constexpr double kIncrement = 1e-6, kDifference = 1e-7;
  const auto central = [&](const std::vector<double>& x, std::size_t k, const auto& value) {
    std::vector<double> up = x, down = x;
    up[k] += kIncrement;
    down[k] -= kIncrement;
    return (value(up) - value(down)) / (2 * kIncrement);
  };
  for (std::size_t k = 0; k < q0.size(); ++k) {
    const double by_q =
        weighed<Complex>(model, real(p), stepped(s.q, k), real(s.v), q_bar, v_bar).imag() /
        kComplexStep;
    const double by_v =
        weighed<Complex>(model, real(p), real(s.q), stepped(s.v, k), q_bar, v_bar).imag() /
        kComplexStep;
    EXPECT_NEAR(q0[k], by_q, kChange * (1 + std::abs(by_q))) << "q" << k;
    EXPECT_NEAR(v0[k], by_v, kChange * (1 + std::abs(by_v))) << "v" << k;
    const double slope = central(s.q, k, [&](const std::vector<double>& x) {
      return weighed<double>(model, p, x, s.v, q_bar, v_bar);
    });
    EXPECT_NEAR(q0[k], slope, kDifference * (1 + std::abs(slope))) << "q" << k;
  }
  // through the map of the named parameters: entries of rotations do not change alone
  const DesignMap& map = model.design_map();
  const VecX rho = model.default_rho();
  auto work = map.make_workspace<double>();
  std::vector<double> again(p.size()), rho_bar(std::size_t(rho.size()), 0.0);
  map.evaluate<double>(in(rho), again, work);
  map.reverse(in(rho), again, p_bar, rho_bar, work);
  auto complex_work = map.make_workspace<Complex>();
  for (Eigen::Index k = 0; k < rho.size(); ++k) {
    VecXT<Complex> r = rho.cast<Complex>();
    r(k) += Complex(0, kComplexStep);
    std::vector<Complex> pc(p.size());
    map.evaluate<Complex>(in(r), pc, complex_work);
    const double slope =
        weighed<Complex>(model, pc, real(s.q), real(s.v), q_bar, v_bar).imag() / kComplexStep;
    EXPECT_NEAR(rho_bar[std::size_t(k)], slope, kChange * (1 + std::abs(slope)))
        << "parameter " << k;
  }
}

TEST(CoordinateChange, DerivativesAreThoseOfTheChange) {
  std::mt19937_64 rng(71);
  for (const CoordinateSet set : {CoordinateSet::kCartesian, CoordinateSet::kNatural}) {
    for (const char* name : {"five_bar", "slider_crank", "all_joints", "rolling_disc", "heavy_top",
                             "bricard", "cart_pole_pid"}) {
      SCOPED_TRACE(name);
      expect_right(test::example(name, set), rng);
    }
  }
}

}  // namespace
}  // namespace kinegrad
