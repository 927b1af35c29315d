// Random mechanisms with friction in every joint that takes it: trees, and spatial loops that are closed where they are drawn.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "kinegrad/math/scalar.hpp"

namespace kinegrad::test {

class RubbingMechanisms {
 public:
  explicit RubbingMechanisms(unsigned seed) : rng_(seed) {}

  /// A tree of two to four bodies.
  std::string tree() {
    const int count = 2 + static_cast<int>(rng_() % 3);
    for (int k = 0; k < count; ++k) {
      const std::string parent = k == 0 ? "ground" : "b" + std::to_string(rng_() % unsigned(k));
      add_body(k, "");
      constexpr const char* kTypes[] = {"revolute", "prismatic", "cylindrical", "planar"};
      const std::string type = kTypes[rng_() % 4], j = "J" + std::to_string(k);
      joints_ += "  " + j + ": {type: " + type + ", bodies: [" + parent + ", b" +
                 std::to_string(k) + "], points: [" + triple(0.3) + ", " + triple(0.2) + "], " +
                 frames() + "}\n";
      add_friction(k, type);
      for (int c = 1; c <= freedom(type); ++c) {
        const std::string digit = freedom(type) == 1 ? "" : std::to_string(c);
        initial_ += "  " + j + ".q" + digit + ": " + number(-0.3, 0.3) + "\n";
        initial_ += "  " + j + ".v" + digit + ": " + number(0.5, 1.5) + "\n";
      }
    }
    return text();
  }

  /// A loop of joints with axes at random that is free to move once or twice, on the ground or on a first body, perhaps with a
  /// body more on it. Any of its joints may be cut.
  std::string loop() {
    const std::vector<std::string> types = loop_types();
    const int bodies = static_cast<int>(types.size()) - 1;
    const bool carried = rng_() % 4 == 0;  // by a first body
    const int first = carried ? 1 : 0;
    const std::size_t cut = rng_() % (2 * types.size());  // a half of them as the compiler likes
    if (carried) add_link(0, "revolute", "ground", "b0", "");
    for (int k = 0; k <= bodies; ++k) {
      const std::string base = carried ? "b0" : "ground";
      const auto name = [&](int b) { return "b" + std::to_string(first + b); };
      add_link(first + k, types[std::size_t(k)], k == 0 ? base : name(k - 1),
               k == bodies ? base : name(k), std::size_t(k) == cut ? ", cut: true" : "");
    }
    if (rng_() % 3 == 0) {
      add_link(first + bodies + 1, "revolute", "b0", "b" + std::to_string(first + bodies + 1), "");
    }
    for (int b = 0; b < next_body_; ++b) place_body(b);
    const std::string& moved = types.front();
    const std::string j = "J" + std::to_string(first);
    const std::string digit = freedom(moved) == 1 ? "" : "1";
    initial_ += "  " + j + ".v" + digit + ": " + number(0.5, 1) + "\n";
    if (rng_() % 2) initial_ += "  " + j + ".q" + digit + ": " + number(-0.05, 0.05) + "\n";
    return text();
  }

  std::mt19937_64& rng() { return rng_; }

 private:
  static int freedom(const std::string& type) {
    if (type == "cylindrical" || type == "universal") return 2;
    return type == "planar" || type == "spherical" ? 3 : 1;
  }
  static bool rubs(const std::string& type) {
    return type != "universal" && type != "spherical" && type != "fixed";
  }
  static int turns(const std::string& type) {
    return type == "spherical" ? 3 : type == "universal" ? 2 : type == "prismatic" ? 0 : 1;
  }

  /// Seven or eight freedoms, at least four of them rotations: the directions of all axes close the loop with one to spare, so that
  /// no reaction is ambiguous and every joint can move. Two spherical joints would leave a body idle between them.
  std::vector<std::string> loop_types() {
    constexpr const char* kTypes[] = {"revolute",    "revolute", "prismatic", "cylindrical",
                                      "cylindrical", "planar",   "universal", "spherical"};
    while (true) {
      std::vector<std::string> types;
      int sum = 0, rotations = 0, spherical = 0;
      while (sum < 7) {
        types.emplace_back(kTypes[rng_() % (types.empty() ? 5 : 8)]);
        sum += freedom(types.back());
        rotations += turns(types.back());
        spherical += types.back() == "spherical";
      }
      if (sum <= 8 && rotations >= 4 && spherical <= 1 && types.size() >= 3) return types;
    }
  }

  std::string number(double low, double high) {
    return fmt::format("{:.6f}", std::uniform_real_distribution<double>(low, high)(rng_));
  }
  std::string triple(double size) {
    return "[" + number(-size, size) + ", " + number(-size, size) + ", " + number(-size, size) +
           "]";
  }
  static std::string text_of(const Vec3& x) {
    return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x(0), x(1), x(2));
  }
  Vec3 direction() {
    std::normal_distribution<double> normal;
    return Vec3(normal(rng_), normal(rng_), normal(rng_)).normalized();
  }
  /// An axis and what is perpendicular to it.
  std::pair<Vec3, Vec3> axes() {
    const Vec3 u = direction(), w = direction();
    return {u, (w - u.dot(w) * u).normalized()};
  }
  /// "axes: […, …], references: […, …]" at random.
  std::string frames() {
    const auto [u1, w1] = axes();
    const auto [u2, w2] = axes();
    return "axes: [" + text_of(u1) + ", " + text_of(u2) + "], references: [" + text_of(w1) + ", " +
           text_of(w2) + "]";
  }

  void add_body(int k, const std::string& placement) {
    bodies_ += fmt::format("  b{}: {{mass: {}, com: {}, inertia: [0.03, 0.04, 0.05]{}}}\n", k,
                           k == 0 ? "m" : number(0.5, 2), triple(0.2), placement);
    if (k < 2) signals_ += fmt::format("  x{0}: b{0}.com.x\n", k);
  }
  void place_body(int b) {
    add_body(b, ", placement: {position: " + triple(0.4) + ", orientation: {axis: " +
                    text_of(direction()) + ", angle: " + number(-3, 3) + "}}");
  }
  /// A joint that is drawn in the world, where all bodies are placed.
  void add_link(int k, const std::string& type, const std::string& body1, const std::string& body2,
                const std::string& cut) {
    const auto [u, w] = axes();
    std::string geometry = ", point: " + triple(0.4);
    if (type == "universal") {
      geometry += ", axis: " + text_of(u) + ", axis2: " + text_of(w);
    } else if (type != "spherical") {
      geometry += ", axis: " + text_of(u) + ", reference: " + text_of(w);
    }
    joints_ += fmt::format("  J{}: {{type: {}, bodies: [{}, {}]{}{}}}\n", k, type, body1, body2,
                           geometry, cut);
    for (const std::string& body : {body1, body2}) {
      if (body != "ground") next_body_ = std::max(next_body_, std::stoi(body.substr(1)) + 1);
    }
    if (rubs(type)) add_friction(k, type);
  }

  void add_friction(int k, const std::string& type) {
    std::string f = fmt::format(
        "  f{0}: {{type: friction, joint: J{0}, friction: mu, slip_speed: 0.05, load_smoothing: 0.1",
        k);
    switch (rng_() % 4) {
      case 0: f += ", static_friction: 1.3*mu"; break;
      case 1: f += ", friction_law: ambrosio, rest_speed: 1e-3"; break;
      case 2:
        f += ", friction_law: lugre, static_friction: 1.2*mu, bristle_stiffness: " +
             number(20, 60) + ", bristle_damping: " + number(0.05, 0.3);
        break;
      default:
        f += ", friction_law: gonthier, static_friction: 1.4*mu, bristle_stiffness: " +
             number(20, 60) + ", bristle_damping: " + number(0.5, 2) +
             ", dwell_time: " + number(0.01, 0.1) + ", dwell: " + number(0, 1);
    }
    if (type != "prismatic") f += ", radius: " + number(0.01, 0.03);
    if (type != "planar" && rng_() % 2) f += ", end1: -0.1, end2: a";
    if (type == "revolute" && rng_() % 2) f += ", thrust_radius: 0.02";
    if (type == "prismatic" && rng_() % 2) f += ", width: 0.3";
    if (rng_() % 2) f += ", viscous_friction: 0.05";
    forces_ += f + "}\n";
  }

  std::string text() const {
    return "parameters: {m: 1.5, mu: 0.05, a: 0.15}\nbodies:\n" + bodies_ + "joints:\n" + joints_ +
           "forces:\n  g: {type: gravity, acceleration: [0.5, -9.81, 0.3]}\n" + forces_ +
           (initial_.empty() ? "" : "initial:\n" + initial_) + "signals:\n" + signals_ +
           "objectives: {way: {integral: \"x0 + x1\"}, end: {terminal: x1}}\n";
  }

  std::mt19937_64 rng_;
  int next_body_ = 0;
  std::string bodies_, joints_, forces_, initial_, signals_;
};

}  // namespace kinegrad::test
