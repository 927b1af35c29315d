// The steps that a run made: the times between which it stepped, and how Newton's method of each step
// began. Replays, derivatives and checkpoints repeat them as data, so that ψ is a smooth function of ρ
// whatever decided about the steps (docs/theory/sensitivity_methods.md).
#pragma once

#include <vector>

#include "kinegrad/integrators/step_map.hpp"

namespace kinegrad {

struct StepPlan {
  std::vector<double> times;        ///< the start first
  std::vector<NewtonStart> starts;  ///< one per step

  std::size_t size() const { return starts.size(); }
  void begin(double t) {
    times.assign(1, t);
    starts.clear();
  }
  void add(double t, NewtonStart start) {
    times.push_back(t);
    starts.push_back(start);
  }
};

}  // namespace kinegrad
