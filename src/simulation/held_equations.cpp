#include "kinegrad/simulation/held_equations.hpp"

#include <algorithm>
#include <cmath>

namespace kinegrad {

HeldEquations::HeldEquations(MechanicalSystem<double>& system, const VecX& units,
                             const StepState<double>& x)
    : system_(system), units_(units) {
  const ConstraintDistance positions = distance_of_positions(system, x.t, x.q, units);
  of_positions_ = positions.independent;
  least_ = positions.least;
  if (!on_speeds()) return;
  const ConstraintDistance speeds = distance_of_speeds(system, x.t, x.q, x.v, units);
  of_speeds_ = speeds.independent;
  least_ = std::min(least_, speeds.least);
}

/// Far beyond what the equations are open by each, it is because they hardly differ; beyond `far` for whatever reason.
void HeldEquations::measure(const ConstraintDistance& x, double far, Verdict& out) {
  constexpr double kRounding = 1e-13;  // of Φ, over what is the equation's own
  constexpr double kMuch = 300, kHarmless = 1e-6, kApart = 1e-3, kSoft = 10;
  const bool hardly_differ = x.distance > std::max(kMuch * x.open, kRounding / x.least);
  if (x.distance > (hardly_differ ? kHarmless : far))
    out.distance = std::max(out.distance, x.distance);
  out.apart = out.apart || x.distance > (hardly_differ ? kApart : kSoft * far);
}

/// Of speeds, over those there are.
ConstraintDistance HeldEquations::of_speeds(const StepState<double>& x) const {
  const double fast = x.v.cwiseQuotient(units_).norm();
  ConstraintDistance out = distance_of_speeds(system_, x.t, x.q, x.v, units_, &of_speeds_);
  out.distance = fast > 0 ? out.distance / fast : 0;
  out.open = fast > 0 ? out.open / fast : 0;
  return out;
}

HeldEquations::Verdict HeldEquations::judge(const StepState<double>& x,
                                            const StageRule& rule) const {
  constexpr double kFar = 1e-2;  // of positions; a part of the speeds may be soft
  constexpr double kHeld = 100;  // times E: what is open is 1e-6 after three passes
  ConstraintDistance here = distance_of_positions(system_, x.t, x.q, units_, &of_positions_);
  Verdict out;
  measure(here, kFar, out);
  if (on_speeds()) {
    const ConstraintDistance speeds = of_speeds(x);
    measure(speeds, HUGE_VAL, out);
    if (speeds.least < here.least) here = speeds;
  }
  out.equation = here.equation;
  const double own = std::max(here.least, least_);
  if (!rule.independent && own < std::sqrt(kHeld * rule.regularisation())) out.least = own;
  return out;
}

}  // namespace kinegrad
