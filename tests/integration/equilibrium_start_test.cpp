// Runs that start at an equilibrium (docs/theory/kinematic_problems.md, [KP-3], [KP-17], [KP-18]): with directions along which
// nothing holds the mechanism, with states, with speeds. Closed forms, and gradients by every method in every
// coordinate set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "support/gradient_distance.hpp"

namespace kinegrad {
namespace {

using testing::HasSubstr;

constexpr const char* kCoordinates[] = {"joint-com", "joint-origin", "cartesian", "natural"};

Model model_in(const std::string& text, const std::string& coordinates) {
  const CoordinateSet set = coordinates == "cartesian" ? CoordinateSet::kCartesian
                            : coordinates == "natural" ? CoordinateSet::kNatural
                                                       : CoordinateSet::kJoint;
  return compile_model(parse_model_yaml(text, "start"), builtin_catalogue(), set);
}

/// The start alone if it has no duration.
GradientOptions options_for(const std::string& coordinates, const std::string& method, double end) {
  GradientOptions options;
  options.method = method;
  options.run.coordinates = coordinates;
  options.run.start = "equilibrium";
  options.run.only_start = end == 0;
  options.run.step = 0.01;
  options.run.end = end;
  return options;
}

GradientReport gradient_of(const Model& model, const std::string& coordinates,
                           const std::string& method, double end) {
  const VecX rho = model.default_rho();
  return gradient(model, std::span<const double>(rho.data(), std::size_t(rho.size())),
                  options_for(coordinates, method, end));
}

/// Every method in every coordinate set against the complex step in joint coordinates; what it is, to the caller.
GradientReport agreed(const std::string& text, double end) {
  const Model reference = model_in(text, "joint-com");
  const GradientReport expected = gradient_of(reference, "joint-com", "complex-step", end);
  EXPECT_EQ(expected.status, RunStatus::kDone) << expected.message;
  if (expected.status != RunStatus::kDone) return expected;
  for (const std::string coordinates : kCoordinates) {
    const Model model = model_in(text, coordinates);
    for (const std::string method : {"forward", "adjoint", "complex-step", "finite-difference"}) {
      const GradientReport report = gradient_of(model, coordinates, method, end);
      EXPECT_EQ(report.status, RunStatus::kDone)
          << coordinates << " " << method << ": " << report.message;
      if (report.status != RunStatus::kDone) continue;
      EXPECT_TRUE(report.run.warnings.empty())
          << coordinates << " " << method << ": " << report.run.warnings.front().text;
      // runs in other coordinates are other discretisations; differences have seven digits or more
      const bool same = end == 0 || coordinates.starts_with("joint");
      const double tolerance = !same ? 1e-3 : method == "finite-difference" ? 1e-6 : 1e-8;
      EXPECT_LE(test::gradient_distance(model, expected, report), tolerance)
          << coordinates << " " << method << "\n"
          << expected.gradient << "\n\n"
          << report.gradient;
      if (same) continue;
      const GradientReport own = gradient_of(model, coordinates, "complex-step", end);
      EXPECT_LE(test::gradient_distance(model, own, report), method[1] == 'i' ? 1e-6 : 1e-8)
          << coordinates << " " << method;
    }
  }
  return expected;
}

/// A block that rests on a spring and may slide: x is what the file says, z = l − m g/k.
const char* const kBlock = R"yaml(
parameters: {m: {value: 2}, k: {value: 300}, l: {value: 0.5}, x0: {value: 0.7}, v0: {value: 5}}
bodies:
  sled: {mass: 1, inertia: [0.1, 0.1, 0.1]}
  block: {mass: m, inertia: [0.1, 0.1, 0.1]}
joints:
  slide: {type: prismatic, bodies: [ground, sled], points: [[0, 0, 0], [0, 0, 0]], axes: [x, x]}
  lift: {type: prismatic, bodies: [sled, block], points: [[0, 0, 0], [0, 0, 0]], axes: [z, z]}
forces:
  weight: {type: gravity, acceleration: [0, 0, -9.81]}
  spring: {type: translational-spring-damper, joint: lift, stiffness: k, damping: 3, length: l}
initial: {slide.q: x0^2, slide.v: v0}
objectives:
  z: {terminal: lift.q}
  x: {terminal: slide.q}
  both: {terminal: slide.q*lift.q}
)yaml";

TEST(EquilibriumStart, HoldsWhereNothingElseDoes) {
  const GradientReport report = agreed(kBlock, 0);
  ASSERT_EQ(report.status, RunStatus::kDone);
  EXPECT_NEAR(report.values[0], 0.5 - 2 * 9.81 / 300, 1e-13);
  EXPECT_NEAR(report.values[1], 0.49, 1e-13);
  EXPECT_NEAR(report.gradient(0, 1), 2 * 9.81 / 9e4, 1e-13);
  EXPECT_NEAR(report.gradient(1, 3), 1.4, 1e-13);
}

/// Released at v₀ = 5 m/s: the spring stays as it is, the block goes on.
TEST(EquilibriumStart, ReleasesWithTheSpeedsOfTheFile) {
  const GradientReport report = agreed(kBlock, 0.5);
  ASSERT_EQ(report.status, RunStatus::kDone);
  EXPECT_NEAR(report.values[0], 0.5 - 2 * 9.81 / 300, 1e-11);
  EXPECT_NEAR(report.values[1], 0.49 + 2.5, 1e-11);
  EXPECT_NEAR(report.gradient(1, 4), 0.5, 1e-11);
}

/// A car with a pendulum; the place of the pendulum's end is given, so that where the car stands depends on the
/// length of the pendulum as it was drawn.
const char* const kPendulumCar = R"yaml(
parameters: {L: {value: 0.8}, m: {value: 1.5}, kt: {value: 4}, X: {value: 0.3}, a0: {value: 0.4}, v0: {value: 2}}
bodies:
  car: {mass: 10, inertia: [1, 1, 1]}
  pole: {mass: m, com: [0, 0, -L/2], inertia: [m*L^2/12, m*L^2/12, 0.01], points: {tip: [0, 0, -L]}}
joints:
  road: {type: prismatic, bodies: [ground, car], points: [[0, 0, 0], [0, 0, 0]], axes: [x, x]}
  pin: {type: revolute, bodies: [car, pole], points: [[0, 0, 0], [0, 0, 0]], axes: [y, y]}
forces:
  weight: {type: gravity, acceleration: [0, 0, -9.81]}
  spring: {type: torsional-spring-damper, joint: pin, stiffness: kt, damping: 0.1, angle: 1}
initial: {pin.q: a0, tip.x: X, road.v: v0}
objectives:
  angle: {terminal: pin.q}
  car: {terminal: road.q}
  end: {terminal: tip.x}
)yaml";

TEST(EquilibriumStart, KeepsWhatTheAssembledStartSays) {
  const GradientReport report = agreed(kPendulumCar, 0);
  ASSERT_EQ(report.status, RunStatus::kDone);
  // tip.x = q − L sin(pin): the axis y turns −z towards −x
  EXPECT_NEAR(report.values[1], 0.3 + 0.8 * std::sin(0.4), 1e-12);
  EXPECT_NEAR(report.gradient(1, 0), std::sin(0.4), 1e-12);
  EXPECT_NEAR(report.gradient(1, 4), 0.8 * std::cos(0.4), 1e-12);
  const double angle = report.values[0];
  EXPECT_NEAR(4 * (1 - angle), 1.5 * 9.81 * 0.4 * std::sin(angle), 1e-11);
}

TEST(EquilibriumStart, RunsFromThere) { agreed(kPendulumCar, 0.3); }

/// The continuous adjoint meets the discrete one up to its steps.
TEST(EquilibriumStart, ContinuousAdjointConverges) {
  const Model model = model_in(kPendulumCar, "joint-com");
  const GradientReport expected = gradient_of(model, "joint-com", "adjoint", 0.3);
  const GradientReport report = gradient_of(model, "joint-com", "continuous-adjoint", 0.3);
  ASSERT_EQ(report.status, RunStatus::kDone) << report.message;
  EXPECT_LE(test::gradient_distance(model, expected, report),
            1e-3);  // h² of motions of some radians per second
}

/// A table on three legs that touch a plane: x, y and the turn about z are free, and turns are Euler parameters.
const char* const kTable = R"yaml(
parameters: {k: {value: 2e4}, m: {value: 12}, cx: {value: 0.07}, psi: {value: 0.3}, w: {value: 0.5}}
bodies:
  table: {mass: m, com: [cx, 0.04, 0], inertia: [0.8, 0.9, 1.5], points: {A: [0.5, 0, 0]}}
joints:
  free: {type: floating, bodies: [ground, table], points: [[0, 0, 0], [0, 0, 0]]}
forces:
  weight: {type: gravity, acceleration: [0, 0, -9.81]}
  leg1: {type: sphere-on-plane, bodies: [ground, table], points: [[0, 0, 0], [0.5, 0, -0.4]], axes: [z, z], stiffness: k, exponent: 1.2, friction: 0.1, static_friction: 0.12}
  leg2: {type: sphere-on-plane, bodies: [ground, table], points: [[0, 0, 0], [-0.3, 0.4, -0.4]], axes: [z, z], stiffness: 2*k, exponent: 1.2, friction: 0.1, static_friction: 0.12}
  leg3: {type: sphere-on-plane, bodies: [ground, table], points: [[0, 0, 0], [-0.3, -0.4, -0.4]], axes: [z, z], stiffness: k, exponent: 1.2, friction: 0.1, static_friction: 0.12}
initial: {free.q1: 0.2, free.q2: 0.1, free.q3: 0.39, free.q4: cos(psi/2), free.q5: 0, free.q6: 0, free.q7: sin(psi/2)}
objectives:
  height: {terminal: A.z}
  place: {terminal: A.x + 2*A.y}
)yaml";

TEST(EquilibriumStart, ATableStandsOnAPlane) {
  const GradientReport report = agreed(kTable, 0);
  ASSERT_EQ(report.status, RunStatus::kDone);
  EXPECT_EQ(report.settings.held->size(), 3U);
  EXPECT_NE(report.gradient(1, 3), 0);  // turned by ψ
}

/// Four-bar linkage on a car: constraint equations that depend on each other beside an indifferent direction.
const char* const kLinkageOnCar = R"yaml(
parameters: {L: {value: 0.6}, k: {value: 20}, X: {value: 0.25}, v0: {value: 3}}
bodies:
  car: {mass: 4, inertia: [1, 1, 1], points: {C: [1, 0, 0]}}
  a: {mass: 1, com: [0.2, 0, 0], inertia: [0.01, 0.02, 0.02], points: {P: [0.4, 0, 0]}}
  b: {mass: 1.2, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1], points: {Q: [1, 0, 0]}}
  c: {mass: 0.8, com: [L/2, 0, 0], inertia: [0.01, 0.03, 0.03], points: {S: [L, 0, 0]}}
joints:
  road: {type: prismatic, bodies: [ground, car], points: [[0, 0, 0], [0, 0, 0]], axes: [x, x]}
  A: {type: revolute, bodies: [car, a], points: [[0, 0, 0], [0, 0, 0]], axes: [z, z]}
  B: {type: revolute, bodies: [a, b], points: [P, [0, 0, 0]], axes: [z, z]}
  D: {type: revolute, bodies: [car, c], points: [C, [0, 0, 0]], axes: [z, z]}
  E: {type: revolute, bodies: [b, c], points: [Q, S], axes: [z, z], cut: true}
forces:
  weight: {type: gravity, acceleration: [0, -9.81, 0]}
  spring: {type: torsional-spring-damper, joint: A, stiffness: k, damping: 0.2, angle: 0.8}
initial: {road.q: X, A.q: 1.2, road.v: v0, A.v: 0.5}
guess: {B.q: -1, D.q: 1.5}
objectives:
  angle: {terminal: A.q}
  place: {terminal: Q.x}
)yaml";

TEST(EquilibriumStart, LoopsOnACar) {
  agreed(kLinkageOnCar, 0);
  agreed(kLinkageOnCar, 0.1);
}

/// A weight that a controller lifts: at rest its integral carries the weight, I s = m g, and the error is zero.
std::string lifted(const std::string& controllers) {
  return R"yaml(
parameters: {m: {value: 2}, P: {value: 40}, I: {value: 25}, D: {value: 6}, goal: {value: 0.3}, s0: {value: 0.2}}
bodies: {load: {mass: m, inertia: [0.1, 0.1, 0.1]}}
joints: {lift: {type: prismatic, bodies: [ground, load], points: [[0, 0, 0], [0, 0, 0]], axes: [z, z]}}
forces:
  weight: {type: gravity, acceleration: [0, 0, -9.81]}
)yaml" + controllers;
}

TEST(EquilibriumStart, AnIntegralCarriesTheLoad) {
  for (const char* proportional : {"P", "(1 + 0*P)"}) {
    const GradientReport report =
        agreed(lifted(std::string(R"yaml(
  motor: {type: joint-force, joint: lift, value: ")yaml") +
                      proportional + R"yaml(*(goal - lift.q) + I*s - D*lift.v"}
states: {s: {rate: goal - lift.q, initial: s0}}
initial: {lift.q: 0.1}
objectives: {place: {terminal: lift.q}, integral: {terminal: s}}
)yaml"),
               0);
    ASSERT_EQ(report.status, RunStatus::kDone) << proportional;
    EXPECT_NEAR(report.values[0], 0.3, 1e-12);
    EXPECT_NEAR(report.values[1], 2 * 9.81 / 25, 1e-12);
    EXPECT_NEAR(report.gradient(1, 2), -2 * 9.81 / 625, 1e-12);
    EXPECT_NEAR(report.gradient(1, 5), 0, 1e-12);
  }
}

/// An integral that nobody reads, and a state that stays as it is: both keep their values, a filter does not.
TEST(EquilibriumStart, StatesThatNothingDeterminesStayAsGiven) {
  const GradientReport report = agreed(lifted(R"yaml(
  motor: {type: joint-force, joint: lift, value: "P*(goal - lift.q) - D*lift.v + offset"}
states:
  unread: {rate: goal - lift.q, initial: s0}
  offset: {rate: 0, initial: 3*s0}
  odometer: {rate: lift.v, initial: 0.1}
  low: {rate: (lift.q - low)/0.3, initial: 0.5}
initial: {lift.q: 0.1, offset.q: 0.7}
objectives:
  place: {terminal: lift.q}
  unread: {terminal: unread}
  low: {terminal: low + odometer}
  angle: {terminal: offset.q*lift.q}
)yaml"),
                                       0);
  ASSERT_EQ(report.status, RunStatus::kDone);
  const double place = 0.3 + (0.6 - 2 * 9.81) / 40;
  EXPECT_NEAR(report.values[0], place, 1e-12);
  EXPECT_NEAR(report.values[1], 0.2, 1e-15);
  EXPECT_NEAR(report.values[2], place + 0.1, 1e-12);
  EXPECT_NEAR(report.gradient(0, 5), 3.0 / 40, 1e-12);
  EXPECT_NEAR(report.gradient(1, 5), 1, 1e-15);
}

/// A car that follows a state that follows the car: the direction in which both move is indifferent, and the car
/// is what is held.
TEST(EquilibriumStart, IndifferentTogetherWithAState) {
  const GradientReport report = agreed(R"yaml(
parameters: {k: {value: 50}, x0: {value: 0.4}, m: {value: 2}, v0: {value: 1.5}}
bodies: {car: {mass: m, inertia: [0.1, 0.1, 0.1]}}
joints: {road: {type: prismatic, bodies: [ground, car], points: [[0, 0, 0], [0, 0, 0]], axes: [x, x]}}
forces: {pull: {type: joint-force, joint: road, value: k*(s - road.q)}}
states: {s: {rate: 3*(road.q - s), initial: 1}}
initial: {road.q: x0, road.v: v0}
objectives: {car: {terminal: road.q}, state: {terminal: s}}
)yaml",
                                       0.2);
  ASSERT_EQ(report.status, RunStatus::kDone);
  EXPECT_NE(report.gradient(0, 1), 0);
}

/// Along a road that is level nothing holds the block; a parameter that tilts it takes the equilibrium away.
TEST(EquilibriumStart, RefusesWhatWouldNotStayInBalance) {
  const std::string text = R"yaml(
parameters: {tilt: {value: 0}, k: {value: 300}}
bodies:
  sled: {mass: 1, inertia: [0.1, 0.1, 0.1]}
  block: {mass: 2, inertia: [0.1, 0.1, 0.1]}
joints:
  slide: {type: prismatic, bodies: [ground, sled], points: [[0, 0, 0], [0, 0, 0]], axes: [x, x]}
  lift: {type: prismatic, bodies: [sled, block], points: [[0, 0, 0], [0, 0, 0]], axes: [z, z]}
forces:
  weight: {type: gravity, acceleration: [9.81*sin(tilt), 0, -9.81*cos(tilt)]}
  spring: {type: translational-spring-damper, joint: lift, stiffness: k, length: 0.1}
initial: {slide.q: 0}
objectives: {place: {terminal: lift.q}}
)yaml";
  for (const std::string coordinates : {"joint-com", "natural"}) {
    const Model model = model_in(text, coordinates);
    for (const std::string method : {"forward", "adjoint", "complex-step", "finite-difference"}) {
      const GradientReport report = gradient_of(model, coordinates, method, 0);
      EXPECT_EQ(report.status, RunStatus::kFailed) << method;
      if (method == "finite-difference") continue;  // finds no equilibrium beside it
      EXPECT_THAT(report.message, HasSubstr("slide.q")) << method;
      EXPECT_THAT(report.message, HasSubstr("tilt")) << method;
    }
    GradientOptions options = options_for(coordinates, "adjoint", 0);
    options.parameters = {1};
    const VecX rho = model.default_rho();
    const GradientReport report =
        gradient(model, std::span<const double>(rho.data(), std::size_t(rho.size())), options);
    EXPECT_EQ(report.status, RunStatus::kDone) << report.message;
    EXPECT_NEAR(report.gradient(0, 0), 2 * 9.81 / 9e4, 1e-13);
  }
}

TEST(EquilibriumStart, SaysThatNothingBalances) {
  const Model model = model_in(R"yaml(
bodies: {block: {mass: 2, inertia: [0.1, 0.1, 0.1]}}
joints: {slide: {type: prismatic, bodies: [ground, block], points: [[0, 0, 0], [0, 0, 0]], axes: [x, x]}}
forces: {push: {type: joint-force, joint: slide, value: 0.3}}
)yaml",
                               "joint-com");
  RunOptions options;
  options.start = "equilibrium";
  options.only_start = true;
  const RunReport report = Simulator(model, options).run(model.default_physical());
  EXPECT_EQ(report.status, RunStatus::kFailed);
  EXPECT_THAT(report.message, HasSubstr("no static equilibrium"));
}

/// A drive moves from the start on: the configuration is that of an equilibrium at rest, the speeds are those of the drive.
TEST(EquilibriumStart, DrivesMoveFromTheStartOn) {
  const GradientReport report = agreed(R"yaml(
parameters: {m: {value: 1.5}, kt: {value: 6}, w: {value: 2}}
bodies:
  arm: {mass: 1, inertia: [0.1, 0.1, 0.1], points: {P: [0.5, 0, 0]}}
  bob: {mass: m, com: [0.3, 0, 0], inertia: [0.01, 0.05, 0.05], points: {T: [0.6, 0, 0]}}
joints:
  A: {type: revolute, bodies: [ground, arm], points: [[0, 0, 0], [0, 0, 0]], axes: [z, z]}
  B: {type: revolute, bodies: [arm, bob], points: [P, [0, 0, 0]], axes: [z, z]}
constraints: {drive: {type: expression, expression: A.q - w*t - 0.2}}
forces:
  weight: {type: gravity, acceleration: [0, -9.81, 0]}
  spring: {type: torsional-spring-damper, joint: B, stiffness: kt, damping: 0.1, angle: 0.1}
initial: {B.q: 0.3}
objectives: {end: {terminal: T.x}, speed: {terminal: T.vy}}
)yaml",
                                       0.1);
  ASSERT_EQ(report.status, RunStatus::kDone);
}

/// Seeded trains of cars and pendula on a flat road: springs between some, nothing between others, places given or
/// assembled.
class RandomTrain {
 public:
  explicit RandomTrain(unsigned seed) : rng_(seed) {
    const int cars = 1 + static_cast<int>(rng_() % 3);
    std::string bodies, joints, forces, initial, objectives = "0";
    const auto add = [](std::string& list, const std::string& item) {
      list += (list.empty() ? "" : ", ") + item;
    };
    for (int c = 0; c < cars; ++c) {
      const std::string n = std::to_string(c);
      const std::string m = parameter("m" + n, 0.5, 3), L = parameter("L" + n, 0.2, 1);
      add(bodies, "car" + n + ": {mass: " + number(1, 5) + ", inertia: [0.1, 0.2, 0.3]}");
      add(bodies, "bob" + n + ": {mass: " + m + ", com: [0, 0, -" + L +
                      "/2], inertia: [0.05, 0.04, 0.02], points: {T" + n + ": [0, 0, -" + L +
                      "]}}");
      add(joints, "r" + n + ": {type: prismatic, bodies: [ground, car" + n +
                      "], points: [[0, 0, 0], [0, 0, 0]], axes: [x, x]}");
      add(joints, "a" + n + ": {type: revolute, bodies: [car" + n + ", bob" + n +
                      "], points: [[0, 0, 0], [0, 0, 0]], axes: [y, y]}");
      if (rng_() % 2) {
        add(forces, "s" + n + ": {type: torsional-spring-damper, joint: a" + n + ", stiffness: " +
                        parameter("k" + n, 1, 9) + ", damping: 0.1, angle: " + number(-1, 1) + "}");
      }
      if (c > 0 && rng_() % 2) {
        add(forces, "c" + n + ": {type: spring-damper, points: [T" + std::to_string(c - 1) + ", T" +
                        n + "], stiffness: " + parameter("j" + n, 5, 40) +
                        ", damping: 1, length: " + number(0.5, 1) + "}");
      }
      const std::string x = parameter("x" + n, 1, 2) + " + " + std::to_string(2 * c);
      add(initial, (rng_() % 2 ? "r" + n + ".q: " : "T" + n + ".x: ") + ("\"" + x + "\""));
      add(initial, "a" + n + ".q: " + number(-0.5, 0.5));
      add(initial, "r" + n + ".v: " + parameter("v" + n, 1, 5));
      objectives +=
          " + " + number(0.5, 2) + "*T" + n + ".x^2 + " + number(0.5, 2) + "*T" + n + ".z";
    }
    add(forces, "weight: {type: gravity, acceleration: [0, 0, -9.81]}");
    text_ = "parameters: {" + parameters_ + "}\nbodies: {" + bodies + "}\njoints: {" + joints +
            "}\nforces: {" + forces + "}\ninitial: {" + initial +
            "}\nobjectives: {all: {terminal: \"" + objectives + "\"}}\n";
  }
  const std::string& text() const { return text_; }

 private:
  std::string number(double low, double high) {
    return std::to_string(std::uniform_real_distribution<double>(low, high)(rng_));
  }
  std::string parameter(const std::string& name, double low, double high) {
    parameters_ +=
        (parameters_.empty() ? "" : ", ") + name + ": {value: " + number(low, high) + "}";
    return name;
  }

  std::mt19937 rng_;
  std::string parameters_, text_;
};

TEST(EquilibriumStart, RandomTrainsOnAFlatRoad) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const RandomTrain train(seed);
    SCOPED_TRACE(train.text());
    agreed(train.text(), seed % 3 == 0 ? 0.05 : 0);
  }
}

}  // namespace
}  // namespace kinegrad
