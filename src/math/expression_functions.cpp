#include "expression_functions.hpp"

#include <array>
#include <numbers>

namespace kinegrad {

namespace {

using Arguments = std::span<const NodeId>;
using Builder = NodeId (*)(ExpressionGraph&, Arguments);

template <Op op>
NodeId unary(ExpressionGraph& g, Arguments x) {
  return g.unary(op, x[0]);
}

template <Op op>
NodeId binary(ExpressionGraph& g, Arguments x) {
  return g.binary(op, x[0], x[1]);
}

NodeId add(ExpressionGraph& g, NodeId a, NodeId b) { return g.binary(Op::kAdd, a, b); }
NodeId sub(ExpressionGraph& g, NodeId a, NodeId b) { return g.binary(Op::kSub, a, b); }
NodeId mul(ExpressionGraph& g, NodeId a, NodeId b) { return g.binary(Op::kMul, a, b); }
NodeId div(ExpressionGraph& g, NodeId a, NodeId b) { return g.binary(Op::kDiv, a, b); }

/// √(a² + b²).
NodeId root_of_squares(ExpressionGraph& g, NodeId a, NodeId b) {
  const NodeId two = g.constant(2);
  return g.unary(Op::kSqrt, add(g, g.binary(Op::kPow, a, two), g.binary(Op::kPow, b, two)));
}

NodeId hypot(ExpressionGraph& g, Arguments x) { return root_of_squares(g, x[0], x[1]); }

NodeId deg(ExpressionGraph& g, Arguments x) {
  return mul(g, x[0], g.constant(std::numbers::pi / 180));
}

void demand_width(const ExpressionGraph& g, NodeId width) {
  if (g.is_constant(width) && !(g.constant_value(width) > 0)) {
    throw ExpressionError("the width must be positive", 0);
  }
}

/// S(s) = s³(10 − 15 s + 6 s²) of s clamped to [0, 1]: S' = S'' = 0 at both ends [EX-11].
NodeId quintic(ExpressionGraph& g, NodeId s) {
  // selections, because min and max are reported where a run meets their kinks, and S has none
  const NodeId one = g.constant(1);
  const NodeId u = g.select(s, g.select(sub(g, one, s), s, one), g.constant(0));
  const NodeId inner = sub(g, mul(g, g.constant(6), u), g.constant(15));
  const NodeId polynomial = add(g, g.constant(10), mul(g, u, inner));
  return mul(g, g.binary(Op::kPow, u, g.constant(3)), polynomial);
}

/// y₀ + (y₁ − y₀) S((x − x₀)/(x₁ − x₀)) [EX-11].
NodeId smooth_step(ExpressionGraph& g, Arguments x) {
  const NodeId rise = sub(g, x[3], x[1]);
  if (g.is_constant(rise) && g.constant_value(rise) == 0) {
    throw ExpressionError("x0 and x1 must differ", 0);
  }
  const NodeId s = div(g, sub(g, x[0], x[1]), rise);
  return add(g, x[2], mul(g, sub(g, x[4], x[2]), quintic(g, s)));
}

/// b + (a − b) S((c + w)/(2w)) [EX-12].
NodeId smooth_if(ExpressionGraph& g, Arguments x) {
  demand_width(g, x[3]);
  const NodeId s = div(g, add(g, x[0], x[3]), mul(g, g.constant(2), x[3]));
  return add(g, x[2], mul(g, sub(g, x[1], x[2]), quintic(g, s)));
}

/// √(x² + w²) [EX-13].
NodeId smooth_abs(ExpressionGraph& g, Arguments x) {
  demand_width(g, x[1]);
  return root_of_squares(g, x[0], x[1]);
}

/// x/√(x² + w²) [EX-13].
NodeId smooth_sign(ExpressionGraph& g, Arguments x) { return div(g, x[0], smooth_abs(g, x)); }

/// (a + b ± √((a − b)² + w²))/2 [EX-14].
template <Op sign>
NodeId smooth_extreme(ExpressionGraph& g, Arguments x) {
  demand_width(g, x[2]);
  const NodeId spread = root_of_squares(g, sub(g, x[0], x[1]), x[2]);
  return mul(g, g.constant(0.5), g.binary(sign, add(g, x[0], x[1]), spread));
}

constexpr auto kFunctions = std::to_array<FunctionInfo>({
    {"sin", 1, "sine of an angle in radians"},
    {"cos", 1, "cosine of an angle in radians"},
    {"tan", 1, "tangent of an angle in radians"},
    {"asin", 1, "arc sine, in radians; derivative infinite at -1 and 1"},
    {"acos", 1, "arc cosine, in radians; derivative infinite at -1 and 1"},
    {"atan", 1, "arc tangent, in radians"},
    {"atan2", 2, "atan2(y, x): angle of the direction (x, y), in radians"},
    {"sinh", 1, "hyperbolic sine"},
    {"cosh", 1, "hyperbolic cosine"},
    {"tanh", 1, "hyperbolic tangent"},
    {"exp", 1, "exponential"},
    {"log", 1, "natural logarithm"},
    {"log10", 1, "decimal logarithm"},
    {"sqrt", 1, "square root; derivative infinite at 0"},
    {"abs", 1, "absolute value; kink at 0"},
    {"sign", 1, "-1, 0 or 1; jump at 0"},
    {"hypot", 2, "hypot(a, b): square root of a^2 + b^2"},
    {"min", 2, "the smaller of two; kink where they are equal"},
    {"max", 2, "the larger of two; kink where they are equal"},
    {"pow", 2, "pow(a, b): a^b"},
    {"deg", 1, "degrees to radians"},
    {"smooth_step", 5, "smooth_step(x, x0, y0, x1, y1): y0 up to x0, y1 from x1, quintic between"},
    {"smooth_if", 4, "smooth_if(c, a, b, width): a for c >= width, b for c <= -width"},
    {"smooth_abs", 2, "smooth_abs(x, width): square root of x^2 + width^2"},
    {"smooth_sign", 2, "smooth_sign(x, width): x/smooth_abs(x, width)"},
    {"smooth_max", 3, "smooth_max(a, b, width): at most width/2 above max(a, b)"},
    {"smooth_min", 3, "smooth_min(a, b, width): at most width/2 below min(a, b)"},
});

constexpr std::array<Builder, kFunctions.size()> kBuilders = {
    unary<Op::kSin>,
    unary<Op::kCos>,
    unary<Op::kTan>,
    unary<Op::kAsin>,
    unary<Op::kAcos>,
    unary<Op::kAtan>,
    binary<Op::kAtan2>,
    unary<Op::kSinh>,
    unary<Op::kCosh>,
    unary<Op::kTanh>,
    unary<Op::kExp>,
    unary<Op::kLog>,
    unary<Op::kLog10>,
    unary<Op::kSqrt>,
    unary<Op::kAbs>,
    unary<Op::kSign>,
    hypot,
    binary<Op::kMin>,
    binary<Op::kMax>,
    binary<Op::kPow>,
    deg,
    smooth_step,
    smooth_if,
    smooth_abs,
    smooth_sign,
    smooth_extreme<Op::kAdd>,
    smooth_extreme<Op::kSub>,
};

constexpr auto kConstants = std::to_array<ConstantInfo>({
    {"pi", std::numbers::pi, "half turn, in radians"},
    {"tau", 2 * std::numbers::pi, "full turn, in radians"},
});

}  // namespace

std::span<const FunctionInfo> expression_functions() { return kFunctions; }

std::span<const ConstantInfo> expression_constants() { return kConstants; }

bool is_expression_function(std::string_view name) { return internal::function_index(name) >= 0; }

namespace internal {

int function_index(std::string_view name) {
  for (std::size_t i = 0; i < kFunctions.size(); ++i) {
    if (kFunctions[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

NodeId apply_function(int function, ExpressionGraph& graph, std::span<const NodeId> arguments) {
  return kBuilders[static_cast<std::size_t>(function)](graph, arguments);
}

}  // namespace internal

}  // namespace kinegrad
