// Splines whose nodes and values are columns of a file (docs/theory/splines.md, [SP-11]).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "kinegrad/base/error.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "kinegrad/simulation/signal_table.hpp"
#include "support/temporary_file.hpp"

namespace kinegrad {
namespace {

using ::testing::HasSubstr;

std::string model_text(const std::string& nodes, const std::string& values) {
  return "parameters: {s: 2}\n"
         "splines: {road: {type: cubic, nodes: " +
         nodes + ", values: " + values +
         "}}\n"
         "bodies: {b: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}}\n"
         "joints: {J: {type: prismatic, bodies: [ground, b], point: [0, 0, 0], axis: x}}\n"
         "initial: {J.v: 1}\n"
         "signals: {z: road(J.q)}\n"
         "objectives: {o: {integral: z}}\n"
         "analysis: {step: 0.01, end: 1}\n";
}

class Samples : public testing::Test {
 protected:
  void write(const std::string& text) { std::ofstream(csv_.path(), std::ios::binary) << text; }
  std::string of(const std::string& column, const std::string& rest = "") const {
    return "{file: \"" + csv_.path() + "\", column: " + column + rest + "}";
  }
  std::string refusal(const std::string& nodes, const std::string& values) const {
    try {
      compile_model(parse_model_yaml(model_text(nodes, values), "road.yaml"));
    } catch (const InvalidModel& error) {
      return error.what();
    }
    return "not refused";
  }
  /// Of x and left.
  std::string refusal() const { return refusal(of("x"), of("left")); }

  test::TemporaryFile csv_{"samples.csv"};
};

TEST_F(Samples, AreWhatAListWouldBe) {
  write("# a road\r\n\r\nx, left ,right\r\n0,0.1,7\r\n0.25,0.2,7\r\n 0.5 ,-0.1,7\r\n1,0.3,7\r\n");
  const Model file = compile_model(
                  parse_model_yaml(model_text(of("x"), of("left", ", scale: s^2")), "road.yaml")),
              list = compile_model(parse_model_yaml(
                  model_text("[0, 0.25, 0.5, 1]", "[0.1*s^2, 0.2*s^2, -0.1*s^2, 0.3*s^2]"),
                  "road.yaml"));
  const auto run = [](const Model& model) {
    const VecX rho = model.default_rho();
    GradientOptions options;
    options.run.step = 0.01;
    options.run.end = 1;
    return gradient(model, in(rho), options);
  };
  const GradientReport one = run(file), other = run(list);
  ASSERT_EQ(one.status, RunStatus::kDone) << one.message;
  EXPECT_NEAR(one.values[0], other.values[0], 1e-15);
  EXPECT_NEAR(one.gradient(0, 0), other.gradient(0, 0), 1e-15);
  EXPECT_NE(one.gradient(0, 0), 0);
}

TEST_F(Samples, ColumnsAndListsMayBeMixed) {
  write("x,left\n0,0.1\n0.5,0.2\n1,0.3\n");
  EXPECT_EQ(refusal(of("x"), "[1, 2, s]"), "not refused");
  EXPECT_EQ(refusal("[0, 0.5, 1]", of("left")), "not refused");
  EXPECT_EQ(refusal("{from: 0, to: 1, count: 3}", of("left")), "not refused");
  EXPECT_EQ(refusal(of("x"), "{noise: white, seed: 1, size: 0.1}"), "not refused");
  EXPECT_THAT(refusal("[0, 1]", of("left")), HasSubstr("2 nodes for 3 values"));
}

TEST_F(Samples, WhatIsWrongHasItsLine) {
  const std::string at = csv_.path() + ":";
  EXPECT_THAT(refusal(), HasSubstr("road.yaml:2: "));
  EXPECT_THAT(refusal(), HasSubstr("cannot read " + csv_.path()));
  write("x,left\n0,0.1\n1,zero\n");
  EXPECT_THAT(refusal(), HasSubstr(at + "3: "));
  EXPECT_THAT(refusal(), HasSubstr("expected a number, found \"zero\""));
  write("x,left\n0,0.1\n1\n");
  EXPECT_THAT(refusal(), HasSubstr(at + "3: "));
  write("x,left\n0,0.1\n1,nan\n");
  EXPECT_THAT(refusal(), HasSubstr("found \"nan\""));
  write("x,left\n0,0.1\n1,\n");
  EXPECT_THAT(refusal(), HasSubstr("found \"\""));
  write("x,left\n0,0.1\n1,0.2\n1,0.3\n");
  EXPECT_THAT(refusal(), HasSubstr(at + "4: "));
  EXPECT_THAT(refusal(), HasSubstr("1 is not above 1"));
  write("x,right\n0,0.1\n1,0.2\n");
  EXPECT_THAT(refusal(), HasSubstr(at + "1: "));
  EXPECT_THAT(refusal(), HasSubstr("there is no column \"left\" among x, right"));
  write("x,left\n0,0.1\n");
  EXPECT_THAT(refusal(), HasSubstr("at least two lines"));
  write("");
  EXPECT_THAT(refusal(), HasSubstr("at least two lines"));
  write(std::string("x,left\n0,0.1\n1,\0\n", 18));
  EXPECT_THAT(refusal(), HasSubstr("not a line of numbers"));
  EXPECT_THAT(refusal("{file: /tmp, column: x}", "[1, 2]"), HasSubstr("it is not a file"));
  EXPECT_THAT(refusal("{file: a.csv}", "[1, 2]"), HasSubstr("column"));
}

TEST_F(Samples, PathsAreThoseOfTheModel) {
  write("x,left\n0,0.1\n1,0.2\n");
  const auto slash = csv_.path().rfind('/');
  const std::string name = csv_.path().substr(slash + 1), folder = csv_.path().substr(0, slash + 1);
  const std::string text = model_text("{file: " + name + ", column: x}", "[1, 2]");
  EXPECT_NO_THROW(compile_model(parse_model_yaml(text, folder + "road.yaml")));
  EXPECT_THROW(compile_model(parse_model_yaml(text, "/nowhere/road.yaml")), InvalidModel);
}

TEST_F(Samples, HeadsOfSpreadsheetsAreUnderstood) {
  write("\xef\xbb\xbf\"x\",\"left\"\n0,0.1\n0.5,0.2\n1,0.3\n");
  EXPECT_EQ(refusal(), "not refused");
  write("x,left,left\n0,0.1,1\n1,0.3,1\n");
  EXPECT_THAT(refusal(), HasSubstr("two columns are called \"left\""));
}

TEST_F(Samples, ScaleIsAnExpressionByItself) {
  write("x,left\n0,0.1\n0.5,0.2\n1,0.3\n");
  EXPECT_THAT(refusal(of("x"), of("left", ", scale: \"1)+(2\"")), HasSubstr("road.yaml:2"));
  EXPECT_THAT(refusal(of("x"), of("left", ", scale: gg")), HasSubstr("road.yaml:2"));
}

}  // namespace
}  // namespace kinegrad
