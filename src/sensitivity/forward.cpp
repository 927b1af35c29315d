#include "kinegrad/sensitivity/forward.hpp"

#include "kinegrad/math/views.hpp"
#include "kinegrad/sensitivity/run_partials.hpp"

namespace kinegrad {

namespace {

/// One run forwards.
class ForwardRun {
 public:
  ForwardRun(const GradientTask& task, GradientReport& report, std::span<const int> parameters)
      : task_(task),
        report_(report),
        parameters_(parameters.begin(), parameters.end()),
        partials_(task, report),
        steps_(*task.trajectory, task.model, report.settings, task.p, task.times),
        design_(task.model.design_map(), task.rho, parameters),
        n_(task.model.state_size()),
        m_(static_cast<int>(task.model.constraint_rows().size())),
        gradient_(MatX::Zero(report.gradient.rows(), static_cast<Eigen::Index>(parameters.size()))),
        row_(static_cast<Eigen::Index>(parameters.size())),
        p_bar_(task.p.size(), 0.0) {
    visit_ = [this](int stage, const StateTangent& dx) {
      for (const RecordedNode& node : weights_.inner) {
        if (node.stage == stage) add(*node.state, dx, node.weight, false);
      }
    };
  }

  bool run(const ColumnWatch& watch) {
    const Trajectory& trajectory = *task_.trajectory;
    if (!start()) return false;
    double carried = 0;  // what the step before gives to x₀
    const double end = task_.times.back();
    for (std::size_t k = 0; k < trajectory.size(); ++k) {
      const StepRecord record = steps_.record(k);
      observe(*record.x0);
      weights_.take(partials_.step(), record);
      add(*record.x0, dx_, carried + weights_.start, false);
      carried = weights_.end;
      if (!partials_.step().tangent(record, design_, dx_, visit_))
        return no_derivative_at(record.x1->t, report_);
      if (!watch(record.x1->t / end)) return stopped_at(record.x1->t, report_);
    }
    observe(trajectory.last());
    add(trajectory.last(), dx_, carried, true);
    return true;
  }

  const MatX& gradient() const { return gradient_; }

 private:
  bool start() {
    const StepState<double>& x0 = task_.trajectory->first();
    StartPartials& start = partials_.start();
    if (!start.linearize(x0, *task_.start, report_.settings.starts_at_rest())) {
      return no_derivative_of_start(report_);
    }
    start.tangent(design_, dx_);
    return partials_.step().start_tangent(x0, steps_.start_selection(), design_, dx_) ||
           no_derivative_at(0, report_);
  }

  /// row += weight·d(output) at the state that the partials have taken.
  template <typename Row>
  void add_output(int output, double weight, const StateTangent& dx, Row&& row) {
    bar_.set_zero(n_, m_);
    for (const int p : design_.active()) p_bar_[static_cast<std::size_t>(p)] = 0;
    partials_.pull_output(output, weight, bar_, p_bar_);
    design_.pull(p_bar_, out(row_));
    row += row_.transpose();
    row.noalias() += bar_.q.transpose() * dx.q;
    row.noalias() += bar_.v.transpose() * dx.v;
    row.noalias() += bar_.a.transpose() * dx.a;
    if (m_ > 0) row.noalias() += bar_.lambda.transpose() * dx.lambda;
  }

  /// Shows the derivatives of the signals, where somebody wants to see them.
  void observe(const StepState<double>& x) {
    if (!task_.options.sensitivities) return;
    const auto& signals = task_.model.signals();
    ds_.setZero(static_cast<Eigen::Index>(signals.size()), gradient_.cols());
    partials_.take(x);
    for (std::size_t k = 0; k < signals.size(); ++k) {
      add_output(signals[k].output, 1, dx_, ds_.row(static_cast<Eigen::Index>(k)));
    }
    task_.options.sensitivities(x.t, parameters_, ds_);
  }

  /// Adds weight·dg of every objective, and at the end of the run the terminal ones.
  void add(const StepState<double>& x, const StateTangent& dx, double weight, bool terminal) {
    bool taken = false;
    for (std::size_t i = 0; i < report_.objectives.size(); ++i) {
      const auto k = static_cast<std::size_t>(report_.objectives[i]);
      const Objective& objective = task_.model.objectives()[k];
      const auto one = [&](int output, double w) {
        if (output < 0 || w == 0) return;
        if (!taken) partials_.take(x);
        taken = true;
        add_output(output, w, dx, gradient_.row(static_cast<Eigen::Index>(i)));
      };
      one(objective.integral, weight);
      if (terminal) one(objective.terminal, 1);
    }
  }

  const GradientTask& task_;
  GradientReport& report_;
  std::vector<int> parameters_;
  RunPartials partials_;
  TrajectoryReader steps_;
  QuadratureWeights weights_;
  StepPartials::VisitTangent visit_;
  DesignJacobian design_;
  int n_, m_;
  MatX gradient_, ds_;
  VecX row_;
  StateTangent dx_;
  StateCotangent bar_;
  std::vector<double> p_bar_;
};

}  // namespace

void ForwardMethod::differentiate(const GradientTask& task, const GradientWatch& watch,
                                  GradientReport& report) const {
  std::vector<int> parameters;
  std::vector<std::size_t> columns;
  for (std::size_t j = 0; j < report.parameters.size(); ++j) {
    if (report.finished[j]) continue;
    parameters.push_back(report.parameters[j]);
    columns.push_back(j);
  }
  ForwardRun run(task, report, parameters);
  if (!run.run([&](double part) { return !watch || watch("forward", part); })) return;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    report.gradient.col(static_cast<Eigen::Index>(columns[j])) =
        run.gradient().col(static_cast<Eigen::Index>(j));
    report.finished[columns[j]] = true;
  }
}

}  // namespace kinegrad
