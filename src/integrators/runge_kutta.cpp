#include "kinegrad/integrators/runge_kutta.hpp"

#include <algorithm>
#include <cmath>

namespace kinegrad {

namespace {

template <typename T>
std::span<const T> view(const VecXT<T>& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

/// Largest of real and imaginary part: both must be finite and both are controlled.
double size_of(double x) { return std::abs(x); }

}  // namespace

template <Scalar T>
RungeKutta<T>::RungeKutta(const Tableau& tableau, Formulation<T>& formulation,
                          const IntegratorOptions& options)
    : tableau_(tableau), formulation_(formulation), options_(options) {
  const auto n = formulation.nq();
  k_q_.assign(static_cast<std::size_t>(tableau.stages()), VecXT<T>::Constant(n, T(0)));
  k_v_ = k_q_;
  q_ = k_q_[0];
  v_ = k_q_[0];
}

template <Scalar T>
StepReport RungeKutta<T>::evaluate(double t, const VecXT<T>& q, const VecXT<T>& v, VecXT<T>& a) {
  StepReport report;
  if (!formulation_.acceleration(T(t), view(q), view(v),
                                 {a.data(), static_cast<std::size_t>(a.size())})) {
    // a motion that has run away takes the mass matrix with it
    constexpr double kRunaway = 1e12;
    bool sane = true;
    for (Eigen::Index i = 0; i < q.size() && sane; ++i) {
      sane = size_of(real_part(q(i))) < kRunaway && size_of(real_part(v(i))) < kRunaway;
      if (!sane) report.where = static_cast<int>(i);
    }
    report.status = sane ? StepStatus::kSingular : StepStatus::kNotFinite;
    return report;
  }
  for (Eigen::Index i = 0; i < a.size(); ++i) {
    if (std::isfinite(real_part(a(i)))) continue;
    report.status = StepStatus::kNotFinite;
    report.where = static_cast<int>(i);
    break;
  }
  return report;
}

template <Scalar T>
StepReport RungeKutta<T>::start(StepState<T>& x) {
  x.a.resize(x.q.size());
  return evaluate(x.t, x.q, x.v, x.a);
}

template <Scalar T>
StepReport RungeKutta<T>::step(const StepState<T>& x0, double h, StepState<T>& x1) {
  const int stages = tableau_.stages();
  k_q_[0] = x0.v;
  k_v_[0] = x0.a;
  h_ = h;
  for (int i = 1; i < stages; ++i) {
    const auto& row = tableau_.a[static_cast<std::size_t>(i)];
    q_ = x0.q;
    v_ = x0.v;
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (row[j] == 0) continue;
      q_ += k_q_[j] * T(h * row[j]);
      v_ += k_v_[j] * T(h * row[j]);
    }
    const auto s = static_cast<std::size_t>(i);
    k_q_[s] = v_;
    const StepReport report = evaluate(x0.t + tableau_.c[s] * h, q_, v_, k_v_[s]);
    if (!report.usable()) return report;
  }
  x1.t = x0.t + h;
  x1.q = x0.q;
  x1.v = x0.v;
  for (int i = 0; i < stages; ++i) {
    const auto s = static_cast<std::size_t>(i);
    if (tableau_.b[s] == 0) continue;
    x1.q += k_q_[s] * T(h * tableau_.b[s]);
    x1.v += k_v_[s] * T(h * tableau_.b[s]);
  }
  StepReport report;
  if (tableau_.first_same_as_last) {
    x1.a = k_v_.back();
  } else {
    x1.a.resize(x1.q.size());
    report = evaluate(x1.t, x1.q, x1.v, x1.a);
  }
  report.iterations = stages;
  if (adaptive()) report.error = error_of(x0, x1, h);
  return report;
}

/// Root mean square of the estimate over tolerance·(1 + |x|).
template <Scalar T>
double RungeKutta<T>::error_of(const StepState<T>& x0, const StepState<T>& x1, double h) const {
  double sum = 0;
  for (Eigen::Index i = 0; i < x1.q.size(); ++i) {
    T e_q(0), e_v(0);
    for (std::size_t s = 0; s < tableau_.b.size(); ++s) {
      const double w = h * (tableau_.b[s] - tableau_.b_hat[s]);
      e_q += k_q_[s](i) * T(w);
      e_v += k_v_[s](i) * T(w);
    }
    const auto scaled = [&](const T& e, const T& a, const T& b) {
      const double largest =
          std::max(size_of(real_part(a)), size_of(real_part(b)));  // holomorphic: a size
      return size_of(real_part(e)) / (options_.tolerance * (1 + largest));
    };
    const double q = scaled(e_q, x0.q(i), x1.q(i)), v = scaled(e_v, x0.v(i), x1.v(i));
    sum += q * q + v * v;
  }
  return x1.q.size() ? std::sqrt(sum / static_cast<double>(2 * x1.q.size())) : 0;
}

/// Dormand-Prince: the continuous extension of order 4 [RK-2]; others: Hermite.
template <Scalar T>
void RungeKutta<T>::interpolate(const StepState<T>& x0, const StepState<T>& x1, double theta,
                                StepState<T>& out) const {
  if (&tableau_ != &dopri5_tableau()) {
    StepMap<T>::interpolate(x0, x1, theta, out);
    return;
  }
  // Hermite's quartic with the free coefficient of Dormand and Prince's extension
  static constexpr double kD[] = {-12715105075.0 / 11282082432.0,  0,
                                  87487479700.0 / 32700410799.0,   -10690763975.0 / 1880347072.0,
                                  701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
                                  69997945.0 / 29380423.0};
  const double s = theta, r = 1 - theta;
  const auto blend = [&](const VecXT<T>& y0, const VecXT<T>& y1, const VecXT<T>& f0,
                         const VecXT<T>& f1, const std::vector<VecXT<T>>& k, VecXT<T>& y) {
    y.resize(y0.size());
    for (Eigen::Index i = 0; i < y.size(); ++i) {
      const T difference = y1(i) - y0(i);
      const T c3 = f0(i) * T(h_) - difference;
      const T c4 = difference - f1(i) * T(h_) - c3;
      T c5(0);
      for (std::size_t j = 0; j < k.size(); ++j) c5 += k[j](i) * T(h_ * kD[j]);
      y(i) = y0(i) + (difference + (c3 + (c4 + c5 * T(r)) * T(s)) * T(r)) * T(s);
    }
  };
  out.t = x0.t + theta * h_;
  blend(x0.q, x1.q, x0.v, x1.v, k_q_, out.q);
  blend(x0.v, x1.v, x0.a, x1.a, k_v_, out.v);
  // accelerations as exact as the state they belong to
  out.a.resize(out.q.size());
  formulation_.acceleration(T(out.t), view(out.q), view(out.v),
                            {out.a.data(), static_cast<std::size_t>(out.a.size())});
}

template class RungeKutta<double>;
template class RungeKutta<Complex>;

}  // namespace kinegrad
