#include "kinegrad/math/symbolic.hpp"

#include "kinegrad/base/error.hpp"
#include "op_rules.hpp"

namespace kinegrad {

NodeId Symbol::node(ExpressionGraph& graph) const {
  if (graph_ == nullptr) return graph.constant(value_);
  KINEGRAD_DEMAND(graph_ == &graph);
  return node_;
}

Symbol Symbol::unary(Op op, const Symbol& a) {
  const double value = op_rules::unary_value(op, a.value_);
  if (a.graph_ == nullptr) return Symbol(value);
  return Symbol(*a.graph_, a.graph_->unary(op, a.node_), value);
}

Symbol Symbol::binary(Op op, const Symbol& a, const Symbol& b) {
  const double value = op_rules::binary_value(op, a.value_, b.value_);
  ExpressionGraph* const graph = a.graph_ != nullptr ? a.graph_ : b.graph_;
  if (graph == nullptr) return Symbol(value);
  return Symbol(*graph, graph->binary(op, a.node(*graph), b.node(*graph)), value);
}

}  // namespace kinegrad
