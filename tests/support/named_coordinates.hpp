// Examples that name their independent coordinates, points among them, with parameters that move those
// points, masses, springs and the start.
#pragma once

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/compile.hpp"
#include "support/sample_models.hpp"

namespace kinegrad::test {

inline Model naming(ModelDescription description, const std::vector<std::string>& names,
                    CoordinateSet set = CoordinateSet::kJoint) {
  for (const std::string& name : names) description.analysis.independent.emplace_back(name);
  return compile_model(description, builtin_catalogue(), set);
}

/// An example as it is.
inline Model naming(const std::string& example, const std::vector<std::string>& names,
                    CoordinateSet set = CoordinateSet::kJoint) {
  return naming(read_model_yaml(source_path("examples/" + example + ".yaml")), names, set);
}

/// An example with some of its text changed.
inline ModelDescription rewritten(const std::string& example,
                                  const std::vector<std::pair<std::string, std::string>>& changes) {
  std::ostringstream all;
  all << std::ifstream(source_path("examples/" + example + ".yaml")).rdbuf();
  std::string text = all.str();
  for (const auto& [from, to] : changes) {
    const auto at = text.find(from);
    if (at == std::string::npos) throw std::logic_error(example + " has no " + from);
    text.replace(at, from.size(), to);
  }
  return parse_model_yaml(text, example);
}

/// The five-bar mechanism with a point Q beside the bar B12 that two parameters move, and a start that
/// two others do; it begins with a speed.
inline ModelDescription five_bar_with_point() {
  return rewritten(
      "five_bar",
      {{"parameters:",
        "parameters:\n  x_Q: {value: 0.7}\n  y_Q: {value: 0.3}\n  A_0: {value: -3*pi/4}\n"
        "  w_0: {value: 0.5}"},
       {"{P2: [sqrt(13)/2, 0, 0]}", "{P2: [sqrt(13)/2, 0, 0], Q: [x_Q, y_Q, 0]}"},
       {"A.q: -3*pi/4", "A.q: A_0"},
       {"A.v: 0", "A.v: w_0"},
       {"objectives:",
        "objectives:\n  all:\n    integral: Q.ax^2 + kinetic_energy*Q.y\n"
        "    terminal: Q.vx*A.a + reaction(A, fx)*P3.x\n"}});
}

/// The spatial slider-crank with a place of D that is a parameter, a direction u on the crank, and a start
/// that is one as well.
inline ModelDescription slider_crank_with_point() {
  return rewritten(
      "slider_crank",
      {{"parameters:", "parameters:\n  x_D: {value: 0.05}\n  w_0: {value: 6}"},
       {"{D: [0.05, 0, 0]}", "{D: [x_D, 0.01, 0]}"},
       {"points: {B: [0, 0, 0.08]}", "points: {B: [0, 0, 0.08]}\n    vectors: {u: [0.1, 0, 1]}"},
       {"crank.v: 6", "crank.v: w_0"},
       {"objectives:",
        "objectives:\n  all:\n    integral: D.ax*crank.v + reaction(crank, tx)\n"
        "    terminal: C.vy^2 + D.ax\n"}});
}

/// One of them and what it is to integrate.
struct NamedCase {
  const char* name;
  ModelDescription (*description)();
  std::vector<std::string> names;
  double step, end;
};

/// Points of one body, of two, a point with a joint, a point that parameters move, a direction; a loop in
/// the plane, one in space.
inline const std::vector<NamedCase>& named_cases() {
  static const std::vector<NamedCase> all{
      {"five_bar_joint_of_bars", five_bar_with_point, {"P2.x", "P2.y"}, 5e-3, 0.05},
      {"five_bar_moved_point", five_bar_with_point, {"Q.x", "Q.y"}, 5e-3, 0.05},
      {"five_bar_joint_and_point", five_bar_with_point, {"A.q", "Q.x"}, 5e-3, 0.05},
      {"five_bar_point_and_joint", five_bar_with_point, {"P3.x", "J1.q"}, 5e-3, 0.05},
      {"slider_crank_slider", slider_crank_with_point, {"D.x"}, 5e-3, 0.03},
      {"slider_crank_direction", slider_crank_with_point, {"crank.u.y"}, 5e-3, 0.03}};
  return all;
}

}  // namespace kinegrad::test
