#include "kinegrad/sensitivity/adjoint.hpp"

#include "kinegrad/math/views.hpp"
#include "kinegrad/sensitivity/run_partials.hpp"

namespace kinegrad {

namespace {

/// One run backwards.
class AdjointRun {
 public:
  AdjointRun(const GradientTask& task, GradientReport& report)
      : task_(task),
        report_(report),
        partials_(task, report),
        steps_(*task.trajectory, task.model, report.settings, task.p, task.times),
        x_(report.objectives.size()),
        p_(report.objectives.size(), std::vector<double>(task.p.size(), 0.0)) {
    const auto m = static_cast<int>(task.model.constraint_rows().size());
    for (StateCotangent& x : x_) x.set_zero(task.model.state_size(), m);
    visit_ = [this](int stage, StateCotangent& x) {
      for (const RecordedNode& node : weights_.inner) {
        if (node.stage == stage) add_one(objective_, *node.state, node.weight, x);
      }
    };
  }

  bool run(const ColumnWatch& watch) {
    const Trajectory& trajectory = *task_.trajectory;
    const std::size_t n = trajectory.size();
    add(trajectory.last(), 0, true);
    double carried = 0;  // what the step after gives to x₁
    const double end = task_.times.back();
    for (std::size_t k = n; k-- > 0;) {
      const StepRecord record = steps_.record(k);
      weights_.take(partials_.step(), record);
      add(*record.x1, carried + weights_.end, false);
      carried = weights_.start;
      if (!partials_.step().linearize(record)) return no_derivative_at(record.x1->t, report_);
      for (objective_ = 0; objective_ < x_.size(); ++objective_) {
        partials_.step().adjoint(x_[objective_], p_[objective_], visit_);
      }
      if (!watch(1 - record.x0->t / end)) return stopped_at(record.x0->t, report_);
    }
    add(trajectory.first(), carried, false);
    return start();
  }

  std::span<const std::vector<double>> p_bar() const { return p_; }

 private:
  const Objective& objective(std::size_t i) const {
    return task_.model.objectives()[static_cast<std::size_t>(report_.objectives[i])];
  }

  /// Adds weight·g_x of every objective, and at the end of the run the terminal ones.
  void add(const StepState<double>& x, double weight, bool terminal) {
    bool taken = false;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const auto one = [&](int output, double w) {
        if (output < 0 || w == 0) return;
        if (!taken) partials_.take(x);
        taken = true;
        partials_.pull_output(output, w, x_[i], p_[i]);
      };
      one(objective(i).integral, weight);
      if (terminal) one(objective(i).terminal, 1);
    }
  }

  void add_one(std::size_t i, const StepState<double>& x, double weight, StateCotangent& bar) {
    const int output = objective(i).integral;
    if (output < 0) return;
    partials_.take(x);
    partials_.pull_output(output, weight, bar, p_[i]);
  }

  bool start() {
    const StepState<double>& x0 = task_.trajectory->first();
    const CoordinateSelection* selection = steps_.start_selection();
    StartPartials& start = partials_.start();
    if (!start.linearize(x0, *task_.start, report_.settings.starts_at_rest())) {
      return no_derivative_of_start(report_);
    }
    for (std::size_t i = 0; i < x_.size(); ++i) {
      if (!partials_.step().start_adjoint(x0, selection, x_[i], p_[i])) {
        return no_derivative_at(0, report_);
      }
      start.adjoint(x_[i], p_[i]);
    }
    return true;
  }

  const GradientTask& task_;
  GradientReport& report_;
  RunPartials partials_;
  TrajectoryReader steps_;
  QuadratureWeights weights_;
  std::size_t objective_ = 0;  // the one that goes backwards just now
  StepPartials::VisitCotangent visit_;
  std::vector<StateCotangent> x_;
  std::vector<std::vector<double>> p_;
};

}  // namespace

void AdjointMethod::differentiate(const GradientTask& task, const GradientWatch& watch,
                                  GradientReport& report) const {
  AdjointRun run(task, report);
  if (!run.run([&](double part) { return !watch || watch("adjoint", part); })) return;
  fill_rows(task, run.p_bar(), report);
}

}  // namespace kinegrad
