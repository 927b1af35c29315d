#include "kinegrad/model/model_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kinegrad/base/error.hpp"
#include "kinegrad/io/model_yaml.hpp"

namespace kinegrad {
namespace {

using ::testing::HasSubstr;

BodySpec rod(const std::string& name) {
  BodySpec body;
  body.name = name;
  body.mass = "m";
  body.com = VectorSpec("L", 0.0, 0.0);
  body.points = {{"P", VectorSpec("L", 0.0, 0.0), {}}};
  return body;
}

ModelBuilder pendulum() {
  ModelBuilder builder;
  builder.name("pendulum")
      .parameter("m", 1.0, "kg")
      .parameter("L", 2.0, "m", 0.5, 3.0, "length")
      .body(rod("rod"))
      .revolute("hinge", "ground", "rod", {0.0, 0.0, 0.0}, "z")
      .gravity("weight", {0.0, -9.81, 0.0})
      .initial("hinge.q", "pi/3")
      .signal("height", "P.y", "m")
      .integral_objective("psi", "P.x^2");
  return builder;
}

TEST(ModelBuilderReader, NumbersKeepEveryDigit) {
  EXPECT_EQ(NumberSpec(0.5).text, "0.5");
  EXPECT_EQ(NumberSpec(-3.0).text, "-3");
  for (const double value : {0.1, 1.0 / 3, 9.81, 1e-300, 1.7976931348623157e308}) {
    EXPECT_EQ(std::stod(NumberSpec(value).text), value);
  }
}

TEST(ModelBuilderReader, DescribesWhatItWasTold) {
  ModelBuilder builder = pendulum();
  builder.describe("a rod").degrees().spline("u", {0.0, 1.0}, {"m", 2.0}, "monotone");
  builder.ground_point("O", {0.0, 0.0, 0.0}).ground_vector("e", {0.0, 0.0, 1.0});
  builder.terminal_objective("end", "P.y");
  AnalysisSpec analysis;
  analysis.step = 1e-3;
  builder.analysis(analysis);

  const ModelDescription& model = builder.description();
  EXPECT_EQ(model.name, "pendulum");
  EXPECT_EQ(model.description, "a rod");
  EXPECT_TRUE(model.degrees);
  ASSERT_EQ(model.parameters.size(), 2u);
  EXPECT_EQ(model.parameters[1].lower->text, "0.5");
  EXPECT_EQ(model.parameters[1].description, "length");
  EXPECT_EQ(model.splines[0].type, "monotone");
  EXPECT_EQ(model.points[0].name, "O");
  EXPECT_EQ(model.vectors[0].name, "e");
  EXPECT_EQ(model.bodies[0].com->entries[0].text, "L");
  EXPECT_EQ(model.joints[0].type.name, "revolute");
  EXPECT_EQ(model.joints[0].axis->name, "z");
  EXPECT_EQ(model.forces[0].vectors.at("acceleration").entries[1].text, NumberSpec(-9.81).text);
  EXPECT_EQ(model.initial[0].values[0].text, "pi/3");
  EXPECT_EQ(model.signals[0].unit, "m");
  EXPECT_EQ(model.objectives[0].integral->text, "P.x^2");
  EXPECT_EQ(model.objectives[1].terminal->text, "P.y");
  EXPECT_EQ(model.analysis.step->text, NumberSpec(1e-3).text);
}

TEST(ModelBuilderReader, JointsByConvenienceFunctions) {
  ModelBuilder builder;
  builder.prismatic("p", "ground", "A", "O", "x")
      .spherical("s", "A", "B", {1.0, 0.0, 0.0})
      .joint("u", "universal", "B", "C", "Q", VectorSpec("x"), VectorSpec("y"));
  const std::vector<JointSpec>& joints = builder.description().joints;
  ASSERT_EQ(joints.size(), 3u);
  EXPECT_EQ(joints[0].type.name, "prismatic");
  EXPECT_EQ(joints[0].point->name, "O");
  EXPECT_FALSE(joints[1].axis);
  EXPECT_EQ(joints[2].axis2->name, "y");
  EXPECT_EQ(joints[2].bodies[1].name, "C");
}

TEST(ModelBuilderReader, BuildsTheModelThatTheFileWouldGive) {
  const Model built = pendulum().build();
  const Model read = compile_model(parse_model_yaml(R"(
name: pendulum
parameters: {m: {value: 1, unit: kg}, L: {value: 2, unit: m, bounds: [0.5, 3]}}
bodies: {rod: {mass: m, com: [L, 0, 0], points: {P: [L, 0, 0]}}}
joints: {hinge: {type: revolute, bodies: [ground, rod], point: [0, 0, 0], axis: z}}
forces: {weight: {type: gravity, acceleration: [0, -9.81, 0]}}
initial: {hinge.q: pi/3}
signals: {height: {value: P.y, unit: m}}
objectives: {psi: {integral: P.x^2}}
)",
                                                    "f"));
  EXPECT_EQ(built.coordinate_names(), read.coordinate_names());
  ASSERT_EQ(built.physical().size(), read.physical().size());
  for (std::size_t i = 0; i < built.physical().size(); ++i) {
    EXPECT_EQ(built.physical()[i].name, read.physical()[i].name);
  }
  EXPECT_EQ(built.default_rho(), read.default_rho());
  EXPECT_EQ(built.objectives().size(), 1u);
}

TEST(ModelBuilderReader, MistakesAreFindingsWithoutAPlace) {
  ModelBuilder builder = pendulum();
  builder.joint("bad", "revolut", "ground", "rod", {0.0, 0.0, 0.0}, VectorSpec("z"));
  try {
    builder.build();
    FAIL() << "a joint of an unknown type was accepted";
  } catch (const InvalidModel& error) {
    EXPECT_THAT(error.what(), HasSubstr("revolut"));
    EXPECT_FALSE(error.findings().front().where.known());
  }
}

}  // namespace
}  // namespace kinegrad
