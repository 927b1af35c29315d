// Which operations of an expression have kinks that a run may meet [EX-4].
#include <gtest/gtest.h>

#include "kinegrad/math/expression_parser.hpp"
#include "kinegrad/math/tape.hpp"

namespace kinegrad {
namespace {

/// Names x and y only.
class Names final : public ExpressionScope {
 public:
  std::optional<NodeId> variable(std::string_view name, ExpressionGraph& graph) const override {
    if (name == "x") return graph.input(0);
    if (name == "y") return graph.input(1);
    return {};
  }
  std::vector<std::string> names() const override { return {"x", "y"}; }
};

Tape tape_of(const std::vector<std::string>& texts) {
  ExpressionGraph graph;
  std::vector<NodeId> outputs;
  for (const std::string& text : texts) outputs.push_back(parse_expression(text, graph, Names()));
  return Tape(graph, outputs);
}

TEST(TapeKinks, AreThoseOfTheFile) {
  const Tape tape = tape_of({"3*abs(x - 2)", "max(x, y) + sign(y)", "x*y + abs(x - 2)"});
  const std::vector<Tape::Kink> kinks = tape.kinks();
  ASSERT_EQ(kinks.size(), 3u);
  const std::vector<double> inputs{1.5, 4};
  std::vector<double> registers(static_cast<std::size_t>(tape.register_count())), outputs(3);
  tape.evaluate<double>(inputs, registers, outputs);
  for (const Tape::Kink& kink : kinks) {
    if (kink.op == Op::kAbs) {
      EXPECT_DOUBLE_EQ(kink.argument(registers), -0.5);
      EXPECT_EQ(kink.outputs, (std::vector<int>{0, 2}));
    } else if (kink.op == Op::kMax) {
      EXPECT_DOUBLE_EQ(kink.argument(registers), -2.5);
      EXPECT_EQ(kink.outputs, (std::vector<int>{1}));
    } else {
      EXPECT_EQ(kink.op, Op::kSign);
      EXPECT_DOUBLE_EQ(kink.argument(registers), 4);
    }
  }
}

TEST(TapeKinks, SmoothConditionalsHaveNone) {
  const Tape tape = tape_of({"smooth_step(x, 0, 1, 2, y)", "smooth_if(x, y, 1, 0.1)",
                             "smooth_abs(x, 0.1) + smooth_sign(x, 0.1)",
                             "smooth_max(x, y, 0.1) + smooth_min(x, y, 0.1)", "hypot(x, 0.1)",
                             "sqrt(x^4)", "x^2/4"});
  EXPECT_TRUE(tape.kinks().empty());
}

/// |x| in disguise, signs that are quotients, poles: by their operation and whether they jump.
TEST(TapeKinks, DisguisesAreSeen) {
  struct Disguise {
    const char* text;
    Op op;
    bool jumps;
  };
  for (const Disguise& one :
       {Disguise{"sqrt(x^2)", Op::kSqrt, false}, Disguise{"sqrt(x*x)", Op::kSqrt, false},
        Disguise{"hypot(x, 0)", Op::kSqrt, false}, Disguise{"sqrt(4*x^2)", Op::kSqrt, false},
        Disguise{"(x^2)^0.5", Op::kSqrt, false}, Disguise{"hypot(x, y)", Op::kSqrt, false},
        Disguise{"x*(x^2)^-0.5", Op::kSqrt, true}, Disguise{"tan(x)", Op::kTan, true},
        Disguise{"x^-2", Op::kPowInt, true}, Disguise{"y/x", Op::kDiv, true}}) {
    const std::vector<Tape::Kink> kinks = tape_of({one.text}).kinks();
    ASSERT_EQ(kinks.size(), 1u) << one.text;
    EXPECT_EQ(kinks[0].op, one.op) << one.text;
    EXPECT_EQ(kinks[0].jumps(), one.jumps) << one.text;
  }
  for (const char* text : {"x/sqrt(x^2)", "x/abs(x)", "y*x/(3*hypot(x, y))"}) {
    const std::vector<Tape::Kink> kinks = tape_of({text}).kinks();
    ASSERT_EQ(kinks.size(), 1u) << text;  // their divisors never change their sign
    EXPECT_TRUE(kinks[0].jumps()) << text;
  }
}

/// A register's side, of the one kink that an expression has.
struct OneKink {
  explicit OneKink(const ExpressionGraph& graph, NodeId output)
      : tape(graph, std::vector<NodeId>{output}), kink(tape.kinks().at(0)) {}
  int side(const std::vector<double>& inputs) const {
    std::vector<double> registers(static_cast<std::size_t>(tape.register_count())), out(1);
    tape.evaluate<double>(inputs, registers, out);
    return kink.side(registers);
  }
  Tape tape;
  Tape::Kink kink;
};

/// [SP-9]: inner nodes only; beyond the ends a linear spline goes on as it is.
TEST(TapeKinks, LinearSplinesHaveThemAtTheirInnerNodes) {
  ExpressionGraph graph;
  const int spline = graph.add_spline({SplineType::kLinear, {0, 1, 2, 4}}, 2);
  const NodeId x = graph.input(0);
  const OneKink one(graph, graph.spline(spline, 0, x));
  EXPECT_EQ(one.kink.nodes, (std::vector<double>{1, 2}));
  EXPECT_EQ(one.kink.reads, (std::vector<int>{0})) << "not its values";
  EXPECT_FALSE(one.kink.jumps());
  std::vector<double> inputs(10, 0.0);
  const std::vector<std::pair<double, int>> sides{
      {-3, 0}, {0, 0}, {0.5, 0}, {1, Tape::Kink::kMet}, {1.5, 1}, {2, Tape::Kink::kMet}, {9, 2}};
  for (const auto& [at, side] : sides) {
    inputs[0] = at;
    EXPECT_EQ(one.side(inputs), side) << at;
  }
  EXPECT_TRUE(one.kink.passed(0, 2));
  EXPECT_FALSE(one.kink.passed(1, 1));
  EXPECT_FALSE(one.kink.passed(Tape::Kink::kMet, 1));
  // its slope jumps where it has a kink; other types have none of both
  EXPECT_TRUE(OneKink(graph, graph.spline(spline, 1, x)).kink.jumps());
  const int cubic = graph.add_spline({SplineType::kCubic, {0, 1, 2, 4}}, 2);
  EXPECT_TRUE(Tape(graph, std::vector<NodeId>{graph.spline(cubic, 0, x)}).kinks().empty());
}

/// atan2(y, x) jumps by 2π where y changes its sign behind the origin, and nowhere else.
TEST(TapeKinks, AnglesJumpBehindTheOrigin) {
  ExpressionGraph graph;
  const OneKink one(graph, parse_expression("atan2(y, x)", graph, Names()));
  EXPECT_TRUE(one.kink.jumps());
  EXPECT_EQ(one.kink.reads, (std::vector<int>{0, 1}));
  const int above = one.side({-1, 0.1}), below = one.side({-1, -0.1}), ahead = one.side({1, 0.1}),
            other = one.side({1, -0.1});
  EXPECT_TRUE(one.kink.passed(above, below));
  EXPECT_TRUE(one.kink.passed(below, above));
  EXPECT_FALSE(one.kink.passed(ahead, other));
  EXPECT_FALSE(one.kink.passed(above, ahead));
  EXPECT_EQ(one.side({-1, 0}), Tape::Kink::kMet);
  EXPECT_NE(one.side({1, 0}), Tape::Kink::kMet);
  // y that nothing moves passes no zero
  EXPECT_TRUE(OneKink(graph, parse_expression("atan2(0, x)", graph, Names())).kink.reads.empty());
}

/// The clamp of S at its ends and beyond, and its partials there.
TEST(TapeKinks, SmoothStepIsClampedAsBefore) {
  const Tape tape = tape_of({"smooth_step(x, 1, 10, 3, 20)"});
  std::vector<double> registers(static_cast<std::size_t>(tape.register_count())), out(1),
      bars(registers.size());
  for (const auto& [x, y] : std::vector<std::pair<double, double>>{
           {-5, 10}, {1, 10}, {1.5, 10 + 10 * 0.103515625}, {2, 15}, {3, 20}, {9, 20}}) {
    tape.evaluate<double>(std::vector<double>{x}, registers, out);
    EXPECT_NEAR(out[0], y, 1e-13) << x;
    std::vector<double> bar{0};
    tape.reverse(std::vector<double>{x}, registers, std::vector<double>{1}, bars, bar);
    const double s = std::min(std::max((x - 1) / 2, 0.0), 1.0);
    EXPECT_NEAR(bar[0], 10 * 30 * s * s * (1 - s) * (1 - s) / 2, 1e-13) << x;
  }
}

}  // namespace
}  // namespace kinegrad
