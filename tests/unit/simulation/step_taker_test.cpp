// What is done where a plain step fails (docs/theory/singular_positions.md).
#include "kinegrad/simulation/step_taker.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kinegrad/assembly/systems.hpp"
#include "kinegrad/formulations/all.hpp"
#include "support/constraint_oracles.hpp"

namespace kinegrad {
namespace {

constexpr double kStep = 0.1, kEnd = 1;

/// Uniform motion, in steps of at most a given size.
class ShortSteps final : public StepMap<double> {
 public:
  explicit ShortSteps(double most, NewtonStart needs = NewtonStart::kPlain)
      : most_(most), needs_(needs) {}
  std::string_view name() const override { return "short steps"; }
  int order() const override { return 1; }
  bool implicit() const override { return true; }
  StepReport start(StepState<double>&) override { return {}; }
  StepReport step(const StepState<double>& x0, double h, StepState<double>& x1,
                  NewtonStart newton) override {
    ++tried_;
    last_ = h;
    x1 = x0;
    x1.t = x0.t + h;
    x1.q += h * x0.v;
    if (newton == other_) x1.v *= 0.5;
    StepReport report;
    if (h > most_ || newton < needs_) report.status = StepStatus::kNotConverged;
    return report;
  }
  int tried() const { return tried_; }
  /// The size of the step that was tried last.
  double last() const { return last_; }
  /// A beginning of Newton's method that leads to another solution.
  void lead_elsewhere(NewtonStart other) { other_ = other; }

 private:
  double most_;
  NewtonStart needs_, other_ = NewtonStart::kPlain;
  int tried_ = 0;
  double last_ = 0;
};

/// Steps of more than a given size leave their equations open [LO-1].
class HeldInShortSteps final : public Formulation<double> {
 public:
  HeldInShortSteps(const ShortSteps& map, double most) : map_(map), most_(most) {}
  std::string_view name() const override { return "held in short steps"; }
  int nq() const override { return 1; }
  EulerSets euler_sets() const override { return {}; }
  void set_parameters(std::span<const double>) override {}
  bool acceleration(double, std::span<const double>, std::span<const double>, std::span<double>,
                    std::span<double>) override {
    return true;
  }
  bool correct(double, std::span<const double>, std::span<const double>, std::span<const double>,
               std::span<double>, const NewtonCoefficients&, std::span<double>) override {
    return true;
  }
  double kinetic_energy() const override { return 0; }
  double open() const override { return map_.last() > most_ ? 2 * kMostOpen : 0; }

 private:
  const ShortSteps& map_;
  double most_;
};

Model slider() {
  return test::model_of(R"(
bodies: {block: {mass: 1, inertia: [1, 1, 1]}}
joints: {S: {type: prismatic, bodies: [ground, block], points: [[0, 0, 0], [0, 0, 0]], axes: [x, x]}}
initial: {S.q: 0, S.v: 1}
)");
}

/// A run of one slider to the end with that map.
struct SliderRun {
  explicit SliderRun(ShortSteps& map)
      : SliderRun(
            map, *make_formulation<double>("semi-recursive", slider(), ReferencePoint::kCom, {})) {}
  SliderRun(ShortSteps& map, Formulation<double>& formulation) {
    const Model model = slider();
    const auto system = make_system<double>(model, ReferencePoint::kCom);
    RunOptions options;
    options.step = kStep;
    options.end = kEnd;
    StepTaker taker(map, formulation, *system, options);
    StepState<double> x0, x1;
    x0.q = VecX::Zero(1);
    x0.v = VecX::Ones(1);
    x0.a = VecX::Zero(1);
    taker.start(x0);
    for (int k = 1; k <= 10;) {
      last = taker.take(x0, k * kStep, x1, report);
      if (!last.usable()) break;
      ++steps;
      std::swap(x0, x1);
      if (x0.t >= k * kStep) ++k;
    }
    t = x0.t;
  }
  RunReport report;
  StepReport last;
  int steps = 0;
  double t = 0;
};

TEST(StepTaker, PlainStepsAreTakenAsTheyAre) {
  ShortSteps map(1);
  const SliderRun run(map);
  EXPECT_EQ(run.steps, 10);
  EXPECT_EQ(map.tried(), 10);
  EXPECT_FALSE(run.report.events.any());
}

TEST(StepTaker, StepsThatFailAreDivided) {
  for (const int parts : {2, 4, 32, 64}) {
    ShortSteps map(1.001 * kStep / parts);
    const SliderRun run(map);
    EXPECT_TRUE(run.last.usable()) << parts;
    EXPECT_EQ(run.steps, 10 * parts);
    EXPECT_NEAR(run.t, kEnd, 1e-14);
    EXPECT_EQ(run.report.events.divided.count, 10);
    EXPECT_EQ(run.report.events.divided.times.size(), Occurrences::kShown);
  }
}

TEST(StepTaker, StepsThatLeaveEquationsOpenAreDivided) {
  ShortSteps map(1);
  HeldInShortSteps formulation(map, 1.001 * kStep / 4);
  const SliderRun run(map, formulation);
  EXPECT_TRUE(run.last.usable());
  EXPECT_EQ(run.steps, 40);
  EXPECT_EQ(run.report.events.divided.count, 10);
  EXPECT_EQ(run.report.events.open, 0);
  HeldInShortSteps never(map, 0);
  const SliderRun ended(map, never);
  EXPECT_EQ(ended.last.status, StepStatus::kNotHeld);
  EXPECT_EQ(ended.steps, 0);
}

TEST(StepTaker, NoMoreThan64Parts) {
  ShortSteps map(0.9 * kStep / 64);
  const SliderRun run(map);
  EXPECT_EQ(run.last.status, StepStatus::kNotConverged);
  EXPECT_EQ(run.steps, 0);
}

TEST(StepTaker, EveryBeginningOfNewtonsMethodIsTried) {
  for (const NewtonStart needs : kNewtonStarts) {
    ShortSteps map(1, needs);
    const SliderRun run(map);
    EXPECT_EQ(run.steps, 10);
    EXPECT_EQ(run.report.events.damped.count, needs == NewtonStart::kPlain ? 0 : 10);
  }
}

TEST(StepTaker, SeveralSolutionsAreSaid) {
  ShortSteps map(1, NewtonStart::kDamped);
  EXPECT_EQ(SliderRun(map).report.events.several.count, 0);
  map.lead_elsewhere(NewtonStart::kFromRest);
  const SliderRun run(map);
  EXPECT_EQ(run.report.events.several.count, 10);
  EXPECT_EQ(run.report.events.several.times.size(), Occurrences::kShown);
  EXPECT_NEAR(run.t, kEnd, 1e-14);
}

/// A parallelogram of links of the given length, its cranks at an angle.
bool near_at(double length, double angle) {
  const std::string L = std::to_string(length);
  const Model model = test::model_of("parameters: {L: " + L + R"(}
points: {O: [0, 0, 0], D: [2*L, 0, 0]}
bodies:
  crank: {mass: 1, inertia: [1, 1, 1], points: {PA: [L, 0, 0]}}
  coupler: {mass: 1, inertia: [1, 1, 1], points: {PB: [2*L, 0, 0]}}
  rocker: {mass: 1, inertia: [1, 1, 1], points: {PC: [L, 0, 0]}}
joints:
  A: {type: revolute, bodies: [ground, crank], points: [O, [0, 0, 0]], axes: [z, z], references: [x, x]}
  B: {type: revolute, bodies: [crank, coupler], points: [PA, [0, 0, 0]], axes: [z, z], references: [x, x]}
  E: {type: revolute, bodies: [ground, rocker], points: [D, [0, 0, 0]], axes: [z, z], references: [x, x]}
  C: {type: revolute, bodies: [coupler, rocker], points: [PB, PC], axes: [z, z], references: [x, x], cut: true}
)");
  const auto system = make_system<double>(model, ReferencePoint::kCom);
  const std::vector<double> p = model.default_physical();
  system->set_parameters(p);
  const auto at = [](double x) { return std::vector<double>{x, -x, x}; };
  SingularPositions positions(*system);
  positions.start(0, at(1));
  return positions.near(0, at(angle), 0.03);
}

TEST(SingularPositions, NearnessIsAnAngleWhateverTheLength) {
  for (const double length : {1e-3, 1.0, 1e3}) {
    EXPECT_FALSE(near_at(length, 0.5)) << length;
    EXPECT_FALSE(near_at(length, 0.1)) << length;
    EXPECT_TRUE(near_at(length, 1e-2)) << length;
    EXPECT_TRUE(near_at(length, 1e-6)) << length;
    EXPECT_TRUE(near_at(length, 0)) << length;
    EXPECT_TRUE(near_at(length, M_PI - 1e-3)) << length;
  }
}

}  // namespace
}  // namespace kinegrad
