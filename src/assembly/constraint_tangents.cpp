#include "kinegrad/assembly/constraint_tangents.hpp"

#include <algorithm>

#include "assembly/constraint_products.hpp"

namespace kinegrad {

using Product = ConstraintTerm::Product;

ConstraintTangents::ConstraintTangents(const ConstraintPartials& partials)
    : partials_(partials),
      c_(partials.constraints()),
      e_(c_.layout()),
      x_(c_.vectors()),
      L_(partials.tree()),
      model_(L_.tree.model),
      changes_(x_.slots.size()),
      force_(x_.slots.size(), Vec3::Zero()),
      d_inputs_(x_.inputs.size(), 0.0),
      d_registers_(x_.registers.size()),
      d_outputs_(x_.outputs.size(), 0.0) {}

void ConstraintTangents::take(const ParameterDirections& directions) {
  reach_.clear();
  for (int k = 0; k < directions.size(); ++k) reach_.push_back(reach_of(directions[k]));
}

/// Vectors that are displaced or whose own coordinates change, and the rows that read them or an
/// expression that changes.
ConstraintTangents::Reach ConstraintTangents::reach_of(const ParameterDirection& direction) const {
  Reach out;
  std::vector<char> changes(x_.slots.size(), 0);
  for (std::size_t s = 0; s < changes.size(); ++s) {
    const auto& moved = direction.moved;
    const auto own = [&](const VectorChange& v) { return v.vector == e_.slot_vector[s]; };
    changes[s] = (x_.slots[s].node >= 0 &&
                  std::binary_search(moved.begin(), moved.end(), x_.slots[s].node)) ||
                 std::any_of(direction.vectors.begin(), direction.vectors.end(), own);
    if (changes[s]) out.slots.push_back(static_cast<int>(s));
  }
  std::vector<char> loaded = changes;
  bool inputs = direction.of_state || !direction.constraint_inputs.empty();
  for (const int slot : e_.input_slot) {
    inputs = inputs || (slot >= 0 && changes[static_cast<std::size_t>(slot)]);
  }
  for (std::size_t i = 0; i < e_.rows.size(); ++i) {
    const ConstraintLayout::Row& row = e_.rows[i];
    bool touched = inputs && row.expression >= 0;
    out.expressions = out.expressions || touched;
    for (int w = row.first_weight; w < row.first_weight + row.weights; ++w) {
      const int slot = e_.weights[static_cast<std::size_t>(w)].slot;
      touched = touched || changes[static_cast<std::size_t>(slot)];
    }
    if (!touched) continue;
    out.rows.push_back(static_cast<int>(i));
    for (int w = row.first_weight; w < row.first_weight + row.weights; ++w) {
      loaded[static_cast<std::size_t>(e_.weights[static_cast<std::size_t>(w)].slot)] = 1;
    }
  }
  for (std::size_t s = 0; s < loaded.size(); ++s) {
    if (loaded[s]) out.loaded.push_back(static_cast<int>(s));
  }
  return out;
}

/// Inputs of the tape that are coordinates and speeds of joints: their changes along a direction of the
/// state, or none. Accelerations are fixed.
void ConstraintTangents::set_joint_inputs(const ParameterDirection* direction) {
  for (const int input : model_.constraint_inputs()) {
    const auto index = static_cast<std::size_t>(input);
    const SignalInput& in = model_.signal_inputs()[index];
    if (in.kind != SignalInput::Kind::kJoint || in.order > 1) continue;
    const int first = model_.joints()[static_cast<std::size_t>(in.element)].q_first;
    const auto c = static_cast<std::size_t>(first + in.component);
    d_inputs_[index] = !direction ? 0 : (in.order == 0 ? direction->dq : direction->dv)[c];
  }
}

void ConstraintTangents::change_slots(const ParameterDirection& direction, const Reach& reach,
                                      const TreeTangent& tree) {
  for (const int s : reach.slots) {
    const auto k = static_cast<std::size_t>(s);
    changes_[k] = vector_tangent(L_, tree, partials_.state_of(s), e_.slot_vector[k]);
  }
  if (!reach.expressions) return;
  const auto& inputs = model_.constraint_inputs();
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (e_.input_slot[k] < 0) continue;
    const auto index = static_cast<std::size_t>(inputs[k]);
    const SignalInput& in = model_.signal_inputs()[index];
    const VectorTangent& x = changes_[static_cast<std::size_t>(e_.input_slot[k])];
    d_inputs_[index] = (in.order == 0 ? x.x : in.order == 1 ? x.xdot : x.xddot)(in.component);
  }
  if (direction.of_state) set_joint_inputs(&direction);
  for (const InputChange& change : direction.constraint_inputs) {
    d_inputs_[static_cast<std::size_t>(change.input)] = change.d;
  }
  model_.constraint_tape().forward(x_.inputs, x_.registers, d_inputs_, d_registers_, d_outputs_);
  for (const InputChange& change : direction.constraint_inputs) {
    d_inputs_[static_cast<std::size_t>(change.input)] = 0;
  }
  if (direction.of_state) set_joint_inputs(nullptr);
}

VectorTangent ConstraintTangents::change(const ConstraintLayout::Pair& pair) const {
  VectorTangent x = changes_[static_cast<std::size_t>(pair.plus)];
  if (pair.minus < 0) return x;
  const VectorTangent& minus = changes_[static_cast<std::size_t>(pair.minus)];
  x.x -= minus.x;
  x.xdot -= minus.xdot;
  x.xddot -= minus.xddot;
  return x;
}

/// [TG-9].
void ConstraintTangents::level(int i, int k, LevelTangent& out) const {
  const ConstraintLayout::Row& row = e_.rows[static_cast<std::size_t>(i)];
  double phi = 0, phi_dot = 0, phi_ddot = 0;
  for (int t = row.first_term; t < row.first_term + row.terms; ++t) {
    const ConstraintLayout::Term& term = e_.terms[static_cast<std::size_t>(t)];
    const VectorTangent dA = change(term.A);
    if (term.product == Product::kComponent) {
      phi += term.factor * dA.x(term.axis);
      phi_dot += term.factor * dA.xdot(term.axis);
      phi_ddot += term.factor * dA.xddot(term.axis);
      continue;
    }
    const VectorTangent dB = change(term.B);
    const auto A = x_.world(term.A), B = x_.world(term.B);
    const auto times = [&](const Vec3& x, const Vec3& y) {
      return term.factor * product(term.product, term.axis, x, y);
    };
    phi += times(dA.x, B.x) + times(A.x, dB.x);
    phi_dot +=
        times(dA.xdot, B.x) + times(A.xdot, dB.x) + times(dA.x, B.xdot) + times(A.x, dB.xdot);
    phi_ddot += times(dA.xddot, B.x) + times(A.xddot, dB.x) + times(dA.x, B.xddot) +
                times(A.x, dB.xddot) + 2 * (times(dA.xdot, B.xdot) + times(A.xdot, dB.xdot));
  }
  if (row.expression >= 0 && expressions_) {
    const auto& e = model_.constraint_expressions()[static_cast<std::size_t>(row.expression)];
    if (e.value[0] >= 0) phi += d_outputs_[static_cast<std::size_t>(e.value[0])];
    phi_dot += d_outputs_[static_cast<std::size_t>(e.value[1])];
    phi_ddot += d_outputs_[static_cast<std::size_t>(e.value[2])];
  }
  if (i < c_.holonomic()) out.Phi(i, k) = phi;
  out.Phi_dot(i, k) = phi_dot;
  out.Phi_ddot(i, k) = phi_ddot;
}

void ConstraintTangents::add_change(const ConstraintLayout::Pair& pair, const Vec3& force) {
  force_[static_cast<std::size_t>(pair.plus)] += force;
  if (pair.minus >= 0) force_[static_cast<std::size_t>(pair.minus)] -= force;
}

/// λδg of a row's vectors, and λ times the changes of its slopes.
void ConstraintTangents::change_forces(const ConstraintLayout::Row& row, double lambda,
                                       Eigen::Ref<VecX> dr) {
  for (int t = row.first_term; t < row.first_term + row.terms; ++t) {
    const ConstraintLayout::Term& term = e_.terms[static_cast<std::size_t>(t)];
    if (term.product == Product::kComponent) continue;
    const Vec3 dA = term.factor * lambda * change(term.A).x,
               dB = term.factor * lambda * change(term.B).x;
    add_change(term.A, before(term.product, term.axis, dB));
    add_change(term.B, after(term.product, term.axis, dA));
  }
  if (!expressions_) return;
  for (int k = row.first_slope; k < row.first_slope + row.slopes; ++k) {
    const auto& use = e_.slopes[static_cast<std::size_t>(k)];
    const double d = lambda * d_outputs_[static_cast<std::size_t>(use.output)];
    if (use.weight < 0) {
      dr(c_.pattern().column[static_cast<std::size_t>(use.value)]) += d;
    } else {
      const int slot = e_.weights[static_cast<std::size_t>(use.weight)].slot;
      force_[static_cast<std::size_t>(slot)](use.component) += d;
    }
  }
}

void ConstraintTangents::add_state(const ParameterDirection& direction, int k, TreeTangent& tree,
                                   LevelTangent& levels, MatX& dr) {
  if (!state_reach_) state_reach_ = reach_of(direction);
  add(direction, *state_reach_, k, tree, &levels, &dr);
}

void ConstraintTangents::add(const ParameterDirection& direction, const Reach& reach, int k,
                             TreeTangent& tree, LevelTangent* levels, MatX* dr) {
  expressions_ = reach.expressions;
  change_slots(direction, reach, tree);
  if (levels) {
    for (const int i : reach.rows) level(i, k, *levels);
  }
  if (dr) {
    for (const int i : reach.rows) {
      const auto row = static_cast<std::size_t>(i);
      change_forces(e_.rows[row], partials_.lambda()[row], dr->col(k));
    }
    for (const int s : reach.loaded) {
      const auto slot = static_cast<std::size_t>(s);
      add_force_tangent(L_, partials_.state_of(s), e_.slot_vector[slot], partials_.forces()[slot],
                        force_[slot], tree);
      force_[slot].setZero();
    }
  }
  for (const int s : reach.slots) changes_[static_cast<std::size_t>(s)] = {};
}

}  // namespace kinegrad
