// The continuous adjoint tends to the gradient of the motion with the square of the step, family by
// family. What it tends to is known from the forward method on rk4 with a step far smaller: order 4.
#include <gtest/gtest.h>

#include <cmath>

#include "kinegrad/base/error.hpp"
#include "kinegrad/sensitivity/adjoint_march.hpp"
#include "kinegrad/sensitivity/position_level_adjoint.hpp"
#include "kinegrad/sensitivity/run_partials.hpp"
#include "kinegrad/sensitivity/state_space_adjoint.hpp"
#include "support/refusals.hpp"
#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

/// A gradient by one method of one run.
struct Setting {
  std::string formulation, integrator = "trapezoidal";
  double step = 0, end = 0;
  int approach = 2;
  double adjoint_step = 0;
  std::string start = "given";
};

GradientOptions options_of(const std::string& method, const Setting& run) {
  GradientOptions options;
  options.method = method;
  options.run.formulation = run.formulation;
  options.run.integrator = run.integrator;
  options.run.step = run.step;
  options.run.end = run.end;
  options.run.start = run.start;
  options.run.details.tolerance = 1e-12;
  if (run.formulation == "penalty") options.run.constraints.penalty = 1e7;
  options.adjoint_approach = run.approach;
  options.adjoint_step = run.adjoint_step;
  return options;
}

GradientReport by(const Model& model, const std::string& method, const Setting& run) {
  const VecX rho = model.default_rho();
  const GradientReport report =
      gradient(model, {rho.data(), std::size_t(rho.size())}, options_of(method, run));
  EXPECT_EQ(report.status, RunStatus::kDone) << run.formulation << ": " << report.message;
  return report;
}

/// Size of the difference of each row, over the largest |ρ ∂ψ/∂ρ| of the row.
VecX distance(const Model& model, const MatX& expected, const MatX& actual) {
  const VecX rho = model.default_rho();
  VecX size(rho.size());
  for (Eigen::Index j = 0; j < rho.size(); ++j) size(j) = std::max(1e-3, std::abs(rho(j)));
  VecX result(expected.rows());
  for (Eigen::Index i = 0; i < expected.rows(); ++i) {
    const VecX row = expected.row(i).transpose().cwiseProduct(size);
    const VecX difference = (actual - expected).row(i).transpose().cwiseProduct(size);
    result(i) = difference.norm() / row.lpNorm<Eigen::Infinity>();
  }
  return result;
}

/// Below, the difference to the reference is the reference's own.
constexpr double kReferenceError = 1e-8;

/// What the motion conserves, an energy, may converge faster.
void expect_second_order(const VecX& coarse, const VecX& fine) {
  for (Eigen::Index i = 0; i < coarse.size(); ++i) {
    if (coarse(i) < kReferenceError) continue;
    const double order = std::log2(coarse(i) / fine(i));
    const bool superconvergent = coarse(i) < 1e-5 && order > 2;
    EXPECT_TRUE(std::abs(order - 2) < 0.15 || superconvergent)
        << order << ", objective " << i << ": " << coarse(i) << ", then " << fine(i);
    EXPECT_LT(fine(i), 1e-2);
  }
}

/// A model, and the steps h and h/2 between which the order is measured: small enough that it shows.
struct Example {
  const char* name;
  double end, step;
  const char* reference;  ///< the formulation that knows the limit
  std::vector<Setting> runs;
};

const Setting kIndexOne{"index1"}, kIndexOneByParts{"index1", "trapezoidal", 0, 0, 1};
const Setting kAli3p{"ali3p"}, kIndexThree{"index3", "generalized-alpha"}, kMatrixR{"matrix-r"};

const Example kExamples[] = {
    // objectives of positions, of speeds, of accelerations
    {"five_bar",
     0.4,
     5e-3,
     "index1",
     {kAli3p,
      kIndexThree,
      kMatrixR,
      kIndexOne,
      kIndexOneByParts,
      {"fully-recursive", "rk4"},
      {"fully-recursive", "trapezoidal", 0, 0, 1}}},
    {"slider_crank", 0.2, 6.25e-4, "index1", {kAli3p, kIndexThree, kMatrixR, kIndexOneByParts}},
    // a terminal objective of accelerations
    {"four_bar",
     0.4,
     2.5e-3,
     "index1",
     {kAli3p, kIndexThree, kMatrixR, kIndexOne, kIndexOneByParts}},
    {"double_pendulum",
     0.5,
     5e-3,
     "semi-recursive",
     {{"semi-recursive"}, {"semi-recursive", "hht"}, {"fully-recursive"}, kAli3p, kIndexThree}},
    // rows on speeds alone
    {"two_mass_nonholonomic", 0.5, 5e-3, "index1", {kAli3p, kIndexThree, kMatrixR, kIndexOne}},
    // and Euler parameters with redundant rows
    {"rolling_disc", 0.25, 5e-3, "index1", {kAli3p, kIndexOne}},
    // independent coordinates that change on the way: errors grow with a power of R
    {"rolling_disc", 0.25, 1.25e-3, "index1", {kMatrixR}},
    {"heavy_top", 0.02, 2e-4, "semi-recursive", {{"semi-recursive", "rk4"}, kAli3p, kIndexThree}},
    {"driven_four_bar", 0.5, 1e-2, "index1", {{"kinematic"}, kAli3p}},
    // nothing but itself tends to what the penalty does
    {"five_bar", 0.4, 5e-3, "penalty", {{"penalty"}}},
    {"slider_crank", 0.2, 2.5e-3, "penalty", {{"penalty"}}},
    {"four_bar", 0.4, 5e-3, "penalty", {{"penalty"}}},
    {"two_mass_nonholonomic", 0.5, 5e-3, "penalty", {{"penalty"}}}};

class ContinuousAdjointOrder : public testing::TestWithParam<Example> {};

TEST_P(ContinuousAdjointOrder, IsTwo) {
  const Example& example = GetParam();
  const Model model = test::example(example.name);
  const MatX limit =
      by(model, "forward", {example.reference, "rk4", example.step / 4, example.end}).gradient;
  for (Setting run : example.runs) {
    SCOPED_TRACE(run.formulation + " × " + run.integrator + ", approach " +
                 std::to_string(run.approach));
    run.end = example.end;
    run.step = example.step;
    const VecX coarse = distance(model, limit, by(model, "continuous-adjoint", run).gradient);
    run.step /= 2;
    const VecX fine = distance(model, limit, by(model, "continuous-adjoint", run).gradient);
    expect_second_order(coarse, fine);
  }
}

INSTANTIATE_TEST_SUITE_P(Examples, ContinuousAdjointOrder, testing::ValuesIn(kExamples),
                         [](const auto& example) {
                           return std::string(example.param.name) + "_" +
                                  std::to_string(example.index);
                         });

/// Its step need not be that of the run, which here is known far better, and may be adaptive.
TEST(ContinuousAdjoint, StepOfItsOwn) {
  const Model model = test::example("five_bar");
  const double end = 0.4;
  const MatX limit = by(model, "forward", {"index1", "rk4", 1e-3, end}).gradient;
  for (Setting run : {Setting{"matrix-r", "rk4", 2e-3, end}, Setting{"index1", "dopri5", 1e-2, end},
                      Setting{"index1", "rk4", 2e-3, end, 1}}) {
    SCOPED_TRACE(run.formulation + " × " + run.integrator);
    run.adjoint_step = 7e-3;  // 58 steps, of 6.9e-3
    const VecX coarse = distance(model, limit, by(model, "continuous-adjoint", run).gradient);
    run.adjoint_step = end / 116;
    const VecX fine = distance(model, limit, by(model, "continuous-adjoint", run).gradient);
    expect_second_order(coarse, fine);
  }
  // both at once, of a run whose own error counts
  Setting run{"ali3p", "trapezoidal", 5e-3, end};
  run.adjoint_step = 0.7 * run.step;
  const VecX coarse = distance(model, limit, by(model, "continuous-adjoint", run).gradient);
  run.step /= 2;
  run.adjoint_step /= 2;
  const VecX fine = distance(model, limit, by(model, "continuous-adjoint", run).gradient);
  expect_second_order(coarse, fine);
}

/// A. López Varela, doctoral thesis, 2022, tables 7.4 to 7.6, printed to four digits, at the step of
/// the thesis; its own methods differ among each other by up to 0.3 %.
TEST(ContinuousAdjoint, FiveBarOfTheThesis) {
  const Model model = test::example("five_bar");
  MatX expected(3, 5);                               // L_s1, L_s2, m_A1, r_G, L_A1
  expected << -4.228, 3.212, 0.3186, 0.4423, 3.360,  //
      -15.45, 50.32, 0.9700, 0.7454, -27.37,         //
      221.8, 2437, -32.51, -85.70, -2547;
  for (const char* formulation : {"ali3p", "matrix-r"}) {
    const GradientReport report =
        by(model, "continuous-adjoint", {formulation, "trapezoidal", 1e-3, 5});
    for (Eigen::Index i = 0; i < 3; ++i) {
      for (Eigen::Index j = 0; j < 5; ++j) {
        EXPECT_NEAR(report.gradient(i, j), expected(i, j), 1e-3 * std::abs(expected(i, j)))
            << formulation << ": " << model.objectives()[std::size_t(i)].name << ", "
            << parameter_at(model, int(j)).name;
      }
    }
  }
}

/// The place of an equilibrium depends on the parameters, and with it all that comes after.
TEST(ContinuousAdjoint, StartsAtAnEquilibrium) {
  const Model model = test::example("five_bar");
  for (const char* formulation : {"ali3p", "matrix-r", "index1"}) {
    Setting run{formulation, "trapezoidal", 1e-2, 0.4};
    run.start = "equilibrium";
    const GradientReport forward = by(model, "forward", run);
    const GradientReport adjoint = by(model, "continuous-adjoint", run);
    // nothing moves: only the first objective has a slope, and a rule of any order finds it
    const VecX difference = (adjoint.gradient - forward.gradient).row(0);
    EXPECT_LE(difference.norm(), 1e-8 * forward.gradient.row(0).norm()) << formulation;
  }
}

/// A motion with all that adjoint equations need of it, without objectives.
struct Motion {
  Motion(const std::string& name, const std::string& formulation, double step, double end)
      : model(test::example(name)), p(model.default_physical()) {
    run.formulation = formulation;
    run.integrator = "rk4";
    run.step = step;
    run.end = end;
    simulator = std::make_unique<Simulator>(model, run);
    const auto on = [](const StepState<double>&) { return true; };
    EXPECT_TRUE(simulator->run(p, on, nullptr, &trajectory).done());
    rule = stage_rule_of(model, run);
    make_system = system_partials_of(model, run, rule, p);
    between = std::make_unique<MotionInterpolant>(model, run, p, trajectory);
  }

  VecX to_rho(const std::vector<double>& p_bar) const {
    const DesignMap& map = model.design_map();
    const VecX rho = model.default_rho();
    VecX rho_bar = VecX::Zero(rho.size());
    auto work = map.make_workspace<double>();
    std::vector<double> values(p.size());
    const std::span<const double> at(rho.data(), std::size_t(rho.size()));
    map.evaluate<double>(at, values, work);
    map.reverse(at, values, p_bar, {rho_bar.data(), std::size_t(rho.size())}, work);
    return rho_bar;
  }

  Model model;
  std::vector<double> p;
  RunOptions run;
  std::unique_ptr<Simulator> simulator;
  Trajectory trajectory;
  StageRule rule;
  SystemPartialsFactory make_system;
  std::unique_ptr<MotionInterpolant> between;
};

/// [CA-3]: the transposed stage solves μ = b + c(H_q, H_v)(μ) to rounding, independent coordinates
/// whose speeds depend on others included.
TEST(ContinuousAdjoint, ImplicitStepIsThatOfItsRate) {
  for (const auto& [name, formulation] : {std::pair{"five_bar", "matrix-r"},
                                          {"rolling_disc", "matrix-r"},
                                          {"rolling_disc", "index1"},
                                          {"two_mass_nonholonomic", "matrix-r"},
                                          {"four_bar", "penalty"}}) {
    SCOPED_TRACE(std::string(name) + ", " + formulation);
    const Motion motion(name, formulation, 5e-3, 0.05);
    const int n = motion.model.nq(), m = int(motion.model.constraint_rows().size());
    StateSpaceAdjoint system(motion.make_system, motion.rule);
    MotionPoint x;
    ASSERT_TRUE(motion.between->at(0.033, x));
    std::mt19937_64 rng(7);
    const auto fill = [&](VecX& some) {
      for (double& value : some) value = test::uniform(rng);
    };
    AdjointSource g;
    g.g.set_zero(n, m);
    for (VecX* part : {&g.g.q, &g.g.v, &g.g.a, &g.g.lambda}) fill(*part);
    AdjointState b{VecX(n), VecX(n)}, mu, rate;
    fill(b.q);
    fill(b.v);
    if (x.selection) {  // others have no μ
      VecX q = VecX::Zero(n), v = VecX::Zero(n);
      for (const int i : x.selection->integrated) q(i) = b.q(i);
      for (const int i : x.selection->free) v(i) = b.v(i);
      b = {q, v};
    }
    const double c = 0.01;
    VecX p_step = VecX::Zero(Eigen::Index(motion.p.size())), p_rate = p_step;
    const auto span = [](VecX& y) { return std::span<double>(y.data(), std::size_t(y.size())); };
    AdjointSource weighted = g;
    weighted.weight = c;
    for (VecX* part : {&weighted.g.q, &weighted.g.v, &weighted.g.a, &weighted.g.lambda}) *part *= c;
    mu = b;
    ASSERT_TRUE(system.linearize(x, c));
    system.solve(weighted, mu, span(p_step));
    ASSERT_TRUE(system.linearize(x, 0));
    system.rate(mu, g, rate, span(p_rate));
    const double scale = 1 + mu.q.norm() + mu.v.norm() + c * (rate.q.norm() + rate.v.norm());
    EXPECT_LE((mu.q - b.q - c * rate.q).norm(), 1e-9 * scale);
    EXPECT_LE((mu.v - b.v - c * rate.v).norm(), 1e-9 * scale);
    EXPECT_LE((p_step - c * p_rate).norm(), 1e-9 * (1 + c * p_rate.norm()));
  }
}

/// ∫ s·λ + |a|²/2 dt and, at the end, s·λ + |v|²/2: what model files cannot ask for yet.
class Multipliers final : public AdjointIntegrands {
 public:
  explicit Multipliers(double s) : s_(s) {}
  std::size_t count() const override { return 1; }
  void take(const MotionPoint& x) override { x_ = &x.x; }
  void pull(std::size_t, double weight, StateCotangent& g, std::span<double>) override {
    for (Eigen::Index i = 0; i < g.lambda.size(); ++i) g.lambda(i) += weight * s_ * double(i + 1);
    g.a += weight * x_->a;
  }
  void pull_end(std::size_t, StateCotangent& g, std::span<double>) override {
    for (Eigen::Index i = 0; i < g.lambda.size(); ++i) g.lambda(i) += s_ * double(i + 1);
    g.v += x_->v;
  }

 private:
  double s_;
  const StepState<double>* x_ = nullptr;
};

/// Constraints at position level and at acceleration level have different adjoints and one gradient;
/// multipliers of redundant rows (those of the disc) have none.
TEST(ContinuousAdjoint, BothLevelsAgreeOnMultipliers) {
  for (const auto& [name, s] :
       {std::pair{"slider_crank", 1.0}, {"two_mass_nonholonomic", 1.0}, {"rolling_disc", 0.0}}) {
    SCOPED_TRACE(name);
    const Motion motion(name, "index1", 1e-3, 0.2);
    Multipliers integrands(s);
    RunPartials partials(motion.model, motion.run, motion.p);
    ASSERT_TRUE(partials.start().linearize(motion.trajectory.first(),
                                           motion.simulator->start_sets(), false));
    const auto p_bar = [&](AdjointSystem& system, int steps) {
      AdjointMarch march(*motion.between, system, integrands, steps, int(motion.p.size()));
      EXPECT_EQ(march.run([](double) { return true; }), MarchStatus::kDone);
      StateCotangent x;
      x.set_zero(motion.model.nq(), int(motion.model.constraint_rows().size()));
      x.q = march.mu(0).q;
      x.v = march.mu(0).v;
      std::vector<double>& p = march.p_bar()[0];
      partials.start().adjoint(x, p);
      return motion.to_rho(p);  // p alone may leave the constraints at the start
    };
    VecX difference(2);
    for (const int steps : {200, 400}) {
      StateSpaceAdjoint accelerations(motion.make_system, motion.rule);
      PositionLevelAdjoint positions(motion.make_system, motion.rule);
      const VecX a = p_bar(accelerations, steps), b = p_bar(positions, steps);
      difference(steps / 200 - 1) = (a - b).norm() / a.norm();
    }
    EXPECT_LT(difference(1), 1e-3);
    EXPECT_GE(std::log2(difference(0) / difference(1)), 1.7)
        << difference(0) << ", then " << difference(1);
  }
}

TEST(ContinuousAdjoint, RefusesByName) {
  const Model model = test::example("five_bar");
  const auto refused = [&](const GradientOptions& o) { return test::refusal_of(model, o); };
  GradientOptions options =
      options_of("continuous-adjoint", {"ali3p", "trapezoidal", 1e-2, 0.1, 1});
  EXPECT_NE(refused(options).find("ali3p has one approach only"), std::string::npos)
      << refused(options);
  options.adjoint_approach = 3;
  EXPECT_NE(refused(options).find("must be 1 or 2"), std::string::npos) << refused(options);
  options.adjoint_approach = 2;
  options.adjoint_step = -1;
  EXPECT_NE(refused(options).find("must be positive"), std::string::npos) << refused(options);
}

TEST(ContinuousAdjoint, StopsWhenAsked) {
  const Model model = test::example("five_bar");
  const VecX rho = model.default_rho();
  const GradientReport report =
      gradient(model, {rho.data(), std::size_t(rho.size())},
               options_of("continuous-adjoint", {"ali3p", "trapezoidal", 1e-2, 0.2}),
               [](std::string_view what, double part) {
                 return what != "continuous adjoint" || part < 0.5;
               });
  EXPECT_EQ(report.status, RunStatus::kStopped);
  EXPECT_NE(report.message.find("at t = 0.1"), std::string::npos) << report.message;
  EXPECT_TRUE(report.gradient.array().isNaN().all());
}

}  // namespace
}  // namespace kinegrad
