#include "kinegrad/model/catalogue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "kinegrad/base/error.hpp"
#include "kinegrad/forces/all.hpp"
#include "kinegrad/joints/all.hpp"

namespace kinegrad {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A force type of a library user: constant torque.
struct ConstantTorque {
  static constexpr std::string_view name = "constant-torque";
  static constexpr std::string_view summary = "the same torque for ever";
  static constexpr PortKind port = PortKind::kJointCoordinate;
  static constexpr std::array<AttributeInfo, 1> attributes{{{"torque", "N m"}}};
  template <typename T>
  static Vec<T, 1> effort(const ForceInput<ConstantTorque, T>& in) {
    return in.p;
  }
};

/// A joint type of a library user, under a name of its own.
struct Hinge : Revolute {
  static constexpr std::string_view name = "hinge";
};

std::vector<std::string> names(const auto& elements) {
  std::vector<std::string> all;
  for (const auto* element : elements) all.emplace_back(element->name());
  return all;
}

TEST(CatalogueTest, BuiltInHasTheListedTypesInOrder) {
  EXPECT_THAT(names(builtin_catalogue().joints()),
              ElementsAre("fixed", "revolute", "prismatic", "universal", "cylindrical", "spherical",
                          "floating", "planar", "rectangular", "cartesian"));
  EXPECT_THAT(
      names(builtin_catalogue().forces()),
      ElementsAre("gravity", "central-gravity", "gravity-field", "spring-damper",
                  "torsional-spring-damper", "translational-spring-damper", "nonlinear-spring",
                  "translational-nonlinear-spring", "torsional-nonlinear-spring",
                  "axial-nonlinear-spring", "leaf-spring", "translational-leaf-spring",
                  "torsional-leaf-spring", "axial-leaf-spring", "bump-stop",
                  "translational-bump-stop", "torsional-bump-stop", "axial-bump-stop",
                  "rebound-stop", "translational-rebound-stop", "torsional-rebound-stop",
                  "axial-rebound-stop", "bushing", "actuator", "sphere-on-plane",
                  "sphere-on-cylinder", "sphere-on-sphere", "wheel-on-plane", "tyre", "calspan-tyre",
                  "point-force", "body-torque", "friction", "joint-friction", "joint-force"));
}

TEST(CatalogueTest, FindsByName) {
  EXPECT_EQ(builtin_catalogue().find_joint("revolute"), &joint_model<Revolute>());
  EXPECT_EQ(builtin_catalogue().find_force("gravity"), &force_model<Gravity>());
  EXPECT_EQ(builtin_catalogue().find_joint("gravity"), nullptr);
  EXPECT_EQ(builtin_catalogue().find_force("Gravity"), nullptr);
  EXPECT_EQ(builtin_catalogue().find_joint(""), nullptr);
}

TEST(CatalogueTest, TakesTypesOfTheUser) {
  Catalogue mine = builtin_catalogue();
  mine.add(force_model<ConstantTorque>());
  mine.add(joint_model<Hinge>());
  EXPECT_EQ(mine.find_force("constant-torque"), &force_model<ConstantTorque>());
  EXPECT_EQ(mine.find_joint("hinge"), &joint_model<Hinge>());
  EXPECT_EQ(builtin_catalogue().find_force("constant-torque"), nullptr) << "only the copy has it";
}

TEST(CatalogueTest, RefusesANameThatIsTaken) {
  Catalogue mine = builtin_catalogue();
  const auto message = [&](const auto& element) -> std::string {
    try {
      mine.add(element);
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  EXPECT_THAT(message(joint_model<Revolute>()), HasSubstr("\"revolute\""));
  EXPECT_THAT(message(force_model<Gravity>()), HasSubstr("\"gravity\""));
  EXPECT_EQ(mine.joints().size(), Joints::size);
  EXPECT_EQ(mine.forces().size(), Forces::size);
}

TEST(CatalogueTest, JointsAndForcesHaveSeparateNames) {
  Catalogue mine;
  mine.add(joint_model<Revolute>());
  EXPECT_EQ(mine.find_force("revolute"), nullptr);
  EXPECT_TRUE(mine.forces().empty());
}

}  // namespace
}  // namespace kinegrad
