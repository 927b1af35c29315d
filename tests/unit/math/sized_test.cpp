// [EX-8]: sizes of the terms of derivatives, by tapes.
#include "kinegrad/math/sized.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kinegrad/math/tape.hpp"

namespace kinegrad {
namespace {

using Build = NodeId (*)(ExpressionGraph&, NodeId, NodeId);

struct Sum {
  const char* name;
  Build build;
  double (*size)(double x, double y);  ///< of ∂/∂x, by hand
};

NodeId add(ExpressionGraph& g, NodeId a, NodeId b) { return g.binary(Op::kAdd, a, b); }
NodeId sub(ExpressionGraph& g, NodeId a, NodeId b) { return g.binary(Op::kSub, a, b); }
NodeId mul(ExpressionGraph& g, NodeId a, NodeId b) { return g.binary(Op::kMul, a, b); }

const Sum kSums[] = {
    {"x y - y x",
     [](ExpressionGraph& g, NodeId x, NodeId y) {
       return sub(g, mul(g, x, y), mul(g, y, g.unary(Op::kSin, x)));
     },
     [](double x, double y) { return std::abs(y) * (1 + std::abs(std::cos(x))); }},
    {"x cos² + x sin² - x",
     [](ExpressionGraph& g, NodeId x, NodeId y) {
       const NodeId c = g.unary(Op::kCos, y), s = g.unary(Op::kSin, y);
       return sub(g, add(g, mul(g, x, mul(g, c, c)), mul(g, x, mul(g, s, s))), x);
     },
     [](double, double) { return 2.0; }},
    {"sqrt(x² + y²) - x",
     [](ExpressionGraph& g, NodeId x, NodeId y) {
       return sub(g, g.unary(Op::kSqrt, add(g, mul(g, x, x), mul(g, y, y))), x);
     },
     [](double x, double y) { return std::abs(x) / std::hypot(x, y) + 1; }},
    {"x/y - atan2(x, y)",
     [](ExpressionGraph& g, NodeId x, NodeId y) {
       return sub(g, g.binary(Op::kDiv, x, y), g.binary(Op::kAtan2, x, y));
     },
     [](double x, double y) { return 1 / std::abs(y) + std::abs(y) / (x * x + y * y); }},
};

TEST(Sized, TermsAreAddedByAbsoluteValues) {
  for (const Sum& sum : kSums) {
    ExpressionGraph graph;
    const NodeId x = graph.input(0), y = graph.input(1);
    const NodeId output = sum.build(graph, x, y);
    const Tape tape(graph, std::vector<NodeId>{output});
    for (const auto& [at_x, at_y] : {std::pair{0.4, 0.7}, {-1.3, 0.2}, {0.9, -2.1}}) {
      const std::vector<Sized> inputs{{at_x, 1}, {at_y}};
      std::vector<Sized> registers(std::size_t(tape.register_count()), Sized(NAN, NAN)), out(1);
      tape.evaluate<Sized>(inputs, registers, out);
      EXPECT_NEAR(out[0].size, sum.size(at_x, at_y), 1e-14 * sum.size(at_x, at_y)) << sum.name;
      const std::vector<double> numbers{at_x, at_y};
      std::vector<double> r(registers.size()), value(1);
      tape.evaluate<double>(numbers, r, value);
      EXPECT_EQ(out[0].value, value[0]) << sum.name;
      // never less than the derivative, which dual numbers have
      const std::vector<Dual> duals{{at_x, 1}, {at_y, 0}};
      std::vector<Dual> rd(registers.size()), derivative(1);
      tape.evaluate<Dual>(duals, rd, derivative);
      EXPECT_GE(out[0].size, std::abs(derivative[0].derivative) * (1 - 1e-15)) << sum.name;
    }
  }
}

/// One path alone: the size is that of the derivative, for every function.
TEST(Sized, OfOnePathIsTheDerivative) {
  for (const Op op :
       {Op::kNeg, Op::kSin, Op::kCos, Op::kTan, Op::kAsin, Op::kAcos, Op::kAtan, Op::kSinh,
        Op::kCosh, Op::kTanh, Op::kExp, Op::kLog, Op::kLog10, Op::kSqrt, Op::kAbs, Op::kSign}) {
    ExpressionGraph g;
    const NodeId output = g.unary(op, g.input(0));
    const Tape one(g, std::vector<NodeId>{output});
    const std::vector<Sized> inputs{{0.37, 2}};
    std::vector<Sized> registers(std::size_t(one.register_count())), out(1);
    one.evaluate<Sized>(inputs, registers, out);
    const std::vector<Dual> duals{{0.37, 2}};
    std::vector<Dual> rd(registers.size()), derivative(1);
    one.evaluate<Dual>(duals, rd, derivative);
    EXPECT_NEAR(out[0].size, std::abs(derivative[0].derivative), 1e-14) << int(op);
    EXPECT_EQ(out[0].value, derivative[0].value) << int(op);
  }
}

}  // namespace
}  // namespace kinegrad
