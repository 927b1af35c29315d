#include "kinegrad/io/model_reference.hpp"

#include <fmt/format.h>

#include "io/model_examples.hpp"
#include "io/noise.hpp"
#include "io/samples.hpp"
#include "kinegrad/math/expression_parser.hpp"
#include "kinegrad/model/joint_model.hpp"

namespace kinegrad {

namespace {

using io::FieldKind;
using io::KeyInfo;
using io::KeyTable;

constexpr std::string_view kHead =
    R"(<!-- Made by `kinegrad schema --markdown` from the tables of the reader; a test compares this page with them. -->
# The model file

A model is one YAML file in SI units and radians. Every key stands in a table below with what it takes, its unit and its default. Keys that are
not listed are errors, with the nearest known one named; so are keys that stand twice. `kinegrad check MODEL.yaml` finds all mistakes at once, each
with file, line and element; editors complete and check with [the JSON Schema](../schema/kinegrad-model.schema.json):

```yaml
# yaml-language-server: $schema=path/to/kinegrad-model.schema.json
```

## What stands behind a key
| Type | Is written as |
|---|---|
| number | a literal or an expression of parameters: `2.5`, `m*L^2/12` |
| expression | the same, of time and signals too |
| constant | a literal or an expression without names: `2*pi` |
| vector | three numbers, an axis `x y z -x -y -z`, or the name of a point or vector: `arm.tip` |
| name | that of an element of the file |
| coordinate | `J.q` (`J.q1`, `J.q2`, … of joints with several), or a component of a point or vector: `P.x`, `B.P.y` |
| text, word, flag | any text; one of the words listed; `true` or `false` |
| range, bounds | `[smallest, largest]`; `null` leaves a side open |

Names are made of letters, digits and `_` and begin with a letter. A point or direction of a body is `body.point`; those of the ground have their name alone.

)";

constexpr std::string_view kReading = R"(## What expressions may read
| Written | Is | Where |
|---|---|---|
| `L`, `u[3]` | a parameter, an element of a range | everywhere |
| `pi`, `tau` | constants | everywhere |
| `t` | time | expressions, rates, signals, objectives, numbers of constraints that may vary |
| `S(x)` | the spline S at x | everywhere |
| `J.q`, `J.v`, `J.a` (`J.q2`, …) | coordinates, speeds, accelerations of a joint | expressions, rates, signals, objectives |
| `J.wx` `J.wy` `J.wz` | angular velocity of the joint's second body relative to its first, axes of the joint; `J.w` of joints with one angle | the same |
| `P.x` `P.vx` `P.ax`, `B.P.x`, … | position, velocity, acceleration of a point, or of the tip of a vector's arrow; world axes | the same |
| `B.x` `B.vx` `B.ax`, … | the same of a body's centre of mass | the same |
| `B.wx` `B.wy` `B.wz` | angular velocity of a body, world axes | the same |
| `F.length`, `F.rate` | distance of the two points of a force, and its rate | the same |
| `F.z`, … | a state of a force, by its name | the same |
| `NAME` | a state, a controller's output (`NAME_integral`: its integral), another signal | the same |
| `F.force`, … | what a force tells of itself: listed with each force | signals, objectives |
| `multiplier(C)`, `multiplier(C, 2)` | what a constraint does along its equation: of a `prescribed` coordinate the force or torque of the drive | signals, objectives |
| `reaction(J, fx)` | what the joint does to its second body: `fx fy fz tx ty tz`, world axes; `reaction(J, fx, joint)` in axes of the joint | signals, objectives, forces in joints that rub |
| `energy`, `kinetic_energy`, `potential_energy` | of the whole mechanism | signals, objectives |

Accelerations, reactions, multipliers, energies and what forces tell of themselves cannot be read by what acts on the motion, but for reactions by forces in joints; what does not fit is refused with its line.
Numbers of forces without a default in their table are 0 where they are not given, or asked for where that makes no sense.

)";

/// Where a description says it, the default; the description loses it.
std::string take_default(std::string& description) {
  constexpr std::string_view kMark = " if not given";
  const std::size_t mark = description.find(kMark);
  if (mark == std::string::npos) return {};
  std::size_t from = description.rfind("; ", mark);
  if (from == std::string::npos) return {};
  const std::size_t after = mark + kMark.size();
  std::string value = description.substr(from + 2, mark - from - 2);
  const std::string rest = description.substr(after);
  description.erase(from);
  description += rest == "." ? "." : rest;
  return value;
}

std::string type_text(const KeyInfo& key) {
  switch (key.kind) {
    case FieldKind::kNumber: return "number";
    case FieldKind::kConstant: return "constant";
    case FieldKind::kVector: return "vector";
    case FieldKind::kText: return "text";
    case FieldKind::kFlag: return "flag";
    case FieldKind::kWord: {
      std::string out;
      for (const std::string& word : key.words) out += (out.empty() ? "`" : ", `") + word + "`";
      return out;
    }
    case FieldKind::kName: return "name";
    case FieldKind::kNumbers: return "list of numbers";
    case FieldKind::kConstants: return "list of constants";
    case FieldKind::kThreeNumbers: return "three numbers";
    case FieldKind::kMatrix6: return "six numbers, or six lists of six";
    case FieldKind::kTwoNames: return "two names";
    case FieldKind::kTwoVectors: return "two vectors";
    case FieldKind::kMotion: return "coordinate";
    case FieldKind::kMotions: return "list of coordinates";
    case FieldKind::kBounds: return "bounds";
    case FieldKind::kNodes:
      return "list of constants, a [node-range](#node-range), or [samples](#samples)";
    case FieldKind::kValues:
      return "list of numbers, a range of parameters, [noise](#noise), or [samples](#samples)";
    case FieldKind::kCount: return "whole number";
    case FieldKind::kEulerParameters: return "four numbers";
    case FieldKind::kOrientation: return "[orientation](#orientation)";
    case FieldKind::kPlacement: return "[placement](#placement)";
    case FieldKind::kInertia: return "[inertia](#inertia)";
    case FieldKind::kShape: return "shape";
    case FieldKind::kShapes: return "list of shapes";
    case FieldKind::kAnalysis: return "[analysis](#analysis)";
    case FieldKind::kOptimize: return "[optimize](#optimize)";
    case FieldKind::kMinimize: return "name, weights by name, or `{minimax: …}`";
    case FieldKind::kParameterNames: return "list of parameters";
    case FieldKind::kScale: return "`automatic`, or numbers by parameter";
    case FieldKind::kObjectiveRanges: return "map of [objective-ranges](#objective-range)";
    case FieldKind::kParameters: return "map of numbers or [parameters](#parameter)";
    case FieldKind::kSplines: return "map of [splines](#spline)";
    case FieldKind::kNamedVectors: return "map of vectors";
    case FieldKind::kBodies: return "map of [bodies](#body)";
    case FieldKind::kJoints: return "map of [joints](#joint)";
    case FieldKind::kForces: return "map of [forces](#forces)";
    case FieldKind::kConstraints: return "map of [constraints](#constraints)";
    case FieldKind::kInitial: return "map from coordinates to numbers";
    case FieldKind::kStates: return "map of [states](#state)";
    case FieldKind::kControllers: return "map of [controllers](#controller)";
    case FieldKind::kSignals: return "map of expressions or [signals](#signal)";
    case FieldKind::kObjectives: return "map of [objectives](#objective)";
  }
  return {};
}

/// Tables of Markdown are divided by bars.
std::string cell(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) {
    text.insert(at, 1, '\\');
  }
  return text;
}

struct KeyRow {
  std::string key, type, unit, otherwise, meaning;
};

KeyRow row_of(const KeyInfo& key) {
  std::string meaning = key.description;
  std::string value = take_default(meaning);
  if (key.required) value = "**required**";
  return {key.key, type_text(key), key.unit == "1" ? "" : key.unit, value, meaning};
}

void add_rows(std::string& out, const std::vector<KeyRow>& rows) {
  out += "| Key | Type | Unit | Default | |\n|---|---|---|---|---|\n";
  for (const KeyRow& row : rows) {
    out += fmt::format("| `{}` | {} | {} | {} | {} |\n", row.key, cell(row.type), row.unit,
                       cell(row.otherwise), cell(row.meaning));
  }
  out += "\n";
}

void add_table(std::string& out, const KeyTable& table) {
  std::vector<KeyRow> rows;
  for (const KeyInfo& key : table.keys) rows.push_back(row_of(key));
  add_rows(out, rows);
}

void add_example(std::string& out, const std::string& text) {
  if (!text.empty()) out += "```yaml\n" + text + "```\n\n";
}

void add_section(std::string& out, const KeyTable& table, const std::string& section) {
  out += "### " + table.context + "\n";
  add_example(out, io::example_of_section(section));
  add_table(out, table);
}

void add_functions(std::string& out) {
  out += "## Functions\n| Function | |\n|---|---|\n";
  for (const FunctionInfo& f : expression_functions()) {
    out += fmt::format("| `{}` | {} |\n", f.name, cell(std::string(f.summary)));
  }
  out +=
      "\nOperators are `+ - * / ^`; there are no comparisons ([the "
      "language](theory/expressions.md)).\n\n";
}

void add_joints(std::string& out, const Catalogue& catalogue) {
  add_section(out, io::joint_keys(), "joints");
  out += "| Type | Coordinates | |\n|---|---|---|\n";
  for (const JointModel* joint : catalogue.joints()) {
    std::string coordinates;
    for (const CoordinateInfo& c : joint->coordinates()) {
      coordinates += (coordinates.empty() ? "" : ", ") + std::string(c.name);
    }
    out += fmt::format("| `{}` | {} | {} |\n", joint->name(), coordinates,
                       cell(std::string(joint->summary())));
  }
  out += "\n";
}

KeyRow attribute_row(const KeyInfo& key, const ForceModel& force) {
  for (const AttributeInfo& a : force.attributes()) {
    if (a.name != key.key) continue;
    KeyRow row = row_of(key);
    if (a.variable || a.ground) row.type = "expression";
    return row;
  }
  return row_of(key);
}

void add_forces(std::string& out, const Catalogue& catalogue) {
  out += "### forces\n";
  add_example(out, io::example_of_section("forces"));
  for (const ForceModel* force : catalogue.forces()) {
    const KeyTable table = io::force_keys(*force);
    out += fmt::format("#### `{}`\n{}.\n\n", force->name(), cell(std::string(force->summary())));
    add_example(out, io::example_of(table, "F") + "\n");
    std::vector<KeyRow> rows;
    for (const KeyInfo& key : table.keys) {
      if (key.key != "type") rows.push_back(attribute_row(key, *force));
    }
    add_rows(out, rows);
    std::string states;
    for (const StateInfo& state : force->states()) {
      states += fmt::format("{}`F.{}`", states.empty() ? "" : ", ", state.name);
    }
    for (const ForceSignal& signal : force->signals()) {
      states += fmt::format("{}`F.{}` {}", states.empty() ? "" : ", ", signal.name,
                            signal.unit.empty() ? "" : "[" + std::string(signal.unit) + "]");
    }
    if (!states.empty()) out += "Signals may read " + states + ".\n\n";
  }
}

void add_constraints(std::string& out, const Catalogue& catalogue) {
  out += "### constraints\n";
  add_example(out, io::example_of_section("constraints"));
  for (const ConstraintModel* constraint : catalogue.constraints()) {
    const KeyTable table = io::constraint_keys(*constraint);
    out += fmt::format("#### `{}`\n{}.\n\n", constraint->name(),
                       cell(std::string(constraint->summary())));
    add_example(out, io::example_of(table, "C") + "\n");
    std::vector<KeyRow> rows;
    for (const KeyInfo& key : table.keys) {
      if (key.key != "type") rows.push_back(row_of(key));
    }
    add_rows(out, rows);
  }
}

}  // namespace

std::string model_reference(const Catalogue& catalogue) {
  std::string out(kHead);
  out += kReading;
  add_functions(out);
  out += "## An example of every section\n";
  add_example(out, io::example_model());
  out += "## Sections\n";
  add_table(out, io::model_keys());
  add_section(out, io::parameter_keys(), "parameters");
  add_section(out, io::spline_keys(), "splines");
  add_section(out, io::node_range_keys(), "");
  add_section(out, io::noise_keys(), "");
  add_section(out, io::samples_keys(), "");
  add_section(out, io::body_keys(), "bodies");
  add_section(out, io::placement_keys(), "");
  add_section(out, io::orientation_keys(), "");
  add_section(out, io::inertia_keys(), "");
  for (const std::string& type : io::shape_types()) add_section(out, io::shape_keys(type), "");
  add_joints(out, catalogue);
  add_forces(out, catalogue);
  add_constraints(out, catalogue);
  add_section(out, io::state_keys(), "states");
  add_section(out, io::controller_keys(), "controllers");
  add_section(out, io::signal_keys(), "signals");
  add_section(out, io::objective_keys(), "objectives");
  add_section(out, io::analysis_keys(), "analysis");
  add_section(out, io::optimize_keys(), "optimize");
  add_section(out, io::objective_range_keys(), "");
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

}  // namespace kinegrad
