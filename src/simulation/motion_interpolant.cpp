#include "kinegrad/simulation/motion_interpolant.hpp"

#include "kinegrad/math/views.hpp"

namespace kinegrad {

StagePoint MotionPoint::stage() const { return stage_point(x); }

MotionInterpolant::MotionInterpolant(const Model& model, const RunOptions& run,
                                     std::span<const double> p, const Trajectory& trajectory)
    : trajectory_(trajectory),
      formulation_(make_formulation<double>(
          run.formulation, model, reference_point_named(run.coordinates), run.constraints)) {
  formulation_->set_parameters(p);
  const auto n = static_cast<std::size_t>(formulation_->nq());
  for (auto* x : {&y_, &ydot_, &yddot_}) x->resize(n);
  k_ = trajectory_.size() > 0 ? trajectory_.size() - 1 : 0;
}

/// The step that t is in; the one that begins there if it is between two.
void MotionInterpolant::find(double t) {
  while (k_ > 0 && t < trajectory_.time(k_)) --k_;
  while (k_ + 1 < trajectory_.size() && t >= trajectory_.time(k_ + 1)) ++k_;
}

void MotionInterpolant::interpolate(double t, StepState<double>& x) {
  trajectory_.read_state(k_, x0_);
  trajectory_.read_state(k_ + 1, x1_);
  const double h = x1_.t - x0_.t, s = (t - x0_.t) / h;
  // from the end that is nearer: there the sum below has nothing to cancel
  const bool second = s > 0.5;
  const StepState<double>&a = second ? x1_ : x0_, &b = second ? x0_ : x1_;
  const double d = second ? -h : h, r = second ? 1 - s : s;
  const double r2 = r * r;
  x.t = t;
  x.q = a.q;
  x.v = a.v;
  x.a = a.a;
  for (Eigen::Index i = 0; i < x.q.size(); ++i) {
    // q = a.q + d r a.v + d²r²/2 a.a + r³(c₃ + c₄ r + c₅ r²)
    const double e_q = b.q(i) - a.q(i) - d * a.v(i) - 0.5 * d * d * a.a(i),
                 e_v = d * (b.v(i) - a.v(i) - d * a.a(i)), e_a = d * d * (b.a(i) - a.a(i));
    const double c3 = 10 * e_q - 4 * e_v + 0.5 * e_a, c4 = -15 * e_q + 7 * e_v - e_a,
                 c5 = 6 * e_q - 3 * e_v + 0.5 * e_a;
    x.q(i) += d * r * a.v(i) + 0.5 * d * d * r2 * a.a(i) + r2 * r * (c3 + r * c4 + r2 * c5);
    x.v(i) += d * r * a.a(i) + r2 / d * (3 * c3 + 4 * r * c4 + 5 * r2 * c5);
  }
}

/// Dependent coordinates and speeds follow from the independent ones.
bool MotionInterpolant::expand(StepState<double>& x) {
  formulation_->restore(chosen_);
  const auto some = [n = static_cast<std::size_t>(formulation_->integrated())](
                        std::vector<double>& y) { return std::span(y).first(n); };
  formulation_->reduce(x.t, in(x.q), in(x.v), in(x.a), some(y_), some(ydot_), some(yddot_));
  return formulation_->expand(x.t, some(y_), some(ydot_), out(x.q), out(x.v));
}

bool MotionInterpolant::solve(const CoordinateSelection* selection, MotionPoint& point) {
  point.selection = selection;
  if (selection) {
    chosen_ = *selection;
    chosen_.chosen = true;
    formulation_->restore(chosen_);
  }
  StepState<double>& x = point.x;
  x.lambda.resize(formulation_->multipliers());
  return formulation_->acceleration(x.t, in(x.q), in(x.v), out(x.a), out(x.lambda)) &&
         x.a.allFinite();
}

bool MotionInterpolant::at(double t, MotionPoint& point) {
  find(t);
  interpolate(t, point.x);
  const CoordinateSelection* selection = trajectory_.selection(k_);
  if (selection) {
    chosen_ = *selection;
    chosen_.chosen = true;
    if (!expand(point.x)) return false;
  }
  return solve(selection, point);
}

}  // namespace kinegrad
