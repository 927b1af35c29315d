// The model in a result JSON: everything in numbers, at the parameters of the run.
#include "io/scene_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/io/run_output.hpp"
#include "kinegrad/model/compile.hpp"
#include "support/sample_models.hpp"
#include "support/temporary_file.hpp"

namespace kinegrad {
namespace {

using Json = nlohmann::ordered_json;

const Json& named(const Json& list, const std::string& name) {
  for (const Json& one : list) {
    if (one.at("name") == name) return one;
  }
  throw std::runtime_error("nothing is called " + name);
}

TEST(SceneJson, LengthsAreThoseOfTheRun) {
  const Model model = test::example("five_bar");
  VecX rho = model.default_rho();
  const int length = model.parameters()[4].index;
  ASSERT_EQ(model.parameters()[4].name, "L_A1");
  rho(length) = 2.5;
  std::vector<double> p(model.physical().size());
  auto work = model.design_map().make_workspace<double>();
  model.design_map().evaluate<double>({rho.data(), static_cast<std::size_t>(rho.size())}, p, work);
  const Json scene = scene_json(model, p);
  const Json& bar = named(scene.at("bodies"), "A1");
  EXPECT_EQ(bar.at("shapes")[0].at("to")[0], 2.5);
  EXPECT_EQ(bar.at("points").at("P1")[0], 2.5);
  EXPECT_EQ(bar.at("mass"), 1);
  EXPECT_FALSE(bar.at("points").contains("com"));
  EXPECT_EQ(named(scene.at("joints"), "J1").at("at")[0], Json::array({2.5, 0.0, 0.0}));
}

TEST(SceneJson, NamesUnitsAndPlaces) {
  const Model model = test::example("five_bar");
  const Json scene = scene_json(model, model.default_physical());
  EXPECT_EQ(scene.at("name"), "five bar");
  EXPECT_EQ(scene.at("up"), Json::array({0.0, 1.0, 0.0}));
  EXPECT_EQ(scene.at("ground").at("points").at("B"), Json::array({1.0, 0.0, 0.0}));
  const Json& joint = named(scene.at("joints"), "A");
  EXPECT_EQ(joint.at("type"), "revolute");
  EXPECT_EQ(joint.at("bodies"), Json::array({"ground", "A1"}));
  EXPECT_EQ(joint.at("axes")[1], Json::array({0.0, 0.0, 1.0}));
  EXPECT_EQ(named(scene.at("links"), "s1").at("ends")[0].at("body"), "ground");
  const Json& parameter = named(scene.at("parameters"), "m_A1");
  EXPECT_EQ(parameter.at("unit"), "kg");
  EXPECT_EQ(parameter.at("bounds"), Json::array({0.1, 10.0}));
  EXPECT_TRUE(named(scene.at("parameters"), "L_s1").at("bounds")[0].is_null());
  EXPECT_EQ(named(scene.at("signals"), "x2").at("unit"), "m");
  EXPECT_EQ(named(scene.at("objectives"), "psi2").at("description"), "velocity of joint 2");
}

TEST(SceneJson, EveryShape) {
  const test::TemporaryFile mesh("scene.stl");
  std::ofstream(mesh.path()) << "solid\n";
  const std::string text = R"(
bodies:
  A:
    mass: 1
    inertia: [1, 1, 1]
    shapes:
      - {type: box, size: [1, 2, 3], center: [4, 5, 6], color: red}
      - {type: cylinder, from: [0, 0, 0], to: [1, 0, 0], radius: 0.1}
      - {type: capsule, from: [0, 0, 0], to: [0, 1, 0], radius: 0.2}
      - {type: sphere, center: [1, 1, 1], radius: 0.3}
      - {type: mesh, file: )" +
                           mesh.path() + ", scale: 2}\n";
  const Model model = compile_model(parse_model_yaml(text, "f"));
  const Json scene = scene_json(model, model.default_physical());
  const Json& shapes = scene.at("bodies")[0].at("shapes");
  EXPECT_EQ(shapes[0].at("size"), Json::array({1.0, 2.0, 3.0}));
  EXPECT_EQ(shapes[0].at("position"), Json::array({4.0, 5.0, 6.0}));
  EXPECT_EQ(shapes[0].at("rotation").size(), 9u);
  EXPECT_EQ(shapes[0].at("color"), "red");
  EXPECT_EQ(shapes[1].at("radius"), 0.1);
  EXPECT_EQ(shapes[2].at("to"), Json::array({0.0, 1.0, 0.0}));
  EXPECT_EQ(shapes[3].at("center"), Json::array({1.0, 1.0, 1.0}));
  EXPECT_EQ(shapes[4].at("file"), mesh.path());
  EXPECT_EQ(shapes[4].at("scale"), 2.0);
  EXPECT_EQ(scene.at("up"), Json::array({0, 0, 1})) << "without gravity";
}

/// Without signals the labels are those of what a run records.
TEST(SceneJson, CoordinatesWhereThereAreNoSignals) {
  const Model model = compile_model(parse_model_yaml(
      "bodies: {A: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {hinge: {type: revolute, bodies: [ground, A], point: [0, 0, 0], axis: z}}\n",
      "f"));
  const Json labels = scene_json(model, model.default_physical()).at("signals");
  const std::vector<std::string> names = recorded_names(model);
  ASSERT_EQ(labels.size(), names.size());
  EXPECT_EQ(labels[0].at("name"), names[0]);
  EXPECT_EQ(labels[0].at("unit"), "rad");
  EXPECT_EQ(labels[1].at("unit"), "rad/s");
}

TEST(SceneJson, EveryExampleHasPlacesForItsJoints) {
  for (const char* name : {"all_joints", "bricard", "rolling_disc", "slider_crank", "free_body"}) {
    const Model model = test::example(name);
    const Json scene = scene_json(model, model.default_physical());
    EXPECT_EQ(scene.at("bodies").size() + 1, model.bodies().size()) << name;
    for (const Json& joint : scene.at("joints")) {
      EXPECT_EQ(joint.at("at")[1].size(), 3u) << name;
    }
    for (const double x : scene.at("up")) EXPECT_TRUE(std::isfinite(x)) << name;
  }
}

}  // namespace
}  // namespace kinegrad
