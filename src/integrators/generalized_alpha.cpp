#include "kinegrad/integrators/generalized_alpha.hpp"

#include <cmath>

#include "kinegrad/math/linear_algebra.hpp"

namespace kinegrad {

namespace {

template <typename T>
std::span<const T> view(const VecXT<T>& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}
template <typename T>
std::span<T> view(VecXT<T>& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

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
    : constants_(constants),
      formulation_(formulation),
      options_(options),
      r_(formulation.nq()),
      delta_(formulation.nq()),
      phi_(formulation.euler_sets().size()) {}

template <Scalar T>
int GeneralizedAlpha<T>::order() const {
  const double consistent = 0.5 - constants_.alpha_m + constants_.alpha_f;
  return std::abs(constants_.gamma - consistent) < 1e-12 ? 2 : 1;  // holomorphic: constants
}

template <Scalar T>
StepReport GeneralizedAlpha<T>::start(StepState<T>& x) {
  x.a.resize(x.q.size());
  StepReport report;
  if (!formulation_.acceleration(T(x.t), view<T>(static_cast<const VecXT<T>&>(x.q)),
                                 view<T>(static_cast<const VecXT<T>&>(x.v)), view<T>(x.a))) {
    report.status = StepStatus::kSingular;
  }
  if (report.usable()) {
    report.where = first_not_finite(x.a);
    if (report.where >= 0) report.status = StepStatus::kNotFinite;
  }
  x.own = x.a;
  return report;
}

/// [GA-1], [GA-2] from a₁.
template <Scalar T>
void GeneralizedAlpha<T>::advance(const StepState<T>& x0, double h, StepState<T>& x1) const {
  const NewmarkConstants& c = constants_;
  const double s = 1 / (1 - c.alpha_m);
  x1.own = x1.a * T((1 - c.alpha_f) * s) + x0.a * T(c.alpha_f * s) - x0.own * T(c.alpha_m * s);
  x1.q = x0.q + x0.v * T(h) + x0.own * T(h * h * (0.5 - c.beta)) + x1.own * T(h * h * c.beta);
  x1.v = x0.v + x0.own * T(h * (1 - c.gamma)) + x1.own * T(h * c.gamma);
}

/// pᵀv = 0 and pᵀa = −vᵀv [GA-4]; along p nothing moves the bodies.
template <Scalar T>
void GeneralizedAlpha<T>::normalise(StepState<T>& x) const {
  for (int first : formulation_.euler_sets()) {
    const Vec<T, 4> p = x.q.template segment<4>(first);
    const T pp = la::squared_norm(p);
    auto v = x.v.template segment<4>(first);
    v -= p * (la::dot(p, v) / pp);
    const T rest = la::squared_norm(v);
    auto a = x.a.template segment<4>(first);
    a -= p * ((la::dot(p, a) + rest) / pp);
    auto w = x.own.template segment<4>(first);
    w -= p * ((la::dot(p, w) + rest) / pp);
  }
}

template <Scalar T>
StepReport GeneralizedAlpha<T>::step(const StepState<T>& x0, double h, StepState<T>& x1) {
  const NewmarkConstants& c = constants_;
  const double slope = (1 - c.alpha_f) / (1 - c.alpha_m);
  const double c_q = h * h * c.beta * slope, c_v = h * c.gamma * slope;
  StepReport report;
  x1.t = x0.t + h;
  x1.a = x0.a;
  for (report.iterations = 1; report.iterations <= options_.max_iterations; ++report.iterations) {
    advance(x0, h, x1);
    const auto q = view<T>(static_cast<const VecXT<T>&>(x1.q)),
               v = view<T>(static_cast<const VecXT<T>&>(x1.v)),
               a = view<T>(static_cast<const VecXT<T>&>(x1.a));
    formulation_.residual(T(x1.t), q, v, a, view<T>(r_));
    if (!formulation_.prepare(T(x1.t), q, v, a, c_v, c_q, options_.exact_tangent)) {
      report.status = StepStatus::kNotFinite;
      report.where = first_not_finite(r_);
      return report;
    }
    for (std::size_t e = 0; e < phi_.size(); ++e) {
      const Vec<T, 4> p = x1.q.template segment<4>(formulation_.euler_sets()[e]);
      phi_[e] = (la::squared_norm(p) - T(1)) * T(0.5 / c_q);
    }
    formulation_.solve(q, view<T>(static_cast<const VecXT<T>&>(r_)), phi_, view<T>(delta_));
    x1.a += delta_;
    const Size moved = size_of(delta_);
    if (!std::isfinite(moved.real)) {
      report.status = StepStatus::kNotFinite;
      report.where = first_not_finite(delta_);
      return report;
    }
    // a derivative run converges its derivative too: relative, because its scale is the step h_c
    const bool derivative_done = moved.derivative <= 1e-13 * size_of(x1.a).derivative;
    if (c_q * moved.real <= options_.tolerance && derivative_done) {
      advance(x0, h, x1);
      normalise(x1);
      return report;
    }
  }
  report.status = StepStatus::kNotConverged;
  delta_.real().cwiseAbs().maxCoeff(&report.where);  // holomorphic: finds which one
  return report;
}

template class GeneralizedAlpha<double>;
template class GeneralizedAlpha<Complex>;

}  // namespace kinegrad
