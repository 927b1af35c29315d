#include "kinegrad/forces/bump_stop.hpp"

#include <gtest/gtest.h>

namespace kinegrad {
namespace {

/// k (s₀ − s)ⁿ below the end, nothing above it, and pushed apart.
TEST(BumpStop, PushesThePointsApartBelowItsLength) {
  ForceInput<BumpStop, double> in{Vec3(0, 0, 0.5), Vec3(1, 2, 3), 0, Vec3(1e3, 0.6, 2)};
  EXPECT_NEAR(BumpStop::effort<double>(in)(2), 1e3 * 0.1 * 0.1, 1e-12 * 10);
  EXPECT_NEAR(BumpStop::energy<double>(in), 1e3 * 0.1 * 0.1 * 0.1 / 3, 1e-13);
  in.p(2) = 0;  // not given: linear
  EXPECT_NEAR(BumpStop::effort<double>(in)(2), 1e3 * 0.1, 1e-12 * 100);
  in.x(2) = 0.7;
  EXPECT_EQ(BumpStop::effort<double>(in), Vec3::Zero());
  EXPECT_EQ(BumpStop::energy<double>(in), 0);
}

/// The stop of the other end is its mirror image.
TEST(BumpStop, ReboundStopIsItsMirrorImage) {
  const Vec3 p(1e3, 0.6, 1.5), mirrored(1e3, -0.6, 1.5);
  for (const double q : {0.2, 0.55, 0.61, 0.9}) {
    const ForceInput<TranslationalBumpStop, double> bump{Vec<double, 1>(q), Vec<double, 1>(0.3), 0,
                                                         p};
    const ForceInput<TranslationalReboundStop, double> rebound{Vec<double, 1>(-q),
                                                               Vec<double, 1>(0.3), 0, mirrored};
    EXPECT_EQ(TranslationalBumpStop::effort<double>(bump)(0),
              -TranslationalReboundStop::effort<double>(rebound)(0));
    EXPECT_EQ(TranslationalBumpStop::energy<double>(bump),
              TranslationalReboundStop::energy<double>(rebound));
  }
}

}  // namespace
}  // namespace kinegrad
