// No heap allocation inside a run: every example that is a tree × integrator × formulation.
#include <gtest/gtest.h>

#include <filesystem>

#include "kinegrad/integrators/all.hpp"
#include "support/allocation_counter.hpp"
#include "support/tree_samples.hpp"

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
std::int64_t allocations(const Model& model, std::string_view formulation, ReferencePoint point,
                         std::string_view integrator, const IntegratorOptions& options) {
  const auto solver = make_formulation<double>(formulation, model, point);
  const std::vector<double> p = model.default_physical();
  solver->set_parameters(p);
  const auto map = make_step_map<double>(integrator, *solver, options);
  StepState<double> x0, x1, inside;
  x0.q = Eigen::Map<const VecX>(p.data() + model.initial_q(), model.nq());
  x0.v = Eigen::Map<const VecX>(p.data() + model.initial_v(), model.nq());
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
  int trees = 0;
  for (const std::string& name : examples()) {
    const Model model = test::example(name);
    if (!model.topology().loops.empty()) continue;
    ++trees;
    for (const NamedChoice& formulation : formulations()) {
      for (const NamedChoice& integrator : integrators()) {
        for (ReferencePoint point : test::kBothPoints) {
          EXPECT_EQ(allocations(model, formulation.name, point, integrator.name, {}), 0)
              << name << ": " << coordinate_set_name(point) << " × " << formulation.name << " × "
              << integrator.name;
        }
      }
    }
  }
  EXPECT_GE(trees, 6);
}

TEST(Allocation, NoneWithTheExactTangent) {
  IntegratorOptions options;
  options.exact_tangent = true;
  for (const char* name : {"all_joints", "chain", "heavy_top"}) {
    const Model model = test::example(name);
    for (const NamedChoice& integrator : integrators()) {
      EXPECT_EQ(
          allocations(model, "semi-recursive", ReferencePoint::kCom, integrator.name, options), 0)
          << name << " × " << integrator.name;
    }
  }
}

}  // namespace
}  // namespace kinegrad
