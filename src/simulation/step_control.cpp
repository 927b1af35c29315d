#include "kinegrad/simulation/step_control.hpp"

#include <algorithm>
#include <cmath>

namespace kinegrad {

StepControl::StepControl(int order, const RunOptions& options)
    : exponent_(1.0 / order), end_(options.end) {
  // a motion that is smooth for long is not looked at less than ten times: what begins late is not missed
  constexpr double kPart = 0.1, kSmallest = 1e-13, kFirst = 1e-3;
  largest_ = options.max_step > 0 ? options.max_step : kPart * end_;
  smallest_ = std::max(options.min_step, kSmallest * end_);
  h_ = std::max(std::min({options.step, end_, kFirst, largest_}), std::min(options.min_step, end_));
}

double StepControl::next(double t) {
  constexpr double kNearly = 1.0000001;  // no step of a rounding is left for the end
  const double next = t + kNearly * h_ >= end_ ? end_ : t + h_;
  h_ = next - t;  // exactly what the times say, so that a replay takes the same steps
  return next;
}

double StepControl::factor(double error) const {
  constexpr double kSafety = 0.9, kShrinks = 0.2, kGrows = 5, kNone = 1e-10;
  return std::clamp(kSafety * std::pow(std::max(error, kNone), -exponent_), kShrinks, kGrows);
}

bool StepControl::scale(double factor) {
  const bool was_smallest = h_ <= smallest_;
  h_ = std::min(std::max(h_ * factor, smallest_), largest_);
  return factor >= 1 || !was_smallest;
}

}  // namespace kinegrad
