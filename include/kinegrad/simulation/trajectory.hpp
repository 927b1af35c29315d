// The steps of a run, kept for those who differentiate them: all of them, or under a bound on the
// memory only every K-th state, from which the steps between are made again (docs/theory/
// sensitivity_methods.md). Memory is reused from run to run.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "kinegrad/integrators/step_partials.hpp"
#include "kinegrad/simulation/run.hpp"
#include "kinegrad/simulation/state_store.hpp"
#include "kinegrad/simulation/step_plan.hpp"

namespace kinegrad {

/// What a record points to.
struct RecordRoom {
  StepState<double> x0, x1, before;
  std::vector<StepState<double>> stages;
};

/// Consecutive steps with everything their derivatives need.
class StepRecords {
 public:
  /// Forgets everything and begins with a state.
  void start(const StepState<double>& x, const Formulation<double>& formulation);
  /// Keeps the step last done by the map, from the state kept last to x₁.
  void add(const StepState<double>& x1, const StepMap<double>& map,
           const Formulation<double>& formulation);

  std::size_t size() const { return steps_.size(); }
  double time(std::size_t k) const { return states_.time(k); }
  void read_state(std::size_t k, StepState<double>& x) const { states_.read(k, x); }
  /// Holds as long as the room does, and until it is used again.
  StepRecord record(std::size_t k, RecordRoom& room) const;
  /// The choice that step k was made with; null: all coordinates are integrated.
  const CoordinateSelection* selection(std::size_t k) const {
    return selections_.empty() ? nullptr : &selections_[steps_[k].selection];
  }
  const CoordinateSelection* start_selection() const {
    return selections_.empty() ? nullptr : &selections_.front();
  }

 private:
  struct Step {
    std::size_t selection = 0;
    std::size_t before = kSame;  // which one of before_
  };
  static constexpr std::size_t kSame = std::size_t(-1);  // before is x₁
  void keep_selection(const Formulation<double>& formulation);

  StateStore states_, before_, stages_;
  std::size_t stage_count_ = 0;  // of each step
  std::vector<Step> steps_;
  std::deque<CoordinateSelection> selections_;
  StepState<double> rest_;  // v, a and λ before the end of a step
};

class Trajectory {
 public:
  /// At most that many bytes, 0: as many as it takes. @throws InvalidArgument if it is absurd
  void limit(std::size_t bytes);

  /// `expected`: how many steps the run will make, 0: not known. @throws InvalidArgument if the bound is
  /// too small for them.
  void start(const StepState<double>& x, const StepMap<double>& map,
             const Formulation<double>& formulation, std::size_t expected);
  /// @throws InvalidArgument as soon as the bound is seen to be too small, with what would do so far.
  void add(const StepState<double>& x1, const StepMap<double>& map,
           const Formulation<double>& formulation);

  std::size_t size() const { return size_; }
  /// Every step is kept; else TrajectoryReader makes them again.
  bool complete() const { return stride_ == 0; }
  /// Of a complete one.
  double time(std::size_t k) const { return records_.time(k); }
  void read_state(std::size_t k, StepState<double>& x) const { records_.read_state(k, x); }
  StepRecord record(std::size_t k, RecordRoom& room) const { return records_.record(k, room); }
  const CoordinateSelection* selection(std::size_t k) const { return records_.selection(k); }
  const StepState<double>& first() const { return first_; }
  const StepState<double>& last() const { return last_; }
  /// Most bytes held at a time, those of a reader included.
  std::size_t peak_bytes() const { return peak_; }
  /// What a run of this length needs at least.
  std::size_t least_bytes() const { return least_bytes(size_); }

  /// Where steps can be made again from, one at every multiple of stride() steps.
  struct Checkpoint {
    StepState<double> x;
    CoordinateSelection memory;
    bool remembers = false;
  };
  std::size_t stride() const { return stride_; }
  const Checkpoint& checkpoint(std::size_t k) const { return checkpoints_[k / stride_]; }
  /// Of a complete one, as records are.
  const CoordinateSelection* start_selection() const { return records_.start_selection(); }

 private:
  void thin();
  std::size_t least_bytes(std::size_t steps) const;
  void refuse(std::size_t steps) const;

  std::size_t bytes_ = 0, size_ = 0, peak_ = 0;
  std::size_t stride_ = 0;  // 0: all steps are kept
  std::size_t checkpoint_bytes_ = 0, record_bytes_ = 0;
  StepState<double> first_, last_;
  StepRecords records_;
  std::deque<Checkpoint> checkpoints_;
};

/// Gives the steps of a trajectory, one at a time, last first.
class TrajectoryReader {
 public:
  /// All must outlive the reader; `plan` is that of the run.
  TrajectoryReader(const Trajectory& trajectory, const Model& model, const RunOptions& options,
                   std::span<const double> p, const StepPlan& plan);

  StepRecord record(std::size_t k);
  const CoordinateSelection* start_selection();

 private:
  void make_segment(std::size_t first);

  const Trajectory& trajectory_;
  const StepPlan& plan_;
  std::unique_ptr<Formulation<double>> formulation_;
  std::unique_ptr<StepMap<double>> map_;
  StepRecords segment_;
  RecordRoom room_;
  std::size_t first_ = 0;
  bool made_ = false;
  StepState<double> x0_, x1_;
};

}  // namespace kinegrad
