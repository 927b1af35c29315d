// The three cases of co-design with friction in joints: what kinegrad optimize has found from several starts is an optimum
// (docs/howto/friction_in_joints.md).
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "kinegrad/simulation/signal_table.hpp"
#include "support/gradient_distance.hpp"
#include "support/places.hpp"
#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

struct Value {
  const char* parameter;
  double value;
};
struct Optimum {
  const char* example;
  double psi;
  std::vector<Value> values;
};

const Optimum kOptima[] = {
    {"governor",
     0.79559736,
     {{"L_top", 0.1},
      {"L_bottom", 0.1},
      {"overhang", 0.4},
      {"offset", 0.02},
      {"R_collar", 0.03},
      {"height", 0.21665624729920752},
      {"m_fly", 0.04}}},
    {"cart_pole_spatial",
     154.00042940551253,
     {{"Kp", 374.814177957496},
      {"Ki", 369.1888488134539},
      {"Kd", 33.13445474968074}}},
    {"slider_crank_friction",
     0.3227117177609171,
     {{"L_crank", 0.06},
      {"L_rod", 0.2},
      {"a", 0.04313263245956735},
      {"b", 0.0227808944956119},
      {"gain", 5}}},
};

const Parameter& named(const Model& model, const char* name) {
  for (const Parameter& p : model.parameters()) {
    if (p.name == name) return p;
  }
  throw std::invalid_argument(name);
}

VecX at_optimum(const Model& model, const Optimum& optimum) {
  VecX rho = model.default_rho();
  for (const Value& value : optimum.values) rho(named(model, value.parameter).index) = value.value;
  return rho;
}

GradientOptions options_of(const Model& model, const char* method) {
  GradientOptions options;
  options.run.formulation = model.analysis().formulation;
  if (options.run.formulation.empty()) options.run.formulation = "matrix-r";
  options.run.step = model.analysis().step;
  options.run.end = model.analysis().end;
  options.run.details.tolerance = model.analysis().tolerance;
  options.method = method;
  return options;
}

/// Of ψ, by the ranges of the parameters; what points out of the bounds counts for nothing.
double projected_gradient(const Model& model, const Optimum& optimum, const VecX& rho,
                          double& psi) {
  const GradientReport report = gradient(model, in(rho), options_of(model, "adjoint"));
  EXPECT_EQ(report.status, RunStatus::kDone) << report.message;
  psi = report.values.front();
  double square = 0;
  for (const Value& value : optimum.values) {
    const Parameter& p = named(model, value.parameter);
    for (Eigen::Index j = 0; j < report.gradient.cols(); ++j) {
      if (report.parameters[static_cast<std::size_t>(j)] != p.index) continue;
      const double slope = report.gradient(0, j) * (p.upper - p.lower), x = rho(p.index);
      if ((x <= p.lower && slope > 0) || (x >= p.upper && slope < 0)) continue;
      square += slope * slope;
    }
  }
  return std::sqrt(square);
}

TEST(FrictionExamples, AreOptimalWhereOptimizeEnds) {
  for (const Optimum& optimum : kOptima) {
    SCOPED_TRACE(optimum.example);
    const Model model = test::example(optimum.example);
    double before = 0, after = 0;
    const double start = projected_gradient(model, optimum, model.default_rho(), before);
    const double end = projected_gradient(model, optimum, at_optimum(model, optimum), after);
    EXPECT_LE(end, 1e-5 * start);
    EXPECT_NEAR(after, optimum.psi, 1e-7 * optimum.psi);
    EXPECT_LE(after, 0.35 * before);
  }
}

TEST(FrictionExamples, GovernorKeepsItsSpeed) {
  const Model model = test::example("governor");
  const VecX rho = at_optimum(model, kOptima[0]);
  const SignalTable table = simulate(model, rho, options_of(model, "adjoint").run);
  ASSERT_TRUE(table.report.done()) << table.report.message;
  const VecX speed = table.column("speed");
  EXPECT_NEAR(speed(speed.size() - 1), 15, 0.005 * 15);
}

/// With bristles, in a world that neither controller was made for, the one that knew of friction is the better one.
TEST(FrictionExamples, ControllersKeepTheirOrderUnderGonthiersLaw) {
  const Model model = compile_model(
      read_model_yaml(test::source_path("docs/howto/cart_pole_gonthier.yaml")));
  const auto psi = [&](double Kp, double Ki, double Kd) {
    VecX rho = model.default_rho();
    rho(named(model, "Kp").index) = Kp;
    rho(named(model, "Ki").index) = Ki;
    rho(named(model, "Kd").index) = Kd;
    RunOptions options = options_of(model, "adjoint").run;
    const SignalTable table = simulate(model, rho, options);
    EXPECT_TRUE(table.report.done()) << table.report.message;
    return table.report.objectives.front();
  };
  const double with = psi(374.81, 369.19, 33.134), without = psi(339.51, 0.158, 31.03);
  EXPECT_NEAR(with, 175.686, 0.1);
  EXPECT_NEAR(without, 245.799, 0.1);
}

TEST(FrictionExamples, GradientsAreExactInAllCoordinates) {
  for (const Optimum& optimum : kOptima) {
    for (const char* coordinates : {"joint-com", "cartesian", "natural"}) {
      SCOPED_TRACE(std::string(optimum.example) + " " + coordinates);
      const Model model = test::example(optimum.example, coordinate_set_named(coordinates));
      const VecX rho = model.default_rho();
      GradientOptions options = options_of(model, "complex-step");
      options.run.coordinates = coordinates;
      options.run.end = 20 * options.run.step;
      const GradientReport expected = gradient(model, in(rho), options);
      ASSERT_EQ(expected.status, RunStatus::kDone) << expected.message;
      for (const char* method : {"forward", "adjoint"}) {
        options.method = method;
        const GradientReport actual = gradient(model, in(rho), options);
        ASSERT_EQ(actual.status, RunStatus::kDone) << actual.message;
        EXPECT_LE(test::gradient_distance(model, actual, expected), 1e-9) << method;
      }
    }
  }
}

}  // namespace
}  // namespace kinegrad
