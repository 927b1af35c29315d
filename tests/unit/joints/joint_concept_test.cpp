#include "kinegrad/joints/joint_concept.hpp"

#include <gtest/gtest.h>

#include "kinegrad/joints/all.hpp"

namespace kinegrad {
namespace {

struct NotAJoint {
  static constexpr std::string_view name = "nothing";
};

TEST(JointConceptTest, AcceptsBuiltInsAndTheirReverses) {
  static_assert(!JointStruct<NotAJoint>);
  Joints::for_each([]<typename J>() {
    static_assert(JointStruct<J>);
    static_assert(JointStruct<Reversed<J>>);
  });
}

TEST(JointConceptTest, FreedomsOfTheBuiltIns) {
  EXPECT_EQ(joint_model<Fixed>().freedom(), 0);
  EXPECT_EQ(joint_model<Revolute>().freedom(), 1);
  EXPECT_EQ(joint_model<Prismatic>().freedom(), 1);
  EXPECT_EQ(joint_model<Universal>().freedom(), 2);
  EXPECT_EQ(joint_model<Cylindrical>().freedom(), 2);
  EXPECT_EQ(joint_model<Spherical>().freedom(), 3);
  EXPECT_EQ(joint_model<Floating>().freedom(), 6);
  EXPECT_EQ(joint_model<Planar>().freedom(), 3);
}

TEST(JointConceptTest, DirectionsThatPlaceTheBuiltIns) {
  EXPECT_EQ(joint_model<Spherical>().axes(), JointAxes::kNone);
  EXPECT_EQ(joint_model<Floating>().axes(), JointAxes::kNone);
  EXPECT_EQ(joint_model<Universal>().axes(), JointAxes::kTwo);
  for (const JointModel* joint : {&joint_model<Revolute>(), &joint_model<Prismatic>(),
                                  &joint_model<Cylindrical>(), &joint_model<Planar>()}) {
    EXPECT_EQ(joint->axes(), JointAxes::kOne) << joint->name();
  }
}

TEST(JointConceptTest, UnitsOfCoordinates) {
  EXPECT_EQ(unit_of(CoordinateKind::kAngle), "rad");
  EXPECT_EQ(unit_of(CoordinateKind::kLength), "m");
  EXPECT_EQ(unit_of(CoordinateKind::kEulerParameter), "1");
}

}  // namespace
}  // namespace kinegrad
