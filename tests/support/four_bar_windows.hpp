// N four-bar windows in a row (IFToMM benchmark A02): bars and couplers of 1 m and 1 kg, started upright with
// 1 m/s under gravity. It has one degree of freedom, keeps its energy, and is singular where it is flat.
#pragma once

#include <fmt/format.h>

#include <string>

namespace kinegrad::test {

inline std::string four_bar_windows(int windows) {
  std::string bodies, joints, points;
  const auto inertia = "mass: m, com: [L/2, 0, 0], inertia: [0, m*L^2/12, m*L^2/12]";
  for (int i = 0; i <= windows; ++i) {
    points += fmt::format("  A{}: [{}*L, 0, 0]\n", i, i);
    bodies += fmt::format("  bar{}: {{{}, points: {{B{}: [L, 0, 0]}}}}\n", i, inertia, i);
    joints += fmt::format(
        "  H{}: {{type: revolute, bodies: [ground, bar{}], points: [A{}, [0, 0, 0]], axes: [z, z], "
        "references: [{}, x]}}\n",
        i, i, i, i == 0 ? "x" : "y");
    if (i == windows) break;
    bodies += fmt::format("  top{}: {{{}, points: {{C{}: [L, 0, 0]}}}}\n", i, inertia, i);
    joints += fmt::format(
        "  P{}: {{type: revolute, bodies: [bar{}, top{}], points: [B{}, [0, 0, 0]], axes: [z, z], "
        "references: [-y, x]}}\n",
        i, i, i, i);
    joints += fmt::format(
        "  Q{}: {{type: revolute, bodies: [top{}, bar{}], points: [C{}, B{}], axes: [z, z], "
        "references: [y, x]}}\n",
        i, i, i + 1, i, i + 1);
  }
  return "parameters: {g: 9.81, L: 1, m: 1, v0: 1}\npoints:\n" + points + "bodies:\n" + bodies +
         "joints:\n" + joints + R"(forces:
  weight: {type: gravity, acceleration: [0, -g, 0]}
initial: {H0.q: pi/2, H0.v: -v0/L}
signals: {x: B0.x, energy_total: energy}
objectives:
  x_end: {terminal: B0.x}
  y_end: {terminal: B0.y}
)";
}

}  // namespace kinegrad::test
