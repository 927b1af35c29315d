#include "kinegrad/forces/gravity.hpp"

#include <gtest/gtest.h>

namespace kinegrad {
namespace {

TEST(GravityTest, EffortIsTheAccelerationWhereverTheBodyIs) {
  const Vec3 g(0, 0, -9.81);
  const ForceInput<Gravity, double> in{Vec3(1, 2, 3), Vec3(4, 5, 6), 7.0, g};
  EXPECT_EQ(Gravity::effort<double>(in), g);
}

TEST(GravityTest, HigherIsMoreEnergy) {
  const Vec3 g(0, 0, -9.81);
  const ForceInput<Gravity, double> high{Vec3(0, 0, 2), Vec3::Zero(), 0.0, g};
  EXPECT_DOUBLE_EQ(Gravity::energy<double>(high), 2 * 9.81);
}

TEST(GravityTest, ActsOnEveryBody) {
  EXPECT_EQ(force_model<Gravity>().port(), PortKind::kField);
  EXPECT_EQ(force_model<Gravity>().attribute_count(), 3);
}

}  // namespace
}  // namespace kinegrad
