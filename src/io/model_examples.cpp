#include "io/model_examples.hpp"

#include <sstream>

namespace kinegrad::io {

const std::string& example_model() {
  static const std::string text = R"(name: a driven arm that carries a damped load
description: An example of every section.
degrees: false
parameters:
  L: {value: 0.8, unit: m, bounds: [0.5, 1.2], description: length of the arm}
  m: 2.5
  u: {value: 3, count: 5, unit: N m}
splines:
  torque: {type: cubic, nodes: {from: 0, to: 1, count: 5}, values: u, unit: N m}
points:
  wall: [1.5, 0, 0]
vectors:
  down: [0, -1, 0]
bodies:
  arm:
    mass: m
    com: [L/2, 0, 0]
    inertia: {xx: 0.001, yy: m*L^2/12, zz: m*L^2/12}
    points: {tip: [L, 0, 0]}
    vectors: {along: x}
    shape: {type: capsule, from: [0, 0, 0], to: tip, radius: 0.02}
  load:
    placement: {position: [L, 0, 0], orientation: {axis: z, angle: pi/2}}
    shape: {type: box, size: [0.1, 0.1, 0.2], density: 2700, color: "#4477aa"}
joints:
  shoulder: {type: revolute, bodies: [ground, arm], point: [0, 0, 0], axis: z}
  elbow: {type: revolute, bodies: [arm, load], point: arm.tip, axis: z}
forces:
  weight: {type: gravity, acceleration: [0, -9.81, 0]}
  motor: {type: joint-force, joint: shoulder, value: torque(t) + hold}
  spring: {type: spring-damper, points: [wall, arm.tip], stiffness: 40, damping: 1.5, length: 0.5}
constraints:
  gear: {type: coupling, coordinates: [shoulder.q, elbow.q], factors: [1, 2]}
initial:
  shoulder.q: -pi/6
guess:
  elbow.q: 0.2
states:
  filtered: {rate: (shoulder.q - filtered)/0.05, initial: -pi/6, unit: rad}
controllers:
  hold: {error: -filtered, rate: -shoulder.v, P: 20, I: 5, D: 2, limit: 30, unit: N m}
signals:
  height: {value: arm.tip.y, unit: m}
  pull: reaction(shoulder, fx)
objectives:
  swing: {integral: shoulder.v^2, unit: rad^2/s}
  lift: {terminal: height, unit: m}
analysis: {coordinates: joint-com, formulation: ali3p, integrator: trapezoidal, step: 1e-3, end: 1}
optimize:
  minimize: swing
  parameters: [L, u]
  constraints: {lift: {at_least: -0.6}}
  optimizer: slsqp
)";
  return text;
}

std::string example_of_section(const std::string& section) {
  std::istringstream lines(example_model());
  std::string out;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(' ')) inside = line.starts_with(section + ":");
    if (inside) out += line + "\n";
  }
  return out;
}

namespace {

/// What may stand behind a key that is required.
std::string sample(const KeyInfo& key, const std::string& joint) {
  switch (key.kind) {
    case FieldKind::kWord: return key.words.front();
    case FieldKind::kName: return key.key == "joint" ? joint : key.key == "body" ? "B" : "B.P";
    case FieldKind::kTwoNames: return key.key == "bodies" ? "[ground, B]" : "[A.P, B.P]";
    case FieldKind::kVector: return key.key == "point" ? "B.P" : "z";
    case FieldKind::kTwoVectors: return key.key == "points" ? "[A.P, B.P]" : "[A.d, B.d]";
    case FieldKind::kMotion: return "J.q";
    case FieldKind::kMotions: return "[J.q, K.q]";
    case FieldKind::kNumbers: return "[1, 2]";
    case FieldKind::kMatrix6: return "[1e4, 1e4, 1e4, 1e2, 1e2, 1e2]";
    default: return "1";
  }
}

}  // namespace

std::string example_of(const KeyTable& table, const std::string& name) {
  // S slides, J turns
  const std::string joint = table.context.find("translational") != std::string::npos ? "S" : "J";
  std::string out = name + ": {";
  bool has_number = false;
  const auto add = [&](const KeyInfo& key) {
    if (!out.ends_with('{')) out += ", ";
    out += key.key + ": " + sample(key, joint);
    has_number = has_number || key.kind == FieldKind::kNumber || key.kind == FieldKind::kMatrix6;
  };
  for (const KeyInfo& key : table.keys) {
    if (key.required) add(key);
  }
  // what contacts and joints that rub refuse to be without, depending on their other keys
  const bool contact = table.find("normal_law") != nullptr;
  const bool rubs = table.context == "force-friction" || table.context == "force-joint-friction";
  for (const KeyInfo& key : table.keys) {
    const bool needed =
        contact ? key.key == "stiffness" : rubs && (key.key == "friction" || key.key == "radius");
    if (needed && !key.required) add(key);
  }
  // of forces that need one of several numbers, the first
  for (const KeyInfo& key : table.keys) {
    if (!has_number && !key.required && key.kind == FieldKind::kNumber) add(key);
  }
  return out + "}";
}

}  // namespace kinegrad::io
