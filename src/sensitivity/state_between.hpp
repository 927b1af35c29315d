// A state between two of a run, which the run itself did not pass: Hermite's cubics of coordinates and of speeds, the rest on
// straight lines. What constraint equations say holds up to the fourth order of the distance.
#pragma once

#include "kinegrad/integrators/step_map.hpp"

namespace kinegrad {

/// At t₀ + θh; θ may lie a little outside.
inline void state_between(const StepState<double>& x0, const StepState<double>& x1, double theta,
                          StepState<double>& out) {
  const double h = x1.t - x0.t, s = theta, r = 1 - theta;
  const double h00 = (1 + 2 * s) * r * r, h10 = h * s * r * r, h01 = s * s * (3 - 2 * s),
               h11 = -h * s * s * r;
  out.t = x0.t + theta * h;
  out.q = h00 * x0.q + h10 * x0.v + h01 * x1.q + h11 * x1.v;
  out.v = h00 * x0.v + h10 * x0.a + h01 * x1.v + h11 * x1.a;
  out.a = r * x0.a + s * x1.a;
  out.lambda = r * x0.lambda + s * x1.lambda;
}

}  // namespace kinegrad
