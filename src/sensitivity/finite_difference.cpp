#include "kinegrad/sensitivity/finite_difference.hpp"

#include <cmath>
#include <limits>

#include "kinegrad/simulation/replay.hpp"

namespace kinegrad {

namespace {

constexpr double kHair = 1e-6;                    // of the largest step
constexpr double kRuns = 2 * kRiddersLevels + 4;  // at most

/// Values of the chosen objectives along one parameter, until a run fails.
class Line {
 public:
  Line(Replay<double>& replay, const GradientTask& task, const GradientReport& report)
      : replay_(replay),
        rho_(task.rho),
        end_(task.plan.times.back()),
        objectives_(report.objectives) {}

  void along(int parameter, const ColumnWatch& watch) {
    parameter_ = static_cast<std::size_t>(parameter);
    watch_ = &watch;
    last_ = {};
    runs_ = 0;
  }

  VecX operator()(double x) {
    VecX values = VecX::Constant(static_cast<Eigen::Index>(objectives_.size()),
                                 std::numeric_limits<double>::quiet_NaN());
    if (!last_.done()) return values;
    const double here = rho_[parameter_];
    rho_[parameter_] = x;
    last_ = replay_.run(rho_, [&](double t) { return (*watch_)((runs_ + t / end_) / kRuns); });
    rho_[parameter_] = here;
    ++runs_;
    if (!last_.done()) return values;
    for (std::size_t i = 0; i < objectives_.size(); ++i) {
      values(static_cast<Eigen::Index>(i)) =
          replay_.objectives()[static_cast<std::size_t>(objectives_[i])];
    }
    return values;
  }

  const RunReport& last() const { return last_; }

 private:
  Replay<double>& replay_;
  std::vector<double> rho_;
  double end_;
  const std::vector<int>& objectives_;
  std::size_t parameter_ = 0;
  const ColumnWatch* watch_ = nullptr;
  RunReport last_;
  int runs_ = 0;
};

/// How far values a hair apart are from a straight line [FD-3]: what rounding and iterations that end
/// leave in them.
VecX scatter(Line& line, double rho, double scale, const VecX& slope) {
  VecX most = VecX::Zero(slope.size());
  for (const double hair : {kHair, 2 * kHair}) {
    const double ahead = rho + hair * scale, behind = rho - hair * scale;
    const VecX bend = line(ahead) - line(behind) - slope * (ahead - behind);
    most = most.cwiseMax(bend.cwiseAbs());
  }
  return most;
}

/// Adds to the error of Ridders' tableau, which knows nothing of noise, what noise does to its
/// smallest step [FD-2].
void add_noise(Line& line, double rho, double largest_step, const std::vector<double>& values,
               RiddersColumn& found) {
  constexpr double kSolved = 1e-13;  // what rounding of many steps adds up to
  constexpr double kSafety = 3;      // four values are a small sample
  const Eigen::Map<const VecX> psi(values.data(), static_cast<Eigen::Index>(values.size()));
  const VecX size = psi.cwiseAbs() + largest_step * found.derivative.cwiseAbs();
  const VecX noise = kSolved * size + kSafety * scatter(line, rho, largest_step, found.derivative);
  found.error += noise / found.smallest_step;
}

}  // namespace

void FiniteDifferenceMethod::differentiate(const GradientTask& task, const GradientWatch& watch,
                                           GradientReport& report) const {
  Replay<double> replay(task.model, options_for_derivatives(report.settings), task.plan);
  Line line(replay, task, report);
  report.error = MatX::Zero(report.gradient.rows(), report.gradient.cols());
  const auto column = [&](Eigen::Index j, const ColumnWatch& part) {
    const int k = report.parameters[static_cast<std::size_t>(j)];
    const double rho = task.rho[static_cast<std::size_t>(k)];
    double step = task.options.relative_step * (rho == 0 ? 1 : std::abs(rho));
    // a mechanism may lock or run away a step beside ρ: nearer, it may not
    constexpr int kAttempts = 3;
    constexpr double kNearer = 0.1;
    for (int attempt = 0; attempt < kAttempts; ++attempt, step *= kNearer) {
      line.along(k, part);
      RiddersColumn found = ridders_derivative([&](double x) { return line(x); }, rho, step);
      add_noise(line, rho, step, report.values, found);
      report.gradient.col(j) = found.derivative;
      report.error.col(j) = found.error;
      if (line.last().status != RunStatus::kFailed) break;
    }
    return line.last();
  };
  fill_columns(task, watch, column, report);
}

}  // namespace kinegrad
