// The rows of a model evaluated straight from their definition, for comparison with closed forms and
// with the complex step in time (docs/theory/constraints.md).
#pragma once

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/math/derivative_check.hpp"
#include "kinegrad/math/linear_algebra.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/signals/signal_evaluator.hpp"

namespace kinegrad::test {

/// A state at a time.
template <typename T>
struct TimedState {
  T t = T(0);
  std::vector<T> q, v, a;
};

/// The state along the motion, a step i h of time later; h² is below every rounding.
inline TimedState<Complex> stepped_in_time(const TimedState<double>& x) {
  const Complex h(0, kComplexStep);
  TimedState<Complex> z;
  z.t = x.t + h;
  for (std::size_t k = 0; k < x.q.size(); ++k) {
    z.q.push_back(x.q[k] + h * x.v[k]);
    z.v.push_back(x.v[k] + h * x.a[k]);
    z.a.emplace_back(x.a[k]);
  }
  return z;
}

/// Φ, Φ̇ and Φ̈ of every row, and the tape behind the expressions.
template <Scalar T>
class RowEvaluator {
 public:
  /// The model must outlive the evaluator.
  explicit RowEvaluator(const Model& model) : model_(model), motion_(model) {}

  void evaluate(const std::vector<double>& p, const TimedState<T>& x) {
    p_.assign(p.begin(), p.end());
    x_ = x;  // the evaluator of motions keeps views
    motion_.evaluate(p_, x_.t, x_.q, x_.v, x_.a);
    inputs_.assign(model_.signal_inputs().size(), T(std::numeric_limits<double>::quiet_NaN()));
    for (const int k : model_.constraint_inputs()) {
      inputs_[static_cast<std::size_t>(k)] =
          input(model_.signal_inputs()[static_cast<std::size_t>(k)]);
    }
    outputs_ = run(inputs_);
  }

  /// Outputs of the constraint tape at any inputs.
  std::vector<T> run(const std::vector<T>& inputs) const {
    const Tape& tape = model_.constraint_tape();
    std::vector<T> registers(static_cast<std::size_t>(tape.register_count()));
    std::vector<T> outputs(static_cast<std::size_t>(tape.output_count()));
    tape.evaluate<T>(inputs, registers, outputs);
    return outputs;
  }

  /// Φ (order 0), Φ̇ (1) or Φ̈ (2) of a row [C-1], [C-3].
  T value(int row, int order) const {
    const ConstraintRow& r = model_.constraint_rows()[static_cast<std::size_t>(row)];
    T sum(0);
    for (const ConstraintTerm& term : r.terms) sum += T(term.factor) * term_value(term, order);
    if (r.expression >= 0) {
      const auto& expression =
          model_.constraint_expressions()[static_cast<std::size_t>(r.expression)];
      sum += outputs_[static_cast<std::size_t>(expression.value[static_cast<std::size_t>(order)])];
    }
    return sum;
  }

  const std::vector<T>& inputs() const { return inputs_; }
  const std::vector<T>& outputs() const { return outputs_; }

 private:
  T input(const SignalInput& in) const {
    switch (in.kind) {
      case SignalInput::Kind::kTime: return x_.t;
      case SignalInput::Kind::kPhysical: return p_[static_cast<std::size_t>(in.element)];
      case SignalInput::Kind::kJoint: {
        const JointMotion<T> m = motion_.joint_motion(in.element);
        return (in.order == 0 ? m.q : in.order == 1 ? m.v : m.a)(in.component);
      }
      case SignalInput::Kind::kVector: return vector({in.element, -1}, in.order)(in.component);
      default: return T(std::numeric_limits<double>::quiet_NaN());  // refused by the compiler
    }
  }

  Vec3T<T> vector(const WorldVector& A, int order) const {
    const auto of = [&](int index) {
      const PointMotion<T> m = motion_.point_motion(index);
      return order == 0 ? m.r : order == 1 ? m.rdot : m.rddot;
    };
    if (A.minus < 0) return of(A.plus);
    return of(A.plus) - of(A.minus);
  }

  /// Leibniz' rule: Σ binomial(order, i) A⁽ⁱ⁾ ⊙ B⁽ᵒʳᵈᵉʳ⁻ⁱ⁾.
  T term_value(const ConstraintTerm& term, int order) const {
    using Product = ConstraintTerm::Product;
    if (term.product == Product::kComponent) return vector(term.A, order)(term.axis);
    T sum(0);
    for (int i = 0; i <= order; ++i) {
      const double binomial = order == 2 && i == 1 ? 2 : 1;
      const Vec3T<T> A = vector(term.A, i), B = vector(term.B, order - i);
      sum += T(binomial) *
             (term.product == Product::kDot ? la::dot(A, B) : la::cross(A, B)(term.axis));
    }
    return sum;
  }

  const Model& model_;
  SignalEvaluator<T> motion_;
  TimedState<T> x_;
  std::vector<T> p_, inputs_, outputs_;
};

/// A model read from text.
inline Model model_of(const std::string& yaml) {
  return compile_model(parse_model_yaml(yaml, "model.yaml"));
}

/// Φ (order 0) of the holonomic rows, or Φ̇ or Φ̈ of all, at a state.
inline std::vector<double> row_values(const Model& model, const TimedState<double>& x, int order) {
  RowEvaluator<double> rows(model);
  rows.evaluate(model.default_physical(), x);
  std::vector<double> values;
  const int count =
      order ? static_cast<int>(model.constraint_rows().size()) : model.holonomic_rows();
  for (int k = 0; k < count; ++k) values.push_back(rows.value(k, order));
  return values;
}

/// Φ or Φ̇ of the first row at coordinates and, perhaps, speeds and accelerations.
inline double row_value(const Model& model, int order, std::vector<double> q,
                        std::vector<double> v = {}, std::vector<double> a = {}, double t = 0) {
  v.resize(q.size(), 0.0);
  a.resize(q.size(), 0.0);
  return row_values(model, {t, std::move(q), std::move(v), std::move(a)}, order).front();
}

}  // namespace kinegrad::test
