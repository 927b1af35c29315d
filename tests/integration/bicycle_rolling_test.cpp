// The bicycle of examples/bicycle_rolling.yaml: the published eigenvalues, wheels on the ground, energy, and gradients with
// respect to everything that it is made of, with an equation of height too many and without.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <complex>

#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "kinegrad/simulation/signal_table.hpp"
#include "support/closed_loops.hpp"
#include "support/gradient_distance.hpp"

namespace kinegrad {
namespace {

ModelDescription bicycle() {
  return read_model_yaml(test::source_path("examples/bicycle_rolling.yaml"));
}

int parameter(const Model& model, std::string_view name) {
  const auto& all = model.parameters();
  const auto it =
      std::find_if(all.begin(), all.end(), [&](const auto& p) { return p.name == name; });
  return static_cast<int>(it - all.begin());
}

GradientOptions run(const std::string& formulation, const std::string& integrator, double step,
                    double end) {
  GradientOptions options;
  options.run.formulation = formulation;
  options.run.integrator = integrator;
  options.run.step = step;
  options.run.end = end;
  return options;
}

/// d(lean, steer, their rates at the end)/d(their rates at the start), of straight running.
Eigen::Matrix<double, 4, 2> response(const Model& model, double end) {
  VecX rho = model.default_rho();
  rho(parameter(model, "lean_rate")) = 0;
  GradientOptions options = run("matrix-r", "rk4", 1e-3, end);
  options.method = "forward";
  options.parameters = {parameter(model, "lean_rate"), parameter(model, "steer_rate")};
  options.objectives = {0, 2, 1, 3};
  const GradientReport report = gradient(model, in(rho), options);
  EXPECT_EQ(report.status, RunStatus::kDone) << report.message;
  return report.gradient;
}

/// Logarithms of the eigenvalues of e^{AT} over T, in ascending order.
Eigen::Vector4cd rates_of(const Eigen::Matrix4d& transition, double T) {
  Eigen::Vector4cd s = transition.eigenvalues().array().log() / T;
  std::sort(s.begin(), s.end(), [](const auto& a, const auto& b) {
    return std::pair(a.real(), a.imag()) < std::pair(b.real(), b.imag());
  });
  return s;
}

/// The four numbers obey ẋ = Ax near straight running, whatever else moves. With X(t) the response to both rates,
/// [X(T) X(2T)] = e^{AT} [X(0) X(T)], X(0) = [0; 1].
Eigen::Vector4cd eigenvalues(const Model& model) {
  constexpr double T = 0.1;
  const Eigen::Matrix<double, 4, 2> first = response(model, T), second = response(model, 2 * T);
  Eigen::Matrix4d before, after;
  before << Eigen::Matrix2d::Zero(), first.topRows<2>(), Eigen::Matrix2d::Identity(),
      first.bottomRows<2>();
  after << first, second;
  return rates_of(after * before.inverse(), T);
}

/// Meijaard, Papadopoulos, Ruina, Schwab (2007), table 2: the benchmark at 5 m/s.
void expect_published(const Eigen::Vector4cd& s, double tolerance) {
  const std::complex<double> published[] = {-14.07838969279810,
                                            {-0.77534188219580, -4.46486771378820},
                                            {-0.77534188219580, 4.46486771378820},
                                            -0.32286642900410};
  for (int k = 0; k < 4; ++k) {
    EXPECT_NEAR(s(k).real(), published[k].real(), tolerance) << k;
    EXPECT_NEAR(s(k).imag(), published[k].imag(), tolerance) << k;
  }
}

TEST(BicycleRolling, HasThePublishedEigenvalues) {
  expect_published(eigenvalues(compile_model(bicycle())), 1e-7);
}

/// (lean, steer, their rates) every T of a run of n T that begins with these rates.
Eigen::Matrix4Xd motion(const Model& model, double lean_rate, double steer_rate, double T, int n) {
  VecX rho = model.default_rho();
  rho(parameter(model, "lean_rate")) = lean_rate;
  rho(parameter(model, "steer_rate")) = steer_rate;
  constexpr int kSteps = 50;  // of a sample
  const SignalTable table =
      simulate(model, rho, run("matrix-r", "rk4", T / kSteps, n * T).run);
  EXPECT_TRUE(table.report.done()) << table.report.message;
  Eigen::Matrix4Xd x(4, n + 1);
  const char* names[] = {"lean", "steering", "lean_speed", "steering_speed"};
  for (int k = 0; k <= n; ++k) {
    for (int i = 0; i < 4; ++i) x(i, k) = table.column(names[i])(k * kSteps);
  }
  return x;
}

/// The same fitted from two motions alone, without any derivative: x(t + T) = e^{AT} x(t) for all samples, least squares. Left and right are
/// alike, so what is not linear is of third order: 1e-8 of pushes of 1e-4.
TEST(BicycleRolling, TheMotionItselfHasThePublishedEigenvalues) {
  constexpr double T = 0.05, kPush = 1e-4;
  constexpr int n = 10;
  const Model model = compile_model(bicycle());
  Eigen::MatrixXd before(4, 2 * n), after(4, 2 * n);
  for (int k = 0; k < 2; ++k) {
    const Eigen::Matrix4Xd x = motion(model, k == 0 ? kPush : 0, k == 0 ? 0 : kPush, T, n);
    before.middleCols(k * n, n) = x.leftCols(n);
    after.middleCols(k * n, n) = x.rightCols(n);
  }
  const Eigen::Matrix4d transition =
      before.transpose().colPivHouseholderQr().solve(after.transpose()).transpose();
  expect_published(rates_of(transition, T), 1e-5);
}

/// With M ẍ + vC₁ẋ + (gK₀ + v²K₂)x = 0 and the printed matrices, at other speeds.
TEST(BicycleRolling, HasTheEigenvaluesOfTheLinearEquationsAtOtherSpeeds) {
  Eigen::Matrix2d M, C1, K0, K2;
  M << 80.81722, 2.31941332208709, 2.31941332208709, 0.29784188199686;
  C1 << 0, 33.86641391492494, -0.85035641456978, 1.68540397397560;
  K0 << -80.95, -2.59951685249872, -2.59951685249872, -0.80329488458618;
  K2 << 0, 76.59734589573222, 0, 2.65431523794604;
  for (const double v : {2.0, 8.0}) {
    Eigen::Matrix4d A;
    A << Eigen::Matrix2d::Zero(), Eigen::Matrix2d::Identity(),
        -M.inverse() * (9.81 * K0 + v * v * K2), -M.inverse() * (v * C1);
    Eigen::Vector4cd expected = A.eigenvalues();
    std::sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) {
      return std::pair(a.real(), a.imag()) < std::pair(b.real(), b.imag());
    });
    ModelDescription description = bicycle();
    set_parameter(description, "v", std::to_string(v));
    const Eigen::Vector4cd s = eigenvalues(compile_model(description));
    EXPECT_LE((s - expected).cwiseAbs().maxCoeff(), 1e-7) << v;
  }
}

double spread(const VecX& x) { return x.maxCoeff() - x.minCoeff(); }

/// Two seconds of a wobble with leans up to 0.17: the ground is kept to the tolerance of positions, energy to the order of the
/// method.
TEST(BicycleRolling, StaysOnTheGroundAndKeepsItsEnergy) {
  const Model model = compile_model(bicycle());
  for (const auto& [formulation, integrator, order] :
       {std::tuple("ali3p", "trapezoidal", 2), std::tuple("matrix-r", "rk4", 4)}) {
    double lost[2];
    for (int k = 0; k < 2; ++k) {
      const double step = (order == 2 ? 4e-3 : 1e-2) / (1 + k);
      const SignalTable table =
          simulate(model, model.default_rho(), run(formulation, integrator, step, 2).run);
      ASSERT_TRUE(table.report.done()) << formulation << ": " << table.report.message;
      EXPECT_LE(table.column("rear_height").cwiseAbs().maxCoeff(), 1e-9) << formulation;
      EXPECT_LE(table.column("front_height").cwiseAbs().maxCoeff(), 1e-9) << formulation;
      EXPECT_GE(table.column("lean").maxCoeff(), 0.1) << "it should have something to do";
      lost[k] = spread(table.column("energy_total"));
    }
    EXPECT_NEAR(std::log2(lost[0] / lost[1]), order, 0.5) << formulation << " " << lost[1];
  }
}

/// The front wheel's height a second time: a holonomic equation that depends on the others everywhere.
ModelDescription with_redundant_height() {
  ModelDescription description = bicycle();
  const ModelDescription sample = parse_model_yaml(R"yaml(
parameters: {rF: 1}
bodies: {front: {mass: 1, inertia: [1, 1, 1], points: {front_center: [0, 0, 0]}, vectors: {front_spin: [0, 1, 0]}}}
constraints: {height_again: {type: expression, expression: front_center.z - rF*sqrt(1 - front_spin.z^2)}}
)yaml",
                                                   "height");
  description.constraints.push_back(sample.constraints.front());
  return description;
}

/// Forward and adjoint against the complex step, all parameters.
void expect_gradients(const Model& model, const std::string& coordinates,
                      const std::string& formulation) {
  const VecX rho = model.default_rho();
  const bool damped = formulation == "index3";  // the trapezoidal rule does not take it
  GradientOptions options =
      run(formulation, damped ? "generalized-alpha" : "trapezoidal", 5e-3, 0.02);
  options.run.coordinates = coordinates;
  options.method = "complex-step";
  const GradientReport expected = gradient(model, in(rho), options);
  ASSERT_EQ(expected.status, RunStatus::kDone) << expected.message;
  for (const char* method : {"forward", "adjoint"}) {
    options.method = method;
    const GradientReport actual = gradient(model, in(rho), options);
    ASSERT_EQ(actual.status, RunStatus::kDone) << method << ": " << actual.message;
    EXPECT_LE(test::gradient_distance(model, expected, actual), 1e-9) << method;
  }
}

/// All 25 numbers of the benchmark, speed, rates and gravity; every formulation that takes equations of speeds.
TEST(BicycleRolling, GradientsAgreeWithAndWithoutARedundantEquation) {
  for (const bool redundant : {false, true}) {
    const ModelDescription description = redundant ? with_redundant_height() : bicycle();
    for (const std::string coordinates : {"joint-com", "joint-origin", "cartesian", "natural"}) {
      const Model model =
          compile_model(description, builtin_catalogue(), coordinate_set_named(coordinates));
      EXPECT_EQ(model.parameters().size(), 29u);
      for (const char* formulation :
           {"ali3p", "matrix-r", "index1", "index3", "penalty", "fully-recursive"}) {
        if (std::string(formulation) == "fully-recursive" && !coordinates.starts_with("joint")) {
          continue;  // made for trees
        }
        SCOPED_TRACE(coordinates + " " + formulation + (redundant ? " redundant" : ""));
        expect_gradients(model, coordinates, formulation);
      }
    }
  }
}

/// Differences need no derivative at all.
TEST(BicycleRolling, DifferencesConfirmTheGradient) {
  for (const bool redundant : {false, true}) {
    const Model model = compile_model(redundant ? with_redundant_height() : bicycle());
    const VecX rho = model.default_rho();
    GradientOptions options = run("ali3p", "trapezoidal", 5e-3, 0.1);
    const GradientReport exact = gradient(model, in(rho), options);
    options.method = "finite-difference";
    const GradientReport differences = gradient(model, in(rho), options);
    ASSERT_EQ(differences.status, RunStatus::kDone) << differences.message;
    EXPECT_LE(test::gradient_distance(model, exact, differences), 1e-6);
  }
}

/// The continuous adjoint comes to the others as its step falls, by second order.
TEST(BicycleRolling, TheContinuousAdjointConverges) {
  for (const bool redundant : {false, true}) {
    const Model model = compile_model(redundant ? with_redundant_height() : bicycle());
    const VecX rho = model.default_rho();
    double distance[2];
    for (int k = 0; k < 2; ++k) {
      GradientOptions options = run("matrix-r", "trapezoidal", 4e-3 / (1 + k), 0.4);
      const GradientReport exact = gradient(model, in(rho), options);
      options.method = "continuous-adjoint";
      const GradientReport actual = gradient(model, in(rho), options);
      ASSERT_EQ(actual.status, RunStatus::kDone) << actual.message;
      distance[k] = test::gradient_distance(model, exact, actual);
    }
    EXPECT_NEAR(std::log2(distance[0] / distance[1]), 2, 0.3) << distance[1];
  }
}

}  // namespace
}  // namespace kinegrad
