// Random mechanisms with loops, closed by construction: four-, five- and six-bars, slider-cranks, spatial
// cranks with a rod and bodies on balls, of any size. What a file says of their start is chosen by the test.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace kinegrad::test {

struct RandomLoop {
  std::string text;                 ///< a model file without `initial` and `guess`
  std::vector<std::string> joints;  ///< of the tree, in the order of q; one coordinate each
  std::vector<bool> lengths;        ///< by coordinate: a length, not an angle
  std::vector<double> q;            ///< where the loops are closed
  std::vector<std::string> points;  ///< P.x and P.y that may be given
  std::vector<double> places;       ///< of them
  int freedom = 1;
  double size = 1;
};

class RandomLoops {
 public:
  explicit RandomLoops(unsigned seed) : rng_(seed) {}

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(rng_);
  }
  int index(int n) { return std::uniform_int_distribution<int>(0, n - 1)(rng_); }

  RandomLoop next() {
    const double size = std::pow(10.0, uniform(-3, 4));
    switch (index(5)) {
      case 0: return bars(3, size);
      case 1: return bars(4, size);
      case 2: return six_bar(size);
      case 3: return slider_crank(size);
      default: return spatial_crank(size);
    }
  }

 private:
  /// A hinge about z whose bodies have their x axes along their links.
  static std::string hinge(const std::string& name, const std::string& first,
                           const std::string& second, const std::string& at) {
    return fmt::format(
        "  {}: {{type: revolute, bodies: [{}, {}], points: [{}, [0, 0, 0]], axes: [z, z], "
        "references: [x, x]}}\n",
        name, first, second, at);
  }
  static std::string closing(const std::string& name, const std::string& body,
                             const std::string& point, const std::string& ground) {
    return fmt::format(
        "  {}: {{type: revolute, bodies: [{}, ground], points: [{}, {}], axes: [z, z], cut: "
        "true}}\n",
        name, body, point, ground);
  }
  static std::string link(const std::string& name, const std::string& length, double size,
                          const std::string& more = "") {
    return fmt::format(
        "  {0}: {{mass: 1, com: [{1}/2, 0, 0], inertia: [{2:.17g}, {2:.17g}, {2:.17g}], points: "
        "{{P{0}: [{1}, 0, 0]{3}}}}}\n",
        name, length, 0.1 * size * size, more);
  }
  double turn() { return uniform(0.4, 2.2) * (index(2) ? 1 : -1); }
  static std::string number(double x) { return fmt::format("{:.17g}", x); }

  /// A chain of n links whose end is pinned to the ground.
  RandomLoop bars(int n, double size) {
    RandomLoop out;
    std::string bodies = "bodies:\n", joints = "joints:\n", parameters = "parameters: {w: 0.7";
    double angle = 0, x = 0, y = 0;
    std::string before = "ground", at = "[0, 0, 0]";
    for (int i = 0; i < n; ++i) {
      const std::string name(1, static_cast<char>('A' + i)), length = "L" + name;
      const double l = size * uniform(0.5, 1.5);
      out.q.push_back(turn());
      angle += out.q.back();
      x += l * std::cos(angle);
      y += l * std::sin(angle);
      parameters += fmt::format(", {}: {:.17g}", length, l);
      bodies += link(name, length, size);
      joints += hinge("J" + name, before, name, at);
      out.joints.push_back("J" + name);
      if (i + 1 < n) {
        out.points.insert(out.points.end(), {"P" + name + ".x", "P" + name + ".y"});
        out.places.insert(out.places.end(), {x, y});
      }
      before = name;
      at = "P" + name;
    }
    joints += closing("Z", before, at, fmt::format("[{:.17g}, {:.17g}, 0]", x, y));
    out.text = parameters + "}\n" + bodies + joints;
    out.lengths.assign(out.q.size(), false);
    out.freedom = n - 2;
    out.size = size;
    return out;
  }

  /// A four-bar with a dyad between its coupler and the ground.
  RandomLoop six_bar(double size) {
    RandomLoop out;
    const double a = size * uniform(0.4, 0.8), b = size * uniform(0.9, 1.5),
                 c = size * uniform(0.9, 1.5), e = size * uniform(0.6, 1.2),
                 f = size * uniform(0.6, 1.2);
    const double px = b * uniform(0.3, 0.8), py = size * uniform(-0.5, 0.5);
    out.q = {turn(), turn(), turn(), turn(), turn()};
    const double A = out.q[0], B = A + out.q[1], C = B + out.q[2], E = B + out.q[3],
                 F = E + out.q[4];
    const double ax = a * std::cos(A), ay = a * std::sin(A);
    const double dx = ax + b * std::cos(B) + c * std::cos(C),
                 dy = ay + b * std::sin(B) + c * std::sin(C);
    const double sx = ax + px * std::cos(B) - py * std::sin(B),
                 sy = ay + px * std::sin(B) + py * std::cos(B);
    const double gx = sx + e * std::cos(E) + f * std::cos(F),
                 gy = sy + e * std::sin(E) + f * std::sin(F);
    out.text = fmt::format(
        "parameters: {{w: 0.7, LA: {:.17g}, LB: {:.17g}, LC: {:.17g}, LE: {:.17g}, LF: {:.17g}}}\n",
        a, b, c, e, f);
    out.text += "bodies:\n" + link("A", "LA", size) +
                link("B", "LB", size, fmt::format(", S: [{:.17g}, {:.17g}, 0]", px, py)) +
                link("C", "LC", size) + link("E", "LE", size) + link("F", "LF", size);
    out.text += "joints:\n" + hinge("JA", "ground", "A", "[0, 0, 0]") +
                hinge("JB", "A", "B", "PA") + hinge("JC", "B", "C", "PB") +
                hinge("JE", "B", "E", "S") + hinge("JF", "E", "F", "PE") +
                closing("Z", "C", "PC", fmt::format("[{:.17g}, {:.17g}, 0]", dx, dy)) +
                closing("Y", "F", "PF", fmt::format("[{:.17g}, {:.17g}, 0]", gx, gy));
    out.joints = {"JA", "JB", "JC", "JE", "JF"};
    out.lengths.assign(5, false);
    out.points = {"PA.x", "PA.y", "S.x", "S.y"};
    out.places = {ax, ay, sx, sy};
    out.freedom = 1;
    out.size = size;
    return out;
  }

  /// Crank, rod, and a slider on a line beside the crank's hinge.
  RandomLoop slider_crank(double size) {
    RandomLoop out;
    const double a = size * uniform(0.3, 0.6), b = size * uniform(1, 2);
    out.q = {turn(), 0, 0};
    const double A = out.q[0], height = size * uniform(-0.2, 0.2);
    const double B = std::asin((height - a * std::sin(A)) / b);
    out.q[1] = B - A;
    out.q[2] = a * std::cos(A) + b * std::cos(B);
    out.text = fmt::format(
        "parameters: {{w: 0.7, LA: {:.17g}, LB: {:.17g}, h: {:.17g}}}\nbodies:\n", a, b, height);
    out.text +=
        link("A", "LA", size) + link("B", "LB", size) +
        fmt::format(
            "  C: {{mass: 1, inertia: [{0:.17g}, {0:.17g}, {0:.17g}], points: {{K: [0, 0, 0]}}}}\n",
            0.1 * size * size);
    out.text += "joints:\n" + hinge("JA", "ground", "A", "[0, 0, 0]") +
                hinge("JB", "A", "B", "PA") +
                "  JS: {type: prismatic, bodies: [ground, C], points: [[0, h, 0], [0, 0, 0]], "
                "axes: [x, x], references: [y, y]}\n"
                "  Z: {type: revolute, bodies: [B, C], points: [PB, K], axes: [z, z], cut: true}\n";
    out.joints = {"JA", "JB", "JS"};
    out.lengths = {false, false, true};
    out.points = {"PA.x", "PA.y"};
    out.places = {a * std::cos(A), a * std::sin(A)};
    out.freedom = 1;
    out.size = size;
    return out;
  }

  /// Two cranks about skew axes and a rod with ball joints between them.
  RandomLoop spatial_crank(double size) {
    RandomLoop out;
    const double a = size * uniform(0.3, 0.6), b = size * uniform(0.6, 1.2);
    out.q = {turn(), turn()};
    const double dx = size * uniform(0.8, 1.6), dz = size * uniform(-0.4, 0.4);
    const double x1 = a * std::cos(out.q[0]), y1 = a * std::sin(out.q[0]);
    // the second crank turns about x: its arm is y at its zero
    const double y2 = b * std::cos(out.q[1]), z2 = dz + b * std::sin(out.q[1]);
    const double rod = std::hypot(dx - x1, y2 - y1, z2);
    out.text = fmt::format(
        "parameters: {{w: 0.7, LA: {:.17g}, LB: {:.17g}, R: {:.17g}}}\nbodies:\n", a, b, rod);
    out.text +=
        link("A", "LA", size) + fmt::format(
                                    "  B: {{mass: 1, com: [0, LB/2, 0], inertia: [{0:.17g}, "
                                    "{0:.17g}, {0:.17g}], points: {{PB: [0, LB, 0]}}}}\n",
                                    0.1 * size * size);
    out.text += "joints:\n" + hinge("JA", "ground", "A", "[0, 0, 0]") +
                fmt::format(
                    "  JB: {{type: revolute, bodies: [ground, B], points: [[{:.17g}, 0, {:.17g}], "
                    "[0, 0, 0]], axes: [x, x], references: [y, y]}}\n",
                    dx, dz) +
                "constraints: {rod: {type: distance, points: [PA, PB], length: R}}\n";
    out.joints = {"JA", "JB"};
    out.lengths = {false, false};
    out.points = {"PA.x", "PA.y", "PB.y"};
    out.places = {x1, y1, y2};
    out.freedom = 1;
    out.size = size;
    return out;
  }

  std::mt19937_64 rng_;
};

}  // namespace kinegrad::test
