#include "mutation/drawn_models.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "io/model_keys.hpp"
#include "kinegrad/model/catalogue.hpp"

namespace kinegrad::test {

namespace {

using Rng = std::mt19937_64;
using io::FieldKind;
using io::KeyInfo;
using io::KeyTable;

template <std::size_t n>
std::string one_of(const std::array<std::string_view, n>& words, Rng& rng) {
  return std::string(words[rng() % n]);
}

/// J and K turn, S slides, F flies: wheels and spheres that touch the ground, or nearly.
constexpr std::string_view kMechanism = R"(parameters:
  c: {value: 2, bounds: [0.5, 5]}
  d: {value: 0.3, bounds: [0.1, 1]}
splines: {s: {type: cubic, nodes: [-1, 0, 1, 2], values: [0, 0.1, d, 0]}}
bodies:
  A: {mass: 1, inertia: [1, 1, 1], points: {P: [1, 0, 0]}, vectors: {d: x}}
  B: {mass: c, inertia: [1, 1, 1], points: {P: [0, 1, 0]}, vectors: {d: y}}
  C: {mass: 1, inertia: [1, 1, 1], points: {P: [0.1, 0, 0]}}
  D: {mass: 1, inertia: [0.1, 0.2, 0.1], points: {P: [0, 0, 0]}, placement: {position: [0, 1, 0.29]}}
joints:
  J: {type: revolute, bodies: [ground, A], point: [0, 0, 0], axis: z}
  K: {type: revolute, bodies: [ground, B], point: [0, 0, 0], axis: z}
  S: {type: prismatic, bodies: [ground, C], point: [0, 0, 0], axis: x}
  F: {type: floating, bodies: [ground, D], point: [0, 1, 0.29]}
states: {u: {rate: J.q - u, initial: 0.1}}
initial: {J.v: 1, K.v: -0.5, S.v: d}
signals: {place: A.P.y, height: D.z}
objectives: {psi: {integral: place^2}, end: {terminal: height + u}}
optimize: {minimize: psi}
analysis: {step: 0.005, end: 0.02}
)";

std::string number(Rng& rng) {
  static constexpr std::array<std::string_view, 18> kNumbers{
      "1",   "0.3", "d",   "c",       "1e3",         "2e5",        "0",       "0.05",   "c*100",
      "1.5", "-1",  "100", "d*sin(t)", "1 + 0.1*u", "0.01*S.v", "s(S.q)", "1e-3", "0.8"};
  return one_of(kNumbers, rng);
}

std::string vector(const std::string& key, Rng& rng) {
  static constexpr std::array<std::string_view, 8> kPlaces{
      "[0, 0, 0]", "B.P", "A.P", "D.P", "[0, 0, 0.29]", "C.P", "[d, 0, 0]", "[0, 1, 0]"};
  static constexpr std::array<std::string_view, 6> kAxes{"x", "y", "z", "A.d", "B.d", "[d, 0, 1]"};
  return key.starts_with("point") ? one_of(kPlaces, rng) : one_of(kAxes, rng);
}

std::string name(const std::string& key, Rng& rng) {
  static constexpr std::array<std::string_view, 4> kJoints{"J", "K", "S", "F"};
  static constexpr std::array<std::string_view, 4> kBodies{"A", "B", "C", "D"};
  static constexpr std::array<std::string_view, 5> kPoints{"A.P", "B.P", "C.P", "D.P", "D.com"};
  if (key == "joint") return one_of(kJoints, rng);
  return key == "body" ? one_of(kBodies, rng) : one_of(kPoints, rng);
}

std::string two_names(const std::string& key, Rng& rng) {
  static constexpr std::array<std::string_view, 5> kBodies{"ground", "A", "B", "C", "D"};
  if (key != "bodies") return "[" + name("point", rng) + ", " + name("point", rng) + "]";
  const std::string first = rng() % 2 ? "ground" : one_of(kBodies, rng);
  return "[" + first + ", " + (rng() % 2 ? "D" : one_of(kBodies, rng)) + "]";
}

/// What may stand behind a key.
std::string value(const KeyInfo& key, Rng& rng) {
  static constexpr std::array<std::string_view, 8> kMotions{"J.q", "K.q", "S.q",   "A.P.x",
                                                            "D.z", "F.q3", "B.P.y", "u"};
  static constexpr std::array<std::string_view, 4> kLaws{"2*length + 0.1*rate", "x", "0.1*x^2", "s(t)"};
  if (key.key == "law" || key.key == "potential") return one_of(kLaws, rng);
  switch (key.kind) {
    case FieldKind::kWord: return key.words[rng() % key.words.size()];
    case FieldKind::kName: return name(key.key, rng);
    case FieldKind::kTwoNames: return two_names(key.key, rng);
    case FieldKind::kVector: return vector(key.key, rng);
    case FieldKind::kTwoVectors:
      return "[" + vector(key.key, rng) + ", " + vector(key.key, rng) + "]";
    case FieldKind::kMotion: return one_of(kMotions, rng);
    case FieldKind::kMotions: return "[" + one_of(kMotions, rng) + ", " + one_of(kMotions, rng) + "]";
    case FieldKind::kNumbers:
    case FieldKind::kConstants: return "[" + number(rng) + ", " + number(rng) + "]";
    case FieldKind::kThreeNumbers: return "[" + number(rng) + ", 0, 1]";
    case FieldKind::kMatrix6: return "[1e4, 1e4, " + number(rng) + ", 1e2, 1e2, 1e2]";
    case FieldKind::kFlag: return rng() % 2 ? "true" : "false";
    default: return number(rng);
  }
}

std::string element(const KeyTable& table, const std::string& label, Rng& rng) {
  std::string out = "  " + label + ": {";
  for (const KeyInfo& key : table.keys) {
    if (!key.required && rng() % 2) continue;
    if (!out.ends_with('{')) out += ", ";
    out += key.key + ": " + value(key, rng);
  }
  return out + "}\n";
}

}  // namespace

std::string drawn_model(Rng& rng) {
  const auto forces = builtin_catalogue().forces();
  const auto constraints = builtin_catalogue().constraints();
  std::string text = fmt::format("name: drawn\n{}forces:\n", kMechanism);
  text += "  weight: {type: gravity, acceleration: [0, 0, -9.81]}\n";
  const std::size_t count = 1 + rng() % 3;
  for (std::size_t k = 0; k < count; ++k) {
    text += element(io::force_keys(*forces[rng() % forces.size()]), fmt::format("f{}", k), rng);
  }
  if (rng() % 3) return text;
  const auto& constraint = *constraints[rng() % constraints.size()];
  return text + "constraints:\n" + element(io::constraint_keys(constraint), "C0", rng);
}

}  // namespace kinegrad::test
