#include "kinegrad/integrators/stage_newton.hpp"

#include <array>
#include <cmath>

#include "kinegrad/math/linear_algebra.hpp"
#include "kinegrad/math/views.hpp"

namespace kinegrad {

namespace {

/// Norms of the real part and, for a complex run, of the derivative it carries.
struct Size {
  double real = 0, derivative = 0;
};
Size size_of(const VecX& x) { return {x.norm(), 0}; }
Size size_of(const VecXT<Complex>& x) {
  return {x.real().norm(), x.imag().norm()};  // holomorphic: a size
}

/// Corrections of coordinates of this size, relative to 1 + |y|, may be rounding.
constexpr double kRounding = 1e-12;

/// Judges the corrections of ÿ that Newton's method makes, times `scale`. A derivative run converges its
/// derivative too: relative, because its scale is the step h_c. Constraints on positions leave rounding in ÿ,
/// ε/c_q of the real part and of the derivative.
class Convergence {
 public:
  Convergence(double scale, double tolerance, double acceptable)
      : scale_(scale), tolerance_(tolerance), acceptable_(acceptable) {}

  /// After a correction of the size `moved`.
  bool reached(const Size& moved, const Size& y, const Size& yddot) {
    const Size before = last_[static_cast<std::size_t>(count_ % kBack)];
    last_[static_cast<std::size_t>(count_++ % kBack)] = moved;
    const double real = scale_ * moved.real, derivative = scale_ * moved.derivative;
    const double attainable = 1e-13 * scale_ * yddot.derivative + 1e-15 * y.derivative;
    const double rounding = kRounding * (1 + y.real);
    const bool stalls = moved.real > kStalls * before.real;
    const bool real_done =
        real <= tolerance_ || (stalls && real <= std::max(rounding, acceptable_));
    left_ = real <= std::max(tolerance_, rounding) ? 0 : real;
    // a derivative that is nothing but rounding, as that of a motion which does not depend on the
    // parameter, has no digits to agree in: it does not become smaller any more
    return real_done &&
           (derivative <= attainable || moved.derivative > kStalls * before.derivative);
  }
  /// The last correction, where it is more than the tolerance and rounding.
  double left() const { return left_; }

 private:
  // Newton's method that would not halve a correction in three iterations would not end at all
  static constexpr int kBack = 3;
  static constexpr double kStalls = 0.5;
  double scale_, tolerance_, acceptable_;
  double left_ = 0;
  int count_ = 0;
  std::array<Size, kBack> last_{Size{HUGE_VAL, HUGE_VAL}, Size{HUGE_VAL, HUGE_VAL},
                                Size{HUGE_VAL, HUGE_VAL}};
};

/// What a correction of ÿ moves: coordinates, and speeds where these count.
template <typename T>
double scale_of(const ImplicitStage<T>& stage) {
  return stage.judges_speeds
             ? std::max(stage.newton.c_q, stage.newton.c_v)  // holomorphic: constants
             : stage.newton.c_q;
}

}  // namespace

template <Scalar T>
StageNewton<T>::StageNewton(Formulation<T>& formulation, const IntegratorOptions& options)
    : formulation_(formulation), options_(options) {}

template <Scalar T>
void StageNewton<T>::size_for(Eigen::Index n) {
  for (VecXT<T>* x : {&y_, &ydot_, &delta_, &trial_}) x->resize(n);
}

template <Scalar T>
void StageNewton<T>::guess(NewtonStart start, const ImplicitStage<T>& stage, const VecXT<T>& ydot0,
                           VecXT<T>& yddot) {
  const double s = 1 / stage.newton.c_v;
  if (start == NewtonStart::kFromRest) yddot = stage.ydot * T(-s);
  if (start == NewtonStart::kCoasting) yddot = (ydot0 - stage.ydot) * T(s);
}

/// q, v and a of ÿ on the stage's formulas, closed where some of them are dependent.
template <Scalar T>
StepStatus StageNewton<T>::evaluate(const ImplicitStage<T>& stage, const VecXT<T>& yddot,
                                    StepState<T>& x) {
  y_ = stage.y + yddot * T(stage.newton.c_q);
  ydot_ = stage.ydot + yddot * T(stage.newton.c_v);
  const T time(stage.t);
  if (!formulation_.expand(time, in(y_), in(ydot_), out(x.q), out(x.v)) ||
      !formulation_.lift(time, in(x.q), in(x.v), in(yddot), out(x.a))) {
    return failure(formulation_, StepStatus::kNotClosed);
  }
  return StepStatus::kDone;
}

template <Scalar T>
StepReport StageNewton<T>::solve(const ImplicitStage<T>& stage, NewtonStart start, VecXT<T>& yddot,
                                 StepState<T>& x) {
  StepReport report =
      start == NewtonStart::kPlain ? iterate(stage, yddot, x) : iterate_damped(stage, yddot, x);
  if (report.usable()) report.status = evaluate(stage, yddot, x);
  return report;
}

/// Whole corrections [N-2].
template <Scalar T>
StepReport StageNewton<T>::iterate(const ImplicitStage<T>& stage, VecXT<T>& yddot,
                                   StepState<T>& x) {
  const T time(stage.t);
  const double scale = scale_of(stage);
  StepReport report;
  Convergence convergence(scale, options_.newton_tolerance(), options_.acceptable);
  for (report.iterations = 1; report.iterations <= options_.max_iterations; ++report.iterations) {
    report.status = evaluate(stage, yddot, x);
    if (!report.usable()) return report;
    if (!formulation_.correct(time, in(x.q), in(x.v), in(x.a), out(x.lambda), stage.newton,
                              out(delta_))) {
      report.status = failure(formulation_, StepStatus::kNotFinite);
      report.where = first_not_finite(x.q);
      return report;
    }
    yddot += delta_;
    const Size moved = size_of(delta_);
    if (!std::isfinite(moved.real)) {
      report.status = StepStatus::kNotFinite;
      if (delta_.size() == x.q.size()) report.where = first_not_finite(delta_);
      return report;
    }
    if (convergence.reached(moved, size_of(y_), size_of(yddot)) && formulation_.settled()) {
      report.left = convergence.left();
      return report;
    }
  }
  report.left = scale * size_of(delta_).real;
  if (std::is_same_v<T, double> && report.left <= options_.acceptable) return report;
  report.status = failure(formulation_, StepStatus::kNotConverged);
  if (delta_.size() == x.q.size()) {
    delta_.real().cwiseAbs().maxCoeff(&report.where);  // holomorphic: finds which one
  }
  return report;
}

/// Corrections that are shortened where the next one would be no smaller [GA-5]. Every matrix is new and has all
/// terms.
template <Scalar T>
StepReport StageNewton<T>::iterate_damped(const ImplicitStage<T>& stage, VecXT<T>& yddot,
                                          StepState<T>& x) {
  constexpr int kPatience = 4;  // times the iterations of whole corrections
  const T time(stage.t);
  NewtonCoefficients newton = stage.newton;
  newton.exact = true;
  StepReport report;
  // where slopes are steep small corrections need not mean that a solution is near: to rounding
  constexpr double kSolved = 1e-15;
  Convergence convergence(scale_of(stage),
                          std::min(options_.newton_tolerance(), kSolved),  // holomorphic: a setting
                          0);
  report.status = evaluate(stage, yddot, x);
  double part = 1;
  for (report.iterations = 1;
       report.usable() && report.iterations <= kPatience * options_.max_iterations;
       ++report.iterations) {
    lambda_ = x.lambda;
    if (!formulation_.correct(time, in(x.q), in(x.v), in(x.a), out(x.lambda), newton,
                              out(delta_)) ||
        !std::isfinite(size_of(delta_).real)) {
      report.status = StepStatus::kNotFinite;
      report.where = first_not_finite(x.q);
      if (report.where < 0 && delta_.size() == x.q.size()) report.where = first_not_finite(delta_);
      return report;
    }
    if (convergence.reached(size_of(delta_), size_of(y_), size_of(yddot)) &&
        formulation_.settled()) {
      yddot += delta_;
      report.left = convergence.left();
      return report;
    }
    const bool rounding = newton.c_q * size_of(delta_).real <= kRounding * (1 + size_of(y_).real);
    if (rounding) {  // no test can tell whether it helps
      yddot += delta_;
      report.status = evaluate(stage, yddot, x);
      continue;
    }
    lambda_step_ = x.lambda - lambda_;
    base_ = yddot;
    part = std::min(1.0, 4 * part);
    if (!shorten(stage, newton, yddot, x, part)) break;
  }
  if (report.usable()) report.status = failure(formulation_, StepStatus::kNotConverged);
  return report;
}

/// The largest part s of the correction, at most `part`, that passes the test of [GA-5]; ÿ, λ and the
/// state are those of it afterwards. False if none does.
template <Scalar T>
bool StageNewton<T>::shorten(const ImplicitStage<T>& stage, const NewtonCoefficients& newton,
                             VecXT<T>& yddot, StepState<T>& x, double& part) {
  constexpr double kLeastPart = 1e-7;  // of a correction: rounding decides below
  NewtonCoefficients kept = newton;
  kept.kept = true;
  const double whole = size_of(delta_).real;
  for (; part >= kLeastPart; part *= 0.5) {
    yddot = base_ + delta_ * T(part);
    x.lambda = lambda_ + lambda_step_ * T(part);
    if (evaluate(stage, yddot, x) != StepStatus::kDone) continue;
    trial_lambda_ = x.lambda;
    const bool finite = formulation_.correct(T(stage.t), in(x.q), in(x.v), in(x.a),
                                             out(trial_lambda_), kept, out(trial_));
    if (finite && size_of(trial_).real <= (1 - 0.25 * part) * whole) return true;
  }
  return false;
}

template class StageNewton<double>;
template class StageNewton<Complex>;

}  // namespace kinegrad
