// No heap allocation inside a run: every example × integrator × formulation that go together.
#include <gtest/gtest.h>

#include <filesystem>

#include "kinegrad/formulations/matrix_r.hpp"
#include "kinegrad/sensitivity/run_partials.hpp"
#include "support/allocation_counter.hpp"
#include "support/closed_loops.hpp"
#include "support/named_coordinates.hpp"

namespace kinegrad {
namespace {

std::vector<std::string> examples() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(test::source_path("examples"))) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Allocations of ten steps after the first one.
std::int64_t allocations(const Model& model, const test::Method& method) {
  const auto solver = make_formulation<double>(method.formulation, model, method.point);
  const std::vector<double> p = model.default_physical();
  solver->set_parameters(p);
  const auto map = make_step_map<double>(method.integrator, *solver, method.details);
  StepState<double> x0 = test::assembled<double>(model, p), x1, inside;
  EXPECT_TRUE(map->start(x0).usable());
  constexpr double kStep = 1e-3;
  EXPECT_TRUE(map->step(x0, kStep, x1).usable());
  map->interpolate(x0, x1, 0.5, inside);
  std::swap(x0, x1);
  // the state that was given at the start has now its full size as well
  EXPECT_TRUE(map->step(x0, kStep, x1).usable());
  std::swap(x0, x1);

  bool fine = true;
  const AllocationCounter counter;
  for (int k = 0; k < 10; ++k) {
    fine = map->step(x0, kStep, x1).usable() && fine;
    map->interpolate(x0, x1, 0.3, inside);
    std::swap(x0, x1);
  }
  const std::int64_t count = counter.count();
  EXPECT_TRUE(fine);
  return count;
}

TEST(Allocation, NoneAfterTheFirstStep) {
  int trees = 0, loops = 0;
  for (const std::string& name : examples()) {
    const Model model = test::example(name);
    ++(model.constraints().empty() ? trees : loops);
    for (const ReferencePoint point : test::kBothPoints) {
      for (const test::Method& method : test::methods_for(model, point)) {
        SCOPED_TRACE(name + ": " + method.name());
        EXPECT_EQ(allocations(model, method), 0);
      }
    }
  }
  EXPECT_GE(trees, 6);
  EXPECT_GE(loops, 8);
}

TEST(Allocation, NoneWithTheExactTangent) {
  IntegratorOptions options;
  options.exact_tangent = true;
  for (const char* name : {"all_joints", "chain", "heavy_top", "five_bar", "slider_crank"}) {
    const Model model = test::example(name);
    for (const test::Method& method : test::methods_for(model, ReferencePoint::kCom, options)) {
      EXPECT_EQ(allocations(model, method), 0) << name << ": " << method.name();
    }
  }
}

/// Tangents and adjoints of steps, once they have their size. Returns how many methods there are.
int expect_none_in_derivatives(const Model& model, const std::string& name) {
  int pairs = 0;
  const std::vector<double> p = model.default_physical();
  const VecX rho = model.default_rho();
  const std::vector<int> parameters{0};
  const DesignJacobian design(model.design_map(), test::view(rho), parameters);
  for (const test::Method& method : test::methods_for(model, ReferencePoint::kCom)) {
    SCOPED_TRACE(name + ": " + method.name());
    RunOptions run;
    run.coordinates = coordinate_set_name(model.coordinate_set());
    run.formulation = method.formulation;
    run.integrator = method.integrator;
    run.step = 1e-3;
    run.end = 3e-3;
    if (has_adaptive_steps(run.integrator, run.details.steps)) run.details.tolerance = 1e-6;
    Simulator simulator(model, run);
    Trajectory trajectory;
    const RunReport report = simulator.run(
        p, [](const StepState<double>&) { return true; }, nullptr, &trajectory);
    if (report.input_wrong) continue;  // kinematic, where motion is left
    EXPECT_TRUE(report.done()) << report.message;
    if (!report.done()) continue;
    RunPartials partials(model, simulator.options(), p);
    const auto m = int(model.constraint_rows().size());
    StateCotangent bar;
    bar.set_zero(model.state_size(), m);
    bar.q.setOnes();
    StateTangent dx;
    dx.resize(model.state_size(), m, 1);
    std::vector<double> p_bar(p.size(), 0.0);
    const StepPartials::VisitCotangent visit_bar = [](int, StateCotangent&) {};
    const StepPartials::VisitTangent visit = [](int, const StateTangent&) {};
    const auto both = [&](const StepRecord& record) {
      bool fine = partials.step().linearize(record);
      partials.step().adjoint(bar, p_bar, visit_bar);
      fine = partials.step().tangent(record, design, dx, visit) && fine;
      return fine;
    };
    RecordRoom room;
    EXPECT_TRUE(both(trajectory.record(0, room)));
    EXPECT_TRUE(both(trajectory.record(1, room)));
    const AllocationCounter counter;
    const bool fine = both(trajectory.record(trajectory.size() - 1, room));
    EXPECT_EQ(counter.count(), 0);
    EXPECT_TRUE(fine);
    ++pairs;
  }
  return pairs;
}

void expect_none_in_derivatives(CoordinateSet set, int least) {
  int pairs = 0;
  for (const char* name :
       {"five_bar", "slider_crank", "rolling_disc", "two_mass_nonholonomic", "all_joints"}) {
    pairs += expect_none_in_derivatives(test::example(name, set), name);
  }
  EXPECT_GE(pairs, least);
}

TEST(Allocation, NoneInDerivativesOfSteps) {
  expect_none_in_derivatives(CoordinateSet::kJoint, 60);
}
TEST(Allocation, NoneInDerivativesInGlobalCoordinates) {
  expect_none_in_derivatives(CoordinateSet::kCartesian, 50);
  expect_none_in_derivatives(CoordinateSet::kNatural, 50);
}

TEST(Allocation, NoneInDerivativesWherePointsAreIntegrated) {
  for (const test::NamedCase& c : test::named_cases()) {
    for (const CoordinateSet set : {CoordinateSet::kJoint, CoordinateSet::kNatural}) {
      const Model model = test::naming(c.description(), c.names, set);
      EXPECT_EQ(expect_none_in_derivatives(model, c.name), int(integrators().size()));
    }
  }
}

/// Choosing independent coordinates anew does not ask for memory either: the disc turns by 6 rad.
TEST(Allocation, NoneWhenCoordinatesAreChosenAnew) {
  const Model model = test::example("rolling_disc");
  const std::vector<double> p = model.default_physical();
  MatrixR<double> solver(model, std::make_unique<JointSystem<double>>(model, ReferencePoint::kCom));
  solver.set_parameters(p);
  const auto map = make_step_map<double>("trapezoidal", solver, {});
  StepState<double> x0 = test::assembled<double>(model, p), x1;
  ASSERT_TRUE(map->start(x0).usable());
  for (int k = 0; k < 2; ++k) {
    ASSERT_TRUE(map->step(x0, 1e-3, x1).usable());
    std::swap(x0, x1);
  }
  const int before = solver.selections();
  const AllocationCounter counter;
  for (int k = 0; k < 500; ++k) {
    if (!map->step(x0, 1e-3, x1).usable()) break;
    std::swap(x0, x1);
  }
  EXPECT_EQ(counter.count(), 0);
  EXPECT_GE(solver.selections(), before + 2);
}

}  // namespace
}  // namespace kinegrad
