// Values that a file gives for single coordinates of a joint that is cut and rubs [BF-8]: where the loop is cut changes nothing.
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "kinegrad/formulations/coordinate_sets.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/catalogue.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/simulation/signal_table.hpp"

namespace kinegrad {
namespace {

/// Three links to a cylindrical joint that rubs; the loop is cut at the joint of that name.
std::string spatial_loop(const std::string& cut, const std::string& start) {
  const auto here = [&](const std::string& joint) {
    return std::string(joint == cut ? ", cut: true}\n" : "}\n");
  };
  return R"yaml(bodies:
  b1: {mass: 1.5, com: [0.1, 0, 0.05], inertia: [0.03, 0.04, 0.05], placement: {position: [0, 0, 0]}}
  b2: {mass: 1, com: [0.3, 0.1, 0], inertia: [0.03, 0.04, 0.05], placement: {position: [0, 0, 0]}}
  b3: {mass: 1, com: [0.5, 0.3, 0.1], inertia: [0.03, 0.04, 0.05], placement: {position: [0, 0, 0]}}
joints:
  J1: {type: revolute, bodies: [ground, b1], point: [0, 0, 0], axis: [0, 0.6, 0.8]}
  J2: {type: revolute, bodies: [b1, b2], point: [0.3, 0, 0.1], axis: [0.6, 0.8, 0]}
  J3: {type: spherical, bodies: [b2, b3], point: [0.4, 0.3, 0])yaml" +
         here("J3") +
         "  C: {type: cylindrical, bodies: [ground, b3], point: [0.7, 0.2, 0.2], axis: [0.8, 0, "
         "0.6]" +
         here("C") + R"yaml(forces:
  weight: {type: gravity, acceleration: [0, -9.81, 0]}
  rub: {type: friction, joint: C, friction: 0.05, slip_speed: 0.05, load_smoothing: 0.1, radius: 0.02}
initial: {)yaml" +
         start + "}\nsignals: {slide: C.q1, turn: C.q2, crank: J1.q}\n";
}

SignalTable run(const std::string& text, const std::string& coordinates) {
  const Model model = compile_model(parse_model_yaml(text, "loop.yaml"), builtin_catalogue(),
                                    coordinate_set_named(coordinates));
  RunOptions options;
  options.coordinates = coordinates;
  options.formulation = "matrix-r";
  options.integrator = "rk4";
  options.step = 1e-3;
  options.end = 0.01;
  return simulate(model, options);
}

TEST(CutJointStarts, TakeSingleCoordinates) {
  for (const auto& [name, signal, value] :
       {std::tuple{"C.q2", "turn", 0.2}, std::tuple{"C.q1", "slide", 0.01}}) {
    const std::string start = std::string(name) + ": " + std::to_string(value);
    const SignalTable expected = run(spatial_loop("J3", start), "joint-com");
    ASSERT_EQ(expected.report.status, RunStatus::kDone) << expected.report.message;
    EXPECT_NEAR(expected.column(signal)(0), value, 1e-12);
    for (const char* coordinates : {"joint-com", "cartesian", "natural"}) {
      const SignalTable actual = run(spatial_loop("C", start), coordinates);
      ASSERT_EQ(actual.report.status, RunStatus::kDone) << actual.report.message;
      for (const char* other : {"slide", "turn", "crank"}) {
        EXPECT_LE((actual.column(other) - expected.column(other)).cwiseAbs().maxCoeff(), 1e-8)
            << name << " " << coordinates << " " << other;
      }
    }
  }
}

}  // namespace
}  // namespace kinegrad
