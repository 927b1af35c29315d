#include "kinegrad/assembly/constraint_partials.hpp"

#include <algorithm>

#include "assembly/constraint_products.hpp"

namespace kinegrad {

using la::cross;
using Product = ConstraintTerm::Product;

namespace {

double at(std::span<const double> x, std::size_t i) { return i < x.size() ? x[i] : 0.0; }

}  // namespace

ConstraintPartials::ConstraintPartials(const TreeConstraints<double>& constraints,
                                       LinearizedTree& tree)
    : c_(constraints),
      e_(c_.layout()),
      x_(c_.vectors()),
      L_(tree),
      model_(tree.tree.model),
      lambda_(e_.rows.size(), 0.0),
      force_(x_.slots.size(), Vec3::Zero()),
      bars_(e_.weights.size()),
      slot_bars_(x_.slots.size()),
      bar_outputs_(x_.outputs.size(), 0.0),
      bar_registers_(x_.registers.size()),
      bar_inputs_(x_.inputs.size()) {
  for (const Row& row : e_.rows) expressions_ = expressions_ || row.expression >= 0;
  for (auto* J : {&J_A_, &J_B_}) J->resize(3, model_.nq());
  for (auto* x : {&row_q_, &row_v_, &row_a_}) x->setZero(model_.nq());
  list_columns();
}

VectorState ConstraintPartials::state_of(int slot) const {
  const auto& s = x_.slots[static_cast<std::size_t>(slot)];
  VectorState state{s.node, s.is_point, s.x, s.xdot, s.xddot};
  if (s.is_point && s.node >= 0) state.xddot -= L_.motion.field;
  return state;
}

void ConstraintPartials::take(std::span<const double> lambda) {
  std::copy(lambda.begin(), lambda.end(), lambda_.begin());
}

void ConstraintPartials::apply(std::span<const double> lambda) {
  take(lambda);
  for (Vec3& f : force_) f.setZero();
  for (std::size_t i = 0; i < e_.rows.size(); ++i) {
    const Row& row = e_.rows[i];
    for (int w = row.first_weight; w < row.first_weight + row.weights; ++w) {
      const auto k = static_cast<std::size_t>(w);
      force_[static_cast<std::size_t>(e_.weights[k].slot)] += lambda[i] * x_.g[k];
    }
  }
  for (std::size_t s = 0; s < force_.size(); ++s) {
    const Slot& at = x_.slots[s];
    if (at.node < 0) continue;
    const Triple<double> F(force_[s]), moment = cross(arm_of(at), F);
    L_.add_force(at.node, {moment, at.is_point ? F : Triple<double>::zero()});
  }
}

void ConstraintPartials::add(int weight, const Pair& pair, const Vec3& bar,
                             Vec3 VectorCotangent::*level) {
  const auto w = static_cast<std::size_t>(weight);
  bars_[w].*level += bar;
  if (pair.minus >= 0) bars_[w + 1].*level -= bar;
}

/// [CP-2].
void ConstraintPartials::pull_terms(const Row& row, double phi, double phi_dot, double phi_ddot) {
  constexpr auto x = &VectorCotangent::x, xdot = &VectorCotangent::xdot,
                 xddot = &VectorCotangent::xddot;
  for (int k = row.first_term; k < row.first_term + row.terms; ++k) {
    const Term& term = e_.terms[static_cast<std::size_t>(k)];
    const double s0 = term.factor * phi, s1 = term.factor * phi_dot, s2 = term.factor * phi_ddot;
    if (term.product == Product::kComponent) {
      const Vec3 e = Vec3::Unit(term.axis);
      add(term.weight_A, term.A, s0 * e, x);
      add(term.weight_A, term.A, s1 * e, xdot);
      add(term.weight_A, term.A, s2 * e, xddot);
      continue;
    }
    const auto A = x_.world(term.A), B = x_.world(term.B);
    const auto left = [&](const Vec3& y) { return before(term.product, term.axis, y); };
    const auto right = [&](const Vec3& y) { return after(term.product, term.axis, y); };
    add(term.weight_A, term.A, left(s0 * B.x + s1 * B.xdot + s2 * B.xddot), x);
    add(term.weight_A, term.A, left(s1 * B.x + 2 * s2 * B.xdot), xdot);
    add(term.weight_A, term.A, left(s2 * B.x), xddot);
    add(term.weight_B, term.B, right(s0 * A.x + s1 * A.xdot + s2 * A.xddot), x);
    add(term.weight_B, term.B, right(s1 * A.x + 2 * s2 * A.xdot), xdot);
    add(term.weight_B, term.B, right(s2 * A.x), xddot);
  }
}

Vec3 ConstraintPartials::rate_of(const Pair& pair) const {
  Vec3 rate = weight_rate(L_, state_of(pair.plus));
  if (pair.minus >= 0) rate -= weight_rate(L_, state_of(pair.minus));
  return rate;
}

/// [CP-3].
void ConstraintPartials::pull_power(const Row& row, double lambda) {
  for (int k = row.first_term; k < row.first_term + row.terms; ++k) {
    const Term& term = e_.terms[static_cast<std::size_t>(k)];
    if (term.product == Product::kComponent) continue;
    const Vec3 A = term.factor * lambda * rate_of(term.A),
               B = term.factor * lambda * rate_of(term.B);
    add(term.weight_A, term.A, before(term.product, term.axis, B), &VectorCotangent::x);
    add(term.weight_B, term.B, after(term.product, term.axis, A), &VectorCotangent::x);
  }
}

void ConstraintPartials::seed_expression(const Row& row, double phi, double phi_dot,
                                         double phi_ddot) {
  if (row.expression < 0) return;
  const auto& e = model_.constraint_expressions()[static_cast<std::size_t>(row.expression)];
  if (e.value[0] >= 0) bar_outputs_[static_cast<std::size_t>(e.value[0])] += phi;
  bar_outputs_[static_cast<std::size_t>(e.value[1])] += phi_dot;
  bar_outputs_[static_cast<std::size_t>(e.value[2])] += phi_ddot;
}

void ConstraintPartials::seed_slopes(const Row& row, double lambda, std::span<const double> w) {
  for (int k = row.first_slope; k < row.first_slope + row.slopes; ++k) {
    const auto& use = e_.slopes[static_cast<std::size_t>(k)];
    double rate = 0;
    if (use.weight < 0) {
      if (w.empty()) continue;  // a force on a coordinate acts on no body
      const int column = c_.pattern().column[static_cast<std::size_t>(use.value)];
      rate = w[static_cast<std::size_t>(column)];
    } else {
      const int slot = e_.weights[static_cast<std::size_t>(use.weight)].slot;
      rate = weight_rate(L_, state_of(slot))(use.component);
    }
    bar_outputs_[static_cast<std::size_t>(use.output)] += lambda * rate;
  }
}

/// Backwards through the tape, to the vectors' bars and to coordinates and parameters.
void ConstraintPartials::pull_tape(std::span<double> q, std::span<double> v, std::span<double> a,
                                   std::span<double> p) {
  std::fill(bar_inputs_.begin(), bar_inputs_.end(), 0.0);
  model_.constraint_tape().reverse(x_.inputs, x_.registers, bar_outputs_, bar_registers_,
                                   bar_inputs_);
  const auto& inputs = model_.constraint_inputs();
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const auto index = static_cast<std::size_t>(inputs[k]);
    const double bar = bar_inputs_[index];
    if (bar == 0) continue;
    const SignalInput& in = model_.signal_inputs()[index];
    if (in.kind == SignalInput::Kind::kPhysical) {
      if (!p.empty()) p[static_cast<std::size_t>(in.element)] += bar;
    } else if (in.kind == SignalInput::Kind::kJoint) {
      if (q.empty()) continue;
      const int first = model_.joints()[static_cast<std::size_t>(in.element)].q_first;
      (in.order == 0   ? q
       : in.order == 1 ? v
                       : a)[static_cast<std::size_t>(first + in.component)] += bar;
    } else if (in.kind == SignalInput::Kind::kVector) {
      VectorCotangent& x = slot_bars_[static_cast<std::size_t>(e_.input_slot[k])];
      (in.order == 0 ? x.x : in.order == 1 ? x.xdot : x.xddot)(in.component) += bar;
    }
  }
}

void ConstraintPartials::clear_bars() {
  for (VectorCotangent& bar : bars_) bar = {};
  for (VectorCotangent& bar : slot_bars_) bar = {};
  std::fill(bar_outputs_.begin(), bar_outputs_.end(), 0.0);
}

void ConstraintPartials::gather(const LevelCotangent& bar, std::span<const double> w,
                                const ResidualCotangent& out) {
  clear_bars();
  for (std::size_t i = 0; i < e_.rows.size(); ++i) {
    const Row& row = e_.rows[i];
    const double phi = at(bar.Phi, i), phi_dot = at(bar.Phi_dot, i), phi_ddot = at(bar.Phi_ddot, i);
    if (phi != 0 || phi_dot != 0 || phi_ddot != 0) {
      pull_terms(row, phi, phi_dot, phi_ddot);
      seed_expression(row, phi, phi_dot, phi_ddot);
    }
    if (w.empty() || lambda_[i] == 0) continue;
    pull_power(row, lambda_[i]);
    seed_slopes(row, lambda_[i], w);
  }
  hand_on(!w.empty(), out);
}

/// λg·ẋ_W of one row: W is a field in the world, ẋ_W = v + ω×x, so that x̄ += λg×ω.
void ConstraintPartials::pull_fixed_motion(std::size_t i, std::span<double> lambda_bar) {
  const Row& row = e_.rows[i];
  pull_power(row, lambda_[i]);
  seed_slopes(row, lambda_[i], {});
  for (int w = row.first_weight; w < row.first_weight + row.weights; ++w) {
    const auto k = static_cast<std::size_t>(w);
    const VectorState s = state_of(e_.weights[k].slot);
    const Vec3 omega = L_.sums.weight(s.node).head<3>();
    lambda_bar[i] += x_.g[k].dot(weight_rate(L_, s));
    bars_[k].x += lambda_[i] * cross(x_.g[k], omega);
  }
}

void ConstraintPartials::gather_fixed_motion(int constraint, std::span<double> lambda_bar,
                                             const ResidualCotangent& out) {
  clear_bars();
  for (std::size_t i = 0; i < e_.rows.size(); ++i) {
    if (constraint >= 0 && model_.constraint_rows()[i].constraint != constraint) continue;
    pull_fixed_motion(i, lambda_bar);
  }
  hand_on(false, out);
}

/// From the rows' bars to the tree, with the forces on the vectors where they are part of f.
void ConstraintPartials::hand_on(bool forces, const ResidualCotangent& out) {
  if (expressions_) pull_tape(out.q, out.v, out.a, out.p);
  for (std::size_t k = 0; k < bars_.size(); ++k) {
    VectorCotangent& sum = slot_bars_[static_cast<std::size_t>(e_.weights[k].slot)];
    sum.x += bars_[k].x;
    sum.xdot += bars_[k].xdot;
    sum.xddot += bars_[k].xddot;
  }
  for (std::size_t s = 0; s < slot_bars_.size(); ++s) {
    const VectorState state = state_of(static_cast<int>(s));
    pull_vector(L_, state, slot_bars_[s]);
    if (forces) pull_lever(L_, state, force_[s]);
    if (out.p.empty()) continue;
    const int first = model_.vectors()[static_cast<std::size_t>(e_.slot_vector[s])].first;
    const Vec3 force = forces ? force_[s] : Vec3(Vec3::Zero());
    pull_vector_coordinates(L_, state, first, force, slot_bars_[s], out.p);
  }
}

}  // namespace kinegrad
