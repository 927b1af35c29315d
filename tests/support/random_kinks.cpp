#include "support/random_kinks.hpp"

#include <fmt/format.h>

#include <vector>

#include "support/random_mechanisms.hpp"

namespace kinegrad::test {

namespace {

/// A mechanism with one coordinate to act on.
struct Base {
  const char *name, *coordinate, *joint, *text, *point;
  bool loop = false;
};

constexpr const char* kBlock = R"yaml(
points: {G: [0, 0, 0]}
bodies:
  a: {mass: m, com: [0,0,0], inertia: [0.1,0.1,0.1], points: {tip: [0,0,0]}}
joints:
  J1: {type: prismatic, bodies: [ground, a], points: [[0,0,0],[0,0,0]], axes: [x, x], references: [y, y]}
)yaml";
constexpr const char* kPendulum = R"yaml(
points: {G: [0.9, 0.1, 0]}
bodies:
  a: {mass: m, com: [0.5,0,0], inertia: [0.01,0.1,0.1], points: {tip: [1,0,0]}}
joints:
  J1: {type: revolute, bodies: [ground, a], points: [[0,0,0],[0,0,0]], axes: [z, z], references: [x, x]}
)yaml";
constexpr const char* kFourBar = R"yaml(
points: {D: [2.5, -1, 0], G: [0.9, 0.3, 0]}
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

/// An expression of a coordinate q, its speed v and the time with a kink or a jump at `at`.
std::string kinked(Dice& dice, const std::string& at) {
  const std::vector<std::string> all{
      "k*abs(J1.q - {0})",
      "-c*abs(J1.v)*J1.v",
      "-k*max(J1.q - {0}, 0)",
      "k*min(J1.q, {0})",
      "-c*sign(J1.v)",
      "-k*sign(J1.q - {0})",
      "-c*(1 + sign(J1.q - {0}))*J1.v",
      "k*sign(t - {1})",
      "k*max(t - {1}, 0)*J1.q",
      "-k*atan2(J1.q - {0}, -0.5)",
      "-k*bend(J1.q)",
      "k*push(t)",
      "-k*max(min(5*(J1.q - {0}) + J1.v, 0.5), -0.5)",
      "-k*abs(max(J1.q, {0}) - J1.v)",
      "-k*sign(tip.y - {0})",
      "-k*abs(tip.x - tip.y)",
      "-k*sign(t - x0 - 0.1)*J1.q",
      "-k*sqrt(abs(J1.q - {0}))*J1.q",
      "-k*hypot(J1.q - {0}, 0.0)",
  };
  return fmt::format(fmt::runtime(dice.of(all)), at,
                     fmt::format("{:.3f}", dice.uniform(0.05, 0.3)));
}

}  // namespace

KinkCase random_kinks(std::uint64_t seed) {
  Dice dice(seed * 7919 + 13);
  KinkCase out;
  out.seed = seed;
  static const std::vector<Base> bases{{"block", "J1.q", "J1", kBlock, "tip"},
                                       {"pendulum", "J1.q", "J1", kPendulum, "tip"},
                                       {"four bar", "J1.q", "J1", kFourBar, "tip", true}};
  const Base& base = dice.of(bases);
  // a start at a kink, beside it, or anywhere
  const double x0 = dice.chance(0.25) ? 0.2 : dice.uniform(-0.3, 0.3);
  const double at = dice.chance(0.4) ? x0 : dice.chance(0.3) ? 0 : x0 + dice.uniform(-0.2, 0.2);
  const bool rest = dice.chance(0.3);
  out.yaml = fmt::format(
      "parameters: {{m: {:.4f}, k: {:.4f}, c: {:.4f}, x0: {:.17g}, w: {}, u: {{value: 0.5, count: "
      "5}}}}\n",
      dice.uniform(0.5, 2), dice.uniform(0.5, 5), dice.uniform(0.1, 1), x0,
      rest ? std::string("0") : fmt::format("{:.4f}", dice.uniform(-2, 2)));
  const bool flat = dice.chance(0.2);
  out.yaml += fmt::format(
      "splines:\n  bend: {{type: linear, nodes: [-0.4, -0.2, 0, {:.3f}, 0.4], values: [0, "
      "\"u[1]\", "
      "0.2, \"u[2]\", 1]}}\n"
      "  push: {{type: {}, nodes: [0, 0.1, 0.2, 0.3, 0.4], values: {}}}\n",
      dice.uniform(0.05, 0.3), dice.chance(0.5) ? "linear" : "monotone",
      flat ? "u" : "[\"u[0]\", \"2*u[1]\", \"3*u[2]\", \"4*u[3]\", \"5*u[4]\"]");
  out.yaml += base.text;
  const std::string place = fmt::format("{:.17g}", at);
  const std::string one = kinked(dice, place), two = dice.chance(0.4) ? kinked(dice, place) : "0*k";
  std::string forces =
      fmt::format("  f: {{type: joint-force, joint: J1, value: \"{} + {}\"}}\n", one, two);
  std::string what = one;
  if (dice.chance(0.3)) {
    forces += fmt::format(
        "  s: {{type: spring-damper, points: [G, {}], stiffness: 3*k, length: {}, damping: c}}\n",
        base.point, dice.chance(0.7) ? "0.3" : "0");
    what += " + spring";
  }
  if (dice.chance(0.25)) {
    out.yaml += fmt::format(
        "controllers: {{hold: {{error: {} - J1.q, rate: 0 - J1.v, P: 4*k, I: k, D: c, limit: "
        "{:.3f}}}}}\n",
        place, dice.uniform(0.1, 3));
    forces += "  h: {type: joint-force, joint: J1, value: hold}\n";
    what += " + controller";
  }
  if (dice.chance(0.2)) {
    out.yaml += fmt::format(
        "states: {{slow: {{rate: (abs(J1.q - {}) - slow)/0.2 + sign(J1.v)*c, initial: 0}}}}\n",
        place);
    forces += "  r: {type: joint-force, joint: J1, value: slow}\n";
    what += " + state";
  }
  if (dice.chance(0.5)) forces += "  weight: {type: gravity, acceleration: [1.1, -9.81, 0]}\n";
  out.yaml += "forces:\n" + forces;
  out.yaml += "initial: {J1.q: x0, J1.v: w}\n";
  out.yaml += fmt::format(
      "objectives:\n  end: {{terminal: \"{}\"}}\n  path: {{integral: \"{}\"}}\n",
      dice.chance(0.7) ? "J1.q + 0.3*J1.v" : "max(J1.q, " + place + ")",
      dice.chance(0.6) ? "J1.q^2 + tip.x" : "abs(J1.q - " + place + ") + sign(J1.v)*0.1");
  using Words = std::vector<std::string>;
  static const Words chains{"semi-recursive", "fully-recursive"},
      loops{"ali3p", "matrix-r", "index1"};
  static const Words all{"trapezoidal", "newmark", "hht", "generalized-alpha", "rk4", "dopri5"};
  out.run.formulation = dice.of(base.loop ? loops : chains);
  do {
    out.run.integrator = dice.of(all);
  } while (out.run.formulation == "ali3p" &&
           (out.run.integrator == "rk4" || out.run.integrator == "dopri5"));
  out.run.step = dice.decades(3e-3, 3e-2);
  out.run.end = out.run.step * (10 + dice.below(25));
  out.method = dice.chance(0.5) ? "forward" : "adjoint";
  out.name = fmt::format("{}: {}, {}{}{}: {} × {}, {}", seed, base.name, what,
                         rest ? ", at rest" : "", at == x0 ? ", at the kink" : "",
                         out.run.formulation, out.run.integrator, out.method);
  return out;
}

}  // namespace kinegrad::test
