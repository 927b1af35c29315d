// What every force of forces/all.hpp must satisfy (docs/theory/forces.md). A new force is tested
// because it is listed; that of the recipe (docs/howto/add_a_force.md) stands for it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "support/element_oracles.hpp"
#include "support/force_samples.hpp"
#include "support/joint_tolerances.hpp"

namespace kinegrad {
namespace {

using test::block_error;
using test::ComplexOracle;
using test::DualOracle;
using test::kElementTolerance;
using test::random_input;

template <typename F>
concept HasEnergy = requires(const ForceInput<F, double>& in) {
  F::template energy<double>(in);
};

/// The same, all rates of states 0: what they carry is no potential.
template <typename In>
In without_states(In in) {
  in.z.setZero();
  return in;
}

/// What the variables do where the rates are those of a unit effort: along it the power is one entry.
template <typename F>
Vec<double, ForceInput<F, double>::nx> variables_along(
    const ForceInput<F, double>& in, const Vec<double, ForceInput<F, double>::ne>& xdot) {
  return variable_rates(F::port, {in.x, xdot, in.t});
}

/// `in` with a direction in one of its numbers: x, then ẋ, then t, then the attributes, then the states.
template <typename F, typename Oracle>
ForceInput<F, typename Oracle::Number> seeded_input(const ForceInput<F, double>& in, int which) {
  using In = ForceInput<F, double>;
  Vec<double, In::nx> dx = Vec<double, In::nx>::Zero();
  Vec<double, In::ne> dxdot = Vec<double, In::ne>::Zero();
  Vec<double, In::np> dp = Vec<double, In::np>::Zero();
  Vec<double, In::ns> dz = Vec<double, In::ns>::Zero();
  double dt = 0;
  if (which < In::nx) {
    dx(which) = 1;
  } else if (which < In::nx + In::ne) {
    dxdot(which - In::nx) = 1;
  } else if (which == In::nx + In::ne) {
    dt = 1;
  } else if (which <= In::nx + In::ne + In::np) {
    dp(which - In::nx - In::ne - 1) = 1;
  } else if constexpr (In::ns > 0) {
    dz(which - In::nx - In::ne - In::np - 1) = 1;
  }
  return {test::seed<Oracle, In::nx>(in.x, dx), test::seed<Oracle, In::ne>(in.xdot, dxdot),
          Oracle::seed(in.t, dt), test::seed<Oracle, In::np>(in.p, dp),
          test::seed<Oracle, In::ns>(in.z, dz)};
}

/// All partials of the effort by one oracle.
template <typename F, typename Oracle>
ForceStructPartials<F> oracle_partials(const ForceInput<F, double>& in) {
  using In = ForceInput<F, double>;
  using T = typename Oracle::Number;
  const auto column = [&](int which) {
    return test::derivative<Oracle>(F::template effort<T>(seeded_input<F, Oracle>(in, which)));
  };
  ForceStructPartials<F> out;
  for (int k = 0; k < In::nx; ++k) out.e_x.col(k) = column(k);
  for (int k = 0; k < In::ne; ++k) out.e_xdot.col(k) = column(In::nx + k);
  out.e_t = column(In::nx + In::ne);
  for (int k = 0; k < In::np; ++k) out.e_p.col(k) = column(In::nx + In::ne + 1 + k);
  if constexpr (In::ns > 0) {
    const auto rates = [&](int which) {
      return test::derivative<Oracle>(F::template rate<T>(seeded_input<F, Oracle>(in, which)));
    };
    const int first = In::nx + In::ne + 1 + In::np;
    for (int k = 0; k < In::ns; ++k) out.e_z.col(k) = column(first + k);
    for (int k = 0; k < In::nx; ++k) out.g_x.col(k) = rates(k);
    for (int k = 0; k < In::ne; ++k) out.g_xdot.col(k) = rates(In::nx + k);
    out.g_t = rates(In::nx + In::ne);
    for (int k = 0; k < In::np; ++k) out.g_p.col(k) = rates(In::nx + In::ne + 1 + k);
    for (int k = 0; k < In::ns; ++k) out.g_z.col(k) = rates(first + k);
  }
  return out;
}

template <typename F>
ForceStructPartials<F> poisoned() {
  ForceStructPartials<F> out;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  out.e_x.setConstant(nan);
  out.e_xdot.setConstant(nan);
  out.e_t.setConstant(nan);
  out.e_p.setConstant(nan);
  out.e_z.setConstant(nan);
  out.g_x.setConstant(nan);
  out.g_xdot.setConstant(nan);
  out.g_t.setConstant(nan);
  out.g_p.setConstant(nan);
  out.g_z.setConstant(nan);
  return out;
}

template <typename F>
void expect_equal(const ForceStructPartials<F>& actual, const ForceStructPartials<F>& expected) {
  EXPECT_LE(block_error(actual.e_x, expected.e_x), kElementTolerance);
  EXPECT_LE(block_error(actual.e_xdot, expected.e_xdot), kElementTolerance);
  EXPECT_LE(block_error(actual.e_t, expected.e_t), kElementTolerance);
  EXPECT_LE(block_error(actual.e_p, expected.e_p), kElementTolerance);
  if constexpr (ForceInput<F, double>::ns > 0) {
    EXPECT_LE(block_error(actual.e_z, expected.e_z), kElementTolerance);
    EXPECT_LE(block_error(actual.g_x, expected.g_x), kElementTolerance);
    EXPECT_LE(block_error(actual.g_xdot, expected.g_xdot), kElementTolerance);
    EXPECT_LE(block_error(actual.g_t, expected.g_t), kElementTolerance);
    EXPECT_LE(block_error(actual.g_p, expected.g_p), kElementTolerance);
    EXPECT_LE(block_error(actual.g_z, expected.g_z), kElementTolerance);
  }
}

template <typename F>
class ForceConformance : public testing::Test {};
TYPED_TEST_SUITE(ForceConformance, test::ForceTypes, test::ForceName);

constexpr unsigned kSeeds = 20;

TYPED_TEST(ForceConformance, PartialsEqualOracles) {
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto in = random_input<TypeParam>(seed);
    auto dual = poisoned<TypeParam>();
    dual_partials<TypeParam>(in, dual);
    expect_equal(dual, oracle_partials<TypeParam, DualOracle>(in));
    expect_equal(dual, oracle_partials<TypeParam, ComplexOracle>(in));
    if constexpr (HandPartials<TypeParam>) {
      auto hand = poisoned<TypeParam>();
      TypeParam::partials(in, hand);
      expect_equal(hand, dual);
      expect_equal(hand, oracle_partials<TypeParam, ComplexOracle>(in));
    }
  }
}

/// e(x, 0) = −∂V/∂x, hence the power of the conservative part is −dV/dt; the energy does not depend
/// on the rates.
TYPED_TEST(ForceConformance, PowerIsLossOfEnergy) {
  if constexpr (HasEnergy<TypeParam>) {
    using In = ForceInput<TypeParam, double>;
    const auto check = [&]<typename Oracle>(Oracle, const In& in) {
      using T = typename Oracle::Number;
      In still = in;
      still.xdot.setZero();
      Vec<double, In::ne> minus_V_x, V_xdot;
      for (int k = 0; k < In::ne; ++k) {
        ForceInput<TypeParam, T> along = seeded_input<TypeParam, Oracle>(in, 0);
        along.x = test::seed<Oracle, In::nx>(
            in.x, variables_along<TypeParam>(in, Vec<double, In::ne>::Unit(k)));
        minus_V_x(k) = -Oracle::derivative(TypeParam::template energy<T>(along));
        V_xdot(k) = Oracle::derivative(
            TypeParam::template energy<T>(seeded_input<TypeParam, Oracle>(in, In::nx + k)));
      }
      const Vec<double, In::ne> e = TypeParam::template effort<double>(still);
      EXPECT_LE(block_error(e, minus_V_x), kElementTolerance);
      EXPECT_EQ(V_xdot.norm(), 0);

      ForceInput<TypeParam, T> moving = seeded_input<TypeParam, Oracle>(in, 0);
      moving.x = test::seed<Oracle, In::nx>(in.x, variables_along<TypeParam>(in, in.xdot));
      const double Vdot = Oracle::derivative(TypeParam::template energy<T>(moving));
      EXPECT_NEAR(e.dot(in.xdot), -Vdot, kElementTolerance * std::max(1.0, e.norm()));
    };
    for (unsigned seed = 1; seed <= kSeeds; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      check(DualOracle{}, without_states(random_input<TypeParam>(seed)));
      check(ComplexOracle{}, without_states(random_input<TypeParam>(seed)));
    }
  }
}

/// What the rates add to the effort takes power away, never gives it.
TYPED_TEST(ForceConformance, RatesDissipate) {
  if constexpr (requires { requires !TypeParam::passive; }) GTEST_SKIP() << "it pushes by itself";
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    const auto in = without_states(random_input<TypeParam>(seed));
    auto still = in;
    still.xdot.setZero();
    const auto moving_effort = TypeParam::template effort<double>(in);
    const auto still_effort = TypeParam::template effort<double>(still);
    EXPECT_LE((moving_effort - still_effort).dot(in.xdot), kElementTolerance) << "seed " << seed;
  }
}

/// V̇ along the motion against its definition, by dual numbers [MO-2].
TYPED_TEST(ForceConformance, EnergyRateIsThatOfThePotential) {
  const ForceModel& model = force_model<TypeParam>();
  if (!model.has_energy()) {
    const auto in = random_input<TypeParam>(1);
    EXPECT_EQ(model.energy_rate({in.x, in.xdot, in.t}, in.p), 0);
    return;
  }
  if constexpr (requires(const ForceInput<TypeParam, double>& in) {
                  TypeParam::template energy<double>(in);
                }) {
    using In = ForceInput<TypeParam, double>;
    for (unsigned seed = 1; seed <= kSeeds; ++seed) {
      const auto in = random_input<TypeParam>(seed);
      ForceInput<TypeParam, Dual> moving = seeded_input<TypeParam, DualOracle>(in, 0);
      moving.x = test::seed<DualOracle, In::nx>(in.x, variables_along<TypeParam>(in, in.xdot));
      const double rate = DualOracle::derivative(TypeParam::template energy<Dual>(moving));
      EXPECT_NEAR(model.energy_rate({in.x, in.xdot, in.t}, in.p), rate,
                  kElementTolerance * std::max(1.0, std::abs(rate)));
    }
  }
}

TYPED_TEST(ForceConformance, ModelIsStruct) {
  using In = ForceInput<TypeParam, double>;
  const ForceModel& model = force_model<TypeParam>();
  EXPECT_EQ(model.name(), TypeParam::name);
  EXPECT_FALSE(model.summary().empty());
  EXPECT_EQ(model.port(), TypeParam::port);
  EXPECT_EQ(model.has_hand_partials(), HandPartials<TypeParam>);
  EXPECT_EQ(model.attribute_count(), In::np);
  EXPECT_LE(model.attribute_count(), kMaxForceAttributes);

  const auto in = random_input<TypeParam>(1);
  const PortState<double> state{in.x, in.xdot, in.t, in.z};
  const PortState<Complex> complex_state{in.x.template cast<Complex>(),
                                         in.xdot.template cast<Complex>(), Complex(in.t),
                                         in.z.template cast<Complex>()};
  const AttributeVector<double> p = in.p;
  const AttributeVector<Complex> complex_p = in.p.template cast<Complex>();
  const Vec<double, In::ne> e = TypeParam::template effort<double>(in);
  const PortVector<double> model_e = model.effort(state, p);
  const PortVector<Complex> complex_e = model.effort(complex_state, complex_p);
  ASSERT_EQ(model_e.size(), In::ne);
  ASSERT_EQ(complex_e.size(), In::ne);
  for (int i = 0; i < In::ne; ++i) {
    EXPECT_EQ(model_e(i), e(i));
    EXPECT_NEAR(complex_e(i).real(), e(i), kElementTolerance * std::max(1.0, e.norm()));
    EXPECT_EQ(complex_e(i).imag(), 0);
  }

  ForcePartials partials;
  model.partials(state, p, partials);
  ForceStructPartials<TypeParam> expected = poisoned<TypeParam>();
  if constexpr (HandPartials<TypeParam>) {
    TypeParam::partials(in, expected);
  } else {
    dual_partials<TypeParam>(in, expected);
  }
  EXPECT_EQ(partials.e_x, expected.e_x);
  EXPECT_EQ(partials.e_xdot, expected.e_xdot);
  EXPECT_EQ(partials.e_t, expected.e_t);
  EXPECT_EQ(partials.e_p, expected.e_p);
  ASSERT_EQ(model.states().size(), static_cast<std::size_t>(In::ns));
  ASSERT_EQ(model.rates(state, p).size(), In::ns);
  EXPECT_LE(model.state_count(p), In::ns);
  if constexpr (In::ns > 0) {
    const Vec<double, In::ns> g = TypeParam::template rate<double>(in);
    EXPECT_EQ(model.rates(state, p), g);
    const ForceStates<Complex> complex_g = model.rates(complex_state, complex_p);
    for (int i = 0; i < In::ns; ++i) {
      EXPECT_NEAR(complex_g(i).real(), g(i), kElementTolerance * std::max(1.0, g.norm()));
    }
    EXPECT_EQ(partials.e_z, expected.e_z);
    EXPECT_EQ(partials.g_x, expected.g_x);
    EXPECT_EQ(partials.g_xdot, expected.g_xdot);
    EXPECT_EQ(partials.g_t, expected.g_t);
    EXPECT_EQ(partials.g_p, expected.g_p);
    EXPECT_EQ(partials.g_z, expected.g_z);
  }
}

/// States that a law does not have are not moved by it.
TYPED_TEST(ForceConformance, StatesThatItDoesNotHaveRest) {
  using In = ForceInput<TypeParam, double>;
  if constexpr (In::ns > 0) {
    for (unsigned seed = 1; seed <= kSeeds; ++seed) {
      const In in = random_input<TypeParam>(seed);
      const int count = force_model<TypeParam>().state_count(in.p);
      const Vec<double, In::ns> g = TypeParam::template rate<double>(in);
      for (int i = count; i < In::ns; ++i) EXPECT_EQ(g(i), 0);
    }
  }
}

TYPED_TEST(ForceConformance, AttributesAreNamedWithUnits) {
  const auto attributes = force_model<TypeParam>().attributes();
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    EXPECT_FALSE(attributes[i].name.empty());
    EXPECT_FALSE(attributes[i].unit.empty());
    EXPECT_TRUE(attributes[i].size == 1 || attributes[i].size == 3 || attributes[i].size == 36 ||
                attributes[i].ground);
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(attributes[i].name, attributes[j].name);
  }
}

}  // namespace
}  // namespace kinegrad
