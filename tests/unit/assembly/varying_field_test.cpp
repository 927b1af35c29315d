// A field of the user's own that changes from place to place: its partials and its energy.
#include <gtest/gtest.h>

#include "kinegrad/forces/force_concept.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/ports/linearized_forces.hpp"
#include "support/moving_tree.hpp"
#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

/// Pull towards the world origin that grows with the distance, and drag: e = −k |x|² x − c ẋ.
struct Well {
  static constexpr std::string_view name = "well";
  static constexpr std::string_view summary = "pull towards the origin, with drag";
  static constexpr PortKind port = PortKind::kField;
  static constexpr std::array<AttributeInfo, 2> attributes{{{"k", "1/(m s)^2"}, {"c", "1/s"}}};
  template <typename T>
  static Vec<T, 3> effort(const ForceInput<Well, T>& in) {
    const T r2 = in.x(0) * in.x(0) + in.x(1) * in.x(1) + in.x(2) * in.x(2);
    return in.x * (-in.p(0) * r2) - in.xdot * in.p(1);
  }
  template <typename T>
  static T energy(const ForceInput<Well, T>& in) {
    const T r2 = in.x(0) * in.x(0) + in.x(1) * in.x(1) + in.x(2) * in.x(2);
    return in.p(0) * r2 * r2 * T(0.25);
  }
};

Model model_in_a_well(const char* drag) {
  static const Catalogue catalogue = [] {
    Catalogue own = builtin_catalogue();
    own.add(force_model<Well>());
    return own;
  }();
  ModelDescription d = test::random_tree(42, 6);
  ForceSpec well;
  well.name = "well";
  well.type = "well";
  well.numbers = {{"k", "a*b"}, {"c", drag}};
  d.forces.push_back(well);
  return compile_model(d, catalogue);
}

constexpr double kAssembly = 1e-12;  // ladder L1
constexpr double h = 1e-200;

TEST(VaryingField, PartialsAndPullBackEqualComplexStep) {
  const Model model = model_in_a_well("0.3*c");
  std::mt19937_64 rng(4);
  const test::SampleState s = test::random_state(model, rng);
  const auto n = static_cast<std::size_t>(model.nq());
  test::MovingTree<double> dynamics(model, ReferencePoint::kCom);
  dynamics.set_parameters(s.p);
  std::vector<double> r(n), w, q_bar(n), v_bar(n), a_bar(n), p_bar(s.p.size()), rho_bar(3), p(s.p);
  for (std::size_t i = 0; i < n; ++i) w.push_back(test::uniform(rng));
  dynamics.residual(0.0, s.q, s.v, s.a, r);
  test::ResidualDerivatives partials(dynamics);
  partials.linearize(0.0, s.q, s.v, s.a);
  MatX r_q, r_v, r_a;
  partials.matrices(r_q, r_v, r_a);
  partials.pullback(w, {q_bar, v_bar, a_bar, p_bar});
  const DesignMap& map = model.design_map();
  const VecX rho = model.default_rho();
  auto work = map.make_workspace<double>();
  map.evaluate<double>({rho.data(), 3}, p, work);
  map.reverse({rho.data(), 3}, p, p_bar, rho_bar, work);

  test::MovingTree<Complex> oracle(model, ReferencePoint::kCom);
  auto complex_work = map.make_workspace<Complex>();
  const auto derivative = [&](std::size_t kind, std::size_t j) {
    std::vector<Complex> pc(s.p.begin(), s.p.end()), q(s.q.begin(), s.q.end()),
        v(s.v.begin(), s.v.end()), a(s.a.begin(), s.a.end()), rc(n);
    std::vector<Complex> moved(rho.data(), rho.data() + 3);
    (kind == 0 ? q : kind == 1 ? v : moved)[j] += Complex(0, h);
    if (kind == 2) map.evaluate<Complex>(moved, pc, complex_work);
    oracle.set_parameters(pc);
    oracle.residual(0.0, q, v, a, rc);
    VecX d(model.nq());
    for (std::size_t i = 0; i < n; ++i) d(static_cast<Eigen::Index>(i)) = rc[i].imag() / h;
    return d;
  };
  const Eigen::Map<const VecX> weights(w.data(), model.nq());
  for (std::size_t j = 0; j < n; ++j) {
    const auto c = static_cast<Eigen::Index>(j);
    const VecX by_q = derivative(0, j), by_v = derivative(1, j);
    EXPECT_LT((r_q.col(c) - by_q).norm(), kAssembly * (1 + r_q.norm()));
    EXPECT_LT((r_v.col(c) - by_v).norm(), kAssembly * (1 + r_v.norm()));
    EXPECT_NEAR(q_bar[j], weights.dot(by_q), kAssembly * (1 + r_q.norm()));
    EXPECT_NEAR(v_bar[j], weights.dot(by_v), kAssembly * (1 + r_v.norm()));
  }
  for (std::size_t j = 0; j < 3; ++j) {
    const VecX by_rho = derivative(2, j);
    EXPECT_NEAR(rho_bar[j], weights.dot(by_rho), kAssembly * (1 + by_rho.norm()));
  }
}

/// Without drag the generalised force is the gradient of the energy: r(v = a = 0) = ∂V/∂q.
TEST(VaryingField, ForceIsTheGradientOfTheEnergy) {
  const Model model = model_in_a_well("0");
  std::mt19937_64 rng(6);
  const test::SampleState s = test::random_state(model, rng);
  const auto n = static_cast<std::size_t>(model.nq());
  std::vector<double> r(n);
  const std::vector<double> rest(n, 0.0);
  test::MovingTree<double> dynamics(model, ReferencePoint::kOrigin);
  dynamics.set_parameters(s.p);
  dynamics.residual(0.0, s.q, rest, rest, r);
  test::MovingTree<Complex> oracle(model, ReferencePoint::kOrigin);
  oracle.set_parameters(std::vector<Complex>(s.p.begin(), s.p.end()));
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<Complex> q(s.q.begin(), s.q.end()), zero(n), out(n);
    q[j] += Complex(0, h);
    oracle.residual(0.0, q, zero, zero, out);
    EXPECT_NEAR(oracle.potential_energy(0.0).imag() / h, r[j],
                kAssembly * (1 + std::abs(r[j])) * 10);
  }
}

}  // namespace
}  // namespace kinegrad
