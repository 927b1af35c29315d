#include "kinegrad/simulation/trajectory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kinegrad/base/error.hpp"

namespace kinegrad {

namespace {

std::size_t bytes_of(const StepState<double>& x) {
  return sizeof(x) + sizeof(double) * numbers_of(x);
}

std::size_t bytes_of(const CoordinateSelection& s) {
  return sizeof(s) + sizeof(int) * (s.pivot_row.size() + s.dependent.size() + s.integrated.size() +
                                    s.free.size());
}

/// What makes two choices different to a derivative are the sets, which change rarely.
bool same_sets(const CoordinateSelection& a, const CoordinateSelection& b) {
  return a.pivot_row == b.pivot_row && a.dependent == b.dependent &&
         a.position_rank == b.position_rank;
}

}  // namespace

void StepRecords::keep_selection(const Formulation<double>& formulation) {
  const CoordinateSelection* now = formulation.selection();
  if (!now) return;
  if (selections_.empty() || !same_sets(selections_.back(), *now)) selections_.push_back(*now);
}

void StepRecords::start(const StepState<double>& x, const Formulation<double>& formulation) {
  steps_.clear();
  for (StateStore* store : {&states_, &before_, &stages_}) store->clear();
  selections_.clear();
  keep_selection(formulation);
  states_.push(x);
}

void StepRecords::add(const StepState<double>& x1, const StepMap<double>& map,
                      const Formulation<double>& formulation) {
  keep_selection(formulation);
  states_.push(x1);
  Step& step = steps_.emplace_back();
  step.selection = selections_.empty() ? 0 : selections_.size() - 1;
  // with independent coordinates the end of a step finds multipliers and moves nothing
  const StepState<double>* before = formulation.selection() ? nullptr : map.before();
  if (before && !(before->v == x1.v && before->a == x1.a && before->lambda == x1.lambda)) {
    rest_.v = before->v;
    rest_.a = before->a;
    rest_.lambda = before->lambda;
    step.before = before_.size();
    before_.push(rest_);
  }
  const auto stages = map.stages();
  stage_count_ = stages.size();
  for (const StepState<double>& stage : stages) stages_.push(stage);
}

StepRecord StepRecords::record(std::size_t k, RecordRoom& room) const {
  StepRecord record;
  states_.read(k, room.x0);
  states_.read(k + 1, room.x1);
  record.x0 = &room.x0;
  record.x1 = &room.x1;
  record.h = room.x1.t - room.x0.t;
  record.before = &room.x1;
  if (steps_[k].before != kSame) {
    before_.read(steps_[k].before, room.before);
    record.before = &room.before;
  }
  room.stages.resize(stage_count_);
  for (std::size_t i = 0; i < stage_count_; ++i) {
    stages_.read(k * stage_count_ + i, room.stages[i]);
  }
  record.stages = room.stages;
  record.selection = selection(k);
  return record;
}

void Trajectory::limit(std::size_t bytes) {
  constexpr std::size_t kLeast = 1024;
  if (bytes != 0 && bytes < kLeast) {
    throw InvalidArgument("a memory of less than 1024 bytes holds no step");
  }
  bytes_ = bytes;
}

void Trajectory::start(const StepState<double>& x, const StepMap<double>& map,
                       const Formulation<double>& formulation, std::size_t expected) {
  size_ = 0;
  first_ = last_ = x;
  checkpoints_.clear();
  const CoordinateSelection* memory = formulation.selection();
  checkpoint_bytes_ = bytes_of(x) + (memory ? bytes_of(*memory) : sizeof(CoordinateSelection));
  // a record has the state, what Newton's method found and the stages
  record_bytes_ = (2 + map.stages().size()) * sizeof(double) * (1 + numbers_of(x)) + 64;
  const bool fits = expected > 0 && expected * record_bytes_ <= bytes_;
  stride_ = bytes_ == 0 || fits ? 0 : 1;
  if (stride_ > 0 && expected > 0 && least_bytes(expected) > bytes_) refuse(expected);
  peak_ = 0;
  if (complete()) return records_.start(x, formulation);
  checkpoints_.push_back({x, memory ? *memory : CoordinateSelection(), memory != nullptr});
}

/// Half of the memory is for checkpoints, half for the steps between two of them.
void Trajectory::thin() {
  while (checkpoints_.size() * checkpoint_bytes_ > bytes_ / 2) {
    for (std::size_t i = 1; 2 * i < checkpoints_.size(); ++i) {
      std::swap(checkpoints_[i], checkpoints_[2 * i]);
    }
    checkpoints_.resize((checkpoints_.size() + 1) / 2);
    stride_ *= 2;
    if (checkpoints_.size() == 1) return;
  }
}

void Trajectory::add(const StepState<double>& x1, const StepMap<double>& map,
                     const Formulation<double>& formulation) {
  ++size_;
  last_ = x1;
  if (complete()) {
    records_.add(x1, map, formulation);
    peak_ = std::max(peak_, size_ * record_bytes_);
    return;
  }
  if (size_ % stride_ != 0) return;
  const CoordinateSelection* memory = formulation.selection();
  checkpoints_.push_back({x1, memory ? *memory : CoordinateSelection(), memory != nullptr});
  peak_ = std::max(peak_, checkpoints_.size() * checkpoint_bytes_ + stride_ * record_bytes_);
  thin();
  if (stride_ * record_bytes_ > bytes_ / 2) refuse(size_);
}

/// C checkpoints and the N/C steps between two of them, each in its half.
std::size_t Trajectory::least_bytes(std::size_t steps) const {
  std::size_t bytes = 1024;
  const auto enough = [&] {
    const std::size_t most = bytes / 2 / checkpoint_bytes_;
    if (most == 0) return false;
    std::size_t stride = 1;
    while (steps / stride + 1 > most) stride *= 2;
    return stride * record_bytes_ <= bytes / 2;
  };
  while (!enough()) bytes += bytes / 8;
  return bytes;
}

void Trajectory::refuse(std::size_t steps) const {
  throw InvalidArgument(
      fmt::format("a memory of {} bytes is too small to go back through {} steps: it takes {}",
                  bytes_, steps, least_bytes(steps)));
}

TrajectoryReader::TrajectoryReader(const Trajectory& trajectory, const Model& model,
                                   const RunOptions& options, std::span<const double> p,
                                   const StepPlan& plan)
    : trajectory_(trajectory), plan_(plan) {
  if (trajectory.complete()) return;
  formulation_ = make_formulation<double>(
      options.formulation, model, reference_point_named(options.coordinates), options.constraints);
  formulation_->set_parameters(p);
  map_ = make_step_map<double>(options.integrator, *formulation_, options.details);
}

/// The steps from a checkpoint to the next, made again as they were.
void TrajectoryReader::make_segment(std::size_t first) {
  const Trajectory::Checkpoint& checkpoint = trajectory_.checkpoint(first);
  x0_ = x1_ = checkpoint.x;
  if (checkpoint.remembers) formulation_->restore(checkpoint.memory);
  segment_.start(x0_, *formulation_);
  const std::size_t end = std::min(first + trajectory_.stride(), trajectory_.size());
  for (std::size_t k = first; k < end; ++k) {
    const double t = plan_.times[k + 1];
    const StepReport step = map_->step(x0_, t - x0_.t, x1_, plan_.starts[k]);
    KINEGRAD_DEMAND(step.usable());  // it was, the first time
    x1_.t = t;
    segment_.add(x1_, *map_, *formulation_);
    std::swap(x0_, x1_);
  }
  first_ = first;
  made_ = true;
}

StepRecord TrajectoryReader::record(std::size_t k) {
  if (trajectory_.complete()) return trajectory_.record(k, room_);
  const std::size_t first = k / trajectory_.stride() * trajectory_.stride();
  if (!made_ || first != first_) make_segment(first);
  return segment_.record(k - first, room_);
}

const CoordinateSelection* TrajectoryReader::start_selection() {
  if (trajectory_.complete()) return trajectory_.start_selection();
  if (!made_ || first_ != 0) make_segment(0);
  return segment_.start_selection();
}

}  // namespace kinegrad
