// Families of pendulums and loops.
#include <algorithm>

#include "support/random_drafter.hpp"

namespace kinegrad::test {

void Drafter::pendulum() {
  out_.family = "pendulum";
  link("B1", 1, "P1");
  hinge("J1", base(), "B1", "O", dice_.uniform(-kPi, kPi));
  circle_extras(1, 1 + dice_.below(2));
  maybe_spring("P1");
  start(dice_.uniform(-0.1, 0.1), dice_.uniform(-2, 2));
  out_.initial = {"J1.q: q0", "J1.v: w"};
}

void Drafter::spherical_pendulum() {
  out_.family = "spherical pendulum";
  link("B1", 1, "P1");
  out_.joints.push_back(
      format("J1: {{type: spherical, bodies: [{}, B1], points: [O, [0, 0, 0]]}}", base()));
  switch (dice_.below(3)) {
    case 0: extra("{type: distance, points: [O, P1], length: L}"); break;
    case 1: extra("{type: expression, expression: \"P1.x^2 + P1.y^2 + P1.z^2 - L^2\"}"); break;
    default: extra("{type: expression, expression: \"sqrt(P1.x^2 + P1.y^2 + P1.z^2)/L - 1\"}");
  }
  start(0, dice_.uniform(-2, 2));
  out_.initial = {
      format("J1.w: [{}*w, {}*w, w]", digits(dice_.uniform(-1, 1)), digits(dice_.uniform(-1, 1)))};
  out_.parameters.erase(out_.parameters.end() - 2);  // q0
}

void Drafter::four_bar() {
  out_.family = "four bar";
  const double a = dice_.uniform(0.4, 1), b = dice_.uniform(1, 2), c = dice_.uniform(1, 2);
  planar_loop({a, b, c},
              {dice_.uniform(0.3, 1.2), dice_.uniform(-0.4, 0.3), dice_.uniform(-1.6, -0.9)});
  start(dice_.uniform(-0.05, 0.05), dice_.uniform(-2, 2));
  out_.initial = {"J1.q: q0", "J1.v: w"};
}

/// Equal cranks: flat at crank angle 0. Without weight the crank turns at constant speed, so that a step
/// can be made to end at, or a hair beside, the flat position.
void Drafter::parallelogram() {
  out_.family = "parallelogram";
  const double a = dice_.uniform(0.4, 1), b = dice_.chance(0.3) ? a : dice_.uniform(0.5, 2);
  out_.through_singular = dice_.chance(0.6);
  weightless_ = out_.through_singular && dice_.chance(0.5);
  double angle = dice_.uniform(0.3, 2.5), speed = dice_.uniform(-1, 1);
  if (out_.through_singular) {
    speed = -dice_.uniform(1, 4);
    const int steps = std::min(steps_ - 1, 1 + dice_.below(steps_));
    const double beside =
        dice_.chance(0.3) ? 0 : dice_.decades(1e-12, 0.3) * (dice_.chance(0.5) ? 1 : -1);
    angle = -speed * (steps + beside) * out_.step / out_.time;
  }
  planar_loop({a, b, a}, {angle, 0, angle + kPi});
  if (dice_.chance(0.2)) extra("{type: coupling, coordinates: [J1.q, J2.q], factors: [1, 1]}");
  start(0, speed);
  out_.initial = {"J1.q: q0", "J1.v: w"};
}

/// Windows of equal bars side by side, as in the benchmark of the IFToMM.
void Drafter::windows() {
  out_.family = "windows";
  const int n = 1 + dice_.below(2);
  out_.through_singular = dice_.chance(0.7);
  const double speed = -dice_.uniform(1, 3);
  const double angle = out_.through_singular
                           ? std::max(0.02, -speed * span() * dice_.uniform(0.1, 0.9))
                           : dice_.uniform(0.4, 2.6);
  for (int k = 0; k <= n; ++k) {
    base_points_.push_back(format("A{}: [{}*L, 0, 0]", k, k));
    link(format("B{}", k + 1), 1, format("P{}", k + 1));
    hinge(format("J{}", k + 1), base(), format("B{}", k + 1), format("A{}", k), angle);
  }
  for (int k = 1; k <= n; ++k) {
    link(format("T{}", k), 1, format("Q{}", k));
    hinge(format("K{}", k), format("B{}", k), format("T{}", k), format("P{}", k), -angle);
    closing_joint(format("C{}", k), format("T{}, B{}", k, k + 1), format("Q{}, P{}", k, k + 1));
  }
  if (dice_.chance(0.3)) circle_extras(1, 1);
  if (dice_.chance(0.3)) closure_extra("P1", "P2", 1);
  start(0, speed);
  out_.initial = {"J1.q: q0", "J1.v: w"};
}

/// Through dead points, where the slider stands still; with crank and rod of one length also through the
/// position where the slider is at the crank's axis.
void Drafter::slider_crank() {
  out_.family = "slider crank";
  const double r = dice_.uniform(0.3, 1), l = dice_.chance(0.25) ? r : r * dice_.uniform(1.2, 3);
  out_.through_singular = dice_.chance(0.7);
  double angle = dice_.uniform(0.3, 1.2), speed = dice_.uniform(-2, 2);
  if (out_.through_singular) {
    speed = dice_.uniform(1, 4);
    angle = (l == r ? kPi / 2 : kPi * dice_.below(2)) - speed * span() * dice_.uniform(0.1, 0.9);
  }
  const double down = std::asin(-r * std::sin(angle) / l);
  link("B1", r, "P1");
  link("B2", l, "P2");
  hinge("J1", base(), "B1", "O", angle);
  hinge("J2", "B1", "B2", "P1", down - angle);
  const bool massless = dice_.chance(0.3);
  const std::string mass = massless ? "0" : digits(mass_factor()) + "*m";
  const std::string J = massless ? "0" : "0.1*m*L^2";
  out_.bodies.push_back(
      format("B3: {{mass: {}, com: [0, 0, 0], inertia: [{}, {}, {}], points: {{P3: [0, 0, 0]}}}}",
             mass, J, J, J));
  out_.joints.push_back(
      format("J3: {{type: prismatic, bodies: [{}, B3], points: [[{}*L, 0, 0], [0, 0, 0]], axes: "
             "[x, x], references: [y, y]}}",
             base(), digits(r * std::cos(angle) + l * std::cos(down))));
  closing_joint("J4", "B2, B3", "P2, P3");
  observe_point("P3");
  if (dice_.chance(0.4)) circle_extras(r, 1);
  if (dice_.chance(0.4)) closure_extra("P1", "P3", l);
  maybe_spring("P1");
  start(0, speed);
  out_.initial = {"J1.q: q0", "J1.v: w"};
}

/// Several degrees of freedom, cut in the middle of nowhere.
void Drafter::closed_chain() {
  out_.family = "closed chain";
  const int n = 4 + dice_.below(2);
  std::vector<double> lengths, angles;
  for (int k = 0; k < n; ++k) {
    lengths.push_back(dice_.uniform(0.4, 1.5));
    angles.push_back(1.2 - 2.4 * k / (n - 1) + dice_.uniform(-0.2, 0.2));
  }
  planar_loop(lengths, angles);
  start(dice_.uniform(-0.03, 0.03), dice_.uniform(-1, 1));
  out_.initial = {"J1.q: q0", "J1.v: w"};
  for (int k = 2; k <= n - 2; ++k) {
    out_.initial.push_back(format("J{}.q: 0", k));
    out_.initial.push_back(format("J{}.v: {}*w", k, digits(dice_.uniform(-1, 1))));
  }
}

/// Six revolute joints, one closure equation redundant in every position (IFToMM A04).
void Drafter::bricard() {
  out_.family = "Bricard";
  slanted_ = false;
  const char* place[] = {"0, 0, 0", "L, 0, 0", "L, -L, 0", "L, -L, L", "0, -L, L"};
  const char* com[] = {"L/2, 0, 0", "0, -L/2, 0", "0, 0, L/2", "-L/2, 0, 0", "0, L/2, 0"};
  const int along[] = {0, 1, 2, 0, 1};
  for (int k = 0; k < 5; ++k) {
    const double f = mass_factor();
    std::vector<std::string> J(3, digits(f * dice_.uniform(0.08, 0.12)) + "*m*L^2");
    J[static_cast<std::size_t>(along[k])] = digits(f * 0.01) + "*m*L^2";
    out_.bodies.push_back(format(
        "B{}: {{mass: {}*m, com: [{}], inertia: [{}], placement: {{position: [{}]}}{}}}", k + 1,
        digits(f), com[k], joined(J), place[k], k == 2 ? ", points: {P3: [0, 0, L]}" : ""));
  }
  const char* at[] = {"0, 0, 0", "L, 0, 0", "L, -L, 0", "L, -L, L", "0, -L, L", "0, 0, L"};
  const char* axis[] = {"y", "z", "x", "y", "z", "x"};
  const char* reference[] = {"x", "x", "y", "x", "x", "y"};
  const int cut = dice_.chance(0.5) ? 5 : 3 + dice_.below(3);
  for (int k = 0; k < 6; ++k) {
    const std::string first = k ? format("B{}", k) : "ground",
                      second = k < 5 ? format("B{}", k + 1) : "ground";
    out_.joints.push_back(
        format("J{}: {{type: revolute, bodies: [{}, {}], point: [{}], axis: {}, reference: {}{}}}",
               k + 1, first, second, at[k], axis[k], reference[k], k == cut ? ", cut: true" : ""));
  }
  observe_point("P3");
  start(0, dice_.uniform(-1, 1));
  out_.parameters.erase(out_.parameters.end() - 2);  // q0
  out_.initial = {"J1.v: w"};
}

}  // namespace kinegrad::test
