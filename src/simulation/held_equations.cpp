#include "kinegrad/simulation/held_equations.hpp"

#include <algorithm>
#include <cmath>

namespace kinegrad {

namespace {

constexpr double kHarmless = 1e-6;  // of positions that hardly differing equations leave open
constexpr double kHeld = 100;       // times E: what is open is 1e-6 after three passes

}  // namespace

HeldEquations::HeldEquations(MechanicalSystem<double>& system, const VecX& units,
                             const StepState<double>& x)
    : system_(system), units_(units), t_(x.t), q_(x.q), v_(x.v) {}

HeldEquations::Start HeldEquations::at_start() const {
  ConstraintDistance positions = distance_of_positions(system_, t_, q_, units_);
  Start out{std::move(positions.independent), {}, positions.least};
  if (!on_speeds()) return out;
  ConstraintDistance speeds = distance_of_speeds(system_, t_, q_, v_, units_);
  out.of_speeds = std::move(speeds.independent);
  out.least = std::min(out.least, speeds.least);
  return out;
}

/// Far beyond what the equations are open by each, it is because they hardly differ; beyond `far` for whatever reason.
void HeldEquations::measure(const ConstraintDistance& x, double far, Verdict& out) {
  constexpr double kRounding = 1e-13;  // of Φ, over what is the equation's own
  constexpr double kMuch = 300, kApart = 1e-3, kSoft = 10;
  const bool hardly_differ = x.distance > std::max(kMuch * x.open, kRounding / x.least);
  if (x.distance > (hardly_differ ? kHarmless : far))
    out.distance = std::max(out.distance, x.distance);
  out.apart = out.apart || x.distance > (hardly_differ ? kApart : kSoft * far);
}

/// Of speeds, over those there are.
ConstraintDistance HeldEquations::of_speeds(const StepState<double>& x,
                                            const std::vector<int>& only) const {
  const double fast = x.v.cwiseQuotient(units_).norm();
  ConstraintDistance out = distance_of_speeds(system_, x.t, x.q, x.v, units_, &only);
  out.distance = fast > 0 ? out.distance / fast : 0;
  out.open = fast > 0 ? out.open / fast : 0;
  return out;
}

/// Where all equations differ clearly at the end, and all of them are as good as satisfied, so are those that counted
/// at the start, and nothing is to be said. [LO-6]
bool HeldEquations::surely_held(const StepState<double>& x, const StageRule& rule) const {
  constexpr double kClearly = 1e-3, kOrder = 3;  // what is an equation's own depends on their order
  const double held = rule.independent ? 0 : std::sqrt(kHeld * rule.regularisation());
  return !on_speeds() &&
         surely_closed(system_, x.t, x.q, units_, kOrder * std::max(held, kClearly), kHarmless);
}

HeldEquations::Verdict HeldEquations::judge(const StepState<double>& x,
                                            const StageRule& rule) const {
  constexpr double kFar = 1e-2;  // of positions; a part of the speeds may be soft
  Verdict out;
  if (surely_held(x, rule)) return out;
  const Start start = at_start();
  ConstraintDistance here = distance_of_positions(system_, x.t, x.q, units_, &start.of_positions);
  measure(here, kFar, out);
  if (on_speeds()) {
    const ConstraintDistance speeds = of_speeds(x, start.of_speeds);
    measure(speeds, HUGE_VAL, out);
    if (speeds.least < here.least) here = speeds;
  }
  out.equation = here.equation;
  const double own = std::max(here.least, start.least);
  if (!rule.independent && own < std::sqrt(kHeld * rule.regularisation())) out.least = own;
  return out;
}

}  // namespace kinegrad
