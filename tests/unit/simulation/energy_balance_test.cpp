#include "kinegrad/simulation/energy_balance.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kinegrad {
namespace {

/// Samples of an oscillation T = cos² t, V = sin² t, with what `add` puts on top of V.
template <typename Add>
Monitors oscillation(const Add& add, double power = 0) {
  Monitors m;
  for (int k = 0; k <= 100; ++k) {
    MonitorSample x;
    x.t = 0.1 * k;
    x.kinetic = std::pow(std::cos(x.t), 2);
    x.potential = std::pow(std::sin(x.t), 2) + add(x.t);
    x.power = power;
    m.samples.push_back(x);
  }
  return m;
}

TEST(EnergyBalance, MethodErrorThatComesAndGoesIsNoAlarm) {
  Monitors m = oscillation([](double t) { return 5e-3 * std::sin(20 * t); });
  balance_energy(true, m);
  EXPECT_TRUE(m.conservative);
  EXPECT_NEAR(m.scale, 1, 1e-2);
  EXPECT_GT(m.balance, 4e-3);
  EXPECT_FALSE(energy_warning(true, m));
}

/// Energies that overflow are no energies in balance.
TEST(EnergyBalance, NotFiniteIsNotKnown) {
  for (const double odd : {std::nan(""), HUGE_VAL}) {
    Monitors m = oscillation([&](double t) { return t > 3 && t < 4 ? odd : 0; });
    balance_energy(true, m);
    EXPECT_FALSE(std::isfinite(m.balance));
    ASSERT_TRUE(energy_warning(true, m));
    EXPECT_NE(energy_warning(true, m)->text.find("not finite"), std::string::npos);
  }
}

TEST(EnergyBalance, JumpIsNamedWithItsTime) {
  Monitors m = oscillation([](double t) { return t > 4.25 ? -5e-3 : 1e-5 * t; });
  balance_energy(true, m);
  const auto warning = energy_warning(true, m);
  ASSERT_TRUE(warning);
  EXPECT_EQ(warning->kind, "energy");
  EXPECT_NEAR(warning->t, 4.2, 1e-9);  // the sample before it
  EXPECT_NE(warning->text.find("jumps by"), std::string::npos) << warning->text;
}

/// A wrong step of a run that is accurate elsewhere: a small jump is worth a word where nothing in the run is like it.
TEST(EnergyBalance, SmallJumpOfAnAccurateRunIsNamed) {
  const auto named = [](double jump, double error) {
    Monitors m =
        oscillation([=](double t) { return error * std::sin(3 * t) + (t > 4.25 ? jump : 0); });
    balance_energy(true, m);
    return energy_warning(true, m).has_value();
  };
  EXPECT_TRUE(named(1e-5, 1e-8));
  EXPECT_FALSE(named(1e-5, 1e-5));   // as the method's error has it everywhere
  EXPECT_FALSE(named(5e-7, 1e-12));  // below a millionth
}

/// Dampers only take: what is there in the end came from nowhere.
TEST(EnergyBalance, GrowthBesideDampersIsNamed) {
  for (const double gain : {0.01, 0.5}) {
    Monitors m = oscillation([=](double t) { return t > 4.25 ? gain : 0; }, -1e-3);
    balance_energy(true, m);
    EXPECT_FALSE(m.conservative);
    const auto warning = energy_warning(true, m);
    ASSERT_EQ(warning.has_value(), gain > 0.1);
    if (!warning) continue;
    EXPECT_NEAR(warning->t, 4.3, 1e-9);
    EXPECT_NE(warning->text.find("grows by 0.5 J"), std::string::npos) << warning->text;
  }
  Monitors driven = oscillation([](double t) { return 0.1 * t; }, 0.1);  // a negative damper
  balance_energy(true, driven);
  EXPECT_FALSE(energy_warning(true, driven));
}

/// As where a mechanism passes a position fast: the energy of a symmetric method comes back.
TEST(EnergyBalance, JumpThatDoesNotStayIsNoAlarm) {
  Monitors m = oscillation([](double t) { return std::abs(t - 4.2) < 0.01 ? 5e-3 : 0; });
  balance_energy(true, m);
  EXPECT_FALSE(energy_warning(true, m));
}

TEST(EnergyBalance, DriftAboveTwoPerCentIsNamed) {
  for (const double rate : {1.5e-3, 3e-3}) {
    Monitors m = oscillation([&](double t) { return -rate * t; });
    balance_energy(true, m);
    const auto warning = energy_warning(true, m);
    EXPECT_EQ(warning.has_value(), rate > 2e-3) << rate;
    if (!warning) continue;
    EXPECT_NEAR(warning->t, 0.02 * m.scale / rate, 0.1);  // the first sample beyond
  }
}

TEST(EnergyBalance, RoundingAtRestIsNoAlarm) {
  Monitors m;
  for (int k = 0; k < 50; ++k) {
    m.samples.push_back({0.1 * k, k == 20 ? 1e-14 : 1e-22, -400 + 1e-13 * (k > 30)});
  }
  balance_energy(true, m);
  EXPECT_FALSE(energy_warning(true, m));
}

/// E = 10 e^(−t): P = −10 e^(−t). Fourth order: 5·0.1⁴/720·10 per unit of time is below 1e-5.
TEST(EnergyBalance, WorkOfADamperIsIntegrated) {
  Monitors m;
  for (int k = 0; k <= 50; ++k) {
    MonitorSample x;
    x.t = 0.1 * k;
    x.kinetic = 10 * std::exp(-x.t);
    x.power = -x.kinetic;
    m.samples.push_back(x);
  }
  balance_energy(true, m);
  EXPECT_FALSE(m.conservative);
  EXPECT_NEAR(m.samples.back().work, -10 * (1 - std::exp(-5.0)), 1e-4);
  EXPECT_LT(m.balance, 1e-4);
  EXPECT_GT(m.balance, 1e-9);
  EXPECT_LT(m.resolution, 100 * m.balance);  // sixteen times its error, and more
  EXPECT_GT(m.resolution, m.balance);
  EXPECT_FALSE(energy_warning(true, m));
}

TEST(EnergyBalance, WhatMayBeDrivenIsNeverAccused) {
  Monitors m = oscillation([](double t) { return t > 4.25 ? -0.5 : 0; });
  balance_energy(false, m);  // a force may have acted between two samples
  EXPECT_FALSE(m.conservative);
  EXPECT_FALSE(energy_warning(false, m));
}

}  // namespace
}  // namespace kinegrad
