// The steps of a run, kept for those who differentiate them. Memory is reused from run to run.
#pragma once

#include <deque>
#include <vector>

#include "kinegrad/formulations/formulation.hpp"
#include "kinegrad/integrators/step_partials.hpp"

namespace kinegrad {

class Trajectory {
 public:
  /// Forgets everything and begins with a state.
  void start(const StepState<double>& x, const Formulation<double>& formulation);
  /// Keeps the step last done by the map, from the state kept last to x₁.
  void add(const StepState<double>& x1, const StepMap<double>& map,
           const Formulation<double>& formulation);

  /// Steps kept.
  std::size_t size() const { return size_; }
  StepRecord record(std::size_t k) const;
  const StepState<double>& state(std::size_t k) const { return states_[k]; }
  const CoordinateSelection* start_selection() const {
    return selections_.empty() ? nullptr : &selections_.front();
  }
  /// Memory of one step, roughly.
  std::size_t bytes_per_step() const;

 private:
  struct Step {
    StepState<double> before;
    std::vector<StepState<double>> stages;
    std::size_t selection = 0;
    bool same = false;  // before is x₁
  };
  const CoordinateSelection* kept(std::size_t k) const {
    return selections_.empty() ? nullptr : &selections_[k];
  }
  void keep_selection(const Formulation<double>& formulation);

  std::size_t size_ = 0;
  std::deque<StepState<double>> states_;
  std::deque<Step> steps_;
  std::deque<CoordinateSelection> selections_;
};

}  // namespace kinegrad
