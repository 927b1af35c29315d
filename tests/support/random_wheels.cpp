// Families that roll, slide, hang on ropes or have no mass.
#include "support/random_drafter.hpp"

namespace kinegrad::test {

/// The height of the disc follows from its joints: the first rolling equation holds identically.
void Drafter::disc_in_contact() {
  out_.family = "disc in contact";
  slanted_ = false;
  const double f = mass_factor();
  const bool massless = dice_.chance(0.7);
  const std::string none =
      massless ? "{mass: 0, com: [0, 0, 0], inertia: [0, 0, 0]}"
               : "{mass: 0.1*m, com: [0, 0, 0], inertia: [0.01*m*L^2, 0.01*m*L^2, 0.01*m*L^2]}";
  out_.bodies = {
      "yawing: " + none, "leaning: " + none,
      format("disc: {{mass: {0}*m, com: [0, 0, 0], inertia: [{1}*m*L^2, {2}*m*L^2, {1}*m*L^2], "
             "points: {{center: [0, 0, 0], rim: [L, 0, 0]}}, vectors: {{axle: [0, 1, 0]}}}}",
             digits(f), digits(f * 0.25), digits(f * 0.5))};
  out_.joints = {
      "contact: {type: planar, bodies: [ground, yawing], points: [[0, 0, 0], [0, 0, 0]], axes: [z, "
      "z], references: [x, x]}",
      "lean: {type: revolute, bodies: [yawing, leaning], points: [[0, 0, 0], [0, 0, 0]], axes: [x, "
      "x], references: [y, y]}",
      "spin: {type: revolute, bodies: [leaning, disc], points: [[0, 0, L], [0, 0, 0]], axes: [y, "
      "y], references: [x, x]}"};
  out_.constraints = {"rolling: {type: rolling, center: center, axis: axle, radius: L}"};
  start(dice_.uniform(0.05, 0.5), dice_.uniform(3, 12));
  out_.initial = {"contact.q: [0, 0, 0]",
                  "lean.q: q0",
                  "spin.q: 0",
                  format("contact.v3: {}*w", digits(dice_.uniform(-0.2, 0.2))),
                  "lean.v: 0",
                  "spin.v: w"};
  observe("lean.q");
  observe("contact.q3");
  observe_point("center");
}

/// The same on a floating joint, rolling written once or twice.
void Drafter::free_disc() {
  out_.family = "free disc";
  slanted_ = false;
  const double f = mass_factor();
  out_.bodies = {format(
      "disc: {{mass: {0}*m, com: [0, 0, 0], inertia: [{2}*m*L^2, {1}*m*L^2, {1}*m*L^2], placement: "
      "{{position: [0, 0, L*cos(q0)], orientation: {{axis: y, angle: q0}}}}, points: {{center: [0, "
      "0, "
      "0]}}, vectors: {{axle: [1, 0, 0]}}}}",
      digits(f), digits(f * 0.25), digits(f * 0.5))};
  out_.constraints = {"rolling: {type: rolling, center: center, axis: axle, radius: L}"};
  if (dice_.chance(0.6)) extra("{type: rolling, center: center, axis: axle, radius: L}");
  start(dice_.uniform(0.05, 0.5), dice_.uniform(3, 12));
  out_.initial = {"disc_free.w: [w*cos(q0), 0, -w*sin(q0)]"};
  observe_point("center");
  observe_point("axle");
}

/// A sled whose blades say the same: side by side, or one in front of the other on the same body.
void Drafter::blades() {
  out_.family = "blades";
  slanted_ = false;
  weightless_ = true;
  const double f = mass_factor(), back = dice_.uniform(-0.5, 0.5);
  out_.bodies = {format(
      "sled: {{mass: {}*m, com: [{}*L, {}*L, 0], inertia: [{}*m*L^2, {}*m*L^2, {}*m*L^2], "
      "points: "
      "{{C1: [{}*L, 0.3*L, 0], C2: [{}*L, {}*L, 0], N: [L, 0, 0]}}, vectors: {{side: [0, 1, 0]}}}}",
      digits(f), digits(dice_.uniform(-0.3, 0.3)), digits(dice_.uniform(-0.1, 0.1)),
      digits(0.2 * f), digits(0.2 * f), digits(0.3 * f), digits(back), digits(back),
      digits(-dice_.uniform(0.1, 0.5)))};
  out_.joints = {
      "plane: {type: planar, bodies: [ground, sled], points: [[0, 0, 0], [0, 0, 0]], axes: [z, z], "
      "references: [x, x]}"};
  out_.constraints = {"blade: {type: knife-edge, point: C1, direction: side}"};
  if (dice_.chance(0.5)) {  // a body of its own, welded on
    out_.bodies.push_back(
        "runner: {mass: 0.2*m, com: [0, 0, 0], inertia: [0.01*m*L^2, 0.01*m*L^2, 0.01*m*L^2], "
        "points: "
        "{C3: [0, 0, 0]}, vectors: {lateral: [0, 1, 0]}}");
    out_.joints.push_back("weld: {type: fixed, bodies: [sled, runner], points: [C2, [0, 0, 0]]}");
    extra("{type: knife-edge, point: C3, direction: lateral}");
  } else {
    extra("{type: knife-edge, point: C2, direction: side}");
  }
  if (dice_.chance(0.3)) {
    extra(format("{{type: nonholonomic, expression: \"{}*(side.x*C1.vx + side.y*C1.vy)\"}}",
                 digits(dice_.decades(1e-5, 1e5))));
  }
  start(dice_.uniform(-1, 1), dice_.uniform(-2, 2));
  out_.initial = {"plane.q: [0, 0, q0]", format("plane.v1: {}*L*w", digits(dice_.uniform(0.5, 1))),
                  "plane.v3: w"};
  observe("plane.q3");
  observe_point("N");
}

/// A body on a rope, the rope written several times.
void Drafter::rope() {
  out_.family = "rope";
  slanted_ = false;
  link("B1", 1, "P1");
  std::string& body = out_.bodies.back();
  body.insert(body.size() - 1, ", placement: {position: [L, -0.5*L, 0.2*L]}");
  const std::string length = "sqrt(4 + 0.25 + 0.04)*L";
  out_.constraints = {format("rope: {{type: distance, points: [O, P1], length: {}}}", length)};
  const std::string s = digits(dice_.decades(1e-5, 1e5));
  switch (dice_.below(3)) {
    case 0: extra(format("{{type: distance, points: [O, P1], length: {}}}", length)); break;
    case 1:
      extra(format("{{type: expression, expression: \"{}*(P1.x^2 + P1.y^2 + P1.z^2 - ({})^2)\"}}",
                   s, length));
      break;
    default:
      extra(format("{{type: expression, expression: \"{}*(sqrt(P1.x^2 + P1.y^2 + P1.z^2) - {})\"}}",
                   s, length));
  }
  start(0, dice_.uniform(-2, 2));
  out_.parameters.erase(out_.parameters.end() - 2);  // q0
  out_.initial = {format("B1_free.w: [{}*w, {}*w, w]", digits(dice_.uniform(-1, 1)),
                         digits(dice_.uniform(-1, 1)))};
}

/// Two ropes, the second equation the first one and a little of the other: nearly dependent, of full rank.
void Drafter::two_ropes() {
  out_.family = "two ropes";
  slanted_ = false;
  link("B1", 1, "P1");
  std::string& body = out_.bodies.back();
  body.insert(body.size() - 1, ", placement: {position: [L, -0.5*L, 0.2*L]}");
  base_points_.push_back("S: [3*L, L, -0.3*L]");
  const std::string first = "P1.x^2 + P1.y^2 + P1.z^2 - (4 + 0.25 + 0.04)*L^2";
  const std::string second =
      "(P1.x - S.x)^2 + (P1.y - S.y)^2 + (P1.z - S.z)^2 - (1 + 2.25 + 0.25)*L^2";
  const auto equation = [](const char* name, const std::string& text) {
    return format("{}: {{type: expression, expression: \"{}\"}}", name, text);
  };
  const std::string near = digits(dice_.decades(1e-5, 1));
  out_.constraints = {equation("rope", first),
                      equation("both", first + " + " + near + "*(" + second + ")")};
  out_.plain = {equation("rope", first), equation("other", second)};
  start(0, dice_.uniform(-2, 2));
  out_.parameters.erase(out_.parameters.end() - 2);  // q0
  out_.initial = {"B1_free.w: [0.3*w, w, 0.2*w]"};
}

/// Links on spherical joints between two points of the base; their axes are parallel in the drawing.
void Drafter::hanging_chain() {
  out_.family = "hanging chain";
  const int n = 2 + dice_.below(2);
  Vec3 D = Vec3::Zero();
  double length = 0;
  for (int k = 1; k <= n; ++k) {
    length = dice_.uniform(0.5, 1.5);
    const double angle = dice_.uniform(-0.8, 0.2) + 0.8 * (k - 1), f = mass_factor();
    const Vec3 end = length * Vec3(std::cos(angle), std::sin(angle), 0);
    const auto vector = [&](double part) {
      return format("[{}*L, {}*L, 0]", digits(part * end.x()), digits(part * end.y()));
    };
    const std::string J = digits(f * length * length * dice_.uniform(0.05, 0.2)) + "*m*L^2";
    out_.bodies.push_back(
        format("B{0}: {{mass: {1}*m, com: {2}, inertia: [{3}, {3}, {3}], points: {{P{0}: {4}}}}}",
               k, digits(f), vector(dice_.uniform(0.2, 0.8)), J, vector(1)));
    out_.joints.push_back(
        format("J{0}: {{type: spherical, bodies: [{1}, B{0}], points: [{2}, [0, 0, 0]]}}", k,
               k > 1 ? format("B{}", k - 1) : base(), k > 1 ? format("P{}", k - 1) : "O"));
    observe_point(format("P{}", k));
    D += end;
  }
  base_points_.push_back(format("D: [{}*L, {}*L, 0]", digits(D.x()), digits(D.y())));
  out_.joints.push_back(format(
      "C: {{type: spherical, bodies: [B{0}, {1}], points: [P{0}, D], cut: true}}", n, base()));
  if (dice_.chance(0.3)) extra(format("{{type: coincident, points: [P{}, D]}}", n));
  if (dice_.chance(0.3)) closure_extra(format("P{}", n - 1), "D", length);
  start(0, dice_.uniform(-1, 1));
  out_.parameters.erase(out_.parameters.end() - 2);  // q0
  const Vec3 chord = D.normalized();                 // about which all links may turn together
  out_.initial = {format("J1.w: [{}*w, {}*w, 0]", digits(chord.x()), digits(chord.y()))};
}

/// A rod on a massless cross, its tip held in a plane once or twice.
void Drafter::massless_cross() {
  out_.family = "massless cross";
  link("B1", 1, "P1");
  out_.bodies.push_back("cross: {mass: 0, com: [0, 0, 0], inertia: [0, 0, 0]}");
  out_.joints = {format("J1: {{type: revolute, bodies: [{}, cross], points: [O, [0, 0, 0]], axes: "
                        "[z, z], references: [x, x]}}",
                        base()),
                 "J2: {type: revolute, bodies: [cross, B1], points: [[0, 0, 0], [0, 0, 0]], axes: "
                 "[y, y], references: [x, x]}"};
  observe("J1.q");
  if (dice_.chance(0.5)) {
    out_.constraints = {format(
        "floor: {{type: point-on-plane, point: P1, through: O, normal: {}, offset: 0}}", normal())};
    extra(format("{{type: dot, directions: [B1x, {}], value: 0}}", normal()));
    if (dice_.chance(0.4))
      extra(format("{{type: coupling, coordinates: [J2.q], factors: [{}]}}",
                   digits(dice_.decades(1e-5, 1e5))));
  } else {
    extra("{type: distance, points: [O, P1], length: L}");
    out_.initial = {"J2.q: 0", format("J2.v: {}*w", digits(dice_.uniform(-1, 1)))};
  }
  start(dice_.uniform(-1, 1), dice_.uniform(-2, 2));
  out_.initial.emplace_back("J1.q: q0");
  out_.initial.emplace_back("J1.v: w");
}

}  // namespace kinegrad::test
