// Text to expression (docs/theory/expressions.md, "The language").
//
//   sum     := product (('+' | '-') product)*
//   product := sign (('*' | '/') sign)*
//   sign    := ('+' | '-')* power
//   power   := primary ['^' sign]                       right associative, −a^2 = −(a^2)
//   primary := number | name | name '(' sum (',' sum)* ')' | '(' sum ')'
//            | word function '(' name (',' name)* ')'             reaction(joint, fx), multiplier(constraint)
//   name    := letter (letter | digit)* ('.' (letter | digit)+)*        '_' counts as a letter
//
// One pass, linear in the length of the text. A constant that is not finite (1/0, √−1, 1e400) is an
// error where it arises.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kinegrad/base/error.hpp"
#include "kinegrad/math/expression_graph.hpp"

namespace kinegrad {

/// What is wrong with an expression, and where in its text.
class ExpressionError : public Error {
 public:
  ExpressionError(const std::string& message, int column) : Error(message), column_(column) {}
  /// Counts from 1. what() does not repeat it.
  int column() const { return column_; }

 private:
  int column_;
};

/// What the names of an expression mean. Names of the scope hide the built-in constants pi and tau;
/// built-in functions hide splines of the same name (is_expression_function() tells).
struct ExpressionScope {
  virtual ~ExpressionScope() = default;
  virtual std::optional<NodeId> variable(std::string_view name, ExpressionGraph& graph) const = 0;
  /// The spline that `name(x)` evaluates.
  virtual std::optional<int> spline(std::string_view name) const {
    static_cast<void>(name);
    return {};
  }
  /// What a function of names, is_word_function(), gives: reaction(joint, fx).
  /// @throws ExpressionError with column 0 and the reason
  virtual std::optional<NodeId> word_call(std::string_view name,
                                          std::span<const std::string_view> words,
                                          ExpressionGraph& graph) const {
    static_cast<void>(name), static_cast<void>(words), static_cast<void>(graph);
    return {};
  }
  /// Every name that may be used, for suggestions.
  virtual std::vector<std::string> names() const = 0;
  /// Why a known name may not be used here; empty for a name that is not known at all.
  virtual std::string refusal(std::string_view name) const {
    static_cast<void>(name);
    return {};
  }
};

inline constexpr int kMaxExpressionLength = 10000;
inline constexpr int kMaxExpressionDepth = 200;

/// @throws ExpressionError
NodeId parse_expression(std::string_view text, ExpressionGraph& graph,
                        const ExpressionScope& scope);

/// The names used as variables, each once, in order of appearance, not resolved (pi and tau are
/// listed too, since a scope may hide them).
/// @throws ExpressionError on bad syntax
std::vector<std::string> referenced_names(std::string_view text);

/// The names called as functions that are not built in: splines.
/// @throws ExpressionError on bad syntax
std::vector<std::string> referenced_splines(std::string_view text);

struct FunctionInfo {
  std::string_view name;
  int arity;
  std::string_view summary;
};

/// The built-in functions, for documentation and `list functions`.
std::span<const FunctionInfo> expression_functions();
bool is_expression_function(std::string_view name);
/// Functions whose arguments are names, not numbers.
constexpr bool is_word_function(std::string_view name) {
  return name == "reaction" || name == "multiplier";
}

struct ConstantInfo {
  std::string_view name;
  double value;
  std::string_view summary;
};

/// The built-in constants.
std::span<const ConstantInfo> expression_constants();

}  // namespace kinegrad
