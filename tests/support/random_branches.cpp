#include <fmt/format.h>

#include <vector>

#include "support/random_kinks.hpp"
#include "support/random_mechanisms.hpp"

namespace kinegrad::test {

namespace {

constexpr const char* kBlock = R"yaml(
bodies:
  a: {mass: m, com: [0,0,0], inertia: [0.1,0.1,0.1]}
joints:
  J1: {type: prismatic, bodies: [ground, a], points: [[0,0,0],[0,0,0]], axes: [x, x], references: [y, y]}
)yaml";
constexpr const char* kPendulum = R"yaml(
bodies:
  a: {mass: m, com: [0.5,0,0], inertia: [0.01,0.1,0.1]}
joints:
  J1: {type: revolute, bodies: [ground, a], points: [[0,0,0],[0,0,0]], axes: [z, z], references: [x, x]}
)yaml";

/// A law along q with a branch at {0}; {1} is "translational" or "torsional", {2} "length" or "angle", {3} its name at rest.
const std::vector<std::string> kAlong{
    "{{type: {1}-bump-stop, joint: J1, stiffness: 40*k, {2}: \"{0} + 0.0*k\"}}",
    "{{type: {1}-rebound-stop, joint: J1, stiffness: 40*k, {2}: {0}}}",
    "{{type: {1}-bump-stop, joint: J1, stiffness: 100*k, {2}: {0}, exponent: 1.5}}",
    "{{type: {1}-rebound-stop, joint: J1, stiffness: 100*k, {2}: {0}, exponent: 2}}",
    "{{type: {1}-leaf-spring, joint: J1, stiffness: 3*k, {2}: 0, kink: {0}, stop_stiffness: 50*k}}",
    "{{type: {1}-leaf-spring, joint: J1, stiffness: 3*k, {2}: 0, kink: {0}, stop_stiffness: 50*k, "
    "width: 0.05}}",
    "{{type: {1}-nonlinear-spring, joint: J1, potential: \"5*k*abs({2} - {0})\"}}",
    "{{type: {1}-nonlinear-spring, joint: J1, potential: \"20*k*max({2} - {0}, 0)^2\"}}",
    "{{type: {1}-nonlinear-spring, joint: J1, potential: \"4*k*min({2}, {0})\"}}",
    "{{type: {1}-nonlinear-spring, joint: J1, law: \"-20*k*max({2} - {0}, 0) - c*rate\"}}",
    "{{type: joint-friction, joint: J1, normal_force: \"20*(J1.q - {0})\", friction: 0.3{3}}}",
    "{{type: joint-friction, joint: J1, normal_force: 5, friction: 0.3, static_friction: 0.4{3}, "
    "friction_law: gonthier, slip_speed: 0.3, bristle_stiffness: 100, bristle_damping: 1, "
    "dwell_time: 0.05}}",
};

/// Contacts of a point of the body with a wall across its way at {0}.
const std::vector<std::string> kWall{
    "normal_law: kelvin-voigt-jump, stiffness: 200*k, damping: 20*c",
    "normal_law: kelvin-voigt-jump, stiffness: 200*k",
    "normal_law: kelvin-voigt, stiffness: 200*k, damping: 20*c, ramp_depth: 0.01",
    "normal_law: kelvin-voigt, stiffness: 200*k, damping: 20*c, ramp_depth: 0.01, rebound: 0.3",
    "stiffness: 300*k, exponent: 1, dissipation: 0.2*c",
    "stiffness: 1000*k, dissipation: 0.2*c",
    "stiffness: 300*k, exponent: 1.2, dissipation: 3*c",
};

/// Grounds under a body that moves along x at height 0.
const std::vector<std::string> kGround{
    "-0.25 + 0.4*abs(x - {0})",
    "-0.25 + max(x - {0}, 0)",
    "-0.25 + 2*max(x - {0}, 0)^2",
    "-0.25 - 0.2*smooth_abs(x - {0}, 0.05)",
    "-0.25 + bend(x)",
};

}  // namespace

KinkCase random_branches(std::uint64_t seed) {
  Dice dice(seed * 6007 + 29);
  KinkCase out;
  out.seed = seed;
  const bool block = dice.chance(0.65), rest = dice.chance(0.2);
  const double x0 = dice.chance(0.2) ? 0.2 : dice.uniform(-0.3, 0.3);
  const std::size_t kind = dice.below(block ? 10 : 5);
  const std::string& law = dice.of(kind < 5 ? kAlong : kind < 8 ? kWall : kGround);
  // beside a slope like a root differences are no judge
  const bool root =
      law.find("exponent: 1.") != std::string::npos || law.starts_with("stiffness: 1000");
  const bool at_start = dice.chance(0.15) && !root;
  const double at = at_start ? x0 : x0 + dice.uniform(-0.25, 0.25);
  const std::string place = fmt::format("{:.17g}", at);
  out.yaml = fmt::format(
      "parameters: {{m: {:.4f}, k: {:.4f}, c: {:.4f}, x0: {:.17g}, w: {}}}\n"
      "splines: {{bend: {{type: linear, nodes: [-1, {:.4f}, 1], values: [0, 0.1, 0]}}}}\n",
      dice.uniform(0.5, 2), dice.uniform(0.5, 5), dice.uniform(0.1, 1), x0,
      rest ? std::string("0") : fmt::format("{:.4f}", dice.uniform(-2, 2)), at);
  out.yaml += block ? kBlock : kPendulum;
  std::string force;
  if (kind < 5) {
    force = fmt::format(fmt::runtime(law), place, block ? "translational" : "torsional",
                        block ? "length" : "angle", block ? "" : ", radius: 0.5");
  } else if (kind < 8) {  // a wall at x = place, outside of it the smaller x or the larger ones
    const bool right = dice.chance(0.5);
    force = fmt::format(
        "{{type: sphere-on-plane, bodies: [ground, a], points: [[{}, 0, 0], [0, 0, 0]], "
        "axes: [{}, {}], references: [y, y], {}}}",
        place, right ? "[-1, 0, 0]" : "x", right ? "[-1, 0, 0]" : "x", law);
  } else {
    force = fmt::format(
        "{{type: sphere-on-plane, bodies: [ground, a], points: [[0, 0, 0], [0, 0, 0]], axes: [z, "
        "z], "
        "references: [x, x], radius: 0.3, stiffness: 300*k, exponent: 1.5, friction: 0.01, ground: "
        "\"{}\"}}",
        fmt::format(fmt::runtime(law), place));
  }
  out.yaml += "forces:\n  f: " + force + "\n";
  if (dice.chance(0.5)) {
    out.yaml += "  weight: {type: gravity, acceleration: [2.1, -9.81, 0]}\n";
  }
  out.yaml += "initial: {J1.q: x0, J1.v: w}\n";
  out.yaml +=
      "objectives:\n  end: {terminal: \"J1.q + 0.3*J1.v\"}\n  path: {integral: \"J1.q^2\"}\n";
  using Words = std::vector<std::string>;
  static const Words all{"trapezoidal", "newmark", "hht", "generalized-alpha", "rk4", "dopri5"};
  out.run.formulation = dice.chance(0.5) ? "semi-recursive" : "matrix-r";
  out.run.integrator = dice.of(all);
  out.run.step = dice.decades(2e-3, 2e-2);
  out.run.end = out.run.step * static_cast<double>(10 + dice.below(50));
  out.method = dice.chance(0.5) ? "forward" : "adjoint";
  out.name = fmt::format("{}: {}, {}{}{}: {} × {}, {}", seed, block ? "block" : "pendulum", force,
                         rest ? ", at rest" : "", at == x0 ? ", at the kink" : "",
                         out.run.formulation, out.run.integrator, out.method);
  return out;
}

}  // namespace kinegrad::test
