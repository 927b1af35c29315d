#include "support/random_elements.hpp"

#include <fmt/format.h>

#include <vector>

#include "support/random_mechanisms.hpp"

namespace kinegrad::test {

namespace {

/// Writes one mechanism: a chain from the ground, each body on the one before or on the ground.
class ElementDrafter {
 public:
  explicit ElementDrafter(std::uint64_t seed) : dice_(seed) {
    closed_ = dice_.chance(0.4);
    conservative_ = dice_.chance(0.5);
  }

  ElementCase draft() {
    const int count = closed_ ? 2 : 2 + dice_.below(3);
    for (int k = 0; k < count; ++k) add_body(k, k + 1 == count);
    if (closed_) close(count - 1);
    add_fields();
    ElementCase out;
    out.closed = closed_;
    out.conservative = conservative_;
    out.yaml = fmt::format(
        "parameters: {{m: {:.3f}, k: {:.3f}, d: {:.3f}, mu: {:.3f}, J: {:.3f}, s: {:.3f}}}\n"
        "bodies:\n{}joints:\n{}forces:\n{}initial: {{{}}}\n"
        "signals: {{x: {last}.com.x, y: {last}.com.y, z: {last}.com.z, e: energy}}\n"
        "objectives: {{end: {{terminal: {last}.com.x + 2*{last}.com.y - {last}.com.vz}}, "
        "path: {{integral: {last}.com.z^2 + 0.1*potential_energy}}}}\n",
        dice_.uniform(0.5, 2), dice_.uniform(5, 30), conservative_ ? 0.0 : dice_.uniform(0.1, 1),
        dice_.uniform(20, 60), dice_.uniform(0.05, 0.3), dice_.uniform(-0.2, 0.2), bodies_, joints_,
        forces_, initial_, fmt::arg("last", name(last_)));
    return out;
  }

 private:
  static std::string name(int k) { return "B" + std::to_string(k); }
  std::string triple(double size) {
    return fmt::format("[{:.3f}, {:.3f}, {:.3f}]", dice_.uniform(-size, size),
                       dice_.uniform(-size, size), dice_.uniform(-size, size));
  }

  struct JointChoice {
    const char* type;
    const char* axes;
    std::vector<bool> lengths;  // by coordinate
    bool turns;
  };
  const JointChoice& choose_joint(bool first) {
    static const std::vector<JointChoice> all = {
        {"prismatic", "axes: [y, y], references: [x, x], ", {true}, false},
        {"rectangular", "axes: [[0.6, 0, 0.8], [0.6, 0, 0.8]], ", {true, true}, false},
        {"cartesian", "", {true, true, true}, false},
        {"revolute", "axes: [z, z], references: [x, x], ", {false}, true},
        {"cylindrical", "axes: [x, x], references: [y, y], ", {true, false}, true},
        {"planar", "axes: [z, z], references: [x, x], ", {true, true, false}, true}};
    if (closed_)
      return first ? all[2] : all[5];  // six freedoms, of which a loop takes three or four
    return dice_.of(all);
  }

  /// Translations alone carry a point mass; a rotor turns at the end of the chain; else a body like others.
  void add_body(int k, bool last) {
    const JointChoice& joint = choose_joint(k == 0);
    turned_ = turned_ || joint.turns;
    const std::string parent = k == 0 ? "ground" : name(k - 1);
    const bool rotor =
        last && k > 0 && joint.turns && joint.lengths.size() == 1 && !closed_ && dice_.chance(0.5);
    const bool point = !turned_ && dice_.chance(0.6);
    std::string mass;
    if (rotor) {
      mass = "mass: 0, inertia: [J, 1.5*J, 1.2*J]";
    } else if (point) {
      mass = fmt::format("mass: {:.2f}*m, com: {}", dice_.uniform(0.5, 2), triple(0.2));
    } else {
      mass = fmt::format("mass: {:.2f}*m, com: {}, inertia: [J, 1.3*J, 1.6*J]",
                         dice_.uniform(0.5, 2), triple(0.3));
    }
    if (!rotor) last_ = k;
    bodies_ += fmt::format("  {}: {{{}}}\n", name(k), mass);
    joints_ += fmt::format("  J{}: {{type: {}, bodies: [{}, {}], {}points: [{}, {}]}}\n", k,
                           joint.type, parent, name(k), joint.axes, triple(0.5), "[0, 0, 0]");
    add_springs(k, joint);
    for (std::size_t c = 0; !closed_ && c < joint.lengths.size(); ++c) {
      const std::string number = joint.lengths.size() == 1 ? "" : std::to_string(c + 1);
      initial_ +=
          fmt::format("{}J{}.q{}: {:.3f} + 0.1*s, J{}.v{}: {:.3f}", initial_.empty() ? "" : ", ", k,
                      number, dice_.uniform(-0.2, 0.2), k, number, dice_.uniform(-1, 1));
    }
  }

  void add_springs(int k, const JointChoice& joint) {
    for (std::size_t c = 0; c < joint.lengths.size(); ++c) {
      if (dice_.chance(0.3)) continue;
      const std::string number = joint.lengths.size() == 1 ? "" : std::to_string(c + 1);
      forces_ += fmt::format(
          "  s{}{}: {{type: {}, joint: J{}.q{}, stiffness: {:.2f}*k, damping: d, {}: s}}\n", k, c,
          joint.lengths[c] ? "translational-spring-damper" : "torsional-spring-damper", k, number,
          dice_.uniform(0.3, 1), joint.lengths[c] ? "length" : "angle");
    }
  }

  /// In the initial configuration, all coordinates zero, the frames of the cut joint meet.
  void close(int body) {
    const bool two = dice_.chance(0.5);
    joints_ += fmt::format(
        "  L: {{type: {}, bodies: [ground, {}], point: {}, {}cut: true, closure: {}}}\n",
        two ? "rectangular" : "cartesian", name(body), triple(1),
        two ? "axis: [0, 0.6, 0.8], " : "", dice_.chance(0.5) ? "minimal" : "redundant");
  }

  void add_fields() {
    if (dice_.chance(0.5)) {
      forces_ +=
          fmt::format("  sun: {{type: central-gravity, mu: mu, center: [{:.2f}, -3, 4 + s]}}\n",
                      dice_.uniform(3, 5));
    } else {
      forces_ += "  weight: {type: gravity, acceleration: [0.5, -9.81, 1]}\n";
    }
    if (dice_.chance(0.5)) {
      forces_ += fmt::format(
          "  well: {{type: gravity-field, potential: \"{:.2f}*(x - s)^2 + y^2*z/(1 + mu) + "
          "cos(z){}\"}}\n",
          dice_.uniform(0.5, 2), conservative_ ? "" : "*(1 + sin(3*t))");
    } else if (!conservative_) {
      forces_ += "  swirl: {type: gravity-field, acceleration: [-s*y, 2*x, sin(t)*z]}\n";
    }
  }

  Dice dice_;
  bool closed_ = false, conservative_ = false, turned_ = false;
  int last_ = 0;
  std::string bodies_, joints_, forces_, initial_;
};

}  // namespace

ElementCase random_elements(std::uint64_t seed) { return ElementDrafter(seed).draft(); }

}  // namespace kinegrad::test
