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
                             "smooth_max(x, y, 0.1) + smooth_min(x, y, 0.1)", "hypot(x, y)"});
  EXPECT_TRUE(tape.kinks().empty());
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
