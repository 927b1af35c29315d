// A constraint of every type in a mechanism where everything moves: numbers for tests that want any.
#pragma once

#include <map>
#include <string>

namespace kinegrad::test {

/// A rod on a slanted hinge, an arm on a ball at its end, a slide on the arm, a free disc; parameters
/// a and b, a spline f. The section "constraints" is still to come.
inline std::string constraint_mechanism() {
  return R"(
parameters: {a: 0.7, b: 1.3}
splines: {f: {nodes: [0, 0.5, 1.2, 2], values: [a, 1, b, 0.2]}}
points: {O: [0.1, a, -0.3]}
vectors: {e: [a, 0.4, b]}
bodies:
  rod: {mass: 1, points: {P: [1, 0.2, a]}, vectors: {u: [0.36, 0.48, 0.8], w: [0.8, -0.6, 0]}}
  arm: {mass: 1, points: {Q: [b, 0, 0.1], S: [0.2, 0.5, 0]}, vectors: {v: [0.6, a, 0.3]}}
  slide: {mass: 1, points: {T: [0, 0.3, 0]}}
  disc: {mass: 1, points: {C: [0.1, 0, 0.2]}, vectors: {d: [0.2, 0.1, 1]}}
joints:
  A: {type: revolute, bodies: [ground, rod], point: [0, 0, 0], axis: [0.6, 0, 0.8]}
  B: {type: spherical, bodies: [rod, arm], points: [[1, 0, 0], [0, 0, 0]]}
  D: {type: prismatic, bodies: [arm, slide], points: [[0.5, 0, 0], [0, 0, 0]], axes: [[0, 0.6, 0.8], z]}
)";
}

/// Constraints by type; together they cover every field.
inline const std::multimap<std::string, std::string>& constraint_samples() {
  static const std::multimap<std::string, std::string> samples{
      {"coincident", "points: [P, Q]"},
      {"coincident", "points: [[a, 0, 1], disc.C]"},
      {"distance", "points: [P, Q], length: b"},
      {"distance", "points: [O, T], length: 1 + 0.3*sin(b*t) + f(t)"},
      {"dot", "directions: [u, v]"},
      {"dot", "directions: [-y, d], value: a*cos(t)"},
      {"angle", "directions: [u, v], axis: w, value: f(t) + a*t^2"},
      {"angle", "directions: [x, d], axis: z, value: 0.4"},
      {"point-on-line", "point: C, through: Q, along: v"},
      {"point-on-line", "point: T, through: O, along: e"},
      {"point-on-plane", "point: C, through: P, normal: u"},
      {"point-on-plane", "point: Q, through: O, normal: e, offset: a*t + f(0.5*t)"},
      {"coupling", "coordinates: [A.q, D.q, disc.C.x], factors: [1, -a, b], value: a*b"},
      {"coupling", "coordinates: [B.q2, A.q], factors: [2, 1]"},
      {"prescribed", "coordinate: A.q, value: a*t + f(t)"},
      {"prescribed", "coordinate: arm.Q.y, value: b*exp(-t)"},
      {"prescribed", "coordinate: v.z, value: 0.1"},
      {"expression", "expression: P.x*Q.y - a*sin(A.q)*D.q^2 + f(D.q)*t"},
      {"expression", "expression: 'sqrt(1 + C.x^2) + v.x*d.y*b - atan2(Q.z, 2 + T.x^2) + O.y'"},
      {"nonholonomic", "expression: sin(A.q)*P.vx - cos(A.q)*P.vy + a*D.v + t*D.q"},
      {"nonholonomic", "expression: (C.vz - f(Q.x)*B.v2)/(2 + v.x) + d.vx*O.x"},
      {"knife-edge", "point: C, direction: d"},
      {"knife-edge", "point: P, segment: [O, Q]"},
      {"rolling", "center: C, axis: d, radius: b"},
      {"rolling", "center: C, axis: d, radius: 0.5, through: O, normal: e"},
  };
  return samples;
}

}  // namespace kinegrad::test
