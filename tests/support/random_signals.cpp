#include <fmt/format.h>

#include <vector>

#include "support/random_kinks.hpp"
#include "support/random_mechanisms.hpp"

namespace kinegrad::test {

namespace {

/// A mechanism whose tip passes the point G, along x or on the circle of radius 1.
struct MovingTip {
  const char *name, *text;
  bool loop = false, turns = false;
};

constexpr const char* kSlidingTip = R"yaml(
bodies:
  a: {mass: m, com: [0,0,0], inertia: [0.1,0.1,0.1], points: {tip: [0,0,0]}}
joints:
  J1: {type: prismatic, bodies: [ground, a], points: [[0,0,0],[0,0,0]], axes: [x, x], references: [y, y]}
)yaml";
constexpr const char* kTurningTip = R"yaml(
bodies:
  a: {mass: m, com: [0.5,0,0], inertia: [0.01,0.1,0.1], points: {tip: [1,0,0]}}
joints:
  J1: {type: revolute, bodies: [ground, a], points: [[0,0,0],[0,0,0]], axes: [z, z], references: [x, x]}
)yaml";
constexpr const char* kCrankTip = R"yaml(
bodies:
  a: {mass: m, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1], points: {tip: [1, 0, 0]}}
  B: {mass: 2, com: [1, 0, 0], inertia: [0.01, 0.6, 0.6], points: {PB: [2, 0, 0]}}
  C: {mass: 2, com: [1, 0, 0], inertia: [0.01, 0.6, 0.6], points: {PC: [2, 0, 0]}}
joints:
  J1: {type: revolute, bodies: [ground, a], points: [[0,0,0], [0, 0, 0]], axes: [z, z], references: [x, x]}
  J2: {type: revolute, bodies: [a, B], points: [tip, [0, 0, 0]], axes: [z, z], references: [[0.8, -0.6, 0], x]}
  J3: {type: revolute, bodies: [B, C], points: [PB, [0, 0, 0]], axes: [z, z], references: [[0.6, -0.8, 0], x]}
  J4: {type: revolute, bodies: [C, ground], points: [PC, D], axes: [z, z], cut: true}
)yaml";

/// With a kink or a jump at J1.q = {0}, or where the speed turns; some have none.
const std::vector<std::string> kSignals{
    "F.length",
    "F.rate",
    "F.length*F.rate",
    "F.length^2",
    "F.rate^2",
    "exp(-3*F.length)",
    "abs(F.rate)",
    "max(F.rate, 0.1)",
    "F.length/(1 + F.rate^2)",
    "F.length*J1.q + J1.v",
    "J1.v*F.rate",
    "sin(4*F.length)",
    "sqrt((tip.x - G.x)^2 + (tip.y - G.y)^2)",
    "sqrt((tip.x - G.x)^2 + (tip.y - G.y)^2 + (tip.z - G.z)^2)",
    "abs(J1.q - {0})",
    "abs(J1.q - {0})*J1.v",
    "max(J1.q, {0})",
    "min(J1.q, {0})^2",
    "max(J1.q - {0}, 0)^2",
    "sign(J1.q - {0})",
    "sign(J1.v)",
    "sign(J1.q - {0})*(J1.q - {0})",
    "abs(J1.v)",
    "hypot(J1.q - {0}, 0.0)",
    "sqrt((J1.q - {0})^2)*J1.v",
    "(J1.q - {0})/abs(J1.q - {0})",
    "atan2(J1.q - {0}, -0.5)",
    "atan(0.2/(J1.q - {0}))",
    "bend(J1.q)",
    "bend(J1.q)*J1.v",
    "smooth_abs(J1.q - {0}, 0.05)",
    "J1.q^2 + tip.x",
    "total^2",
    "sign(kinetic_a - 0.4)",
    "max(total, 0)",
};

}  // namespace

KinkCase random_signals(std::uint64_t seed) {
  Dice dice(seed * 4409 + 41);
  KinkCase out;
  out.seed = seed;
  static const std::vector<MovingTip> bases{{"block", kSlidingTip},
                                            {"pendulum", kTurningTip, false, true},
                                            {"four bar", kCrankTip, true, true}};
  const MovingTip& base = dice.of(bases);
  const double x0 = dice.uniform(-0.3, 0.3);
  // the ends of the spring do not meet at the start: it has no direction there
  const double meets = x0 + (dice.chance(0.5) ? 1 : -1) * dice.uniform(0.01, 0.3);
  const double at = dice.chance(0.15)  ? x0
                    : dice.chance(0.5) ? meets
                                       : x0 + dice.uniform(-0.3, 0.3);
  const double speed = dice.chance(0.15) ? 0 : dice.uniform(-2, 2);
  const std::string place = fmt::format("{:.17g}", at), meeting = fmt::format("{:.17g}", meets);
  out.yaml =
      fmt::format("parameters: {{m: {:.4f}, k: {:.4f}, c: {:.4f}, x0: {:.17g}, w: {:.4f}}}\n",
                  dice.uniform(0.5, 2), dice.uniform(0.5, 5), dice.uniform(0.1, 1), x0, speed);
  out.yaml += fmt::format(
      "splines: {{bend: {{type: linear, nodes: [-1, {:.4f}, 1], values: [0, k, 0]}}}}\n", at);
  out.yaml += fmt::format("points: {{D: [2.5, -1, 0], G: [{}, {}, 0]}}\n",
                          base.turns ? "cos(" + meeting + ")" : meeting,
                          base.turns ? "sin(" + meeting + ")" : "0");
  out.yaml += base.text;
  out.yaml += fmt::format(
      "forces:\n  F: {{type: spring-damper, points: [{}], stiffness: 3*k, length: 0, damping: "
      "c}}\n",
      dice.chance(0.5) ? "G, tip" : "tip, G");
  if (dice.chance(0.5)) out.yaml += "  weight: {type: gravity, acceleration: [1.1, -9.81, 0]}\n";
  out.yaml += "initial: {J1.q: x0, J1.v: w}\n";
  const auto signal = [&] { return fmt::format(fmt::runtime(dice.of(kSignals)), place); };
  const std::string one = signal(), other = signal();
  out.yaml += "signals: {total: J1.q + 0.3*J1.v, kinetic_a: kinetic_energy}\n";
  out.yaml +=
      fmt::format("objectives:\n  one: {{integral: \"{}\"}}\n  two: {{integral: \"{} + {}\"}}\n",
                  one, other, dice.chance(0.5) ? "J1.q" : "0.2*(" + signal() + ")");
  using Words = std::vector<std::string>;
  static const Words chains{"semi-recursive", "fully-recursive", "matrix-r"},
      loops{"ali3p", "matrix-r", "index1"};
  static const Words all{"trapezoidal", "newmark", "hht", "generalized-alpha", "rk4", "dopri5"};
  out.run.formulation = dice.of(base.loop ? loops : chains);
  do {
    out.run.integrator = dice.of(all);
  } while (out.run.formulation == "ali3p" &&
           (out.run.integrator == "rk4" || out.run.integrator == "dopri5"));
  out.run.step = dice.decades(2e-3, 2e-2);
  out.run.end = out.run.step * static_cast<double>(10 + dice.below(40));
  out.method = dice.chance(0.5) ? "forward" : "adjoint";
  out.name = fmt::format("{}: {}, {}; {}: {} × {}, {}", seed, base.name, one, other,
                         out.run.formulation, out.run.integrator, out.method);
  return out;
}

}  // namespace kinegrad::test
