// How random_mechanisms writes one mechanism: the pieces that families share.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "kinegrad/math/linear_algebra.hpp"
#include "support/random_mechanisms.hpp"

namespace kinegrad::test {

inline constexpr double kPi = std::numbers::pi;

template <typename... Values>
std::string format(const char* text, const Values&... values) {
  return fmt::vformat(text, fmt::make_format_args(values...));
}

/// All digits, in brackets where an expression needs them.
inline std::string digits(double x) {
  return x < 0 ? fmt::format("({:.17g})", x) : fmt::format("{:.17g}", x);
}

inline std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : ", ") + part;
  return out;
}

/// Writes one mechanism. Every member function of a family fills the pieces of `out_`; lengths are factors of
/// the parameter L, masses of m, speeds of the parameter w.
class Drafter {
 public:
  Drafter(Dice& dice, RandomMechanism& out);

  void pendulum();
  void spherical_pendulum();
  void four_bar();
  void parallelogram();
  void windows();
  void slider_crank();
  void closed_chain();
  void bricard();
  void disc_in_contact();
  void free_disc();
  void blades();
  void rope();
  void two_ropes();
  void hanging_chain();
  void massless_cross();

  /// What all families share: parameters, the frame, gravity, objectives.
  void finish();

 private:
  double span() const { return out_.end / out_.time; }  // of the run, in units of time
  const char* base() const { return slanted_ ? "frame" : "ground"; }
  const char* normal() const { return slanted_ ? "across" : "z"; }
  double mass_factor() {
    return dice_.chance(0.15) ? dice_.decades(1e-3, 1e3) : dice_.decades(0.2, 5);
  }
  void start(double offset, double speed);
  void link(const std::string& name, double length, const std::string& point);
  void hinge(const std::string& name, const std::string& first, const std::string& second,
             const std::string& at, double angle);
  void planar_loop(const std::vector<double>& lengths, const std::vector<double>& angles);
  void closing_joint(const std::string& name, const std::string& bodies, const std::string& points);
  void circle_extras(double length, int count);
  void closure_extra(const std::string& point, const std::string& at, double length);
  void maybe_spring(const std::string& point);
  void extra(const std::string& text) {
    out_.extras.push_back(format("extra{}: {}", out_.extras.size(), text));
  }
  void observe(const std::string& expression) { candidates_.push_back(expression); }
  void observe_point(const std::string& point);

  Dice& dice_;
  RandomMechanism& out_;
  double mass_ = 1, gravity_ = 9.81;
  int steps_ = 10;
  bool slanted_ = false, weightless_ = false;
  Mat3 R_ = Mat3::Identity();
  std::vector<std::string> base_points_{"O: [0, 0, 0]"}, candidates_;
};

}  // namespace kinegrad::test
