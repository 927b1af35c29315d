// Compiled expressions (docs/theory/expressions.md, [EX]): the nodes that a set of outputs needs,
// as a linear list of instructions r_k = f_k(r_a, r_b, …), k ascending. With the partials ∂f_k of
// [EX-3],
//
//   evaluate   r_k = f_k(r)                                   T = double, Complex, Dual
//   forward    ṙ_k = Σ_j (∂f_k/∂r_j) ṙ_j                      k ascending                  [EX-6]
//   reverse    r̄_j += (∂f_k/∂r_j) r̄_k                         k descending                 [EX-7]
//
// In both, zero times an infinite partial is zero: an input that does not move never turns a
// derivative into NaN, and forward and reverse agree there, too.
#pragma once

#include <span>
#include <vector>

#include "kinegrad/math/expression_graph.hpp"

namespace kinegrad {

/// Immutable program; the registers belong to the caller, so one tape serves many threads.
/// Nothing allocates after construction.
class Tape {
 public:
  Tape() = default;
  Tape(const ExpressionGraph& graph, std::span<const NodeId> outputs);

  /// 1 + the largest input index used, values and slopes of splines included; 0 if none.
  int input_count() const { return input_count_; }
  int output_count() const { return static_cast<int>(outputs_.size()); }
  int register_count() const { return static_cast<int>(code_.size()); }

  /// Inputs that are read as such, values and slopes of splines apart; ascending.
  const std::vector<int>& plain_inputs() const { return plain_inputs_; }
  bool has_splines() const { return !splines_.empty(); }
  /// Calls visit(input) for the values and slopes that the splines read where evaluate() has filled the
  /// registers: four each, whatever their number of nodes. An input may be visited more than once.
  template <typename Visit>
  void each_spline_input(std::span<const double> registers, const Visit& visit) const {
    for (const Instruction& code : code_) {
      if (code.op != Op::kSpline) continue;
      const auto& [spline, first] = splines_[static_cast<std::size_t>(code.index)];
      const int i =
          first + spline.weights(registers[static_cast<std::size_t>(code.a)], code.order).interval;
      for (const int k : {i, i + 1, i + spline.size(), i + 1 + spline.size()}) visit(k);
    }
  }
  /// An operation of the file whose derivative jumps where its argument passes zero [EX-4]: abs, sign, min
  /// or max; a linear spline, whose derivative jumps at its inner nodes [SP-9]; or atan2, which jumps by 2π behind the
  /// origin. What the smooth conditionals and
  /// symbolic derivatives are made of is not among them.
  struct Kink {
    Op op;
    NodeId a, b;                ///< registers; b = −1 for one operand
    std::vector<int> outputs;   ///< which depend on it
    std::vector<int> reads;     ///< inputs that its argument depends on, ascending
    std::vector<double> nodes;  ///< where the argument meets it: inner nodes of a spline; else {0}
    int first_input = -1;       ///< of a spline: where its values are
    int order = 0;              ///< of a spline: from 1 on the spline's derivative, which jumps
    double argument(std::span<const double> registers) const {
      const double x = registers[static_cast<std::size_t>(a)];
      return b < 0 ? x : x - registers[static_cast<std::size_t>(b)];
    }
    /// How many kinks the argument lies above; kMet if it is exactly at one. Of atan2(y, x): 0 and 2 on both sides
    /// of the half line where it jumps, 1 elsewhere.
    static constexpr int kMet = -1;
    int side(std::span<const double> registers) const;
    /// Whether the kink lies between two sides.
    bool passed(int one, int other) const {
      if (one == kMet || other == kMet || one == other) return false;
      return op != Op::kAtan2 || (one != 1 && other != 1);
    }
    /// Whether the value itself jumps there, not its derivative alone.
    bool jumps() const { return op == Op::kSign || op == Op::kAtan2 || order > 0; }
  };
  std::vector<Kink> kinks() const;
  /// Which inputs an output depends on.
  std::vector<bool> inputs_of(int output) const;
  /// A spline with two ends, and where its argument stands.
  struct SplineUse {
    NodeId argument;           ///< a register
    double from, to;           ///< its first and last node
    std::vector<int> outputs;  ///< which read it
    std::vector<int> reads;    ///< inputs that its argument depends on, ascending
    bool plain;                ///< the argument is that input itself
  };
  std::vector<SplineUse> spline_uses() const;

  /// @pre at least input_count() inputs, register_count() registers, output_count() outputs.
  template <Scalar T>
  void evaluate(std::span<const T> inputs, std::span<T> registers, std::span<T> outputs) const;

  /// d_outputs = J d_inputs. `registers` are those of evaluate() at `inputs`.
  void forward(std::span<const double> inputs, std::span<const double> registers,
               std::span<const double> d_inputs, std::span<double> d_registers,
               std::span<double> d_outputs) const;

  /// bar_inputs += Jᵀ bar_outputs. `registers` are those of evaluate() at `inputs`.
  void reverse(std::span<const double> inputs, std::span<const double> registers,
               std::span<const double> bar_outputs, std::span<double> bar_registers,
               std::span<double> bar_inputs) const;

 private:
  std::vector<bool> needed_for(NodeId result) const;
  std::vector<int> read_by(const std::vector<bool>& needed) const;
  /// Operands are register numbers; the rest as in ExpressionGraph::Node, splines renumbered.
  using Instruction = ExpressionGraph::Node;

  double spline_forward(const Instruction& code, std::span<const double> inputs,
                        std::span<const double> registers, std::span<const double> d_inputs,
                        std::span<const double> d_registers) const;
  void spline_reverse(const Instruction& code, double bar, std::span<const double> inputs,
                      std::span<const double> registers, std::span<double> bar_registers,
                      std::span<double> bar_inputs) const;

  std::vector<Instruction> code_;
  std::vector<NodeId> outputs_;  // registers
  std::vector<ExpressionGraph::SplineEntry> splines_;
  std::vector<int> plain_inputs_;
  int input_count_ = 0;
};

}  // namespace kinegrad
