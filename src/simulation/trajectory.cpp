#include "kinegrad/simulation/trajectory.hpp"

#include <algorithm>

namespace kinegrad {

void Trajectory::keep_selection(const Formulation<double>& formulation) {
  const CoordinateSelection* now = formulation.selection();
  if (!now) return;
  // what makes two of them different to a derivative are the sets, which change rarely
  const auto same = [&](const CoordinateSelection& last) {
    return last.pivot_row == now->pivot_row && last.dependent == now->dependent &&
           last.position_rank == now->position_rank;
  };
  if (selections_.empty() || !same(selections_.back())) selections_.push_back(*now);
}

void Trajectory::start(const StepState<double>& x, const Formulation<double>& formulation) {
  size_ = 0;
  selections_.clear();
  keep_selection(formulation);
  if (states_.empty()) states_.emplace_back();
  states_.front() = x;
}

void Trajectory::add(const StepState<double>& x1, const StepMap<double>& map,
                     const Formulation<double>& formulation) {
  keep_selection(formulation);
  if (steps_.size() == size_) steps_.emplace_back();
  if (states_.size() == size_ + 1) states_.emplace_back();
  Step& step = steps_[size_];
  states_[++size_] = x1;
  step.selection = selections_.empty() ? 0 : selections_.size() - 1;
  // with independent coordinates the end of a step finds multipliers and moves nothing
  const StepState<double>* before = formulation.selection() ? nullptr : map.before();
  step.same = !before || (before->v == x1.v && before->a == x1.a && before->lambda == x1.lambda);
  if (!step.same) {
    step.before.v = before->v;
    step.before.a = before->a;
    step.before.lambda = before->lambda;
  }
  const auto stages = map.stages();
  step.stages.resize(stages.size());
  std::copy(stages.begin(), stages.end(), step.stages.begin());
}

StepRecord Trajectory::record(std::size_t k) const {
  const Step& step = steps_[k];
  StepRecord record;
  record.x0 = &states_[k];
  record.x1 = &states_[k + 1];
  record.h = record.x1->t - record.x0->t;
  record.before = step.same ? record.x1 : &step.before;
  record.stages = step.stages;
  record.selection = kept(step.selection);
  return record;
}

std::size_t Trajectory::bytes_per_step() const {
  const auto numbers = [](const StepState<double>& x) {
    return static_cast<std::size_t>(x.q.size() + x.v.size() + x.a.size() + x.lambda.size() +
                                    x.own.size());
  };
  if (states_.empty()) return 0;
  std::size_t count = numbers(states_.front());
  if (size_ > 0) {
    const Step& step = steps_.front();
    if (!step.same) count += numbers(step.before);
    for (const StepState<double>& stage : step.stages) count += numbers(stage);
  }
  return count * sizeof(double) + sizeof(Step) + 2 * sizeof(StepState<double>);
}

}  // namespace kinegrad
