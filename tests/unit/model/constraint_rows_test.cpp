// How constraints of a description become rows of a model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "kinegrad/base/error.hpp"
#include "kinegrad/constraints/constraint_concept.hpp"
#include "kinegrad/io/model_info.hpp"
#include "kinegrad/model/model_builder.hpp"
#include "support/constraint_oracles.hpp"

namespace kinegrad {
namespace {

using test::model_of;
using testing::HasSubstr;

const std::string kFourBar = R"(
bodies:
  crank: {mass: 1, placement: {position: [0, 0, 0]}}
  coupler: {mass: 1, placement: {position: [0, 1, 0]}}
  rocker: {mass: 1, placement: {position: [2, 0, 0]}}
joints:
  A: {type: revolute, bodies: [ground, crank], axis: z}
  B: {type: revolute, bodies: [crank, coupler], axis: z, point: [0, 1, 0]}
  C: {type: revolute, bodies: [coupler, rocker], axis: z, point: [2, 1, 0]}
  D: {type: revolute, bodies: [ground, rocker], axis: z, point: [2, 0, 0]}
)";

std::string cut_joint(const Model& model) {
  for (const Joint& joint : model.joints()) {
    if (joint.cut) return joint.name;
  }
  return {};
}

TEST(ConstraintRows, JointsThatAreReadAreNotCut) {
  const std::string otherwise = cut_joint(model_of(kFourBar));
  ASSERT_NE(otherwise, "");
  const Model driven =
      model_of(kFourBar + "constraints: {c: {type: prescribed, coordinate: " + otherwise +
               ".q, value: t}}\n");
  EXPECT_NE(cut_joint(driven), otherwise);
  EXPECT_NE(cut_joint(driven), "");
}

TEST(ConstraintRows, JointsInACoefficientAreNotCutEither) {
  const std::string otherwise = cut_joint(model_of(kFourBar));
  const Model model =
      model_of(kFourBar + "constraints: {c: {type: nonholonomic, expression: crank.com.vx*" +
               otherwise + ".q - t}}\n");
  EXPECT_NE(cut_joint(model), otherwise);
}

TEST(ConstraintRows, HolonomicOnesComeFirstClosuresIncluded) {
  const Model model = model_of(kFourBar + R"(
constraints:
  blade: {type: knife-edge, point: coupler.com, direction: x}
  drive: {type: prescribed, coordinate: A.q, value: t}
)");
  ASSERT_EQ(model.constraints().size(), 3u);
  EXPECT_EQ(model.constraints()[0].name, "blade");
  EXPECT_EQ(model.constraints()[1].name, "drive");
  EXPECT_EQ(model.constraints()[2].type, "closure");
  const auto& rows = model.constraint_rows();
  EXPECT_EQ(model.holonomic_rows(), static_cast<int>(rows.size()) - 1);
  EXPECT_EQ(rows.back().constraint, 0);
  EXPECT_FALSE(rows.back().holonomic);
  EXPECT_EQ(rows.front().constraint, 1);
  EXPECT_THAT(model_info_text(model), HasSubstr("closure of revolute"));
  EXPECT_THAT(model_info_json(model), HasSubstr("\"nonholonomic_rows\": 1"));
}

TEST(ConstraintRows, OnlyWhatTheyReadIsAnInput) {
  const Model model = model_of(kFourBar + R"(
signals: {other: rocker.com.ax + D.v}
constraints: {drive: {type: prescribed, coordinate: A.q, value: 2*t}}
)");
  std::string read;
  for (const int k : model.constraint_inputs()) {
    const SignalInput& in = model.signal_inputs()[static_cast<std::size_t>(k)];
    if (in.kind == SignalInput::Kind::kTime) read += "t";
    if (in.kind == SignalInput::Kind::kJoint) {
      read += model.joints()[static_cast<std::size_t>(in.element)].name + std::to_string(in.order);
    }
    EXPECT_NE(in.kind, SignalInput::Kind::kVector);
  }
  EXPECT_THAT(read, testing::AnyOf("A0tA1A2", "tA0A1A2"));
}

TEST(ConstraintRows, ParametersKnowTheirConstraints) {
  const Model model = model_of("parameters: {L: 1, w: 2, x: 0.5}\n" + kFourBar + R"(
constraints:
  rod: {type: distance, points: [coupler.com, [x, 0, 0]], length: L}
  drive: {type: prescribed, coordinate: A.q, value: w*t}
)");
  EXPECT_THAT(model.parameters()[0].users, testing::ElementsAre("constraint \"rod\""));
  EXPECT_THAT(model.parameters()[1].users, testing::ElementsAre("constraint \"drive\""));
  EXPECT_THAT(model.parameters()[2].users, testing::ElementsAre("constraint \"rod\""));
}

TEST(ConstraintRows, WhatIsFixedOnTheGroundHasNoSlope) {
  const Model model = model_of("parameters: {h: 1}\npoints: {O: [0, h, 0]}\n" + kFourBar + R"(
constraints: {c: {type: expression, expression: coupler.com.y*O.y - O.x}}
)");
  ASSERT_EQ(model.constraint_expressions().size(), 1u);
  EXPECT_EQ(model.constraint_expressions()[0].slopes.size(), 1u);
  for (const int k : model.constraint_inputs()) {
    const SignalInput& in = model.signal_inputs()[static_cast<std::size_t>(k)];
    if (in.kind != SignalInput::Kind::kVector || in.order == 0) continue;
    EXPECT_NE(model.vectors()[static_cast<std::size_t>(in.element)].body, 0);
  }
}

// ---- built in C++ ---------------------------------------------------------------------------------

ModelBuilder rod() {
  ModelBuilder builder;
  BodySpec body;
  body.name = "rod";
  body.mass = 1;
  body.points = {{"P", VectorSpec(1, 0, 0), {}}};
  builder.body(body).revolute("A", "ground", "rod", {0, 0, 0}, "z");
  return builder;
}

std::string refusal(const ConstraintSpec& spec) {
  try {
    rod().constraint(spec).build();
  } catch (const InvalidModel& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ConstraintRows, BuiltInCpp) {
  const Model model = rod()
                          .distance("link", "P", VectorSpec(2, 0, 0), 1)
                          .prescribed("drive", "A.q", "sin(t)")
                          .build();
  EXPECT_EQ(model.constraints()[0].name, "link");
  EXPECT_EQ(model.constraints()[1].type, "prescribed");
  EXPECT_EQ(model.holonomic_rows(), 2);
}

TEST(ConstraintRows, WrongFieldsInCpp) {
  ConstraintSpec spec;
  spec.name = "c";
  spec.type = "coinsident";
  EXPECT_THAT(refusal(spec), HasSubstr("did you mean \"coincident\"?"));
  spec.type = "coincident";
  EXPECT_THAT(refusal(spec), HasSubstr("constraint \"c\": needs points"));
  spec.vectors["points"] = {VectorSpec("P")};
  EXPECT_THAT(refusal(spec), HasSubstr("points takes 2 entries, not 1"));
  spec.vectors["points"] = {VectorSpec("P"), VectorSpec(0, 0, 0)};
  EXPECT_EQ(refusal(spec), "accepted");
  spec.numbers["length"] = {1};
  EXPECT_THAT(refusal(spec), HasSubstr("a coincident has no \"length\""));
  spec.numbers.clear();
  spec.vectors.clear();
  spec.numbers["points"] = {1, 2};
  EXPECT_THAT(refusal(spec), HasSubstr("points takes points or directions"));
  ModelBuilder twice = rod();
  twice.prescribed("c", "A.q", "t").prescribed("c", "P.x", "t");
  EXPECT_THROW(twice.build(), InvalidModel);
}

/// A type of the user's own: the height of a point is the square of another coordinate's.
struct Ramp {
  static constexpr std::string_view name = "ramp";
  static constexpr std::string_view summary = "a point climbs with the square of a coordinate";
  static constexpr std::array<ConstraintField, 2> fields{
      {{"point", ConstraintField::Kind::kPoint, "The point."},
       {"coordinate", ConstraintField::Kind::kCoordinate, "The coordinate."}}};
  static void write(ConstraintWriter& writer) {
    const Symbol x = writer.coordinate("coordinate");
    writer.holonomic({}, writer.motion(writer.point("point"), 0)(1) - x * x);
  }
};

TEST(ConstraintRows, TypesOfTheUsersOwn) {
  Catalogue catalogue = builtin_catalogue();
  catalogue.add(constraint_model<Ramp>());
  EXPECT_THROW(catalogue.add(constraint_model<Ramp>()), InvalidArgument);
  const Model model = compile_model(parse_model_yaml(R"(
bodies: {rod: {mass: 1, points: {P: [1, 0, 0]}}}
joints: {A: {type: revolute, bodies: [ground, rod], axis: z}}
constraints: {c: {type: ramp, point: P, coordinate: A.q}}
)",
                                                     "m.yaml", catalogue),
                                    catalogue);
  EXPECT_DOUBLE_EQ(test::row_value(model, 0, {0.5}), std::sin(0.5) - 0.25);
}

}  // namespace
}  // namespace kinegrad
