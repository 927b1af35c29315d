// A chain of links on hinges, universal, spherical and cylindrical joints in turn, straight along x at first, with
// or without a few constraint equations: long enough to be differentiated by recursion.
#pragma once

#include <fmt/format.h>

#include <string>

#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/compile.hpp"

namespace kinegrad::test {

enum class ChainJoints { kHinges, kAll };

/// Parameters: mass m and length L of a link, stiffness k and damping d of the hinges, gravity g and, with
/// constraints, the acceleration A of the first hinge. Constrained chains keep their tip on a plane, turn their first hinge
/// with time and hold the distance of a link in the middle from the ground.
inline std::string long_chain_yaml(int links, ChainJoints joints, bool constrained) {
  std::string text = "parameters: {m: 1.2, L: 0.8, k: 4, d: 0.1, g: 9.81, A: 0.5}\n";
  text += fmt::format("points: {{O: [0.4*L, 0, {}*L]}}\nbodies:\n", constrained ? 2 : 0);
  for (int i = 0; i < links; ++i) {
    text += fmt::format(
        "  B{}: {{mass: m, com: [L/2, 0.01, -0.02], inertia: [0.02, m*L^2/12, m*L^2/12], "
        "points: {{T: [L, 0, 0]}}}}\n",
        i);
  }
  text += "joints:\n";
  std::string forces = "forces:\n  weight: {type: gravity, acceleration: [0.4, -g, 1]}\n";
  for (int i = 0; i < links; ++i) {
    const int kind = joints == ChainJoints::kHinges ? i % 2 : i % 5;
    const std::string between =
        fmt::format("bodies: [{}, B{}], points: [[{}, 0, 0], [0, 0, 0]]",
                    i == 0 ? "ground" : fmt::format("B{}", i - 1), i, i == 0 ? "0" : "L");
    const char* const types[] = {"type: revolute, axes: [z, z]", "type: revolute, axes: [y, y]",
                                 "type: universal, axes: [z, y]", "type: spherical",
                                 "type: cylindrical, axes: [x, x]"};
    text += fmt::format("  J{}: {{{}, {}}}\n", i, types[kind], between);
    if (kind > 1) continue;
    forces += fmt::format(
        "  coil{0}: {{type: torsional-spring-damper, joint: J{0}, stiffness: k, damping: d, angle: "
        "0.1}}\n",
        i);
  }
  text += forces;
  const int middle = links / 2, tip = links - 1;
  if (constrained) {
    text += fmt::format(
        "constraints:\n"
        "  plane: {{type: prescribed, coordinate: B{}.T.y, value: 0}}\n"
        "  drive: {{type: prescribed, coordinate: J0.q, value: A*t^2}}\n"
        "  rod: {{type: distance, points: [O, B{}.T], length: sqrt(({} - 0.4)^2 + 4)*L}}\n",
        tip, middle, middle + 1);
  }
  text += fmt::format(
      "objectives:\n"
      "  path: {{integral: B{1}.T.vy*B{0}.T.vz + J1.v^2 + t*B{1}.T.vz + B{1}.T.z*J1.a}}\n"
      "  last: {{terminal: B{0}.T.vx + B{1}.T.vz*B{1}.T.y}}\n",
      tip, middle);
  return text;
}

inline Model long_chain(int links, ChainJoints joints, bool constrained) {
  return compile_model(
      parse_model_yaml(long_chain_yaml(links, joints, constrained), "long_chain.yaml"));
}

}  // namespace kinegrad::test
