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
