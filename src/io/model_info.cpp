#include "kinegrad/io/model_info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kinegrad/math/views.hpp"
#include "kinegrad/model/markers.hpp"
#include "kinegrad/model/physical.hpp"
#include "kinegrad/simulation/mobility.hpp"
#include "kinegrad/simulation/unique_reactions.hpp"

namespace kinegrad {

namespace {

std::string join(const std::vector<std::string>& words, std::string_view separator) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : std::string(separator)) + word;
  return out;
}

/// Characters as a reader counts them: UTF-8 continuation bytes do not.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

using Row = std::vector<std::string>;

/// Rows in aligned columns; the first row is the heading.
std::string table(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string out;
  for (const Row& row : rows) {
    std::string line = "  ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i] + std::string(widths[i] - width(row[i]) + 2, ' ');
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

const Joint& joint_of(const Model& model, int j) {
  return model.joints()[static_cast<std::size_t>(j)];
}
const std::string& body_name(const Model& model, int b) {
  return model.bodies()[static_cast<std::size_t>(b)].name;
}

std::string coordinates_text(const Model& model, const Joint& joint) {
  std::vector<std::string> names;
  for (int c = 0; c < joint.type->nq(); ++c) {
    names.push_back(model.coordinate_names()[static_cast<std::size_t>(joint.q_first + c)]);
  }
  if (names.size() > 2) return names.front() + " … " + names.back();
  return join(names, ", ");
}

void tree_lines(const Model& model, const std::vector<std::vector<std::size_t>>& children, int body,
                const std::string& indent, std::string& out) {
  const auto& own = children[static_cast<std::size_t>(body)];
  for (std::size_t i = 0; i < own.size(); ++i) {
    const TreeNode& node = model.topology().nodes[own[i]];
    const Joint& joint = joint_of(model, node.joint);
    const bool last = i + 1 == own.size();
    const std::string coordinates = coordinates_text(model, joint);
    const Joint* weld = weld_of(model, joint);
    const std::string carried =
        weld ? "a frame on " + body_name(model, weld->body2) : body_name(model, node.body);
    out += fmt::format("{}{} {}   {} {}{}{}{}\n", indent, last ? "└─" : "├─",
                       carried, joint.type->name(), joint.name,
                       coordinates.empty() ? "" : ": " + coordinates,
                       node.reversed ? " (walked from its second body)" : "",
                       joint.automatic ? " (added: nothing joins it to the ground)" : "");
    tree_lines(model, children, node.body, indent + (last ? "   " : "│  "), out);
  }
}

std::string tree_text(const Model& model) {
  std::vector<std::vector<std::size_t>> children(model.bodies().size());
  const auto& nodes = model.topology().nodes;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (carries_state(model, joint_of(model, nodes[k].joint))) continue;
    children[static_cast<std::size_t>(nodes[k].parent)].push_back(k);
  }
  // a very deep tree is printed as a list: indentation would help nobody
  constexpr int kDeepest = 40;
  const auto deepest = std::max_element(
      nodes.begin(), nodes.end(), [](const auto& a, const auto& b) { return a.depth < b.depth; });
  std::string out = "  ground\n";
  if (deepest != nodes.end() && deepest->depth > kDeepest) {
    for (const TreeNode& node : nodes) {
      const Joint& joint = joint_of(model, node.joint);
      if (carries_state(model, joint)) continue;
      out += fmt::format("  {} on {}   {} {}\n", body_name(model, node.body),
                         body_name(model, node.parent), joint.type->name(), joint.name);
    }
    return out;
  }
  tree_lines(model, children, 0, "  ", out);
  return out;
}

std::string loops_text(const Model& model) {
  std::string out;
  for (const Loop& loop : model.topology().loops) {
    const Joint& cut = joint_of(model, loop.cut_joint);
    std::vector<std::string> names;
    for (int j : loop.joints) names.push_back(joint_of(model, j).name);
    const Joint* kept = joint_of_weld(model, cut);
    if (!kept) names.push_back(cut.name);
    out += fmt::format(
        "  cut {} {} between {} and {}: {}{}\n      loop {}; {} closure equations\n",
        (kept ? kept : &cut)->type->name(), cut.name,
        body_name(model, (kept ? kept : &cut)->body1), body_name(model, cut.body2),
        describe(loop.reason),
        kept ? "; it keeps its coordinates, because a force in it reads reactions" : "",
        join(names, " – "), 6 - cut.type->freedom());
  }
  return out;
}

/// Moments, and products where there are any.
std::string inertia_text(const Mat3& J) {
  std::string out = fmt::format("Jxx {:.4g}, Jyy {:.4g}, Jzz {:.4g}", J(0, 0), J(1, 1), J(2, 2));
  if (J(0, 1) != 0 || J(0, 2) != 0 || J(1, 2) != 0) {
    out += fmt::format(", Jxy {:.4g}, Jxz {:.4g}, Jyz {:.4g}", J(0, 1), J(0, 2), J(1, 2));
  }
  return out + " kg m²";
}

std::string bodies_text(const Model& model, std::span<const double> p) {
  std::vector<Row> rows{{"body", "mass", "centre of mass", "inertia about it, body axes"}};
  for (std::size_t b = 1; b < model.bodies().size(); ++b) {
    const Body& body = model.bodies()[b];
    if (body.auxiliary) continue;
    const Vec3 c = vector_at(p, body.mass.com);
    const Mat3 J = inertia_at(p, body.mass.inertia);
    rows.push_back({body.name,
                    fmt::format("{:.6g} kg", p[static_cast<std::size_t>(body.mass.mass)]),
                    fmt::format("({:.4g}, {:.4g}, {:.4g}) m", c(0), c(1), c(2)), inertia_text(J)});
  }
  return table(rows);
}

std::string coordinates_table(const Model& model, std::span<const double> p) {
  std::vector<Row> rows{{"coordinate", "of", "unit", "start", "speed"}};
  for (const TreeNode& node : model.topology().nodes) {
    const Joint& joint = joint_of(model, node.joint);
    if (carries_state(model, joint)) continue;
    for (int c = 0; c < joint.type->nq(); ++c) {
      const auto k = static_cast<std::size_t>(joint.q_first + c);
      const CoordinateInfo& info = joint.type->coordinates()[static_cast<std::size_t>(c)];
      const double q = p[static_cast<std::size_t>(model.initial_q()) + k];
      const double v = p[static_cast<std::size_t>(model.initial_v()) + k];
      rows.push_back({model.coordinate_names()[k],
                      fmt::format("{} {}", joint.type->name(), info.name),
                      std::string(unit_of(info.kind)),
                      fmt::format("{:.6g}{}", q, model.initial_q_given()[k] ? "" : " (default)"),
                      fmt::format("{:.6g}{}", v, model.initial_v_given()[k] ? "" : " (default)")});
    }
  }
  return table(rows);
}

std::string states_text(const Model& model, std::span<const double> p) {
  std::vector<Row> rows{{"state", "unit", "start"}};
  for (const StateStart& state : states_of(model, p)) {
    rows.push_back(
        {state.name, state.unit.empty() ? "–" : state.unit, fmt::format("{:.6g}", state.start)});
  }
  return rows.size() == 1 ? "" : table(rows);
}

std::string bound_text(double lower, double upper) {
  if (std::isinf(lower) && std::isinf(upper)) return "free";
  const auto side = [](double x) {
    return std::isinf(x) ? std::string("∞") : fmt::format("{:.6g}", x);
  };
  return fmt::format("[{}{}, {}]", std::isinf(lower) ? "−" : "", side(lower), side(upper));
}

std::string parameters_text(const Model& model) {
  std::vector<Row> rows{{"parameter", "value", "unit", "bounds", "used by"}};
  for (const Parameter& p : model.parameters()) {
    constexpr std::size_t kShown = 4;
    std::vector<std::string> users(
        p.users.begin(),
        p.users.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, p.users.size())));
    std::string used = users.empty() ? "nothing" : join(users, ", ");
    if (p.users.size() > kShown) used += fmt::format(" and {} more", p.users.size() - kShown);
    rows.push_back({p.name, fmt::format("{:.10g}", p.value), p.unit.empty() ? "–" : p.unit,
                    p.derived ? "derived" : bound_text(p.lower, p.upper), used});
  }
  return table(rows);
}

/// "1 equation", "5 equations".
std::string counted(int n, const std::string& thing) {
  return fmt::format("{} {}{}", n, thing, n == 1 ? "" : "s");
}

std::string count_text(const Model& model) {
  const CoordinateCount n = count_coordinates(model);
  std::string out = "  " + counted(n.coordinates, "coordinate");
  if (n.normalisations) {
    out += ", " + counted(n.normalisations, "Euler parameter normalisation");
  }
  if (n.closure_rows) out += ", " + counted(n.closure_rows, "loop closure equation");
  if (n.constraint_rows) out += ", " + counted(n.constraint_rows, "constraint equation");
  const Mobility m = mobility_of(model, model.default_physical());
  if (m.freedom < 0) return out + "\n  " + m.message + "\n";
  const auto states = static_cast<int>(states_of(model, model.default_physical()).size());
  out += fmt::format("; {} of freedom", counted(m.freedom - states, "degree"));
  out += states ? "; " + counted(states, "state") + "\n" : "\n";
  if (!m.assembled)
    out += "  CAUTION: " + m.message + "; counted in the initial configuration of the file\n";
  if (m.rows == 0) return out;
  out += fmt::format("  rank {} of {}", m.rank, counted(m.rows, "equation"));
  if (m.position_freedom != m.freedom) {
    out += fmt::format("; {} may be given, {} independent",
                       counted(m.position_freedom - states, "position"),
                       counted(m.freedom - states, "speed"));
  }
  out += "\n";
  for (const Mobility::Redundancy& r : m.redundant) {
    const Constraint& c = model.constraints()[static_cast<std::size_t>(r.constraint)];
    out += fmt::format("  redundant at the start: {} of {} \"{}\"\n", counted(r.rows, "equation"),
                       c.joint >= 0 ? "the closure of joint" : "constraint", c.name);
  }
  if (m.redundant.empty()) return out;
  if (!can_judge_reactions(model)) {
    return out +
           "  which reactions are unique is not known: the constraint equations are too many\n";
  }
  const auto ambiguous = ambiguous_reactions(model, model.default_physical(), in(m.q));
  for (const AmbiguousReaction& one : ambiguous) {
    out += fmt::format("  reaction of joint \"{}\": not unique in {} (its own axes)\n",
                       joint_of(model, one.joint).name, names_of(one.components));
  }
  out += ambiguous.empty() ? "  all reactions are unique\n" : "  all other reactions are unique\n";
  return out;
}

/// `states`: how many of the coordinates of each set are states of the file.
std::string sets_text(const std::vector<CoordinateSize>& sets, int states) {
  if (sets.empty()) return {};
  std::vector<Row> rows{
      {"set", "coordinates", "constraints", "non-zeros of M", "of Phi_q", "estimated step"}};
  for (const CoordinateSize& set : sets) {
    std::string constraints = std::to_string(set.rows);
    if (set.normalisations) constraints += fmt::format(" + {} of lengths", set.normalisations);
    std::string coordinates = std::to_string(set.coordinates - states);
    if (states) coordinates += " + " + counted(states, "state");
    rows.push_back({set.name, coordinates, constraints, std::to_string(set.mass_entries),
                    std::to_string(set.row_entries),
                    (set.step < 1000 ? fmt::format("{:.0f} µs", set.step)
                                     : fmt::format("{:.1f} ms", set.step / 1000)) +
                        (&set.name == &fastest(sets) ? "  (auto takes it)" : "")});
  }
  return table(rows);
}

std::string constraints_text(const Model& model) {
  if (model.constraints().empty()) return {};
  std::vector<Row> rows{{"constraint", "type", "equations"}};
  const std::vector<RowCount> counts = count_rows(model);
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const Constraint& c = model.constraints()[k];
    std::string text = counts[k].holonomic ? std::to_string(counts[k].holonomic) : "";
    if (counts[k].nonholonomic) {
      text += fmt::format("{}{} nonholonomic", text.empty() ? "" : " + ", counts[k].nonholonomic);
    }
    const std::string type =
        c.joint < 0 ? c.type
                    : fmt::format("{} of {}", c.type, joint_of(model, c.joint).type->name());
    rows.push_back({c.name, type, text});
  }
  return table(rows);
}

}  // namespace

bool is_rate(const Model& model, const Force& force) {
  return force.joint >= 0 && carries_state(model, joint_of(model, force.joint));
}

std::vector<StateStart> states_of(const Model& model, std::span<const double> p) {
  std::vector<StateStart> out;
  for (const Joint& joint : model.joints()) {
    if (!carries_state(model, joint)) continue;
    const auto signal = std::find_if(model.signals().begin(), model.signals().end(),
                                     [&](const Signal& s) { return s.name == joint.name; });
    out.push_back({joint.name, signal == model.signals().end() ? "" : signal->unit,
                   p[static_cast<std::size_t>(model.initial_v() + joint.q_first)]});
  }
  return out;
}

std::string force_place(const Model& model, const Force& force) {
  if (force.point1 >= 0) {
    return model.vector_name(force.point1) + " – " + model.vector_name(force.point2);
  }
  if (force.point2 >= 0) return model.vector_name(force.point2);
  if (force.body >= 0) return model.bodies()[static_cast<std::size_t>(force.body)].name;
  if (force.body2 >= 0) {
    const auto name = [&](int body) { return model.bodies()[static_cast<std::size_t>(body)].name; };
    return name(force.body1) + " – " + name(force.body2);
  }
  if (force.joint < 0) return "all bodies";
  return coordinate_place(model, force.joint, force.coordinate);
}

std::string coordinate_place(const Model& model, int index, int coordinate) {
  const Joint& joint = model.joints()[static_cast<std::size_t>(index)];
  return joint.name + ".q" + (joint.type->nq() == 1 ? "" : std::to_string(coordinate + 1));
}

CoordinateCount count_coordinates(const Model& model) {
  CoordinateCount count;
  for (const Joint& joint : model.joints()) {
    if (carries_state(model, joint)) continue;
    if (joint.cut) {
      count.closure_rows += 6 - joint.type->freedom();
    } else {
      count.coordinates += joint.type->nq();
      count.normalisations += joint.type->normalisations();
    }
  }
  for (const ConstraintRow& row : model.constraint_rows()) {
    if (model.constraints()[static_cast<std::size_t>(row.constraint)].joint < 0) {
      ++count.constraint_rows;
    }
  }
  return count;
}

std::vector<RowCount> count_rows(const Model& model) {
  std::vector<RowCount> counts(model.constraints().size());
  for (const ConstraintRow& row : model.constraint_rows()) {
    RowCount& count = counts[static_cast<std::size_t>(row.constraint)];
    ++(row.holonomic ? count.holonomic : count.nonholonomic);
  }
  return counts;
}

std::string model_info_text(const Model& model, const std::vector<CoordinateSize>& sets) {
  const std::vector<double> p = model.default_physical();
  std::string out = model.name().empty() ? model.file() : model.name();
  out += "\n";
  if (!model.description().empty()) out += model.description() + "\n";
  const auto section = [&](const char* title, const std::string& text) {
    if (!text.empty()) out += fmt::format("\n{}\n{}", title, text);
  };
  section("Bodies", bodies_text(model, p));
  section("Tree", tree_text(model));
  section("Loops", loops_text(model));
  section("Joint coordinates", count_text(model) + (model.nq() ? coordinates_table(model, p) : ""));
  section("States", states_text(model, p));
  if (model.analysis().start == "equilibrium") {
    section("Start", "  runs start at the static equilibrium, with the speeds of \"initial\"\n");
  }
  section("Coordinate sets", sets_text(sets, static_cast<int>(states_of(model, p).size())));
  section("Constraints", constraints_text(model));
  if (!model.forces().empty() || !model.reactive_forces().empty()) {
    std::vector<Row> rows{{"force", "type", "acts on"}};
    for (const Force& f : model.forces()) {
      if (is_rate(model, f)) continue;
      rows.push_back({f.name, std::string(f.type->name()), force_place(model, f)});
    }
    for (const ReactiveForce& f : model.reactive_forces()) {
      rows.push_back({f.name, "joint-force",
                      coordinate_place(model, f.joint, f.coordinate) + ", reads reactions"});
    }
    if (rows.size() > 1) section("Forces", table(rows));
  }
  if (!model.parameters().empty()) section("Parameters", parameters_text(model));
  std::vector<std::string> names;
  for (const Signal& s : model.signals()) names.push_back(s.name);
  if (!names.empty()) section("Signals", "  " + join(names, ", ") + "\n");
  names.clear();
  for (const Objective& o : model.objectives()) names.push_back(o.name);
  if (!names.empty()) section("Objectives", "  " + join(names, ", ") + "\n");
  return out;
}

}  // namespace kinegrad
