// Which coordinates meet in the matrices of a tree's constraints.
#include <algorithm>

#include "kinegrad/assembly/constraint_partials.hpp"

namespace kinegrad {

namespace {

std::vector<int> sorted(std::vector<int> columns) {
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

}  // namespace

std::vector<int> ConstraintPartials::columns_of(const Pair& pair) const {
  std::vector<int> columns;
  for (const int slot : {pair.plus, pair.minus}) {
    if (slot < 0) continue;
    const int node = x_.slots[static_cast<std::size_t>(slot)].node;
    L_.tree.each_column(node, [&](int c) { columns.push_back(c); });
  }
  return sorted(columns);
}

/// The row's own columns, and those of all that its expression and the slopes of it read: what it reads
/// of positions alone is in no column of a nonholonomic row's Φ_q.
std::vector<int> ConstraintPartials::expression_columns(std::size_t i) const {
  const Row& row = e_.rows[i];
  const auto& e = model_.constraint_expressions()[static_cast<std::size_t>(row.expression)];
  std::vector<int> outputs(e.value.begin(), e.value.end()), columns;
  for (const ConstraintSlope& slope : e.slopes) outputs.push_back(slope.output);
  const auto& inputs = model_.constraint_inputs();
  for (const int output : outputs) {
    if (output < 0) continue;
    const std::vector<bool> read = model_.constraint_tape().inputs_of(output);
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const auto input = static_cast<std::size_t>(inputs[k]);
      if (input >= read.size() || !read[input]) continue;
      const SignalInput& in = model_.signal_inputs()[input];
      if (in.kind == SignalInput::Kind::kJoint) {
        const int first = model_.joints()[static_cast<std::size_t>(in.element)].q_first;
        columns.push_back(first + in.component);
      } else if (in.kind == SignalInput::Kind::kVector) {
        const int node = x_.slots[static_cast<std::size_t>(e_.input_slot[k])].node;
        L_.tree.each_column(node, [&](int c) { columns.push_back(c); });
      }
    }
  }
  c_.pattern().each(static_cast<int>(i), [&](int c, double) { columns.push_back(c); });
  return sorted(columns);
}

void ConstraintPartials::list_columns() {
  term_columns_.resize(e_.terms.size());
  for (std::size_t k = 0; k < e_.terms.size(); ++k) {
    const Term& term = e_.terms[k];
    if (term.product == ConstraintTerm::Product::kComponent) continue;
    term_columns_[k] = {columns_of(term.A), columns_of(term.B)};
  }
  expression_columns_.resize(e_.rows.size());
  for (std::size_t i = 0; i < e_.rows.size(); ++i) {
    if (e_.rows[i].expression >= 0) expression_columns_[i] = expression_columns(i);
  }
}

void ConstraintPartials::add_pattern(PatternBuilder& rows, PatternBuilder& equations) const {
  std::vector<int> own;
  for (std::size_t i = 0; i < e_.rows.size(); ++i) {
    own.clear();
    c_.pattern().each(static_cast<int>(i), [&](int c, double) { own.push_back(c); });
    rows.add_row(static_cast<int>(i), own);
    rows.add_row(static_cast<int>(i), expression_columns_[i]);
    equations.add_block(expression_columns_[i], expression_columns_[i]);
  }
  for (const auto& [A, B] : term_columns_) {
    equations.add_block(A, B);
    equations.add_block(B, A);
  }
}

}  // namespace kinegrad
