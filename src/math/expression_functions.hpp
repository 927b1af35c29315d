// The built-in functions of expressions, by their place in expression_functions().
#pragma once

#include <span>
#include <string_view>

#include "kinegrad/math/expression_parser.hpp"

namespace kinegrad::internal {

/// The place of a built-in function, or −1.
int function_index(std::string_view name);

/// The value of a function. There are as many arguments as its arity.
/// @throws ExpressionError with column 0 for a constant width ≤ 0 or a step of no length
NodeId apply_function(int function, ExpressionGraph& graph, std::span<const NodeId> arguments);

}  // namespace kinegrad::internal
