// Sizes of the terms that the rows of Φ_q are made of, and which equations vanish [RK].
#include <algorithm>
#include <cmath>

#include "kinegrad/assembly/tree_constraints.hpp"
#include "kinegrad/base/index.hpp"
#include "kinegrad/math/rank_rule.hpp"

namespace kinegrad {

namespace {

/// |x| of the real parts.
template <typename Vector>
double length(const Vector& x) {
  double squares = 0;
  for (int k = 0; k < 3; ++k) squares += real_part(x(k)) * real_part(x(k));
  return std::sqrt(squares);  // holomorphic: a size
}

}  // namespace

template <Scalar T>
std::span<T> TreeConstraints<T>::entries(int row) const {
  const int first = Phi_q_.start[index(row)], last = Phi_q_.start[index(row) + 1];
  return {Phi_q_.value.data() + first, index(last - first)};
}

/// |s||B| for A and |s||A| for B of a product; components have |s|.
template <Scalar T>
void TreeConstraints<T>::add_product_sizes(const Row& row) const {
  const auto add = [&](int weight, const Pair& pair, double size) {
    weight_sizes_[index(weight)] += size;
    if (pair.minus >= 0) weight_sizes_[index(weight) + 1] += size;
  };
  for (int k = row.first_term; k < row.first_term + row.terms; ++k) {
    const Term& term = e_.terms[index(k)];
    const double s = std::abs(term.factor);  // holomorphic: a size
    if (term.product == ConstraintTerm::Product::kComponent) {
      add(term.weight_A, term.A, s);
      continue;
    }
    add(term.weight_A, term.A, s * length(world(term.B).x));
    add(term.weight_B, term.B, s * length(world(term.A).x));
  }
}

/// Where the size of a row's slope along an input counts: at the weight of its vector, or at the entry of
/// its coordinate; null where the row does not have it.
template <Scalar T>
double* TreeConstraints<T>::size_of_input(std::size_t i, std::size_t k) const {
  const Row& row = e_.rows[i];
  const SignalInput& in = model_.signal_inputs()[index(model_.constraint_inputs()[k])];
  if (in.kind == SignalInput::Kind::kVector) {
    for (int w = row.first_weight; w < row.first_weight + row.weights; ++w) {
      if (e_.weights[index(w)].slot == e_.input_slot[k]) return &weight_sizes_[index(w)];
    }
  } else if (in.kind == SignalInput::Kind::kJoint) {
    const int column = model_.joints()[index(in.element)].q_first + in.component;
    const auto first = Phi_q_.column.begin() + Phi_q_.start[i];
    const auto last = Phi_q_.column.begin() + Phi_q_.start[i + 1];
    const auto at = std::lower_bound(first, last, column);
    if (at != last && *at == column) {
      return &term_sizes_[static_cast<std::size_t>(at - Phi_q_.column.begin())];
    }
  }
  return nullptr;
}

/// Paths of E from each of what it reads, by absolute values [EX-8]. Every one takes a pass of the whole tape;
/// where thousands of expressions would take seconds, the slopes themselves are the sizes.
template <Scalar T>
void TreeConstraints<T>::add_expression_sizes(std::size_t i) const {
  const auto& e = model_.constraint_expressions()[index(e_.rows[i].expression)];
  const int order = e.value[0] >= 0 ? 0 : 1;
  const int output = e.value[index(order)];
  constexpr double kMostWork = 1e6;
  const bool large = static_cast<double>(model_.constraint_expressions().size()) *
                         static_cast<double>(model_.constraint_tape().register_count()) >
                     kMostWork;
  for (std::size_t k = 0; k < x_.inputs.size(); ++k)
    sized_inputs_[k] = Sized(real_part(x_.inputs[k]));
  const auto& inputs = model_.constraint_inputs();
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (model_.signal_inputs()[index(inputs[k])].order != order) continue;
    double* const size = size_of_input(i, k);
    if (!size) continue;
    if (large) {
      const SignalInput& in = model_.signal_inputs()[index(inputs[k])];
      const bool joint = in.kind == SignalInput::Kind::kJoint;
      for (const ConstraintSlope& slope : e.slopes) {
        if (slope.coordinate != joint || slope.element != in.element) continue;
        if (slope.component == in.component) {
          *size += std::abs(real_part(x_.outputs[index(slope.output)]));  // holomorphic: a size
        }
      }
      continue;
    }
    sized_inputs_[index(inputs[k])].size = 1;
    model_.constraint_tape().template evaluate<Sized>(sized_inputs_, sized_registers_,
                                                      sized_outputs_);
    sized_inputs_[index(inputs[k])].size = 0;
    *size += sized_outputs_[index(output)].size;
  }
}

/// [RK-4].
template <Scalar T>
typename TreeConstraints<T>::TermSizes TreeConstraints<T>::term_sizes(const Motion& at, int i) const {
  const Row& row = e_.rows[index(i)];
  const std::span<double> sizes{term_sizes_.data() + Phi_q_.start[index(i)],
                                index(Phi_q_.start[index(i) + 1] - Phi_q_.start[index(i)])};
  std::fill(sizes.begin(), sizes.end(), 0.0);
  std::fill_n(weight_sizes_.begin() + row.first_weight, row.weights, 0.0);
  add_product_sizes(row);
  if (row.expression >= 0) add_expression_sizes(index(i));
  double distance = 0, lever = 0;
  for (int w = row.first_weight; w < row.first_weight + row.weights; ++w) {
    const ConstraintLayout::Weight& weight = e_.weights[index(w)];
    const Slot& slot = x_.slots[index(weight.slot)];
    if (slot.is_point) distance = std::max(distance, length(slot.x));  // holomorphic: a size
    for (int k = weight.climb; k < weight.climb_end; ++k) {
      const ConstraintLayout::Climb& climb = e_.climbs[index(k)];
      const auto& node = tree_.nodes[index(climb.node)];
      const Vec3T<T> arm =
          slot.is_point ? Vec3T<T>(slot.x - at.bodies[index(climb.node)].o) : slot.x;
      for (int c = 0; c < node.nq; ++c) {
        const Vec3T<T> turn = at.S.col(node.q + c).template head<3>();
        Vec3T<T> moved = la::cross(turn, arm);
        if (slot.is_point) moved += at.S.col(node.q + c).template tail<3>();
        // a vector that is turned about itself stays where it is, up to the rounding of turn × arm
        double size = length(turn) * length(arm);
        if (slot.is_point) size += length(at.S.col(node.q + c).template tail<3>());
        term_sizes_[index(climb.value + c)] += weight_sizes_[index(w)] * size;
        const double reach = slot.is_point && length(turn) > 0 ? length(moved) : 0;
        lever = std::max(lever, reach);  // holomorphic: a size
      }
    }
  }
  return {sizes, rank::least_remaining(distance, lever)};
}

/// What remains of a row that is no clear part of its first sizes; it is cleared if that is rounding.
template <Scalar T>
double TreeConstraints<T>::judge_row(const Motion& at, int i) const {
  const std::span<T> row = entries(i);
  const std::span<const double> first{first_sizes_.data() + Phi_q_.start[index(i)], row.size()};
  double part = rank::remaining<T>(row, first), least = rank::kSurelyVanishes;
  if (part > least) {
    const auto [sizes, vanishing] = term_sizes(at, i);
    part = rank::remaining<T>(row, sizes);
    least = vanishing;
  }
  if (part > least) return part;
  rank::clear_row(row);
  return 0;
}

/// Sizes that were found once decide where they decide clearly: they change with levers alone.
template <Scalar T>
void TreeConstraints<T>::judge(const Motion& at) const {
  if (!first_known_) {
    for (int i = 0; i < rows(); ++i) {
      const auto sizes = term_sizes(at, i).sizes;
      rank::keep_sizes(
          sizes, std::span(first_sizes_).subspan(index(Phi_q_.start[index(i)]), sizes.size()));
    }
    first_known_ = true;
  }
  const T* const value = Phi_q_.value.data();
  const double* const first = first_sizes_.data();
  const int* const start = Phi_q_.start.data();
  for (int i = 0; i < rows(); ++i) {
    const int end = start[i + 1];
    int k = start[i];
    while (k < end && value[k] == T(0)) ++k;
    double& part = remaining_[index(i)];
    if (k == end) {
      part = start[i] == end ? 1 : 0;
      continue;
    }
    while (k < end && std::abs(real_part(value[k])) < rank::kClear * first[k])
      ++k;  // holomorphic: a size
    part = k < end ? 1 : judge_row(at, i);
  }
}

template void TreeConstraints<double>::judge(const TreeMotion<double>&) const;
template void TreeConstraints<Complex>::judge(const TreeMotion<Complex>&) const;
template TreeConstraints<double>::TermSizes TreeConstraints<double>::term_sizes(
    const TreeMotion<double>&, int) const;
template TreeConstraints<Complex>::TermSizes TreeConstraints<Complex>::term_sizes(
    const TreeMotion<Complex>&, int) const;

}  // namespace kinegrad
