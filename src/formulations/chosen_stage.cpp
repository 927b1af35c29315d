#include "kinegrad/formulations/chosen_stage.hpp"

#include "kinegrad/math/views.hpp"

namespace kinegrad {

/// Measured with three equations on a chain of hinges, linearisation included: 16 µs against 29 µs of matrices for 24
/// coordinates, 77 µs against 566 µs for 128. Shorter chains gain little.
bool responses_pay(int n, int m) { return n >= 24 && 4 * m <= n; }

ChosenStage::ChosenStage(SystemPartials& system, const StageRule& rule)
    : system_(system), independent_(rule.independent), matrices_(system, rule) {
  if (system.reads_reactions()) return;  // no recursion knows them
  const int m = system.rows();
  const bool responses = rule.recursive && system.recursion() && responses_pay(system.nq(), m);
  if (m == 0 || responses) recursive_.emplace(system, rule);
}

bool ChosenStage::linearize(const StagePoint& x, double c_q, double c_v,
                            const CoordinateSelection* selection) {
  x_ = x;
  const bool independent = independent_ && selection;
  by_recursion_ = recursive_ && c_q == 0 && c_v == 0 && !independent;
  return by_recursion_ ? recursive_->linearize(x) : matrices_.linearize(x, c_q, c_v, selection);
}

/// Measured on chains of 4 to 192 hinges: a sweep with its solution costs 140 n ns per parameter, matrices and their
/// factors 500 n + 15 n² ns and more, and products with them 1.15 n² ns per parameter.
bool ChosenStage::sweeps_pay(int parameters) const {
  const double n = system_.nq(), k = parameters;
  return recursive_->has_tangents() && k * (140 - 1.15 * n) < 500 + 15 * n;
}

void ChosenStage::take_parameters(const DesignJacobian& design) {
  if (by_recursion_ && !sweeps_pay(design.parameters())) {
    by_recursion_ = false;
    matrices_.linearize(x_, 0, 0, nullptr);  // the accelerations were found: the matrix is regular
  }
  by_recursion_ ? recursive_->take_parameters(design) : matrices_.take_parameters(design);
}

void ChosenStage::tangent(const MatX& dy, const MatX& dydot, StateTangent& x) {
  if (!by_recursion_) return matrices_.tangent(dy, dydot, x);
  x.q = dy;
  x.v = dydot;
  recursive_->tangent(x);
}

void ChosenStage::adjoint(StateCotangent& x, const IntegratedCotangent& integrated,
                          std::span<double> y, std::span<double> ydot, std::span<double> p) {
  if (!by_recursion_) return matrices_.adjoint(x, integrated, y, ydot, p);
  x.q += integrated.y;
  x.v += integrated.ydot;
  x.a += integrated.yddot;
  recursive_->adjoint(x, y, ydot, p);
}

void ChosenStage::tangent_at(StateTangent& x) {
  by_recursion_ ? recursive_->tangent(x) : matrices_.tangent_at(x);
}

void ChosenStage::adjoint_at(StateCotangent& x, std::span<double> p) {
  if (!by_recursion_) return matrices_.adjoint_at(x, p);
  q_bar_.setZero(x.q.size());
  v_bar_.setZero(x.v.size());
  recursive_->adjoint(x, out(q_bar_), out(v_bar_), p);
  x.q = q_bar_;
  x.v = v_bar_;
}

}  // namespace kinegrad
