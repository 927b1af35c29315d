// Differences whose estimate of their own error holds, on functions of known derivative.
#include "kinegrad/math/difference_ladder.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>

namespace kinegrad {
namespace {

/// Noise that belongs to the argument: the same bits give the same value, between −1 and 1.
double hashed(double x) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof x);
  bits ^= bits >> 33;
  bits *= 0xff51afd7ed558ccdu;
  bits ^= bits >> 33;
  bits *= 0xc4ceb9fe1a85ec53u;
  bits ^= bits >> 33;
  return 2 * static_cast<double>(bits >> 11) * 0x1.0p-53 - 1;
}

struct Known {
  std::string name;
  std::function<double(double)> f;
  double x, slope;
  /// The largest error that is any use, of the slope.
  double useful;
};

void expect_holds(const Known& known) {
  SCOPED_TRACE(known.name);
  const auto f = [&](double x) -> std::optional<VecX> { return VecX::Constant(1, known.f(x)); };
  const double largest = 1e-2 * (known.x == 0 ? 1 : std::abs(known.x));
  const auto found = ladder_derivative(f, known.x, largest);
  ASSERT_TRUE(found);
  const double gap = std::abs(found->derivative(0) - known.slope);
  EXPECT_LE(gap, found->error(0)) << found->derivative(0) << " instead of " << known.slope;
  EXPECT_LE(found->error(0), known.useful * std::abs(known.slope)) << "too cautious";
}

/// Random numbers in every one, seeded.
class Draw {
 public:
  explicit Draw(unsigned seed) : engine_(seed) {}
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1.0p-53;
  }
  double decades(double low, double high) {
    return std::exp(uniform(std::log(low), std::log(high)));
  }

 private:
  std::mt19937_64 engine_;
};

TEST(DifferenceLadder, SmoothFunctions) {
  Draw draw(1);
  for (int k = 0; k < 100; ++k) {
    const double a = draw.decades(0.1, 10), b = draw.uniform(0, 6), x = draw.uniform(0.2, 3);
    expect_holds({fmt::format("sine {}", k),
                  [=](double y) { return std::sin(a * y + b) + std::exp(0.3 * y); }, x,
                  a * std::cos(a * x + b) + 0.3 * std::exp(0.3 * x), 1e-6});
  }
}

/// Lengths over which the slope changes down to a millionth of the parameter: what is far away misleads.
TEST(DifferenceLadder, CurvedFunctions) {
  Draw draw(2);
  for (int k = 0; k < 200; ++k) {
    const double x = draw.uniform(0.2, 3), length = x * draw.decades(1e-6, 1e-1);
    const double phase = draw.uniform(-0.8, 0.8);
    expect_holds({fmt::format("oscillation {} over {:.1e}", k, length),
                  [=](double y) { return std::sin((y - x) / length + phase) + 0.1 * y; }, x,
                  std::cos(phase) / length + 0.1, 1e-2});
  }
}

/// As chaotic runs are: rough over small distances, noise that is amplified rounding.
TEST(DifferenceLadder, NoisyFunctions) {
  Draw draw(3);
  for (int k = 0; k < 200; ++k) {
    const double x = draw.uniform(0.2, 3), length = x * draw.decades(1e-5, 1);
    const double noise = draw.decades(1e-15, 1e-9), phase = draw.uniform(-0.8, 0.8);
    expect_holds({fmt::format("noise {} of {:.1e} over {:.1e}", k, noise, length),
                  [=](double y) { return std::sin((y - x) / length + phase) + noise * hashed(y); },
                  x, std::cos(phase) / length, 1});
  }
}

/// A kink nearby: the slope on this side, and what is said of it may be cautious.
TEST(DifferenceLadder, KinksNearby) {
  Draw draw(4);
  for (int k = 0; k < 100; ++k) {
    const double x = draw.uniform(0.2, 3), d = x * draw.decades(1e-6, 0.1);
    const double jump = draw.uniform(0.3, 3);
    expect_holds({fmt::format("kink {} at {:.1e}", k, d),
                  [=](double y) { return std::sin(y) + jump * std::abs(y - x - d); }, x,
                  std::cos(x) - jump, HUGE_VAL});
  }
}

/// At a kink there are two slopes, and no estimate may claim either.
TEST(DifferenceLadder, KinksMet) {
  Draw draw(5);
  for (int k = 0; k < 100; ++k) {
    const double x = draw.uniform(0.2, 3), jump = draw.uniform(0.3, 3);
    const Known ahead{fmt::format("kink {}", k),
                      [=](double y) { return std::sin(y) + jump * std::abs(y - x); }, x,
                      std::cos(x) + jump, HUGE_VAL};
    Known behind = ahead;
    behind.slope = std::cos(x) - jump;
    expect_holds(ahead);
    expect_holds(behind);
  }
}

/// Slopes that no distance shows, because neighbouring numbers are as far apart as the function is wide.
TEST(DifferenceLadder, RoughFunctionsAreNotKnown) {
  Draw draw(6);
  for (int k = 0; k < 50; ++k) {
    const double x = draw.uniform(0.2, 3), length = x * draw.decades(1e-15, 1e-12);
    const auto f = [=](double y) -> std::optional<VecX> {
      const double u =
          (y - x) / length;  // a chirp: values that are equally far apart do not line up
      return VecX::Constant(1, std::sin(u + 0.37 * u * std::abs(u)) + y);
    };
    const auto found = ladder_derivative(f, x, 1e-2 * x);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->error(0), HUGE_VAL) << length;
  }
}

TEST(DifferenceLadder, NumbersThatAreZero) {
  const auto zero = [](double) -> std::optional<VecX> { return VecX::Zero(2); };
  const auto found = ladder_derivative(zero, 1.0, 1e-2);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->derivative, VecX::Zero(2));
  EXPECT_EQ(found->error, VecX::Zero(2));
}

TEST(DifferenceLadder, WhereTheFunctionEnds) {
  const auto root = [](double x) -> std::optional<VecX> {
    if (x < 1) return {};
    return VecX::Constant(1, std::sqrt(x - 1));
  };
  const auto beside = ladder_derivative(root, 1.001, 1e-2);
  ASSERT_TRUE(beside) << "a tenth as far away it has values";
  EXPECT_NEAR(beside->derivative(0), 0.5 / std::sqrt(0.001), beside->error(0));
  EXPECT_LT(beside->error(0), 1e-3);
  EXPECT_FALSE(ladder_derivative(root, 1.0, 1e-2));
}

/// Recorded steps that happen to end beside a singular position at one distance do so there alone.
TEST(DifferenceLadder, GapsBetweenTheValues) {
  for (const int gap : {0, 1, 2, 3, 4}) {
    const double missing = 1e-2 / std::pow(5, gap);
    const auto sine = [&](double x) -> std::optional<VecX> {
      if (std::abs(std::abs(x - 1) - missing) < 0.1 * missing) return {};
      return VecX::Constant(1, std::sin(x));
    };
    const auto found = ladder_derivative(sine, 1.0, 1e-2);
    ASSERT_TRUE(found) << gap;
    EXPECT_NEAR(found->derivative(0), std::cos(1.0), found->error(0)) << gap;
    EXPECT_LT(found->error(0), 1e-6) << gap;
  }
}

}  // namespace
}  // namespace kinegrad
