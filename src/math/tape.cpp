#include "kinegrad/math/tape.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>
#include <utility>

#include "kinegrad/base/error.hpp"
#include "kinegrad/base/index.hpp"
#include "op_rules.hpp"

namespace kinegrad {

Tape::Tape(const ExpressionGraph& graph, std::span<const NodeId> outputs) {
  NodeId top = -1;
  for (const NodeId id : outputs) top = std::max(top, id);
  std::vector<NodeId> place(index(top + 1), -1);  // register of each node that is alive
  for (const NodeId id : outputs) place[index(id)] = 0;
  for (NodeId id = top; id >= 0; --id) {
    if (place[index(id)] < 0) continue;
    const Instruction& node = graph.node(id);
    for (const NodeId operand : {node.a, node.b, node.c}) {
      if (operand >= 0) place[index(operand)] = 0;
    }
  }
  std::vector<int> renumbered(index(graph.spline_count()), -1);
  for (NodeId id = 0; id <= top; ++id) {
    if (place[index(id)] < 0) continue;
    Instruction code = graph.node(id);
    for (NodeId* operand : {&code.a, &code.b, &code.c}) {
      if (*operand >= 0) *operand = place[index(*operand)];
    }
    if (code.op == Op::kInput) {
      input_count_ = std::max(input_count_, code.index + 1);
      plain_inputs_.push_back(code.index);
    }
    if (code.op == Op::kSpline) {
      int& number = renumbered[index(code.index)];
      if (number < 0) {
        number = static_cast<int>(splines_.size());
        splines_.push_back(graph.spline_entry(code.index));
        const auto& entry = splines_.back();
        input_count_ = std::max(input_count_, entry.first_input + 2 * entry.spline.size());
      }
      code.index = number;
    }
    place[index(id)] = register_count();
    code_.push_back(code);
  }
  outputs_.reserve(outputs.size());
  for (const NodeId id : outputs) outputs_.push_back(place[index(id)]);
  std::sort(plain_inputs_.begin(), plain_inputs_.end());
  plain_inputs_.erase(std::unique(plain_inputs_.begin(), plain_inputs_.end()), plain_inputs_.end());
}

/// The registers that a register depends on, as marks.
std::vector<bool> Tape::needed_for(NodeId result) const {
  std::vector<bool> needed(code_.size(), false);
  needed[index(result)] = true;
  for (std::size_t k = code_.size(); k-- > 0;) {
    if (!needed[k]) continue;
    for (const NodeId operand : {code_[k].a, code_[k].b, code_[k].c}) {
      if (operand >= 0) needed[index(operand)] = true;
    }
  }
  return needed;
}

/// The inputs among registers that are marked, ascending; all values and slopes of a spline count.
std::vector<int> Tape::read_by(const std::vector<bool>& needed) const {
  std::vector<int> inputs;
  for (std::size_t k = 0; k < code_.size(); ++k) {
    if (!needed[k]) continue;
    const Instruction& code = code_[k];
    if (code.op == Op::kInput) inputs.push_back(code.index);
    if (code.op != Op::kSpline) continue;
    const auto& [spline, first] = splines_[index(code.index)];
    for (int i = 0; i < 2 * spline.size(); ++i) inputs.push_back(first + i);
  }
  std::sort(inputs.begin(), inputs.end());
  inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
  return inputs;
}

namespace {

/// −, 0, + of two numbers as one side: 4 where both vanish.
int signs_of(double a, double b) {
  const auto sign = [](double x) { return x < 0 ? 0 : x > 0 ? 2 : 1; };
  return 3 * sign(a) + sign(b);
}

/// Which branch of the tangent: poles at π/2 + kπ lie between; not negative.
int branch_of_tan(double x) {
  const auto k = static_cast<int>(std::floor(x / std::numbers::pi + 0.5));
  return k >= 0 ? 2 * k : -2 * k - 1;
}

}  // namespace

int Tape::Kink::side(std::span<const double> registers) const {
  const auto at = [&](NodeId k) { return registers[index(k)]; };
  if (op == Op::kAtan2) {
    const double y = at(a), x = at(b);
    if (!(x < 0)) return x == 0 && y == 0 ? kMet : 1;
    return y == 0 ? kMet : y > 0 ? 2 : 0;
  }
  if (op == Op::kTan) return branch_of_tan(at(a));
  if (op == Op::kDiv) return at(a) == 0 ? kMet : signs_of(at(a), at(b));
  if (op == Op::kSqrt && b >= 0) {
    return at(a) == 0 && at(b) == 0 ? kMet : signs_of(at(a), at(b));
  }
  const double x = argument(registers);
  const auto above = std::lower_bound(nodes.begin(), nodes.end(), x);
  if (above != nodes.end() && *above == x) return kMet;
  return static_cast<int>(above - nodes.begin());
}

namespace {

using Code = std::vector<ExpressionGraph::Node>;

bool is_number(const Code& code, NodeId k, double value) {
  return code[index(k)].op == Op::kConstant && code[index(k)].value == value;
}

/// The registers w of a sum of squares w²; empty where it has other terms, or more than two. Powers of four have
/// roots without a kink.
std::vector<NodeId> squared_in(const Code& code, NodeId sum, int depth = 4) {
  if (depth == 0) return {};
  const ExpressionGraph::Node& node = code[index(sum)];
  if (node.op == Op::kPowInt && node.index > 0 && node.index % 4 == 2) return {node.a};
  if (node.op == Op::kMul && node.a == node.b) return {node.a};
  if (node.op == Op::kMul) {
    for (const auto& [factor, rest] : {std::pair{node.a, node.b}, std::pair{node.b, node.a}}) {
      if (code[index(factor)].op == Op::kConstant && code[index(factor)].value > 0) {
        return squared_in(code, rest, depth - 1);
      }
    }
  }
  if (node.op != Op::kAdd) return {};
  if (is_number(code, node.a, 0)) return squared_in(code, node.b, depth - 1);
  if (is_number(code, node.b, 0)) return squared_in(code, node.a, depth - 1);
  const std::vector<NodeId> one = squared_in(code, node.a, depth - 1),
                            other = squared_in(code, node.b, depth - 1);
  if (one.size() == 1 && other.size() == 1) return {one[0], other[0]};
  return {};
}

/// Registers that have one sign by their form, as sums of squares have: a divisor of that kind passes no zero.
std::vector<bool> never_negative(const Code& code) {
  std::vector<bool> out(code.size(), false);
  for (std::size_t k = 0; k < code.size(); ++k) {
    const ExpressionGraph::Node& node = code[k];
    const auto first = [&] { return out[index(node.a)]; };
    const auto both = [&] { return out[index(node.a)] && out[index(node.b)]; };
    switch (node.op) {
      case Op::kConstant: out[k] = node.value >= 0; break;
      case Op::kPowInt: out[k] = node.index % 2 == 0 || first(); break;
      case Op::kMul: out[k] = node.a == node.b || both(); break;
      case Op::kAdd:
      case Op::kDiv: out[k] = both(); break;
      case Op::kSqrt:
      case Op::kAbs:
      case Op::kExp:
      case Op::kCosh:
      case Op::kPow: out[k] = true; break;  // or not a number
      default: break;
    }
  }
  return out;
}

/// Registers whose values depend on that of one, itself among them: one sweep, however many outputs there are.
std::vector<bool> moved_by(const Code& code, std::size_t first) {
  std::vector<bool> moved(code.size(), false);
  moved[first] = true;
  for (std::size_t k = first + 1; k < code.size(); ++k) {
    for (const NodeId operand : {code[k].a, code[k].b, code[k].c}) {
      if (operand >= 0 && moved[index(operand)]) moved[k] = true;
    }
  }
  return moved;
}

/// Registers with which a divisor vanishes: itself and its factors, through roots and powers.
std::vector<bool> divisors_of(const Code& code) {
  std::vector<bool> divides(code.size(), false);
  for (std::size_t k = code.size(); k-- > 0;) {
    const auto& [op, order, a, b, c, number, value] = code[k];
    if (op == Op::kDiv) divides[index(b)] = true;
    if (op == Op::kPowInt && number < 0) divides[index(a)] = true;
    if (!divides[k]) continue;
    const bool keeps_zero = op == Op::kMul || op == Op::kNeg || op == Op::kSqrt || op == Op::kAbs ||
                            (op == Op::kPowInt && number > 0);
    if (!keeps_zero) continue;
    divides[index(a)] = true;
    if (b >= 0) divides[index(b)] = true;
  }
  return divides;
}

/// The kink of an instruction, if it has one; `divides`: something is divided by its value; `one_sign`: registers that
/// do not change theirs.                                                                         [KN-1]
std::optional<Tape::Kink> kink_of(const Code& code, std::size_t k, bool divides,
                                  const std::vector<bool>& one_sign) {
  const ExpressionGraph::Node& node = code[k];
  int order = divides ? 1 : 0;  // what is divided by |w| jumps where w passes zero
  switch (node.op) {
    case Op::kAbs: return Tape::Kink{node.op, node.a, -1, {}, {}, {0.0}, -1, order};
    case Op::kSign:
    case Op::kMin:
    case Op::kMax:
    case Op::kAtan2: return Tape::Kink{node.op, node.a, node.b, {}, {}, {0.0}};
    case Op::kTan: return Tape::Kink{node.op, node.a, -1, {}, {}, {}, -1, 1};
    case Op::kDiv:
      if (code[index(node.b)].op == Op::kConstant || one_sign[index(node.b)]) return {};
      return Tape::Kink{node.op, node.b, node.a, {}, {}, {0.0}, -1, 1};
    case Op::kPowInt:
      if (node.index > 0) return {};
      return Tape::Kink{node.op, node.a, -1, {}, {}, {0.0}, -1, 1};
    case Op::kPow:
      if (code[index(node.b)].op != Op::kConstant || code[index(node.b)].value > 0.5) return {};
      if (code[index(node.b)].value < 0) order = 1;
      [[fallthrough]];
    case Op::kSqrt: {
      const std::vector<NodeId> roots = squared_in(code, node.a);
      if (roots.empty()) return {};
      const NodeId second = roots.size() > 1 ? roots[1] : -1;
      return Tape::Kink{Op::kSqrt, roots[0], second, {}, {}, {0.0}, -1, order};
    }
    default: return {};
  }
}

}  // namespace

std::vector<Tape::Kink> Tape::kinks() const {
  std::vector<Kink> kinks;
  std::vector<std::size_t> at;
  const std::vector<bool> divides = divisors_of(code_), one_sign = never_negative(code_);
  for (std::size_t k = 0; k < code_.size(); ++k) {
    const Instruction& code = code_[k];
    std::optional<Kink> kink = kink_of(code_, k, divides[k], one_sign);
    if (code.op == Op::kSpline) {
      const auto& [spline, first] = splines_[index(code.index)];
      const auto& x = spline.knots().x;
      if (spline.type() != SplineType::kLinear || x.size() < 3) continue;
      kink = Kink{code.op, code.a, -1, {}, {}, {x.begin() + 1, x.end() - 1}, first, code.order};
    }
    if (!kink) continue;
    std::vector<bool> needed = needed_for(kink->a);
    kink->reads = read_by(needed);
    // where y of atan2 does not move, or a divisor, nothing does; numerators do not matter
    const bool alone = kink->op == Op::kDiv || (kink->op == Op::kAtan2 && kink->reads.empty());
    if (kink->b >= 0 && !alone) {
      const std::vector<bool> other = needed_for(kink->b);
      for (std::size_t i = 0; i < needed.size(); ++i) needed[i] = needed[i] || other[i];
      kink->reads = read_by(needed);
    }
    kinks.push_back(std::move(*kink));
    at.push_back(k);
  }
  for (std::size_t k = 0; k < kinks.size(); ++k) {
    const std::vector<bool> moved = moved_by(code_, at[k]);
    for (int i = 0; i < output_count(); ++i) {
      if (moved[index(outputs_[index(i)])]) kinks[k].outputs.push_back(i);
    }
  }
  return kinks;
}

std::vector<bool> Tape::inputs_of(int output) const {
  std::vector<bool> inputs(index(input_count_), false);
  for (const int k : read_by(needed_for(outputs_[index(output)]))) inputs[index(k)] = true;
  return inputs;
}

std::vector<Tape::SplineUse> Tape::spline_uses() const {
  std::vector<SplineUse> uses;
  std::vector<std::size_t> at;  // their registers: a spline may be read at several places
  for (std::size_t k = 0; k < code_.size(); ++k) {
    const Instruction& code = code_[k];
    if (code.op != Op::kSpline) continue;
    const Spline& spline = splines_[index(code.index)].spline;
    if (spline.type() == SplineType::kPeriodic) continue;
    uses.push_back({code.a,
                    spline.knots().x.front(),
                    spline.knots().x.back(),
                    {},
                    read_by(needed_for(code.a)),
                    code_[index(code.a)].op == Op::kInput});
    at.push_back(k);
  }
  for (int i = 0; i < output_count() && !uses.empty(); ++i) {
    const std::vector<bool> needed = needed_for(outputs_[index(i)]);
    for (std::size_t k = 0; k < uses.size(); ++k) {
      if (needed[at[k]]) uses[k].outputs.push_back(i);
    }
  }
  return uses;
}

template <Scalar T>
void Tape::evaluate(std::span<const T> inputs, std::span<T> registers, std::span<T> outputs) const {
  KINEGRAD_ASSERT(inputs.size() >= index(input_count()));
  KINEGRAD_ASSERT(registers.size() >= code_.size() && outputs.size() >= outputs_.size());
  T* const r = registers.data();
  for (std::size_t k = 0; k < code_.size(); ++k) {
    const Instruction& code = code_[k];
    switch (code.op) {
      case Op::kConstant: r[k] = T(code.value); break;
      case Op::kInput: r[k] = inputs[index(code.index)]; break;
      // most of a tape; a second look at the operation would cost as much as they do
      case Op::kAdd: r[k] = op_rules::binary_value(Op::kAdd, r[code.a], r[code.b]); break;
      case Op::kSub: r[k] = op_rules::binary_value(Op::kSub, r[code.a], r[code.b]); break;
      case Op::kMul: r[k] = op_rules::binary_value(Op::kMul, r[code.a], r[code.b]); break;
      case Op::kPowInt: r[k] = op_rules::pow_int(r[code.a], code.index); break;
      case Op::kSelect: r[k] = op_rules::select_value(r[code.a], r[code.b], r[code.c]); break;
      case Op::kSpline: {
        const auto& [spline, first] = splines_[index(code.index)];
        const std::size_t n = index(spline.size());
        const auto values = inputs.subspan(index(first), n);
        const auto slopes = inputs.subspan(index(first) + n, n);
        r[k] = spline.evaluate(r[code.a], code.order, values, slopes);
        break;
      }
      default:
        r[k] = is_unary(code.op) ? op_rules::unary_value(code.op, r[code.a])
                                 : op_rules::binary_value(code.op, r[code.a], r[code.b]);
    }
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) outputs[i] = r[outputs_[i]];
}

template void Tape::evaluate<double>(std::span<const double>, std::span<double>,
                                     std::span<double>) const;
template void Tape::evaluate<Complex>(std::span<const Complex>, std::span<Complex>,
                                      std::span<Complex>) const;
template void Tape::evaluate<Dual>(std::span<const Dual>, std::span<Dual>, std::span<Dual>) const;
template void Tape::evaluate<Sized>(std::span<const Sized>, std::span<Sized>,
                                    std::span<Sized>) const;

namespace {

/// A link of the chain rule in which zero times anything is zero, infinity included: forward and
/// reverse then agree on every path through a singular partial [EX-6].
double contribution(double partial, double d) { return d == 0 || partial == 0 ? 0 : partial * d; }

}  // namespace

void Tape::forward(std::span<const double> inputs, std::span<const double> registers,
                   std::span<const double> d_inputs, std::span<double> d_registers,
                   std::span<double> d_outputs) const {
  const double* const r = registers.data();
  double* const d = d_registers.data();
  for (std::size_t k = 0; k < code_.size(); ++k) {
    const Instruction& code = code_[k];
    switch (code.op) {
      case Op::kConstant: d[k] = 0; break;
      case Op::kInput: d[k] = d_inputs[index(code.index)]; break;
      case Op::kPowInt:
        d[k] = contribution(op_rules::pow_int_partial(r[code.a], code.index), d[code.a]);
        break;
      case Op::kSelect: d[k] = r[code.a] >= 0 ? d[code.b] : d[code.c]; break;
      case Op::kSpline:
        d[k] = spline_forward(code, inputs, registers, d_inputs, d_registers);
        break;
      default:
        if (is_unary(code.op)) {
          d[k] = contribution(op_rules::unary_partial(code.op, r[code.a], r[k]), d[code.a]);
        } else {
          const auto p = op_rules::binary_partials(code.op, r[code.a], r[code.b], r[k]);
          d[k] = contribution(p.a, d[code.a]) + contribution(p.b, d[code.b]);
        }
    }
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) d_outputs[i] = d[outputs_[i]];
}

double Tape::spline_forward(const Instruction& code, std::span<const double> inputs,
                            std::span<const double> registers, std::span<const double> d_inputs,
                            std::span<const double> d_registers) const {
  const Spline& spline = splines_[index(code.index)].spline;
  const std::size_t first = index(splines_[index(code.index)].first_input);
  const std::size_t n = index(spline.size());
  const double x = registers[index(code.a)];
  const auto along = [&](std::span<const double> data, int order) {
    return spline.evaluate(x, order, data.subspan(first, n), data.subspan(first + n, n));
  };
  const double dx = d_registers[index(code.a)];
  return along(d_inputs, code.order) + contribution(along(inputs, code.order + 1), dx);
}

void Tape::reverse(std::span<const double> inputs, std::span<const double> registers,
                   std::span<const double> bar_outputs, std::span<double> bar_registers,
                   std::span<double> bar_inputs) const {
  const double* const r = registers.data();
  double* const bar = bar_registers.data();
  std::fill_n(bar, code_.size(), 0.0);
  std::size_t end = 0;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    bar[outputs_[i]] += bar_outputs[i];
    if (bar_outputs[i] != 0) end = std::max(end, index(outputs_[i]) + 1);
  }
  for (std::size_t k = end; k-- > 0;) {
    if (bar[k] == 0) continue;
    const Instruction& code = code_[k];
    switch (code.op) {
      case Op::kConstant: break;
      case Op::kInput: bar_inputs[index(code.index)] += bar[k]; break;
      case Op::kAdd:
        bar[code.a] += bar[k];
        bar[code.b] += bar[k];
        break;
      case Op::kSub:
        bar[code.a] += bar[k];
        bar[code.b] -= bar[k];
        break;
      case Op::kMul: {
        const double by_a = contribution(r[code.b], bar[k]), by_b = contribution(r[code.a], bar[k]);
        bar[code.a] += by_a;
        bar[code.b] += by_b;
        break;
      }
      case Op::kPow: {
        const double a = r[code.a], b = r[code.b];
        const double by_a = contribution(op_rules::pow_base_partial(a, b), bar[k]);
        const bool constant = code_[index(code.b)].op == Op::kConstant;
        bar[code.a] += by_a;
        if (!constant) bar[code.b] += contribution(op_rules::pow_exponent_partial(a, b), bar[k]);
        break;
      }
      case Op::kPowInt:
        bar[code.a] += contribution(op_rules::pow_int_partial(r[code.a], code.index), bar[k]);
        break;
      case Op::kSelect: bar[r[code.a] >= 0 ? code.b : code.c] += bar[k]; break;
      case Op::kSpline:
        spline_reverse(code, bar[k], inputs, registers, bar_registers, bar_inputs);
        break;
      default:
        if (is_unary(code.op)) {
          bar[code.a] += contribution(op_rules::unary_partial(code.op, r[code.a], r[k]), bar[k]);
        } else {
          const auto p = op_rules::binary_partials(code.op, r[code.a], r[code.b], r[k]);
          bar[code.a] += contribution(p.a, bar[k]);
          bar[code.b] += contribution(p.b, bar[k]);
        }
    }
  }
}

void Tape::spline_reverse(const Instruction& code, double bar, std::span<const double> inputs,
                          std::span<const double> registers, std::span<double> bar_registers,
                          std::span<double> bar_inputs) const {
  const auto& [spline, first] = splines_[index(code.index)];
  const std::size_t n = index(spline.size());
  const double x = registers[index(code.a)];
  const auto w = spline.weights(x, code.order);
  const std::size_t y = index(first + w.interval), m = y + n;
  bar_inputs[y] += w.weight[0] * bar;
  bar_inputs[y + 1] += w.weight[1] * bar;
  bar_inputs[m] += w.weight[2] * bar;
  bar_inputs[m + 1] += w.weight[3] * bar;
  const double slope = spline.evaluate(x, code.order + 1, inputs.subspan(index(first), n),
                                       inputs.subspan(index(first) + n, n));
  bar_registers[index(code.a)] += contribution(slope, bar);
}

}  // namespace kinegrad
