#include "kinegrad/forces/force_concept.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "support/joint_tolerances.hpp"

namespace kinegrad {
namespace {

/// A force without hand-derived partials: τ = −k q³ + t.
struct CubicSpring {
  static constexpr std::string_view name = "cubic-spring";
  static constexpr std::string_view summary = "hardening spring with a load that grows in time";
  static constexpr PortKind port = PortKind::kJointCoordinate;
  static constexpr std::array<AttributeInfo, 1> attributes{{{"stiffness", "N m", 1}}};
  template <typename T>
  static Vec<T, 1> effort(const ForceInput<CubicSpring, T>& in) {
    return Vec<T, 1>(-in.p(0) * in.x(0) * in.x(0) * in.x(0) + in.t);
  }
};

TEST(ForceConceptTest, PartialsFallBackOnDualNumbers) {
  static_assert(ForceStruct<CubicSpring> && !HandPartials<CubicSpring>);
  const ForceModel& model = force_model<CubicSpring>();
  EXPECT_FALSE(model.has_hand_partials());
  PortState<double> state;
  state.x = Vec<double, 1>(2.0);
  state.xdot = Vec<double, 1>(5.0);
  state.t = 0.5;
  const AttributeVector<double> k = Vec<double, 1>(3.0);
  EXPECT_DOUBLE_EQ(model.effort(state, k)(0), -23.5);

  ForcePartials partials;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  partials.e_x.setConstant(1, 1, nan);
  partials.e_xdot.setConstant(1, 1, nan);
  partials.e_t.setConstant(1, nan);
  partials.e_p.setConstant(1, 1, nan);
  model.partials(state, k, partials);
  EXPECT_DOUBLE_EQ(partials.e_x(0, 0), -36);
  EXPECT_DOUBLE_EQ(partials.e_xdot(0, 0), 0);
  EXPECT_DOUBLE_EQ(partials.e_t(0), 1);
  EXPECT_DOUBLE_EQ(partials.e_p(0, 0), -8);
}

TEST(ForceConceptTest, PortSizes) {
  EXPECT_EQ(port_size(PortKind::kPointPair), 3);
  EXPECT_EQ(port_size(PortKind::kJointCoordinate), 1);
  EXPECT_EQ(port_size(PortKind::kField), 3);
}

}  // namespace
}  // namespace kinegrad
