#include "kinegrad/sensitivity/forward.hpp"

#include "kinegrad/math/views.hpp"
#include "kinegrad/sensitivity/run_partials.hpp"
#include "kinegrad/sensitivity/run_tally.hpp"
#include "kinegrad/sensitivity/sampled_steps.hpp"

namespace kinegrad {

namespace {

/// One run forwards.
class ForwardRun {
 public:
  ForwardRun(const GradientTask& task, GradientReport& report, std::span<const int> parameters)
      : task_(task),
        report_(report),
        parameters_(parameters.begin(), parameters.end()),
        partials_(std::make_unique<RunPartials>(task, report)),
        tally_(task, report),
        steps_(*task.trajectory, task.model, report.settings, task.p, task.plan),
        design_(task.model.design_map(), task.rho, parameters),
        n_(task.model.state_size()),
        m_(static_cast<int>(task.model.constraint_rows().size())),
        gradient_(MatX::Zero(report.gradient.rows(), static_cast<Eigen::Index>(parameters.size()))),
        row_(static_cast<Eigen::Index>(parameters.size())),
        p_bar_(task.p.size(), 0.0) {
    visit_ = [this](int stage, const StateTangent& dx) {
      ended_ = false;
      for (const RecordedNode& node : weights_.inner) {
        if (node.stage == stage) add(*node.state, dx, node.weight);
      }
    };
  }

  bool run(const ColumnWatch& watch) {
    const Trajectory& trajectory = *task_.trajectory;
    if (!start()) return false;
    double carried = 0;  // what the step before gives to x₀
    const double end = task_.plan.times.back();
    for (std::size_t k = 0; k < trajectory.size(); ++k) {
      const StepRecord record = steps_.record(k);
      if (task_.samples) task_.samples->see(k, record);
      arrive(*record.x0, k > 0);
      weights_.take(partials_->step(), record);
      add(*record.x0, dx_, carried + weights_.start);
      carried = weights_.end;
      if (!partials_->step().tangent(record, design_, dx_, visit_))
        return no_derivative_at(record.x1->t, report_);
      if (!watch(record.x1->t / end)) return stopped_at(record.x1->t, report_);
    }
    arrive(trajectory.last(), trajectory.size() > 0);
    add(trajectory.last(), dx_, carried);
    for (std::size_t i = 0; i < report_.objectives.size(); ++i) {
      add_objective(i, objective(i).terminal, trajectory.last(), dx_, 1);
    }
    tally_.report(report_);
    if (task_.samples) task_.samples->leave(std::move(partials_));
    return true;
  }

  const MatX& gradient() const { return gradient_; }

 private:
  bool start() {
    const StepState<double>& x0 = task_.trajectory->first();
    StartPartials& start = partials_->start();
    const std::string refusal = linearize_start(task_, report_, start);
    if (!refusal.empty()) return no_derivative_of_start(refusal, report_);
    start.tangent(design_, dx_);
    return partials_->step().start_tangent(x0, steps_.start_selection(), design_, dx_) ||
           no_derivative_at(0, report_);
  }

  /// row += barᵀ dx where a partial is infinite and what does not move counts nothing, as in [EX-6].
  template <typename Row>
  static void add_infinite(const VecX& bar, const MatX& dx, Row& row) {
    for (Eigen::Index i = 0; i < bar.size(); ++i) {
      for (Eigen::Index j = 0; j < dx.cols(); ++j) {
        if (bar(i) != 0 && dx(i, j) != 0) row(j) += bar(i) * dx(i, j);
      }
    }
  }

  /// row += weight·d(output) at the state that the partials have taken.
  template <typename Row>
  void add_output(int output, double weight, const StateTangent& dx, Row&& row) {
    bar_.set_zero(n_, m_);
    for (const int p : design_.active()) p_bar_[static_cast<std::size_t>(p)] = 0;
    partials_->pull_output(output, weight, bar_, p_bar_);
    design_.pull(p_bar_, out(row_));
    row += row_.transpose();
    const auto add = [&](const VecX& bar, const MatX& dx_part) {  // most outputs read little
      if (bar.isZero(0)) return;
      if (bar.allFinite()) {
        row.noalias() += bar.transpose().lazyProduct(dx_part);
      } else {
        add_infinite(bar, dx_part, row);
      }
    };
    add(bar_.q, dx.q);
    add(bar_.v, dx.v);
    add(bar_.a, dx.a);
    add(bar_.lambda, dx.lambda);
  }

  const Objective& objective(std::size_t i) const {
    return task_.model.objectives()[static_cast<std::size_t>(report_.objectives[i])];
  }

  /// At a state of the run; `ended`: where the step differentiated last ended.
  void arrive(const StepState<double>& x, bool ended) {
    taken_ = nullptr;
    ended_ = ended;
    tally_.see(x, ended ? partials_->step().at_end() : nullptr);
    if (task_.options.sensitivities) observe(x);
  }

  /// The partials of the signals at a state, which several may ask for.
  void take(const StepState<double>& x) {
    if (taken_ == &x) return;
    partials_->take(x, ended_ ? partials_->step().at_end() : nullptr);
    taken_ = &x;
  }

  /// Shows the derivatives of the signals.
  void observe(const StepState<double>& x) {
    const auto& signals = task_.model.signals();
    ds_.setZero(static_cast<Eigen::Index>(signals.size()), gradient_.cols());
    take(x);
    for (std::size_t k = 0; k < signals.size(); ++k) {
      add_output(signals[k].output, 1, dx_, ds_.row(static_cast<Eigen::Index>(k)));
    }
    task_.options.sensitivities(x.t, parameters_, ds_);
  }

  void add_objective(std::size_t i, int output, const StepState<double>& x, const StateTangent& dx,
                     double weight) {
    if (output < 0 || weight == 0) return;
    take(x);
    tally_.add(i, weight * partials_->output(output));
    add_output(output, weight, dx, gradient_.row(static_cast<Eigen::Index>(i)));
  }

  /// Adds weight·g of every objective and its derivatives.
  void add(const StepState<double>& x, const StateTangent& dx, double weight) {
    for (std::size_t i = 0; i < report_.objectives.size(); ++i) {
      add_objective(i, objective(i).integral, x, dx, weight);
    }
  }

  const GradientTask& task_;
  GradientReport& report_;
  std::vector<int> parameters_;
  std::unique_ptr<RunPartials> partials_;
  RunTally tally_;
  const StepState<double>* taken_ = nullptr;  // where the signals were linearised last
  bool ended_ = false;
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
  if (!run.run([&](double part) { return !watch || watch(name, part); })) return;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    report.gradient.col(static_cast<Eigen::Index>(columns[j])) =
        run.gradient().col(static_cast<Eigen::Index>(j));
    report.finished[columns[j]] = true;
  }
}

}  // namespace kinegrad
