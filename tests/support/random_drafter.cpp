#include "support/random_drafter.hpp"

namespace kinegrad::test {

namespace {

Mat3 random_rotation(Dice& dice) {
  Mat3 A;
  for (double& x : A.reshaped()) x = dice.uniform(-1, 1);
  const Vec3 x = A.col(0).normalized(), z = la::cross(x, Vec3(A.col(1))).normalized();
  A << x, la::cross(z, x), z;
  return A;
}

}  // namespace

Drafter::Drafter(Dice& dice, RandomMechanism& out) : dice_(dice), out_(out) {
  out_.size = dice_.decades(1e-2, 1e2);
  mass_ = dice_.decades(1e-3, 1e3);
  gravity_ = dice_.chance(0.7) ? 9.81 : dice_.uniform(1, 20);
  out_.time = std::sqrt(out_.size / gravity_);
  steps_ = 8 + dice_.below(25);
  out_.step = out_.time * dice_.decades(3e-3, 4e-2);
  // the last step is whole, or shorter than the others
  out_.end = out_.step * (steps_ - (dice_.chance(0.5) ? 0 : dice_.uniform(0, 0.9)));
  slanted_ = dice_.chance(0.5);
  if (slanted_) R_ = random_rotation(dice_);
}

void Drafter::start(double offset, double speed) {
  out_.parameters.push_back(format("q0: {{value: {}}}", digits(offset)));
  out_.parameters.push_back(format("w: {{value: {}}}", digits(speed / out_.time)));
}

void Drafter::observe_point(const std::string& point) {
  for (const char* axis : {"x", "y", "z"}) {
    observe(format("{}.{}/{}", point, axis, digits(out_.size)));
    observe(format("{}.v{}*{}", point, axis, digits(out_.time / out_.size)));
  }
}

/// A rod along x with its origin at its first joint.
void Drafter::link(const std::string& name, double length, const std::string& point) {
  const double factor = mass_factor(), l = length;
  const bool first = name == "B1";
  if (first)
    out_.parameters.push_back(format("c: {{value: {}}}", digits(dice_.uniform(0.3, 0.7) * l)));
  const std::string com = first ? "c*L" : digits(dice_.uniform(0.2, 0.8) * l) + "*L";
  const std::string J = format("{}*m*L^2", digits(factor * l * l * dice_.uniform(0.05, 0.2)));
  // a rod that no joint keeps from turning about itself has some inertia there
  const bool held =
      out_.family != "spherical pendulum" && out_.family != "rope" && out_.family != "two ropes";
  const std::string thin = held && dice_.chance(0.3) ? "0" : "0.02*" + J;
  out_.bodies.push_back(format(
      "{}: {{mass: {}*m, com: [{}, 0, 0], inertia: [{}, {}, {}], points: {{{}: [{}*L, 0, 0]}}, "
      "vectors: {{{}x: [1, 0, 0], {}z: [0, 0, 1]}}}}",
      name, digits(factor), com, thin, J, J, point, digits(l), name, name));
  observe_point(point);
}

/// A revolute joint about z that draws the second body at that angle to the first.
void Drafter::hinge(const std::string& name, const std::string& first, const std::string& second,
                    const std::string& at, double angle) {
  out_.joints.push_back(
      format("{}: {{type: revolute, bodies: [{}, {}], points: [{}, [0, 0, 0]], axes: [z, z], "
             "references: [[cos({}), sin({}), 0], x]}}",
             name, first, second, at, digits(angle), digits(angle)));
  observe(name + ".q");
  observe(format("{}.v*{}", name, digits(out_.time)));
}

/// Closes a planar loop by one of the joints that can: five, six, three or four equations of rank 2.
void Drafter::closing_joint(const std::string& name, const std::string& bodies,
                            const std::string& points) {
  const int kind = dice_.below(4);
  const std::string axes = kind == 2 ? "" : ", axes: [z, z]";
  const char* types[] = {"revolute", "revolute", "spherical", "cylindrical"};
  const std::string closure = kind == 1 ? ", closure: redundant" : "";
  out_.joints.push_back(format("{}: {{type: {}, bodies: [{}], points: [{}]{}, cut: true{}}}", name,
                               types[kind], bodies, points, axes, closure));
}

/// Equations that hold because B1 turns about a fixed axis through O, which is the origin of the world.
void Drafter::circle_extras(double length, int count) {
  const std::string l = digits(length);
  for (int k = 0; k < count; ++k) {
    const std::string s = digits(dice_.chance(0.5) ? 1.0 : dice_.decades(1e-6, 1e6));
    const std::string c = digits(dice_.uniform(0.1, 1.4));
    switch (dice_.below(7)) {
      case 0: extra(format("{{type: distance, points: [O, P1], length: {}*L}}", l)); break;
      case 1:
        extra(
            format("{{type: expression, expression: \"{}*(P1.x^2 + P1.y^2 + P1.z^2 - ({}*L)^2)\"}}",
                   s, l));
        break;
      case 2:
        extra(format(
            "{{type: expression, expression: \"{}*(sqrt(P1.x^2 + P1.y^2 + P1.z^2) - {}*L)\"}}", s,
            l));
        break;
      case 3:
        extra(format("{{type: point-on-plane, point: P1, through: O, normal: {}}}", normal()));
        break;
      case 4: extra(format("{{type: dot, directions: [B1x, {}], value: 0}}", normal())); break;
      case 5:
        extra(format(
            "{{type: expression, expression: \"{}*(P1.x - P1.x*cos({})^2 - P1.x*sin({})^2)\"}}", s,
            c, c));
        break;
      default: extra(format("{{type: dot, directions: [B1z, {}], value: 1}}", normal()));
    }
  }
}

/// Equations that follow from the closure of a loop: |point − at| is a link's length.
void Drafter::closure_extra(const std::string& point, const std::string& at, double length) {
  const std::string l = digits(length);
  const std::string squared =
      format("({0}.x - {1}.x)^2 + ({0}.y - {1}.y)^2 + ({0}.z - {1}.z)^2 - ({2}*L)^2", point, at, l);
  const std::string s = digits(dice_.decades(1e-5, 1e5));
  const std::string near = digits(dice_.decades(1e-9, 1e-1));
  switch (dice_.below(4)) {
    case 0:
      extra(format("{{type: distance, points: [{}, {}], length: {}*L}}", point, at, l));
      break;
    case 1: extra(format("{{type: expression, expression: \"{}*({})\"}}", s, squared)); break;
    case 2:  // nearly dependent on each other
      extra(format("{{type: expression, expression: \"{}\"}}", squared));
      extra(format(
          "{{type: expression, expression: \"{} + {}*(P1.x^2 + P1.y^2 + P1.z^2 - (sqrt(P1.x^2 + "
          "P1.y^2 + P1.z^2))^2)\"}}",
          squared, near));
      break;
    default:  // the same twice, once scaled
      extra(format("{{type: distance, points: [{}, {}], length: {}*L}}", point, at, l));
      extra(format("{{type: expression, expression: \"{}*({})\"}}", s, squared));
  }
}

void Drafter::maybe_spring(const std::string& point) {
  if (!dice_.chance(0.4)) return;
  const double k = mass_ * gravity_ / out_.size * dice_.uniform(0.2, 3);
  out_.parameters.push_back(format("k: {{value: {}}}", digits(k)));
  base_points_.push_back(format("S: [{}*L, {}*L, {}*L]", digits(dice_.uniform(2, 4)),
                                digits(dice_.uniform(2, 4)), digits(dice_.uniform(0.3, 1))));
  std::string damping;
  if (dice_.chance(0.4)) {
    damping = format(", damping: {}*k", digits(0.1 * out_.time));
    out_.conservative = false;
  }
  out_.forces.push_back(
      format("spring: {{type: spring-damper, points: [{}, S], stiffness: k, length: {}*L{}}}",
             point, digits(dice_.uniform(1, 3)), damping));
}

/// Links one after the other from O; the last one ends at the point D of the base. Angles are those of
/// the links to x in the drawing.
void Drafter::planar_loop(const std::vector<double>& lengths, const std::vector<double>& angles) {
  const std::size_t n = lengths.size();
  Vec3 D = Vec3::Zero();
  for (std::size_t k = 0; k < n; ++k) {
    const std::string name = format("B{}", k + 1), before = k ? format("B{}", k) : base();
    link(name, lengths[k], format("P{}", k + 1));
    hinge(format("J{}", k + 1), before, name, k ? format("P{}", k) : "O",
          angles[k] - (k ? angles[k - 1] : 0.0));
    D += lengths[k] * Vec3(std::cos(angles[k]), std::sin(angles[k]), 0);
  }
  base_points_.push_back(format("D: [{}*L, {}*L, 0]", digits(D.x()), digits(D.y())));
  closing_joint(format("J{}", n + 1), format("B{}, {}", n, base()), format("P{}, D", n));
  if (dice_.chance(0.3)) circle_extras(lengths[0], 1);
  if (dice_.chance(0.4)) closure_extra(format("P{}", n - 1), "D", lengths[n - 1]);
  if (dice_.chance(0.15)) extra(format("{{type: coincident, points: [P{}, D]}}", n));
  maybe_spring("P1");
}

void Drafter::finish() {
  out_.parameters.push_back(format("L: {{value: {}}}", digits(out_.size)));
  out_.parameters.push_back(format("m: {{value: {}}}", digits(mass_)));
  if (!weightless_) {
    out_.parameters.push_back(format("g: {{value: {}}}", digits(gravity_)));
    const bool upright = out_.family == "disc in contact" || out_.family == "free disc";
    const Vec3 down = upright ? Vec3(0, 0, -1) : Vec3(-R_.col(1));
    out_.forces.push_back(format("weight: {{type: gravity, acceleration: [{}*g, {}*g, {}*g]}}",
                                 digits(down.x()), digits(down.y()), digits(down.z())));
  }
  if (slanted_) {
    const auto column = [&](int k) {
      return format("[{}, {}, {}]", digits(R_(0, k)), digits(R_(1, k)), digits(R_(2, k)));
    };
    out_.bodies.insert(out_.bodies.begin(),
                       format("frame: {{mass: m, com: [0, 0, 0], inertia: [m*L^2, m*L^2, m*L^2], "
                              "placement: {{position: "
                              "[0, 0, 0], orientation: {{x: {}, z: {}}}}}, points: {{{}}}, "
                              "vectors: {{across: [0, 0, 1]}}}}",
                              column(0), column(2), joined(base_points_)));
    out_.joints.insert(out_.joints.begin(),
                       "base: {type: fixed, bodies: [ground, frame], point: [0, 0, 0]}");
  } else {
    out_.points = base_points_;
  }
  observe(format("energy/{}", digits(mass_ * gravity_ * out_.size)));
  const int terminal = 1 + dice_.below(2);
  for (int k = 0; k < terminal; ++k) {
    out_.objectives.push_back(format("end{}: {{terminal: \"{}\"}}", k, dice_.of(candidates_)));
  }
  out_.objectives.push_back(format("path: {{integral: \"(({})^2 + {})/{}\"}}",
                                   dice_.of(candidates_), dice_.of(candidates_), digits(out_.end)));
}

}  // namespace kinegrad::test
