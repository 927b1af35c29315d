#include "kinegrad/integrators/runge_kutta.hpp"

#include <algorithm>
#include <cmath>

#include "kinegrad/integrators/tableau_step.hpp"
#include "kinegrad/math/views.hpp"

namespace kinegrad {

template <Scalar T>
RungeKutta<T>::RungeKutta(const Tableau& tableau, Formulation<T>& formulation,
                          const IntegratorOptions& options)
    : tableau_(tableau), formulation_(formulation), options_(options) {
  k_q_.resize(static_cast<std::size_t>(tableau.stages()));
  k_v_.resize(k_q_.size());
  stages_.resize(k_q_.size());
}

template <Scalar T>
void RungeKutta<T>::size_for(int n) {
  for (VecXT<T>* x : {&y0_, &ydot0_, &y1_, &ydot1_, &y_, &ydot_}) x->resize(n);
  for (VecXT<T>& k : k_q_) k.resize(n);
  for (VecXT<T>& k : k_v_) k.resize(n);
}

/// Accelerations and multipliers of a state.
template <Scalar T>
StepReport RungeKutta<T>::evaluate(double t, StepState<T>& x) const {
  StepReport report;
  x.a.resize(x.q.size());
  x.lambda.resize(formulation_.multipliers());
  if (!formulation_.acceleration(T(t), in(x.q), in(x.v), out(x.a), out(x.lambda))) {
    // a motion that has run away takes the mass matrix with it
    constexpr double kRunaway = 1e12;
    bool sane = true;
    for (Eigen::Index i = 0; i < x.q.size() && sane; ++i) {
      sane = std::abs(real_part(x.q(i))) < kRunaway &&  // holomorphic: a size
             std::abs(real_part(x.v(i))) < kRunaway;    // holomorphic: a size
      if (!sane) report.where = static_cast<int>(i);
    }
    report.status = sane ? failure(formulation_, StepStatus::kSingular) : StepStatus::kNotFinite;
    if (sane) report.where = formulation_.lost_coordinate();
    return report;
  }
  for (Eigen::Index i = 0; i < x.a.size(); ++i) {
    if (std::isfinite(real_part(x.a(i)))) continue;
    report.status = StepStatus::kNotFinite;
    report.where = static_cast<int>(i);
    break;
  }
  return report;
}

/// The whole state at y, ẏ; x holds a first guess.
template <Scalar T>
StepReport RungeKutta<T>::expand(double t, const VecXT<T>& y, const VecXT<T>& ydot,
                                 StepState<T>& x) const {
  x.t = t;
  if (formulation_.expand(T(t), in(y), in(ydot), out(x.q), out(x.v))) return evaluate(t, x);
  StepReport report;
  report.status = failure(formulation_, StepStatus::kNotClosed);
  return report;
}

template <Scalar T>
StepReport RungeKutta<T>::start(StepState<T>& x) {
  return evaluate(x.t, x);
}

/// Where Newton's method for the coordinates that are not integrated begins: [ERK-1] for all of them.
template <Scalar T>
void RungeKutta<T>::guess(const StepState<T>& x0, double h, std::size_t stage) {
  StepState<T>& x = stages_[stage];
  const auto& row = tableau_.a[stage];
  x.q = x0.q + x0.v * T(h * row[0]);
  x.v = x0.v + x0.a * T(h * row[0]);
  for (std::size_t j = 1; j < row.size(); ++j) {
    if (row[j] == 0) continue;
    x.q += stages_[j].v * T(h * row[j]);
    x.v += stages_[j].a * T(h * row[j]);
  }
}

template <Scalar T>
StepReport RungeKutta<T>::step(const StepState<T>& x0, double h, StepState<T>& x1, NewtonStart) {
  const int stages = tableau_.stages();
  h_ = h;
  StepReport report;
  if (!formulation_.begin_step(T(x0.t), in(x0.q), in(x0.v))) {
    report.status = failure(formulation_, StepStatus::kSingular);
    return report;
  }
  size_for(formulation_.integrated());
  formulation_.reduce(T(x0.t), in(x0.q), in(x0.v), in(x0.a), out(y0_), out(ydot0_), out(k_v_[0]));
  k_q_[0] = ydot0_;
  for (int i = 1; i < stages; ++i) {
    const auto& row = tableau_.a[static_cast<std::size_t>(i)];
    y_ = y0_;
    ydot_ = ydot0_;
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (row[j] == 0) continue;
      y_ += k_q_[j] * T(h * row[j]);
      ydot_ += k_v_[j] * T(h * row[j]);
    }
    const auto s = static_cast<std::size_t>(i);
    const double t = x0.t + tableau_.c[s] * h;
    StepState<T>& stage = stages_[s];
    if (formulation_.expands_from_guess()) guess(x0, h, s);
    stage.q.resize(x0.q.size());
    stage.v.resize(x0.q.size());
    stage.a = i > 1 ? stages_[s - 1].a : x0.a;
    stage.lambda = i > 1 ? stages_[s - 1].lambda : x0.lambda;
    report = expand(t, y_, ydot_, stage);
    if (!report.usable()) return report;
    formulation_.reduce(T(t), in(stage.q), in(stage.v), in(stage.a), out(y_), out(k_q_[s]),
                        out(k_v_[s]));
  }
  y1_ = y0_;
  ydot1_ = ydot0_;
  for (int i = 0; i < stages; ++i) {
    const auto s = static_cast<std::size_t>(i);
    if (tableau_.b[s] == 0) continue;
    y1_ += k_q_[s] * T(h * tableau_.b[s]);
    ydot1_ += k_v_[s] * T(h * tableau_.b[s]);
  }
  x1 = stages_.back();
  if (!tableau_.first_same_as_last) report = expand(x0.t + h, y1_, ydot1_, x1);
  x1.t = x0.t + h;
  report.iterations = stages;
  if (adaptive()) {
    report.error = embedded_error<T>(tableau_, h_, options_.tolerance, 1, x0, stages_, x1);
  }
  return report;
}

/// Where the tableau has one, the continuous extension of order 4 [ERK-2] for what is integrated, the rest by the
/// constraint equations; others: Hermite, which is also the first guess of the rest.
template <Scalar T>
StepReport RungeKutta<T>::interpolate(const StepState<T>& x0, const StepState<T>& x1, double theta,
                                      StepState<T>& result) const {
  StepMap<T>::interpolate(x0, x1, theta, result);
  if (tableau_.quartic.empty()) return {};
  const double s = theta, r = 1 - theta;
  const auto blend = [&](const VecXT<T>& y0, const VecXT<T>& y1, const std::vector<VecXT<T>>& k,
                         VecXT<T>& y) {
    const VecXT<T>&f0 = k.front(), &f1 = k.back();
    for (Eigen::Index i = 0; i < y.size(); ++i) {
      const T difference = y1(i) - y0(i);
      const T c3 = f0(i) * T(h_) - difference;
      const T c4 = difference - f1(i) * T(h_) - c3;
      T c5(0);
      for (std::size_t j = 0; j < k.size(); ++j) c5 += k[j](i) * T(h_ * tableau_.quartic[j]);
      y(i) = y0(i) + (difference + (c3 + (c4 + c5 * T(r)) * T(s)) * T(r)) * T(s);
    }
  };
  blend(y0_, y1_, k_q_, y_);
  blend(ydot0_, ydot1_, k_v_, ydot_);
  // accelerations as exact as the state they belong to
  return expand(x0.t + theta * h_, y_, ydot_, result);
}

template <Scalar T>
void RungeKutta<T>::quadrature(const StepState<T>& x0, const StepState<T>& x1,
                               std::vector<QuadratureNode<T>>& nodes) const {
  tableau_quadrature<T>(tableau_, h_, x0, stages_, x1, nodes);
}

template <Scalar T>
std::span<const StepState<T>> RungeKutta<T>::stages() const {
  return inner_stages<T>(tableau_, stages_);
}

template class RungeKutta<double>;
template class RungeKutta<Complex>;

}  // namespace kinegrad
