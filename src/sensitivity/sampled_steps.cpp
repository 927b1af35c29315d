#include "kinegrad/sensitivity/sampled_steps.hpp"

#include <algorithm>
#include <set>

#include "kinegrad/sensitivity/run_partials.hpp"
#include "sensitivity/seeded_numbers.hpp"

namespace kinegrad {

SampledStep::SampledStep(std::size_t k, const StepRecord& record, NewtonStart newton_start)
    : number(k),
      h(record.h),
      x0(*record.x0),
      x1(*record.x1),
      stages(record.stages.begin(), record.stages.end()),
      newton(newton_start) {
  if (record.before && record.before != record.x1) before = *record.before;
  if (record.selection) selection = *record.selection;
}

StepRecord SampledStep::record() const {
  return {h, &x0, &x1, before ? &*before : &x1, stages, selection ? &*selection : nullptr};
}

namespace {

/// The step that ends at, or else begins at, a time of the plan.
std::size_t step_at(const StepPlan& plan, double t) {
  const auto it = std::lower_bound(plan.times.begin(), plan.times.end(), t);
  const auto k = static_cast<std::size_t>(it - plan.times.begin());
  return std::min(k > 0 ? k - 1 : 0, plan.size() - 1);
}

/// Up to three steps of one kind that the run met; those made in parts with the part that follows.
std::vector<std::size_t> of_kind(const StepPlan& plan, const Occurrences& some, bool in_parts) {
  std::vector<std::size_t> out;
  const std::size_t n = some.times.size();
  for (const std::size_t i : {n / 2, std::size_t{0}, n - 1}) {
    if (i >= n) continue;
    const std::size_t step = step_at(plan, some.times[i]);
    out.push_back(step);
    if (in_parts) out.push_back(std::min(step + 1, plan.size() - 1));
  }
  return out;
}

/// First and last step; of the others up to half of the kinds of steps that were not plain, in turn, and one from
/// each part of the run.
std::vector<std::size_t> choose(const StepPlan& plan, const StepEvents& events) {
  const std::size_t n = plan.size();
  std::set<std::size_t> chosen;
  if (n <= SampledSteps::kMost) {
    for (std::size_t k = 0; k < n; ++k) chosen.insert(k);
    return {chosen.begin(), chosen.end()};
  }
  // a thousand steps afford ten for 5 %, also where a spline has a thousand values
  const std::size_t most = std::clamp<std::size_t>(n / 100, 10, SampledSteps::kMost);
  chosen.insert({0, n - 1});
  const std::vector<std::size_t> kinds[] = {
      of_kind(plan, events.moved, false), of_kind(plan, events.divided, true),
      of_kind(plan, events.damped, false), of_kind(plan, events.several, false)};
  for (std::size_t turn = 0; turn < 6; ++turn) {
    for (const std::vector<std::size_t>& kind : kinds) {
      if (turn < kind.size() && chosen.size() < 2 + (most - 2) / 2) chosen.insert(kind[turn]);
    }
  }
  SeededNumbers numbers(n);
  const std::size_t parts = most - chosen.size();
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t first = part * n / parts, end = (part + 1) * n / parts;
    chosen.insert(first + numbers.bits() % (end - first));
  }
  return {chosen.begin(), chosen.end()};
}

}  // namespace

SampledSteps::SampledSteps(const StepPlan& plan, const StepEvents& events)
    : plan_(plan), chosen_(choose(plan, events)) {}

SampledSteps::~SampledSteps() = default;

void SampledSteps::leave(std::unique_ptr<RunPartials> partials) { partials_ = std::move(partials); }

void SampledSteps::see(std::size_t k, const StepRecord& record) {
  if (!std::binary_search(chosen_.begin(), chosen_.end(), k)) return;
  kept_.emplace_back(k, record, plan_.starts[k]);
}

}  // namespace kinegrad
