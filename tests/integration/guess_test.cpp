// Where the search for a start begins: `guess`, placements, and other guesses that are tried [KP-14].
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kinegrad/model/model_builder.hpp"
#include "support/closed_loops.hpp"

namespace kinegrad {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string four_bar(const std::string& more, const std::string& third = "2") {
  return R"(
parameters: {turn: 0.3}
points: {O: [0, 0, 0], D: [2.5, -1, 0]}
bodies:
  A: {mass: 1, points: {PA: [1, 0, 0]}}
  B: {mass: 2, points: {PB: [2, 0, 0]}}
  C: {mass: 2, points: {PC: [)" +
         third + R"(, 0, 0]}}
joints:
  J1: {type: revolute, bodies: [ground, A], points: [O, [0, 0, 0]], axes: [z, z], references: [x, x]}
  J2: {type: revolute, bodies: [A, B], points: [PA, [0, 0, 0]], axes: [z, z], references: [x, x]}
  J3: {type: revolute, bodies: [B, C], points: [PB, [0, 0, 0]], axes: [z, z], references: [x, x]}
  J4: {type: revolute, bodies: [C, ground], points: [PC, D], axes: [z, z], cut: true}
)" + more +
         "\n";
}

KinematicReport start(const Model& model, VecX& q) {
  const std::vector<double> p = model.default_physical();
  JointSystem<double> system(model, ReferencePoint::kCom);
  system.set_parameters(p);
  q = Eigen::Map<const VecX>(p.data() + model.initial_q(), model.nq());
  VecX v = Eigen::Map<const VecX>(p.data() + model.initial_v(), model.nq());
  return assemble_start<double>(model, system, 0, q, v);
}

TEST(Guess, ChoosesTheWayToAssemble) {
  VecX up, down;
  ASSERT_TRUE(
      start(test::model_of(four_bar("initial: {J1.q: 0.5}\nguess: {J2.q: 0.3, J3.q: -2}")), up)
          .solved);
  ASSERT_TRUE(
      start(test::model_of(four_bar("initial: {J1.q: 0.5}\nguess: {J2.q: -2, J3.q: 2}")), down)
          .solved);
  EXPECT_EQ(up(0), 0.5);
  EXPECT_EQ(down(0), 0.5);
  EXPECT_LT(up(2), 0);
  EXPECT_GT(down(2), 0);
}

/// |X| = 2 m from the origin, on the side that is guessed.
TEST(Guess, FromCpp) {
  BodySpec block;
  block.name = "A";
  block.mass = NumberSpec(1.0);
  ConstraintSpec square;
  square.name = "c";
  square.type = NameSpec("expression");
  square.numbers["expression"] = {NumberSpec("X.q^2 - 4")};
  for (const double side : {-1.0, 1.0}) {
    ModelBuilder builder;
    builder.body(block).prismatic("X", "ground", "A", {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0});
    VecX q;
    ASSERT_TRUE(start(builder.constraint(square).guess("X.q", 1.5 * side).build(), q).solved);
    EXPECT_NEAR(q(0), 2 * side, 1e-12);
  }
}

TEST(Guess, IsCheckedWithItsLine) {
  const auto refusal = [](const std::string& text) {
    try {
      (void)compile_model(parse_model_yaml(text, "m.yaml"), builtin_catalogue());
    } catch (const std::exception& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_THAT(refusal(four_bar("initial: {J1.q: 0.5}\nguess: {J1.q: 0.4}")),
              AllOf(HasSubstr("m.yaml:14"), HasSubstr("J1.q is given in initial")));
  EXPECT_THAT(refusal(four_bar("guess: {PA.x: 0.4}")),
              AllOf(HasSubstr("m.yaml:13"), HasSubstr("is of a point")));
  EXPECT_THAT(refusal(four_bar("guess: {J4.q: 0.4}")),
              AllOf(HasSubstr("m.yaml:13"), HasSubstr("is cut")));
  EXPECT_THAT(refusal(four_bar("guess: {J9.q: 0.4}")), HasSubstr("m.yaml:13"));
  EXPECT_THAT(refusal(four_bar("guess: 3")), HasSubstr("expected a map"));
}

/// Bodies placed where the loop is closed, joints between them per body: nothing else is needed, and a
/// parameter of a placement moves the start.
TEST(Guess, PlacementsAreEnough) {
  const std::string placed = R"(
parameters: {turn: 0.3}
points: {O: [0, 0, 0]}
bodies:
  A: {mass: 1, placement: {position: [0, 0, 0], orientation: {axis: z, angle: turn}}, points: {PA: [1, 0, 0]}}
  B: {mass: 2, placement: {position: [cos(turn), sin(turn), 0], orientation: {axis: z, angle: 0.2}}, points: {PB: [2, 0, 0]}}
  C: {mass: 2, placement: {position: [cos(turn) + 2*cos(0.2), sin(turn) + 2*sin(0.2), 0], orientation: {axis: z, angle: -1.2}}, points: {PC: [1.5, 0, 0]}}
joints:
  J1: {type: revolute, bodies: [ground, A], points: [O, [0, 0, 0]], axes: [z, z], references: [x, x]}
  J2: {type: revolute, bodies: [A, B], points: [PA, [0, 0, 0]], axes: [z, z], references: [x, x]}
  J3: {type: revolute, bodies: [B, C], points: [PB, [0, 0, 0]], axes: [z, z], references: [x, x]}
  J4: {type: revolute, bodies: [C, ground], points: [PC, [cos(0.3) + 2*cos(0.2) + 1.5*cos(1.2), sin(0.3) + 2*sin(0.2) - 1.5*sin(1.2), 0]], axes: [z, z], cut: true}
)";
  const Model model = test::model_of(placed);
  VecX q;
  ASSERT_TRUE(start(model, q).solved);
  EXPECT_NEAR(q(0), 0.3, 1e-12);
  EXPECT_NEAR(q(1), -0.1, 1e-12);
  EXPECT_NEAR(q(2), -1.4, 1e-12);
  const auto p = test::physical_with<Complex>(model, {{"turn", Complex(0.3, 1e-30)}});
  EXPECT_NEAR(p[std::size_t(model.initial_q())].imag() / 1e-30, 1, 1e-12);
  EXPECT_NEAR(p[std::size_t(model.initial_q()) + 1].imag() / 1e-30, -1, 1e-12);
}

/// Drawn folded upon itself, no step leads anywhere; other guesses do, and always to the same place.
TEST(Guess, OthersAreTriedAndTheSameOneWins) {
  const std::string text = four_bar("initial: {J1.q: pi}\nguess: {J2.q: pi, J3.q: 0}", "2.2");
  VecX first, second;
  const KinematicReport report = start(test::model_of(text), first);
  ASSERT_TRUE(report.solved) << report.message;
  ASSERT_TRUE(start(test::model_of(text), second).solved);
  EXPECT_EQ(first, second);
  // the complex run makes the same choice
  const Model model = test::model_of(text);
  const std::vector<double> p = model.default_physical();
  const std::vector<Complex> pc(p.begin(), p.end());
  EXPECT_LE((test::assembled<Complex>(model, pc).q.real() - first).norm(), 1e-12);
}

TEST(Guess, ALoopThatCannotCloseSaysByHowMuch) {
  VecX q;
  // √7.25 = 2.69258 m to go; 1 + 2 + 2.69258 = 5.69258 m reach a link of 6 m
  const KinematicReport report = start(test::model_of(four_bar("", "6")), q);
  ASSERT_FALSE(report.solved);
  EXPECT_FALSE(report.input_wrong);
  EXPECT_THAT(report.message,
              AllOf(HasSubstr("\"J4\" cannot be closed"), HasSubstr("open by 0.307 m"),
                    HasSubstr("in line"), HasSubstr("Try")));
}

}  // namespace
}  // namespace kinegrad
