#include "kinegrad/sensitivity/adjoint.hpp"

#include "kinegrad/math/views.hpp"
#include "kinegrad/sensitivity/run_partials.hpp"
#include "kinegrad/sensitivity/run_tally.hpp"
#include "kinegrad/sensitivity/sampled_steps.hpp"

namespace kinegrad {

namespace {

/// One run backwards.
class AdjointRun {
 public:
  AdjointRun(const GradientTask& task, GradientReport& report)
      : task_(task),
        report_(report),
        partials_(std::make_unique<RunPartials>(task, report)),
        tally_(task, report),
        steps_(*task.trajectory, task.model, report.settings, task.p, task.plan),
        x_(report.objectives.size()),
        inner_(report.objectives.size()),
        p_(report.objectives.size(), std::vector<double>(task.p.size(), 0.0)) {
    const auto m = static_cast<int>(task.model.constraint_rows().size());
    for (StateCotangent& x : x_) x.set_zero(task.model.state_size(), m);
    visit_ = [this](int stage, StateCotangent& x) {
      const std::vector<StateCotangent>& inner = inner_[objective_];
      for (std::size_t k = 0; k < weights_.inner.size(); ++k) {
        if (weights_.inner[k].stage == stage) x += inner[k];
      }
    };
  }

  bool run(const ColumnWatch& watch) {
    const Trajectory& trajectory = *task_.trajectory;
    const std::size_t n = trajectory.size();
    end(trajectory.last());
    double carried = 0;  // what the step after gives to x₁
    const double t_end = task_.plan.times.back();
    for (std::size_t k = n; k-- > 0;) {
      const StepRecord record = steps_.record(k);
      if (task_.samples) task_.samples->see(k, record);
      weights_.take(partials_->step(), record);
      if (!partials_->step().linearize(record)) return no_derivative_at(record.x1->t, report_);
      tally_.see(*record.x1, partials_->step().at_end());
      add(*record.x1, carried + weights_.end, partials_->step().at_end());
      add_inner();
      carried = weights_.start;
      for (objective_ = 0; objective_ < x_.size(); ++objective_) {
        partials_->step().adjoint(x_[objective_], p_[objective_], visit_);
      }
      if (!watch(1 - record.x0->t / t_end)) return stopped_at(record.x0->t, report_);
    }
    tally_.see(trajectory.first(), nullptr);
    add(trajectory.first(), carried, nullptr);
    if (!start()) return false;
    tally_.report(report_);
    if (task_.samples) task_.samples->leave(std::move(partials_));
    return true;
  }

  std::span<const std::vector<double>> p_bar() const { return p_; }

 private:
  const Objective& objective(std::size_t i) const {
    return task_.model.objectives()[static_cast<std::size_t>(report_.objectives[i])];
  }

  /// What the objectives have at the end of the run alone.
  void end(const StepState<double>& x) {
    bool taken = false;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const int output = objective(i).terminal;
      if (output < 0) continue;
      if (!taken) partials_->take(x);
      taken = true;
      pull(i, output, 1, x_[i]);
    }
  }

  /// Adds weight·g of every objective and its g_x; `there`: mechanics that were linearised there.
  void add(const StepState<double>& x, double weight, SystemPartials* there) {
    bool taken = false;
    for (std::size_t i = 0; i < x_.size() && weight != 0; ++i) {
      const int output = objective(i).integral;
      if (output < 0) continue;
      if (!taken) partials_->take(x, there);
      taken = true;
      pull(i, output, weight, x_[i]);
    }
  }

  /// The same at the inner nodes of the step linearised last: kept until the adjoint comes to them.
  void add_inner() {
    for (std::size_t k = 0; k < weights_.inner.size(); ++k) {
      const RecordedNode& node = weights_.inner[k];
      bool taken = false;
      for (std::size_t i = 0; i < x_.size(); ++i) {
        if (inner_[i].size() <= k) inner_[i].resize(k + 1);
        StateCotangent& bar = inner_[i][k];
        bar.set_zero(static_cast<int>(x_[i].q.size()), static_cast<int>(x_[i].lambda.size()));
        const int output = objective(i).integral;
        if (output < 0) continue;
        if (!taken) partials_->take(*node.state, partials_->step().at_stage(node.stage));
        taken = true;
        pull(i, output, node.weight, bar);
      }
    }
  }

  /// At the state that the partials have taken.
  void pull(std::size_t i, int output, double weight, StateCotangent& bar) {
    tally_.add(i, weight * partials_->output(output));
    partials_->pull_output(output, weight, bar, p_[i]);
  }

  bool start() {
    const StepState<double>& x0 = task_.trajectory->first();
    const CoordinateSelection* selection = steps_.start_selection();
    StartPartials& start = partials_->start();
    const std::string refusal = linearize_start(task_, report_, start);
    if (!refusal.empty()) return no_derivative_of_start(refusal, report_);
    for (std::size_t i = 0; i < x_.size(); ++i) {
      if (!partials_->step().start_adjoint(x0, selection, x_[i], p_[i])) {
        return no_derivative_at(0, report_);
      }
      start.adjoint(x_[i], p_[i]);
    }
    return true;
  }

  const GradientTask& task_;
  GradientReport& report_;
  std::unique_ptr<RunPartials> partials_;
  RunTally tally_;
  TrajectoryReader steps_;
  QuadratureWeights weights_;
  std::size_t objective_ = 0;  // the one that goes backwards just now
  StepPartials::VisitCotangent visit_;
  std::vector<StateCotangent> x_;
  std::vector<std::vector<StateCotangent>> inner_;  // by objective and inner node of a step
  std::vector<std::vector<double>> p_;
};

}  // namespace

void AdjointMethod::differentiate(const GradientTask& task, const GradientWatch& watch,
                                  GradientReport& report) const {
  AdjointRun run(task, report);
  if (!run.run([&](double part) { return !watch || watch(name, part); })) return;
  fill_rows(task, run.p_bar(), report);
}

}  // namespace kinegrad
