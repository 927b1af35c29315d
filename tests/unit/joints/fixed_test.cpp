#include "kinegrad/joints/fixed.hpp"

#include <gtest/gtest.h>

namespace kinegrad {
namespace {

template <typename T>
void expect_no_motion() {
  const Vec<T, 0> q;
  const Pose<T> X = Fixed::pose<T>(q);
  EXPECT_TRUE(X.R == Mat3T<T>::Identity());
  EXPECT_TRUE(X.p == Vec3T<T>::Constant(T(0)));
  // Products with no columns are zero, not uninitialised.
  const Twist<T> V = Fixed::motion<T>(q) * q;
  const Twist<T> Vdot =
      Fixed::motion_dot<T>(q, q) * q + Reversed<Fixed>::motion_ddot<T>(q, q, q) * q;
  for (int i = 0; i < 6; ++i) {
    EXPECT_TRUE(V(i) == T(0));
    EXPECT_TRUE(Vdot(i) == T(0));
  }
}

TEST(FixedTest, HasNoMotionInAnyScalar) {
  expect_no_motion<double>();
  expect_no_motion<Complex>();
  expect_no_motion<Dual>();
}

TEST(FixedTest, WorksThroughTheModelInterface) {
  const JointModel& model = joint_model<Fixed>();
  const JointVector<double> q(0);
  EXPECT_EQ(model.nq(), 0);
  EXPECT_EQ(model.freedom(), 0);
  EXPECT_EQ(model.motion(q).cols(), 0);
  EXPECT_EQ(model.motion(q).rows(), 6);
  EXPECT_EQ(model.coordinates_of(Pose<double>{}).size(), 0);
  const Twist<double> V = model.motion(q) * q;
  EXPECT_EQ(V, Twist<double>::Zero());
}

}  // namespace
}  // namespace kinegrad
