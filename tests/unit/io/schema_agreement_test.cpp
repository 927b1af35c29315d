// Schema and reader walked together: a model that has everything, changed in every place by seeded values, and
// both asked about it. What the reader takes, the schema must take; what the schema refuses, the reader refuses.
// Where a kind of value is allowed by the schema (an expression, a name of a point), the reader must take it.
#include <gtest/gtest.h>

#include <random>

#include "kinegrad/base/error.hpp"
#include "kinegrad/io/model_schema.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/compile.hpp"
#include "support/json_schema.hpp"

namespace kinegrad {
namespace {

using Json = nlohmann::json;
using Pointer = Json::json_pointer;

const Json& schema() {
  static const Json parsed = Json::parse(model_schema_json());
  return parsed;
}

/// What the reader and the compiler say: empty if they take the model. JSON is YAML.
std::string reader_refusal(const Json& model) {
  try {
    compile_model(parse_model_yaml(model.dump(), "f"));
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

/// Every section and most keys, so that each place can be changed by itself.
Json complete_model() {
  return Json::parse(R"json({
  "name": "all", "description": "of it", "degrees": false,
  "parameters": {"L": 1.5, "m": {"value": 2, "unit": "kg", "bounds": [0.5, null], "description": "d"},
                 "u": {"value": 0.1, "count": 3}},
  "splines": {"f": {"type": "cubic", "nodes": [0, 1, 2], "values": [0, 1, 0.5], "unit": "N", "description": "d"},
              "g": {"nodes": {"from": 0, "to": 2, "count": 3}, "values": "u"}},
  "points": {"O": [0, 0, 0], "Q": [0.5, 0, 0]},
  "vectors": {"up": [0, 1, 0], "right": [1, 0, 0]},
  "bodies": {
    "A": {"mass": 2, "com": [0.5, 0, 0], "inertia": {"xx": 0.1, "yy": 0.2, "zz": 0.2, "xy": 0, "xz": 0, "yz": 0,
            "about": "com", "axes": {"axis": "z", "angle": 0.1}},
          "placement": {"position": [0, 0, 0], "orientation": {"x": [1, 0, 0], "z": [0, 0, 1]}},
          "points": {"P": [1, 0, 0], "R": [0.5, 0, 0]}, "vectors": {"e": [1, 0, 0], "n": [0, 0, 1]},
          "shape": {"type": "cylinder", "from": [0, 0, 0], "to": [1, 0, 0], "radius": 0.1, "color": "#123456"},
          "shapes": [{"type": "box", "size": [1, 1, 1], "center": [0.1, 0, 0],
                      "orientation": {"euler_parameters": [1, 0, 0, 0]}},
                     {"type": "sphere", "center": [0, 0, 0], "radius": 0.2},
                     {"type": "capsule", "from": [0, 0, 0], "to": [1, 0, 0], "radius": 0.1}]},
    "B": {"shape": {"type": "sphere", "radius": 0.2, "density": 1000}, "points": {"S": [0, 0, 0]}},
    "C": {"mass": 1, "inertia": [0.1, 0.1, 0.1]},
    "D": {"mass": 1, "inertia": [0.1, 0.1, 0.1], "points": {"T": [0, 0, 0]}}},
  "joints": {
    "J": {"type": "revolute", "bodies": ["ground", "A"], "points": ["O", [0, 0, 0]], "axes": ["z", "n"],
          "references": [[1, 0, 0], "e"]},
    "K": {"type": "prismatic", "bodies": ["A", "B"], "points": ["P", "S"], "axes": ["x", "x"]},
    "M": {"type": "universal", "bodies": ["ground", "C"], "point": [0, 0, 0], "axis": "z", "axis2": "x",
          "cut": false, "closure": "minimal"},
    "N": {"type": "planar", "bodies": ["ground", "D"], "point": "Q", "axis": "up", "reference": "right"}},
  "forces": {
    "w": {"type": "gravity", "acceleration": [0, -9.81, 0]},
    "c": {"type": "central-gravity", "mu": 1, "center": [9, 9, 9]},
    "v": {"type": "gravity-field", "potential": "0.1*(x^2 + L*y^2)"},
    "s": {"type": "spring-damper", "points": ["Q", "P"], "stiffness": 10, "damping": 1, "length": 0.2},
    "ts": {"type": "torsional-spring-damper", "joint": "J", "stiffness": 5, "damping": 1, "angle": 0.1},
    "ls": {"type": "translational-spring-damper", "joint": "K", "stiffness": 5, "damping": 1, "length": 0.1},
    "pf": {"type": "point-force", "point": "P", "force": ["f(t)", 1, 0], "axes": "body"},
    "bt": {"type": "body-torque", "body": "C", "torque": [0, 0, 1], "axes": "world"},
    "jf": {"type": "joint-force", "joint": "J", "value": "K.v"}},
  "constraints": {"rod": {"type": "distance", "points": ["T", [2, 0, 0]], "length": 1.5},
                  "gear": {"type": "coupling", "coordinates": ["J.q", "M.q1"], "factors": [1, 2]}},
  "initial": {"J.q": 0.1, "M.v": [0.1, 0.2]}, "guess": {"K.q": 0.2},
  "states": {"z": {"rate": "J.q - z", "initial": 0.5, "unit": "m", "description": "d"}},
  "controllers": {"pid": {"type": "pid", "error": "-J.q", "rate": "-J.v", "P": 2, "I": 1, "D": 0.1, "initial": 0,
                          "limit": 5, "unit": "N"}},
  "signals": {"y": "P.y", "fx": {"value": "reaction(J, fx)", "unit": "N", "description": "d"}},
  "objectives": {"o": {"integral": "y^2", "terminal": "K.q", "unit": "m", "description": "d"}},
  "analysis": {"coordinates": "joint-com", "formulation": "matrix-r", "integrator": "rk4", "step": 0.01, "end": 1,
               "independent": ["J.q"], "tolerance": 1e-9},
  "optimize": {"minimize": {"o": 1}, "parameters": ["m", "u[0]"], "constraints": {"o": {"at_least": -5, "at_most": 5}},
               "optimizer": "slsqp", "method": "auto", "tolerance": 1e-6, "objective_tolerance": 1e-9,
               "parameter_tolerance": 1e-9, "constraint_tolerance": 1e-6, "evaluations": 10, "seconds": 5,
               "scale": {"m": 1}, "starts": 1, "seed": 1, "horizons": [0.5]}
})json");
}

/// All places of a model, the root not among them.
void collect(const Json& value, const Pointer& at, std::vector<Pointer>& out) {
  if (!at.empty()) out.push_back(at);
  if (value.is_object()) {
    for (const auto& [key, entry] : value.items()) collect(entry, at / key, out);
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) collect(value[i], at / i, out);
  }
}

std::vector<Pointer> places(const Json& model) {
  std::vector<Pointer> out;
  collect(model, Pointer(), out);
  return out;
}

Json changed(const Pointer& at, const Json& value) {
  Json model = complete_model();
  model[at] = value;
  return model;
}

TEST(SchemaReaderAgreement, BothTakeTheCompleteModel) {
  EXPECT_EQ(test::schema_refusal(schema(), complete_model()), "");
  EXPECT_EQ(reader_refusal(complete_model()), "");
}

/// Values of every kind in every place, and keys that go or come: what one refuses and the other takes is named.
TEST(SchemaReaderAgreement, WhatTheSchemaRefusesTheReaderRefuses) {
  const Json base = complete_model();
  const std::vector<Json> values = {nullptr,
                                    true,
                                    0,
                                    1,
                                    2.5,
                                    -1,
                                    "",
                                    " ",
                                    "x",
                                    "-y",
                                    "L",
                                    "P",
                                    "J.q",
                                    "2*L",
                                    "2*pi",
                                    "u",
                                    "auto",
                                    "a-b",
                                    "3 kg",
                                    Json::array(),
                                    {1},
                                    {1, 2},
                                    {1, 2, 3},
                                    {1, 2, 3, 4},
                                    {"x", "y"},
                                    {"P", "P"},
                                    Json::object(),
                                    {{"x", 1}},
                                    {{"value", 1}},
                                    {{"type", "box"}},
                                    {nullptr, 1}};
  int taken = 0, refused = 0;
  const auto compare = [&](const Json& model, const std::string& what) {
    const std::string refusal = test::schema_refusal(schema(), model);
    const std::string reader = reader_refusal(model);
    (reader.empty() ? taken : refused) += 1;
    EXPECT_FALSE(reader.empty() && !refusal.empty())
        << what << ": the reader takes it, the schema says " << refusal;
  };
  std::mt19937_64 rng(17);
  for (const Pointer& at : places(base)) {
    for (int draw = 0; draw < 2; ++draw) {
      const Json& value = values[rng() % values.size()];
      compare(changed(at, value), at.to_string() + " = " + value.dump());
    }
    if (base[at.parent_pointer()].is_object()) {
      Json model = base;
      model[at.parent_pointer()].erase(at.back());
      compare(model, "without " + at.to_string());
    }
    if (base[at].is_object()) compare(changed(at / "extra", 1), at.to_string() + "/extra");
  }
  EXPECT_GT(taken, 100);
  EXPECT_GT(refused, 100);
}

/// Every number may be an expression; where it may not depend on parameters, schema and reader both say so.
TEST(SchemaReaderAgreement, ExpressionsAreTakenOrRefusedByBoth) {
  const Json base = complete_model();
  int constants = 0, expressions = 0;
  for (const Pointer& at : places(base)) {
    if (!base[at].is_number()) continue;
    const std::string number = base[at].dump();
    const std::string where = at.to_string();
    const bool count = at.back() == "count";
    const std::string other = where == "/parameters/L" ? "m" : "L";
    for (const std::string& text : {"(" + number + ")*1", "(" + number + ") + 0*" + other}) {
      const Json model = changed(at, text);
      const std::string refusal = test::schema_refusal(schema(), model);
      const std::string reader = reader_refusal(model);
      EXPECT_EQ(refusal.empty(), reader.empty())
          << where << " = " << text << "\n  schema: " << refusal << "\n  reader: " << reader;
      const bool names = text.ends_with(other);
      if (!names) {
        EXPECT_EQ(refusal.empty(), !count) << where;
      }
      (refusal.empty() ? expressions : constants) += names;
    }
  }
  EXPECT_GT(constants, 15);
  EXPECT_GT(expressions, 60);
}

/// Names of points and directions stand for their numbers wherever the schema has a vector.
TEST(SchemaReaderAgreement, NamesOfPointsAreTaken) {
  const std::vector<std::pair<const char*, const char*>> names = {
      {"/bodies/A/com", "R"},
      {"/bodies/A/com", "A.R"},
      {"/bodies/A/placement/position", "O"},
      {"/bodies/A/placement/orientation/x", "right"},
      {"/bodies/A/inertia/axes/axis", "n"},
      {"/bodies/A/points/R", "P"},
      {"/bodies/A/vectors/e", "-y"},
      {"/bodies/A/shape/to", "P"},
      {"/bodies/A/shape/from", "com"},
      {"/bodies/A/shapes/0/center", "R"},
      {"/points/Q", "O"},
      {"/vectors/right", "x"},
      {"/forces/w/acceleration", "up"},
      {"/forces/c/center", "Q"},
      {"/joints/M/point", "O"},
      {"/constraints/rod/points/1", "Q"}};
  for (const auto& [at, name] : names) {
    const Json model = changed(Pointer(at), name);
    EXPECT_EQ(test::schema_refusal(schema(), model), "") << at;
    EXPECT_EQ(reader_refusal(model), "") << at;
  }
  // the numbers are those of the name
  const Model by_name =
      compile_model(parse_model_yaml(changed(Pointer("/bodies/A/com"), "P").dump(), "f"));
  const Model by_numbers =
      compile_model(parse_model_yaml(changed(Pointer("/bodies/A/com"), {1, 0, 0}).dump(), "f"));
  EXPECT_EQ(by_name.default_physical(), by_numbers.default_physical());
}

/// A name that is of no point, of another body, or of itself is refused with its place.
TEST(SchemaReaderAgreement, WrongNamesAreRefusedWithTheirPlace) {
  const std::vector<std::pair<const char*, const char*>> names = {
      {"/bodies/A/com", "S"},
      {"/bodies/A/com", "Z"},
      {"/bodies/A/points/R", "R"},
      {"/bodies/A/shape/to", "e"},
      {"/bodies/A/placement/position", "P"}};
  for (const auto& [at, name] : names) {
    const std::string refusal = reader_refusal(changed(Pointer(at), name));
    EXPECT_EQ(refusal.rfind("f:1: body \"A\"", 0), 0u) << at << ": " << refusal;
  }
}

}  // namespace
}  // namespace kinegrad
