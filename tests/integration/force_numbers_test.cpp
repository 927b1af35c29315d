// Numbers of forces that make no sense are refused, and those that vary beyond sense do no harm.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kinegrad/base/error.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/simulation/signal_table.hpp"

namespace kinegrad {
namespace {

using testing::HasSubstr;

/// A wheel that flies, slides along x in a rail, and has that force.
std::string wheel(const std::string& force) {
  return fmt::format(
      R"yaml(bodies: {{w: {{mass: 1, inertia: [1, 1, 1], placement: {{position: [0, 0, 7]}}}}}}
joints: {{slide: {{type: prismatic, bodies: [ground, w], point: [0, 0, 7], axis: x}}}}
forces:
  rub: {{{}}}
initial: {{slide.v: 1}}
signals: {{v: w.vx}}
)yaml",
      force);
}

Model model_of(const std::string& force) {
  return compile_model(parse_model_yaml(wheel(force), "wheel.yaml"), builtin_catalogue());
}

std::string refusal_of(const std::string& force) {
  try {
    model_of(force);
  } catch (const InvalidModel& error) {
    return error.what();
  }
  return "";
}

TEST(ForceNumbers, TyresRefuseWhatDrivesOrDividesByZero) {
  const auto tyre = [](const std::string& changed) {
    return "type: tyre, bodies: [ground, w], points: [[0, 0, 0], [0, 0, 0]], axes: [z, y], radius: "
           "0.3, "
           "stiffness: 2e5, " +
           changed;
  };
  EXPECT_EQ(refusal_of(tyre("friction: 0.9, slip: 0.1, slip_angle: 0.1")), "");
  const std::pair<const char*, const char*> cases[] = {
      {"friction: 0.9, slip: -0.1, slip_angle: 0.1", "slip must be positive"},
      {"friction: 0.9, slip: 0, slip_angle: 0.1", "slip must be positive"},
      {"friction: 0.9, slip: 0.1, slip_angle: -0.1", "slip_angle must be positive"},
      {"friction: -0.9, slip: 0.1, slip_angle: 0.1", "friction must not be negative"},
      {"friction: 0.9, side_friction: 0, slip: 0.1, slip_angle: 0.1", "side_friction must be"},
      {"friction: 0.9, slip: 0.1, slip_angle: 0.1, low_speed: 0", "low_speed must be positive"},
      {"friction: 0.9, slip: 0.1, slip_angle: 0.1, damping: -1", "damping must not be negative"},
      {"friction: 0.9, slip: 0.1, slip_angle: 0.1, relaxation_damping: 0.1", "relaxation_length"},
      {"friction: 0.9, slip: 0.1, slip_angle: 0.1, relaxation_length: 0.3, relaxation_damping: -1",
       "relaxation_damping must be positive"}};
  for (const auto& [text, expected] : cases) {
    EXPECT_THAT(refusal_of(tyre(text)), HasSubstr(expected)) << text;
    EXPECT_THAT(refusal_of(tyre(text)), HasSubstr("wheel.yaml:")) << text;
  }
}

TEST(ForceNumbers, StopsAndFrictionRefuse) {
  const std::string stop = "type: translational-bump-stop, joint: slide, length: 0, ";
  EXPECT_THAT(refusal_of(stop + "stiffness: -1"), HasSubstr("stiffness must not be negative"));
  EXPECT_THAT(refusal_of(stop + "stiffness: 1, exponent: 0.5"), HasSubstr("at least 1"));
  EXPECT_THAT(refusal_of(stop + "stiffness: 1, exponent: 0"), HasSubstr("at least 1"));
  EXPECT_EQ(refusal_of(stop + "stiffness: 1, exponent: 1.5"), "");
  const std::string rub = "type: joint-friction, joint: slide, normal_force: 1, friction: 0.3, ";
  EXPECT_THAT(refusal_of(rub + "slip_speed: 0"), HasSubstr("slip_speed must be positive"));
  EXPECT_THAT(refusal_of(rub + "static_friction: 0"),
              HasSubstr("static_friction must be positive"));
}

/// At the line of the attribute, not of the force.
TEST(ForceNumbers, WhatALawDoesNotReadIsRefused) {
  const auto rub = [](const std::string& law) {
    const bool unlimited = law.find("law: static\n") != std::string::npos;
    return std::string("\n    type: joint-friction\n    joint: slide\n    normal_force: 1\n") +
           (unlimited ? "" : "    friction: 0.3\n") + "    " + law;
  };
  const std::string bristles = ", bristle_stiffness: 1e4, bristle_damping: 10, dwell_time: 0.1";
  const auto refused = [&](std::string law, const char* expected) {
    // block style: one attribute a line
    for (std::size_t at = law.find(", "); at != std::string::npos; at = law.find(", ")) {
      law.replace(at, 2, "\n    ");
    }
    std::string text = wheel("PLACE");
    text.replace(text.find("{PLACE}"), 7, rub(law));
    try {
      compile_model(parse_model_yaml(text, "wheel.yaml"), builtin_catalogue());
    } catch (const InvalidModel& error) {
      EXPECT_THAT(error.what(), HasSubstr(expected)) << law;
      return;
    }
    EXPECT_STREQ(expected, "") << law;
  };
  refused("friction_law: ambrosio, static_friction: 0.4",
          "wheel.yaml:10: force \"rub\": static_friction: this friction law has none");
  refused("friction_law: static, static_friction: 0.4" + bristles,
          "static_friction: this friction");
  refused("friction_law: static, slip_speed: 0.1" + bristles,
          "wheel.yaml:9: force \"rub\": slip_speed: static friction does not slip");
  refused("friction_law: static" + bristles + ", friction: 0.3",
          "friction: static friction has no limit");
  refused("friction_law: lugre, dwell: 0.5, bristle_stiffness: 1, bristle_damping: 1",
          "dwell belongs to gonthier");
  refused("friction_law: gonthier, dwell: 1.5" + bristles, "dwell must be between 0 and 1");
  refused("friction_law: brown-mcphee, bristle: 0.1", "bristle: this friction law has no bristles");
  refused("friction_law: gonthier, dwell: 0.5, bristle: 1e-4" + bristles, "");
  refused("friction_law: ambrosio, slip_speed: 0.1", "");
}

TEST(ForceNumbers, JointFrictionNeedsAWay) {
  const auto joint = [](const std::string& type, const std::string& rub) {
    const std::string text =
        "bodies: {w: {mass: 1, inertia: [1, 1, 1]}}\njoints: {J: {type: " + type +
        "}}\nforces: {rub: {type: joint-friction, normal_force: 1, friction: 0.3, " + rub + "}}\n";
    try {
      compile_model(parse_model_yaml(text, "joint.yaml"), builtin_catalogue());
    } catch (const InvalidModel& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string ball = "spherical, bodies: [ground, w], point: [0, 0, 0]",
                    hinge = "revolute, bodies: [ground, w], point: [0, 0, 0], axis: z";
  EXPECT_THAT(joint(ball, "joint: J.q1"), HasSubstr("one of four Euler parameters"));
  EXPECT_THAT(joint(hinge, "joint: J"), HasSubstr("joint.yaml:3: force \"rub\": needs radius"));
  EXPECT_EQ(joint(hinge, "joint: J, radius: 0.1"), "");
}

/// Where the memory starts is its state's start: a block that has stuck for long holds more.
TEST(ForceNumbers, DwellStartsWhereTheFileSays) {
  const auto first = [](const std::string& dwell) {
    const std::string text =
        wheel(
            "type: joint-friction, joint: slide, normal_force: 1, friction: 0.3, static_friction: "
            "0.5, friction_law: gonthier, bristle_stiffness: 1e4, bristle_damping: 100, "
            "dwell_time: "
            "0.1" +
            dwell) +
        "objectives: {d: {integral: rub.dwell}}\n";
    RunOptions options;
    options.step = 1e-3;
    options.end = 2e-3;
    const SignalTable table = simulate(
        compile_model(
            parse_model_yaml(text.substr(0, text.find("signals:")) + "signals: {d: rub.dwell}\n",
                             "wheel.yaml"),
            builtin_catalogue()),
        options);
    EXPECT_TRUE(table.report.done()) << table.report.message;
    return table.column("d")(0);
  };
  EXPECT_EQ(first(""), 0);
  EXPECT_EQ(first(", dwell: 0.75"), 0.75);
}

/// The velocity of such a ground would not be that of the contact.
TEST(ForceNumbers, GroundsThatMoveAreBodies) {
  const auto floor = [](const std::string& height) {
    return "type: sphere-on-plane, bodies: [ground, w], points: [[0, 0, 0], [0, 0, 0]], axes: [z, "
           "z], radius: 0.1, "
           "stiffness: 1e4, ground: \"" +
           height + "\"";
  };
  EXPECT_EQ(refusal_of(floor("0.1*sin(x)*y")), "");
  for (const char* height : {"0.1*t", "0.1*w.vx", "x + slide.q"}) {
    EXPECT_THAT(refusal_of(floor(height)), HasSubstr("ground: it depends on x, y")) << height;
  }
}

/// Friction that is pulled instead of pressed must not drive: 0.3 · 10 N · cos t would accelerate by 0.6 m/s in 0.2 s.
TEST(ForceNumbers, NormalForcesBelowZeroDoNotRub) {
  const auto speed_at_end = [](const std::string& normal) {
    RunOptions options;
    options.step = 1e-3;
    options.end = 0.2;
    const SignalTable table = simulate(
        model_of("type: joint-friction, joint: slide, friction: 0.3, normal_force: " + normal),
        options);
    EXPECT_EQ(table.report.status, RunStatus::kDone) << table.report.message;
    const VecX v = table.column("v");
    return v(v.size() - 1);
  };
  EXPECT_NEAR(speed_at_end("\"-10*cos(t)\""), 1, 1e-14);
  EXPECT_LT(speed_at_end("\"10*cos(t)\""), 0.5);
}

}  // namespace
}  // namespace kinegrad
