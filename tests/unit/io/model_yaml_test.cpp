#include "kinegrad/io/model_yaml.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "io/model_keys.hpp"
#include "kinegrad/base/error.hpp"
#include "kinegrad/model/compile.hpp"
#include "support/places.hpp"

namespace kinegrad {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// The findings of a text as "LINE: message".
std::vector<std::string> findings_of(std::string_view text) {
  try {
    parse_model_yaml(text, "f");
  } catch (const InvalidModel& error) {
    std::vector<std::string> out;
    for (const Diagnostic& finding : error.findings()) {
      EXPECT_EQ(finding.where.file, "f");
      out.push_back(std::to_string(finding.where.line) + ": " + finding.message);
    }
    return out;
  }
  return {};
}

/// What is wrong in a file that has one body, from line 3 on, and then `text`.
std::vector<std::string> with_body(const std::string& text) {
  return findings_of("bodies:\n  A: {mass: 1}\n" + text);
}

std::vector<std::string> texts(const std::vector<NumberSpec>& numbers) {
  std::vector<std::string> out;
  for (const NumberSpec& number : numbers) out.push_back(number.text);
  return out;
}

TEST(ModelReader, ReadsEverySection) {
  const ModelDescription model = parse_model_yaml(R"(
name: test
description: all of it
degrees: true
parameters:
  L: {value: sqrt(2), unit: m, bounds: [0.5, null], description: length}
  m: 1.0
splines:
  u: {type: monotone, nodes: [0, 1], values: [m, 2*m], unit: N m}
  w: {nodes: {from: 0, to: 2, count: 3}, values: [1, 2, 3]}
points: {O: [0, 0, 0]}
vectors: {e: [0, 0, 1]}
bodies:
  A:
    mass: m
    com: [L/2, 0, 0]
    inertia: {xx: 0, yy: 1/6, zz: 1/6, xz: 0.1, about: origin, axes: {axis: z, angle: 30}}
    placement: {position: [1, 2, 3], orientation: {x: [1, 0, 0], z: -y}}
    points: {P: [L, 0, 0]}
    vectors: {n: [0, 1, 0]}
    shapes: [{type: cylinder, from: [0, 0, 0], to: P, radius: 0.02, density: 7800, color: "#fff"}]
  B:
    inertia: [1, 2, 3]
    placement: {orientation: {euler_parameters: [1, 0, 0, 0]}}
    shape: {type: mesh, file: b.stl, scale: 2}
joints:
  J: {type: revolute, bodies: [ground, A], point: O, axis: e, reference: x}
  K: {type: universal, bodies: [A, B], points: [P, [0, 0, 0]], axes: [z, x], cut: true}
forces:
  weight: {type: gravity, acceleration: [0, -9.81, 0]}
  s: {type: spring-damper, points: [O, A.P], stiffness: 100, length: L}
  c: {type: torsional-spring-damper, joint: K.q2, stiffness: 3}
initial: {J.q: -3*pi/4, K.v: [1, 2]}
signals: {x: P.x, speed: {value: sqrt(P.vx^2), unit: m/s}}
objectives: {psi: {integral: P.x^2, terminal: x}}
analysis: {coordinates: joint-origin, integrator: rk4, step: 1e-3, end: 5}
)",
                                                  "f");
  EXPECT_EQ(model.file, "f");
  EXPECT_EQ(model.name, "test");
  EXPECT_TRUE(model.degrees);

  ASSERT_EQ(model.parameters.size(), 2u);
  EXPECT_EQ(model.parameters[0].value.text, "sqrt(2)");
  EXPECT_EQ(model.parameters[0].value.where.line, 6);
  EXPECT_EQ(model.parameters[0].lower->text, "0.5");
  EXPECT_FALSE(model.parameters[0].upper);
  EXPECT_EQ(model.parameters[1].value.text, "1.0");
  EXPECT_EQ(model.parameters[1].where.line, 7);

  ASSERT_EQ(model.splines.size(), 2u);
  EXPECT_EQ(model.splines[0].type, "monotone");
  EXPECT_THAT(texts(model.splines[0].values), ElementsAre("m", "2*m"));
  EXPECT_EQ(model.splines[1].type, "cubic");
  EXPECT_THAT(texts(model.splines[1].nodes), ElementsAre("0", "1", "2"));

  ASSERT_EQ(model.bodies.size(), 2u);
  const BodySpec& A = model.bodies[0];
  EXPECT_EQ(A.com->entries[0].text, "L/2");
  EXPECT_EQ(A.inertia->yy.text, "1/6");
  EXPECT_EQ(A.inertia->xz.text, "0.1");
  EXPECT_EQ(A.inertia->xy.text, "0");
  EXPECT_EQ(A.inertia->about, "origin");
  EXPECT_EQ(A.inertia->axes.angle->text, "30");
  EXPECT_EQ(A.placement.position->entries[2].text, "3");
  EXPECT_EQ(A.placement.orientation.z->name, "-y");
  EXPECT_EQ(A.points[0].name, "P");
  EXPECT_EQ(A.vectors[0].name, "n");
  ASSERT_EQ(A.shapes.size(), 1u);
  EXPECT_EQ(A.shapes[0].to->name, "P");
  EXPECT_EQ(A.shapes[0].density->text, "7800");
  EXPECT_EQ(A.shapes[0].color, "#fff");
  EXPECT_FALSE(model.bodies[1].mass);
  EXPECT_EQ(model.bodies[1].placement.orientation.euler_parameters.size(), 4u);
  EXPECT_EQ(model.bodies[1].shapes[0].file, "b.stl");

  ASSERT_EQ(model.joints.size(), 2u);
  EXPECT_EQ(model.joints[0].type.name, "revolute");
  EXPECT_EQ(model.joints[0].axis->name, "e");
  EXPECT_EQ(model.joints[0].reference->name, "x");
  EXPECT_FALSE(model.joints[0].cut);
  EXPECT_EQ(model.joints[1].bodies[1].name, "B");
  EXPECT_EQ(model.joints[1].points[0].name, "P");
  EXPECT_EQ(model.joints[1].cut, true);

  ASSERT_EQ(model.forces.size(), 3u);
  EXPECT_EQ(model.forces[0].vectors.at("acceleration").entries[1].text, "-9.81");
  EXPECT_EQ(model.forces[1].points[1].name, "A.P");
  EXPECT_EQ(model.forces[1].numbers.at("length").text, "L");
  EXPECT_EQ(model.forces[2].joint->name, "K.q2");

  ASSERT_EQ(model.initial.size(), 2u);
  EXPECT_EQ(model.initial[0].key.name, "J.q");
  EXPECT_THAT(texts(model.initial[1].values), ElementsAre("1", "2"));
  EXPECT_EQ(model.signals[0].value.text, "P.x");
  EXPECT_EQ(model.signals[1].unit, "m/s");
  EXPECT_EQ(model.objectives[0].terminal->text, "x");
  EXPECT_EQ(model.analysis.step->text, "1e-3");
  EXPECT_FALSE(model.analysis.tolerance);
  EXPECT_EQ(model.analysis.coordinates->name, "joint-origin");
  EXPECT_EQ(model.analysis.integrator->name, "rk4");
  EXPECT_EQ(model.analysis.integrator->where.line, model.analysis.where.line);
  EXPECT_FALSE(model.analysis.formulation);
}

TEST(ModelReader, ReadsEveryExample) {
  int count = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(test::source_path("examples"))) {
    if (entry.path().extension() != ".yaml") continue;
    EXPECT_NO_THROW(read_model_yaml(entry.path().string())) << entry.path();
    ++count;
  }
  EXPECT_GE(count, 7);
}

/// A chain: the file is not refused for its size, and names are found in it.
TEST(ModelReader, ReadsAndCompilesFiveThousandBodies) {
  constexpr int kBodies = 5000;
  std::string bodies = "bodies:\n", joints = "joints:\n";
  for (int k = 0; k < kBodies; ++k) {
    const std::string name = "b" + std::to_string(k);
    const std::string parent = k == 0 ? "ground" : "b" + std::to_string(k - 1);
    bodies += "  " + name + ": {mass: m, com: [0.05, 0, 0], inertia: [0.01, 0.01, 0.01]}\n";
    joints += "  j" + std::to_string(k) + ": {type: revolute, bodies: [" + parent + ", " + name +
              "], points: [[0.1, 0, 0], [0, 0, 0]], axes: [z, z], references: [x, x]}\n";
  }
  const Model model =
      compile_model(parse_model_yaml("parameters: {m: 1}\n" + bodies + joints, "f"));
  EXPECT_EQ(model.bodies().size(), kBodies + 1u);
  EXPECT_EQ(model.nq(), kBodies);
}

TEST(ModelReader, InertiaAsListsAndMatrix) {
  const ModelDescription model = parse_model_yaml(
      "bodies:\n"
      "  A: {inertia: [1, 2, 3, 4, 5, 6]}\n"
      "  B: {inertia: [[1, a*b, 0.50], [a*b, 2, 0], [0.5, 0, 3]]}\n",
      "f");
  EXPECT_EQ(model.bodies[0].inertia->yz.text, "6");
  EXPECT_EQ(model.bodies[1].inertia->xy.text, "a*b");
  EXPECT_EQ(model.bodies[1].inertia->xz.text, "0.50");
  EXPECT_THAT(findings_of("bodies:\n  A:\n    inertia: [[1, 2, 3],\n      [4, 5, 6], [3, 6, 7]]\n"),
              ElementsAre("4: body \"A\": \"inertia\": not symmetric: row 2 column 1 is \"4\", row "
                          "1 column 2 is \"2\""));
  EXPECT_THAT(findings_of("bodies: {A: {inertia: [1, 2]}}\n"),
              ElementsAre(HasSubstr("body \"A\": \"inertia\": expected 3 entries")));
}

TEST(ModelReader, SplineNodesFromRange) {
  const ModelDescription model = parse_model_yaml(
      "bodies: {A: {mass: 1}}\n"
      "splines: {u: {nodes: {from: 0, to: 2*pi, count: 3}, values: [1, 2, 1]}}\n",
      "f");
  EXPECT_THAT(texts(model.splines[0].nodes), ElementsAre("0", "(0) + 1/2*((2*pi) - (0))", "2*pi"));
  EXPECT_THAT(with_body("splines: {u: {nodes: {from: 0, to: 1, count: 9999999}, values: [1, 2]}}"),
              ElementsAre("3: spline \"u\": \"nodes\": \"count\": 9999999 nodes for 2 values"));
  EXPECT_THAT(with_body("splines: {u: {nodes: {from: 0, to: 1, count: 1.5}, values: [1, 2]}}"),
              ElementsAre(HasSubstr("expected a whole number, at least 2")));
  EXPECT_THAT(with_body("splines: {u: {nodes: [0, 1, 2], values: [1, 2]}}"),
              ElementsAre("3: spline \"u\": 3 nodes for 2 values"));
}

TEST(ModelReader, UnknownAndMissingKeysNameTheElement) {
  EXPECT_THAT(findings_of("bodies:\n  A1:\n    mas: 1\n"),
              ElementsAre("3: body \"A1\": unknown key \"mas\" (did you mean \"mass\"?)"));
  EXPECT_THAT(findings_of("bodis: {}\n"),
              ElementsAre("1: unknown key \"bodis\" (did you mean \"bodies\"?)",
                          "1: the key \"bodies\" is missing"));
  EXPECT_THAT(with_body("joints:\n  J:\n    typ: revolute\n"),
              ElementsAre("4: joint \"J\": the key \"type\" is missing",
                          "4: joint \"J\": the key \"bodies\" is missing",
                          "5: joint \"J\": unknown key \"typ\" (did you mean \"type\"?)"));
  EXPECT_THAT(with_body("forces:\n  s: {type: spring-damper, points: [P, Q], stifness: 1}"),
              ElementsAre("4: force \"s\": unknown key \"stifness\" (did you mean \"stiffness\"?)",
                          "4: force \"s\": the key \"stiffness\" is missing",
                          "4: force \"s\": the key \"length\" is missing"));
  EXPECT_THAT(with_body("forces:\n  s: {type: spring-dampr}"),
              ElementsAre(HasSubstr("(did you mean \"spring-damper\"?)")));
  EXPECT_THAT(with_body("forces:\n  g: {type: gravity, acceleration: -y, joint: J}"),
              ElementsAre(HasSubstr("force \"g\": unknown key \"joint\"")));
  EXPECT_THAT(
      findings_of("bodies:\n  A: {shapes: [{type: sphere, radius: 1}, {type: bax}]}\n"),
      ElementsAre("2: body \"A\": shape 2: \"type\": expected one of box, cylinder, sphere, "
                  "capsule, mesh, found \"bax\" (did you mean \"box\"?)"));
  EXPECT_THAT(findings_of("bodies:\n  A: {shape: {type: box, radius: 1}}\n"),
              ElementsAre(HasSubstr("body \"A\": \"shape\": unknown key \"radius\""),
                          HasSubstr("the key \"size\" is missing")));
  EXPECT_THAT(with_body("constraints: {}\noptimise: {}\n"),
              ElementsAre(HasSubstr("4: unknown key \"optimise\"")));
  EXPECT_THAT(with_body("constraints:\n  c: {type: distance, points: [P, Q], lenght: 1}"),
              ElementsAre("4: constraint \"c\": unknown key \"lenght\" (did you mean \"length\"?)",
                          "4: constraint \"c\": the key \"length\" is missing"));
  EXPECT_THAT(with_body("constraints:\n  c: {type: distence}"),
              ElementsAre(HasSubstr("(did you mean \"distance\"?)")));
  EXPECT_THAT(with_body("constraints:\n  c: {points: [P, Q]}"),
              ElementsAre(HasSubstr("4: constraint \"c\": a constraint is a map with a key")));
}

TEST(ModelReader, ValuesOfTheWrongKind) {
  const auto body = [](const std::string& field) {
    return findings_of("bodies:\n  A:\n    " + field + "\n");
  };
  EXPECT_THAT(body("mass: [1, 2]"),
              ElementsAre("3: body \"A\": \"mass\": expected a number or an expression, found a "
                          "list"));
  EXPECT_THAT(body("mass: {a: 1}"), ElementsAre(HasSubstr("found a map")));
  EXPECT_THAT(body("mass:"), ElementsAre("3: body \"A\": \"mass\": has no value"));
  EXPECT_THAT(body("mass: \"\""), ElementsAre(HasSubstr("found an empty text")));
  for (const char* word : {"true", "yes", "No", "OFF"}) {
    EXPECT_THAT(body(std::string("mass: ") + word), ElementsAre(HasSubstr("found a boolean")));
  }
  for (const char* word : {".nan", "-.inf", ".Inf", "+.INF", "NaN", "inf"}) {
    EXPECT_THAT(body(std::string("mass: ") + word), ElementsAre(HasSubstr("not a finite number")));
  }
  EXPECT_THAT(body("com: [1, 2]"),
              ElementsAre("3: body \"A\": \"com\": expected a list of 3 numbers, found 2"));
  EXPECT_THAT(body("com: 3.5"), ElementsAre(HasSubstr("expected a vector: ")));
  EXPECT_THAT(body("com: -e"), ElementsAre(HasSubstr("expected a vector: ")));
  EXPECT_THAT(body("com: [1, 2, [3]]"),
              ElementsAre(HasSubstr("\"com\": entry 3: expected a number")));
  EXPECT_THAT(body("com: [1, , 3]"), ElementsAre(HasSubstr("\"com\": entry 2: expected a number")));
  EXPECT_THAT(body("inertia: {xx: 1, yy: 1, zz: 1, about: joint}"),
              ElementsAre(HasSubstr("\"about\": expected one of com, origin, found \"joint\"")));
  EXPECT_THAT(body("points: [1, 2]"),
              ElementsAre(HasSubstr("expected a map from names to points, found a list")));
  EXPECT_THAT(body("placement: {orientation: {axis: z}}"),
              ElementsAre(HasSubstr("axis and angle go together")));
  EXPECT_THAT(body("placement: {orientation: {axis: z, angle: 1, x: x, z: z}}"),
              ElementsAre(HasSubstr("give one of")));
  EXPECT_THAT(body("placement: {orientation: {}}"), ElementsAre(HasSubstr("give one of")));
  EXPECT_THAT(body("placement: {orientation: {euler_parameters: [1, 0, 0]}}"),
              ElementsAre(HasSubstr("expected a list of 4 numbers, found 3")));
  EXPECT_THAT(with_body("degrees: yes"), ElementsAre(HasSubstr("expected true or false")));
  EXPECT_THAT(with_body("parameters: {a: {value: 1, bounds: [0]}}"),
              ElementsAre(HasSubstr("parameter \"a\": \"bounds\": expected a list of 2 bounds")));
  EXPECT_THAT(with_body("joints: {J: {type: revolute, bodies: [A]}}"),
              ElementsAre(HasSubstr("\"bodies\": expected a list of 2 names, found 1")));
  EXPECT_THAT(with_body("joints: {J: {type: revolute, bodies: [A, 1+2]}}"),
              ElementsAre(HasSubstr("entry 2: expected a name, found \"1+2\"")));
  EXPECT_THAT(with_body("joints:\n  J:"), ElementsAre("4: joint \"J\": has no value"));
  EXPECT_THAT(with_body("initial: {A: 1}"), ElementsAre(HasSubstr("initial \"A\": expected the")));
  EXPECT_THAT(with_body("initial: {A.q: {}}"), ElementsAre(HasSubstr("found a map")));
  EXPECT_THAT(with_body("initial: {A.q: [1, 2, 3, 4, 5, 6, 7, 8]}"),
              ElementsAre(HasSubstr("no joint has more than 7 coordinates")));
  EXPECT_THAT(with_body("objectives: {psi: {unit: m}}"),
              ElementsAre(HasSubstr("objective \"psi\": needs \"integral\" or \"terminal\"")));
  EXPECT_THAT(findings_of("[1, 2]"), ElementsAre("1: expected a map, found a list"));
  EXPECT_THAT(findings_of("bodies:"), ElementsAre("1: \"bodies\": has no value"));
}

TEST(ModelReader, EmptyCollectionsAreAllowed) {
  EXPECT_THAT(with_body("joints:\nforces:\nparameters: {}\nsignals:\ninitial:\n"), ElementsAre());
}

TEST(ModelReader, NamesThatExpressionsCannotSpellOrThatAreTaken) {
  EXPECT_THAT(with_body("parameters: {a-b: 1}"), ElementsAre(HasSubstr("\"a-b\" is not a name")));
  EXPECT_THAT(with_body("parameters: {2a: 1}"), ElementsAre(HasSubstr("is not a name")));
  EXPECT_THAT(with_body("parameters: {\"\": 1}"), ElementsAre(HasSubstr("is not a name")));
  EXPECT_THAT(with_body("parameters: {t: 1}"),
              ElementsAre(HasSubstr("a parameter cannot be called \"t\", which is the time")));
  EXPECT_THAT(with_body("parameters: {pi: 3}"), ElementsAre(HasSubstr("a constant")));
  EXPECT_THAT(with_body("parameters: {sin: 3}"), ElementsAre(HasSubstr("a function")));
  EXPECT_THAT(with_body("signals: {off: 3}"), ElementsAre(HasSubstr("a word of YAML")));
  EXPECT_THAT(with_body("vectors: {x: [1, 0, 0]}"), ElementsAre(HasSubstr("an axis")));
  EXPECT_THAT(with_body("parameters: {x: 1}"), ElementsAre());
  EXPECT_THAT(findings_of("bodies: {ground: {mass: 1}}"),
              ElementsAre(HasSubstr("a body cannot be called \"ground\"")));
  EXPECT_THAT(findings_of("bodies:\n  A:\n    points: {y: [0, 0, 0]}"),
              ElementsAre(HasSubstr("3: body \"A\": a point cannot be called \"y\"")));
}

TEST(ModelReader, AllFindingsAreReportedInFileOrder) {
  const auto findings = findings_of(
      "parameters: {a: true}\n"
      "bodies:\n"
      "  A: {mas: 1}\n"
      "  A: {mass: 1}\n"
      "joints:\n"
      "  J: {type: revolute, bodies: [ground, A], axis: [0, 0]}\n");
  EXPECT_THAT(findings,
              ElementsAre(HasSubstr("1: parameter \"a\""), HasSubstr("3: body \"A\""),
                          HasSubstr("4: duplicate key \"A\""), HasSubstr("6: joint \"J\"")));
}

TEST(ModelReader, ManyMistakesCostNoMoreThanAFew) {
  std::string text = "bodies:\n";
  for (int i = 0; i < 20000; ++i) text += "  b" + std::to_string(i) + ": {mas: x}\n";
  EXPECT_EQ(findings_of(text).size(), Diagnostics::kLimit);
}

TEST(ModelReader, MessagesDoNotRepeatHugeTexts) {
  const std::string huge(100000, 'q');
  for (const std::string& text :
       {"bodies: {" + huge + "!: 1}", huge + ": 1", "bodies: {A: {com: \"" + huge + "!\"}}"}) {
    for (const std::string& finding : findings_of(text)) EXPECT_LT(finding.size(), 300u);
  }
  EXPECT_THAT(findings_of("bodies: {A: {mass: " + huge + "}}"), ElementsAre(HasSubstr("too long")));
}

/// A table lists a key if and only if the reader knows it: putting the key into a map of that
/// context brings findings about its value, never about the key.
TEST(ModelReader, KnowsEveryKeyOfItsTables) {
  const auto expect_known = [](const io::KeyTable& table, const std::string& before,
                               const std::string& after) {
    for (const io::KeyInfo& info : table.keys) {
      for (const std::string& finding : findings_of(before + info.key + ": 1" + after)) {
        EXPECT_THAT(finding, Not(HasSubstr("unknown key"))) << table.context;
      }
    }
  };
  expect_known(io::model_keys(), "{", "}");
  expect_known(io::parameter_keys(), "parameters: {a: {", "}}");
  expect_known(io::spline_keys(), "splines: {a: {", "}}");
  expect_known(io::node_range_keys(), "splines: {a: {nodes: {", "}}}");
  expect_known(io::body_keys(), "bodies: {A: {", "}}");
  expect_known(io::placement_keys(), "bodies: {A: {placement: {", "}}}");
  expect_known(io::orientation_keys(), "bodies: {A: {placement: {orientation: {", "}}}}");
  expect_known(io::inertia_keys(), "bodies: {A: {inertia: {", "}}}");
  expect_known(io::joint_keys(), "joints: {J: {", "}}");
  expect_known(io::signal_keys(), "signals: {s: {", "}}");
  expect_known(io::objective_keys(), "objectives: {s: {", "}}");
  expect_known(io::analysis_keys(), "analysis: {", "}");
  for (const std::string& type : io::shape_types()) {
    expect_known(io::shape_keys(type), "bodies: {A: {shape: {type: " + type + ", ", "}}}");
  }
  for (const ForceModel* force : builtin_catalogue().forces()) {
    expect_known(io::force_keys(*force), "forces: {f: {type: " + std::string(force->name()) + ", ",
                 "}}");
  }
}

}  // namespace
}  // namespace kinegrad
