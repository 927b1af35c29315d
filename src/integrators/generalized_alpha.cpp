#include "kinegrad/integrators/generalized_alpha.hpp"

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

/// The first number that is not finite, -1 if all are.
template <typename T>
int first_not_finite(const VecXT<T>& x) {
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    if (!std::isfinite(real_part(x(i)))) return static_cast<int>(i);
  }
  return -1;
}

/// Corrections of coordinates of this size, relative to 1 + |y|, may be rounding.
constexpr double kRounding = 1e-12;

/// Judges the corrections of ÿ that Newton's method makes. A derivative run converges its derivative
/// too: relative, because its scale is the step h_c. Constraints on positions leave rounding in ÿ,
/// ε/c_q of the real part and of the derivative.
class Convergence {
 public:
  Convergence(double c_q, const IntegratorOptions& options)
      : c_q_(c_q), tolerance_(options.tolerance), acceptable_(options.acceptable) {}

  /// After a correction of the size `moved`.
  bool reached(const Size& moved, const Size& y, const Size& yddot) {
    const Size before = last_[static_cast<std::size_t>(count_ % kBack)];
    last_[static_cast<std::size_t>(count_++ % kBack)] = moved;
    const double real = c_q_ * moved.real, derivative = c_q_ * moved.derivative;
    const double attainable = 1e-13 * c_q_ * yddot.derivative + 1e-15 * y.derivative;
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
  double c_q_, tolerance_, acceptable_;
  double left_ = 0;
  int count_ = 0;
  std::array<Size, kBack> last_{Size{HUGE_VAL, HUGE_VAL}, Size{HUGE_VAL, HUGE_VAL},
                                Size{HUGE_VAL, HUGE_VAL}};
};

}  // namespace

NewmarkConstants trapezoidal_constants() { return {"trapezoidal", 0, 0, 0.25, 0.5}; }

NewmarkConstants newmark_constants(const IntegratorOptions& options) {
  return {"newmark", 0, 0, options.beta, options.gamma};
}

/// α = (1 − ρ)/(1 + ρ) ∈ [0, ⅓], γ = ½ + α, β = (1 + α)²/4.
NewmarkConstants hht_constants(const IntegratorOptions& options) {
  const double rho = std::max(0.5, options.spectral_radius);
  const double alpha = (1 - rho) / (1 + rho);
  return {"hht", 0, alpha, 0.25 * (1 + alpha) * (1 + alpha), 0.5 + alpha};
}

/// Chung and Hulbert: α_m = (2ρ − 1)/(ρ + 1), α_f = ρ/(ρ + 1), γ = ½ − α_m + α_f.
NewmarkConstants generalized_alpha_constants(const IntegratorOptions& options) {
  const double rho = options.spectral_radius;
  const double alpha_m = (2 * rho - 1) / (rho + 1), alpha_f = rho / (rho + 1);
  const double x = 1 - alpha_m + alpha_f;
  return {"generalized-alpha", alpha_m, alpha_f, 0.25 * x * x, 0.5 - alpha_m + alpha_f};
}

template <Scalar T>
GeneralizedAlpha<T>::GeneralizedAlpha(const NewmarkConstants& constants,
                                      Formulation<T>& formulation, const IntegratorOptions& options)
    : constants_(constants), formulation_(formulation), options_(options) {}

template <Scalar T>
void GeneralizedAlpha<T>::size_for(int n) {
  for (Integrated* x : {&y0_, &y1_}) {
    for (VecXT<T>* part : {&x->y, &x->ydot, &x->yddot, &x->own}) part->resize(n);
  }
  for (VecXT<T>* x : {&delta_, &y_, &ydot_, &trial_}) x->resize(n);
}

template <Scalar T>
int GeneralizedAlpha<T>::order() const {
  const double consistent = 0.5 - constants_.alpha_m + constants_.alpha_f;
  return std::abs(constants_.gamma - consistent) < 1e-12 ? 2 : 1;  // holomorphic: constants
}

template <Scalar T>
StepReport GeneralizedAlpha<T>::start(StepState<T>& x) {
  x.a.resize(x.q.size());
  x.lambda.setConstant(formulation_.multipliers(), T(0));
  StepReport report;
  if (!formulation_.acceleration(T(x.t), in(x.q), in(x.v), out(x.a), out(x.lambda))) {
    report.status = failure(formulation_, StepStatus::kSingular);
    report.where = formulation_.lost_coordinate();
  }
  if (report.usable()) {
    report.where = first_not_finite(x.a);
    if (report.where >= 0) report.status = StepStatus::kNotFinite;
  }
  x.own = x.a;
  return report;
}

/// [GA-1], [GA-2] from ÿ₁.
template <Scalar T>
void GeneralizedAlpha<T>::advance(double h) {
  const NewmarkConstants& c = constants_;
  const double s = 1 / (1 - c.alpha_m);
  y1_.own = y1_.yddot * T((1 - c.alpha_f) * s) + y0_.yddot * T(c.alpha_f * s) -
            y0_.own * T(c.alpha_m * s);
  y1_.y =
      y0_.y + y0_.ydot * T(h) + y0_.own * T(h * h * (0.5 - c.beta)) + y1_.own * T(h * h * c.beta);
  y1_.ydot = y0_.ydot + y0_.own * T(h * (1 - c.gamma)) + y1_.own * T(h * c.gamma);
}

/// q₁, v₁ and a₁ of ÿ₁ on the step's formulas, closed where some of them are dependent.
template <Scalar T>
StepStatus GeneralizedAlpha<T>::evaluate(double t, StepState<T>& x1) {
  const T time(t);
  if (!formulation_.expand(time, in(y1_.y), in(y1_.ydot), out(x1.q), out(x1.v)) ||
      !formulation_.lift(time, in(x1.q), in(x1.v), in(y1_.yddot), out(x1.a))) {
    return failure(formulation_, StepStatus::kNotClosed);
  }
  return StepStatus::kDone;
}

/// ∂q₁/∂a₁ = h²β̂ and ∂v₁/∂a₁ = hγ̂.
template <Scalar T>
NewtonCoefficients GeneralizedAlpha<T>::coefficients(double h) const {
  const NewmarkConstants& c = constants_;
  const double slope = (1 - c.alpha_f) / (1 - c.alpha_m);
  return {h * c.gamma * slope, h * h * c.beta * slope, options_.exact_tangent};
}

/// Newton's method for ÿ₁, whole corrections.
template <Scalar T>
StepReport GeneralizedAlpha<T>::iterate(double t, double h, StepState<T>& x1) {
  const NewtonCoefficients newton = coefficients(h);
  StepReport report;
  Convergence convergence(newton.c_q, options_);
  for (report.iterations = 1; report.iterations <= options_.max_iterations; ++report.iterations) {
    advance(h);
    report.status = evaluate(t, x1);
    if (!report.usable()) return report;
    if (!formulation_.correct(T(t), in(x1.q), in(x1.v), in(x1.a), out(x1.lambda), newton,
                              out(delta_))) {
      report.status = failure(formulation_, StepStatus::kNotFinite);
      report.where = first_not_finite(x1.q);
      return report;
    }
    y1_.yddot += delta_;
    const Size moved = size_of(delta_);
    if (!std::isfinite(moved.real)) {
      report.status = StepStatus::kNotFinite;
      if (delta_.size() == x1.q.size()) report.where = first_not_finite(delta_);
      return report;
    }
    if (convergence.reached(moved, size_of(y1_.y), size_of(y1_.yddot)) && formulation_.settled()) {
      report.left = convergence.left();
      return report;
    }
  }
  report.left = newton.c_q * size_of(delta_).real;
  if (std::is_same_v<T, double> && report.left <= options_.acceptable) return report;
  report.status = failure(formulation_, StepStatus::kNotConverged);
  if (delta_.size() == x1.q.size()) {
    delta_.real().cwiseAbs().maxCoeff(&report.where);  // holomorphic: finds which one
  }
  return report;
}

/// Newton's method for ÿ₁ with corrections that are shortened where the next one would be no smaller
/// [GA-5]. Every matrix is new and has all terms.
template <Scalar T>
StepReport GeneralizedAlpha<T>::iterate_damped(double t, double h, StepState<T>& x1) {
  constexpr int kPatience = 4;  // times the iterations of whole corrections
  NewtonCoefficients newton = coefficients(h);
  newton.exact = true;
  StepReport report;
  // where slopes are steep small corrections need not mean that a solution is near: to rounding
  constexpr double kSolved = 1e-15;
  IntegratorOptions strict = options_;
  strict.tolerance = std::min(options_.tolerance, kSolved);  // holomorphic: a setting
  strict.acceptable = 0;
  Convergence convergence(newton.c_q, strict);
  advance(h);
  report.status = evaluate(t, x1);
  double part = 1;
  for (report.iterations = 1;
       report.usable() && report.iterations <= kPatience * options_.max_iterations;
       ++report.iterations) {
    lambda_ = x1.lambda;
    if (!formulation_.correct(T(t), in(x1.q), in(x1.v), in(x1.a), out(x1.lambda), newton,
                              out(delta_)) ||
        !std::isfinite(size_of(delta_).real)) {
      report.status = StepStatus::kNotFinite;
      report.where = first_not_finite(x1.q);
      if (report.where < 0 && delta_.size() == x1.q.size()) report.where = first_not_finite(delta_);
      return report;
    }
    if (convergence.reached(size_of(delta_), size_of(y1_.y), size_of(y1_.yddot)) &&
        formulation_.settled()) {
      y1_.yddot += delta_;
      report.left = convergence.left();
      return report;
    }
    const bool rounding =
        newton.c_q * size_of(delta_).real <= kRounding * (1 + size_of(y1_.y).real);
    if (rounding) {  // no test can tell whether it helps
      y1_.yddot += delta_;
      advance(h);
      report.status = evaluate(t, x1);
      continue;
    }
    lambda_step_ = x1.lambda - lambda_;
    base_ = y1_.yddot;
    part = std::min(1.0, 4 * part);
    if (!shorten(t, h, newton, x1, part)) break;
  }
  if (report.usable()) report.status = failure(formulation_, StepStatus::kNotConverged);
  return report;
}

/// The largest part s of the correction, at most `part`, that passes the test of [GA-5]; ÿ₁, λ₁ and the
/// state stand there afterwards. False if none does.
template <Scalar T>
bool GeneralizedAlpha<T>::shorten(double t, double h, const NewtonCoefficients& newton,
                                  StepState<T>& x1, double& part) {
  constexpr double kLeastPart = 1e-7;  // of a correction: rounding decides below
  NewtonCoefficients kept = newton;
  kept.kept = true;
  const double whole = size_of(delta_).real;
  for (; part >= kLeastPart; part *= 0.5) {
    y1_.yddot = base_ + delta_ * T(part);
    x1.lambda = lambda_ + lambda_step_ * T(part);
    advance(h);
    if (evaluate(t, x1) != StepStatus::kDone) continue;
    trial_lambda_ = x1.lambda;
    const bool finite = formulation_.correct(T(t), in(x1.q), in(x1.v), in(x1.a), out(trial_lambda_),
                                             kept, out(trial_));
    if (finite && size_of(trial_).real <= (1 - 0.25 * part) * whole) return true;
  }
  return false;
}

/// Where Newton's method begins. q₁ and v₁ are first guesses of dependent coordinates, which near a position
/// where the mechanism may move on in two ways decide for the way it came.
template <Scalar T>
void GeneralizedAlpha<T>::guess(NewtonStart newton, const StepState<T>& x0, double h,
                                StepState<T>& x1) {
  const NewmarkConstants& c = constants_;
  y1_.yddot = y0_.yddot;
  x1.a = x0.a;
  x1.lambda = x0.lambda;
  if (newton == NewtonStart::kPlain || newton == NewtonStart::kDamped) {
    x1.q = x0.q + x0.v * T(h) + x0.a * T(0.5 * h * h);
    x1.v = x0.v + x0.a * T(h);
    return;
  }
  // ẏ₁ = ẏ₀, or 0, from [GA-1]; ÿ₁ from [GA-2]
  const bool rests = newton == NewtonStart::kFromRest;
  y1_.own = y0_.own * T(-(1 - c.gamma) / c.gamma);
  if (rests) y1_.own -= y0_.ydot * T(1 / (h * c.gamma));
  y1_.yddot = (y1_.own * T(1 - c.alpha_m) + y0_.own * T(c.alpha_m) - y0_.yddot * T(c.alpha_f)) *
              T(1 / (1 - c.alpha_f));
  x1.q = x0.q + x0.v * T(rests ? 0.5 * h : h);
  x1.v = x0.v * T(rests ? 0 : 1);
}

template <Scalar T>
StepReport GeneralizedAlpha<T>::step(const StepState<T>& x0, double h, StepState<T>& x1,
                                     NewtonStart newton) {
  const double t1 = x0.t + h;
  StepReport report;
  if (!formulation_.begin_step(T(x0.t), in(x0.q), in(x0.v))) {
    report.status = failure(formulation_, StepStatus::kSingular);
    return report;
  }
  size_for(formulation_.integrated());
  formulation_.reduce(T(x0.t), in(x0.q), in(x0.v), in(x0.a), out(y0_.y), out(y0_.ydot),
                      out(y0_.yddot));
  formulation_.reduce(T(x0.t), in(x0.q), in(x0.v), in(x0.own), out(y_), out(ydot_), out(y0_.own));
  x1.t = t1;
  guess(newton, x0, h, x1);
  report = newton == NewtonStart::kPlain ? iterate(t1, h, x1) : iterate_damped(t1, h, x1);
  if (!report.usable()) return report;
  advance(h);
  report.status = evaluate(t1, x1);
  if (!report.usable()) return report;
  x1.own = x1.a;  // a first guess of dependent ones
  const bool lags = constants_.alpha_m != 0 || constants_.alpha_f != 0;
  if (lags && !formulation_.lift(T(t1), in(x1.q), in(x1.v), in(y1_.own), out(x1.own))) {
    report.status = failure(formulation_, StepStatus::kNotClosed);
    return report;
  }
  before_.v = x1.v;
  before_.a = x1.a;
  before_.lambda = x1.lambda;
  x1.own -= x1.a;  // what finish() does to the acceleration it does to both
  if (!formulation_.finish(T(t1), in(x1.q), out(x1.v), out(x1.a), out(x1.lambda))) {
    report.status = StepStatus::kSingular;
    return report;
  }
  x1.own += x1.a;
  return report;
}

template class GeneralizedAlpha<double>;
template class GeneralizedAlpha<Complex>;

}  // namespace kinegrad
