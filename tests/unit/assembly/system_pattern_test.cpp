// Matrices in their patterns are the whole ones, entry by entry, for every example, constraint type and
// cut joint, and for random trees; and what a cut chain has does not grow faster than its links.
#include <gtest/gtest.h>

#include <filesystem>

#include "kinegrad/assembly/joint_partials.hpp"
#include "kinegrad/signals/reactive_partials.hpp"
#include "support/closure_samples.hpp"
#include "support/constraint_oracles.hpp"
#include "support/cut_chain.hpp"
#include "support/system_samples.hpp"
#include "support/tree_samples.hpp"

namespace kinegrad {
namespace {

/// One sum in another order.
constexpr double kRounding = 1e-14;

MatX whole(const SparseRows<double>& A) {
  MatX out = MatX::Zero(A.rows(), A.columns);
  for (int i = 0; i < A.rows(); ++i) A.each(i, [&](int j, double x) { out(i, j) = x; });
  return out;
}

SparseRows<double> poisoned(SparseRows<double> A) {
  std::fill(A.value.begin(), A.value.end(), test::kNaN);
  return A;
}

void expect_same(const SparseRows<double>& actual, const MatX& expected, const char* what) {
  ASSERT_EQ(actual.rows(), expected.rows());
  if (expected.size() == 0) return;
  EXPECT_LE(test::relative(whole(actual), expected), kRounding) << what;
}

void expect_patterns(const Model& model, std::mt19937_64& rng) {
  const test::SystemSample x = test::random_sample(model, rng);
  const std::vector<double>& lambda = x.lambda;
  const auto owner = make_system_partials(model, ReferencePoint::kCom);
  SystemPartials& partials = *owner;
  partials.set_parameters(x.p);
  partials.linearize(0.3, x.q, x.v, x.a, lambda);
  const SystemPattern pattern = partials.pattern();
  EXPECT_EQ(pattern.mass.value.size(), partials.mass_entries());
  SparseRows<double> f_q = poisoned(pattern.equations), f_v = f_q, f_a = poisoned(pattern.mass);
  MatX whole_q, whole_v, whole_a;
  partials.matrices(f_q, f_v, f_a);
  partials.matrices(whole_q, whole_v, whole_a);
  expect_same(f_q, whole_q, "f_q");
  expect_same(f_v, whole_v, "f_v");
  expect_same(f_a, whole_a, "f_a");
  SparseRows<double> Phi_q = poisoned(pattern.rows), Phidot_q = Phi_q, Phiddot_q = Phi_q,
                     Phiddot_v = Phi_q;
  partials.jacobians(SparseRowJacobians{Phi_q, Phidot_q, Phiddot_q, Phiddot_v}, RowLevels::kAll);
  RowJacobians rows;
  partials.jacobians(rows, RowLevels::kAll);
  expect_same(Phi_q, rows.Phi_q, "Phi_q");
  expect_same(Phidot_q, rows.Phidot_q, "Phidot_q");
  expect_same(Phiddot_q, rows.Phiddot_q, "Phiddot_q");
  expect_same(Phiddot_v, rows.Phiddot_v, "Phiddot_v");
  partials.linearize_inertia(x.a, lambda);
  f_q = poisoned(f_q);
  partials.inertia_matrix(f_q);
  partials.inertia_matrix(whole_q);
  expect_same(f_q, whole_q, "(M u)_q");
}

TEST(SystemPattern, OfEveryExample) {
  std::mt19937_64 rng(31);
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test::source_path("examples"))) {
    if (entry.path().extension() != ".yaml") continue;
    SCOPED_TRACE(entry.path().stem());
    for (const CoordinateSet set :
         {CoordinateSet::kJoint, CoordinateSet::kCartesian, CoordinateSet::kNatural}) {
      const Model model = test::example(entry.path().stem(), set);
      if (!model.reactive_forces().empty()) continue;  // these have whole matrices, and say so
      expect_patterns(model, rng);
    }
    ++count;
  }
  EXPECT_GE(count, 10);
}

TEST(SystemPattern, OfEveryConstraintAndCutJoint) {
  std::mt19937_64 rng(32);
  for (const auto& [type, fields] : test::constraint_samples()) {
    SCOPED_TRACE(type + ": " + fields);
    expect_patterns(test::model_of(test::constrained_mechanism(type, fields)), rng);
  }
  for (const test::Closure& c : test::kClosures) {
    SCOPED_TRACE(c.type);
    for (const bool reversed : {false, true}) {
      expect_patterns(test::closed_by(c.type, "minimal", reversed), rng);
    }
  }
}

TEST(SystemPattern, OfRandomTreesAndCutChains) {
  test::for_loaded_trees(33, [](const Model& model, const test::SampleState&, const auto& name) {
    SCOPED_TRACE(name);
    std::mt19937_64 rng(34);
    expect_patterns(model, rng);
  });
  std::mt19937_64 rng(35);
  for (const int links : {2, 3, 7}) expect_patterns(compile_model(test::cut_chain(links)), rng);
}

/// 7 coordinates per link and 5 rows, which couple neighbours alone.
TEST(SystemPattern, OfACutChainIsLinear) {
  for (const int links : {3, 30, 100}) {
    const Model model = compile_model(test::cut_chain(links));
    const SystemPattern pattern = JointPartials(model, ReferencePoint::kCom).pattern();
    const auto n = std::size_t(links);
    EXPECT_EQ(pattern.mass.value.size(), 49 * n);
    EXPECT_EQ(pattern.equations.value.size(), 49 * (n + 2 * (n - 1)));
    EXPECT_EQ(pattern.rows.value.size(), 5 * 7 * (2 * n - 1));
  }
}

}  // namespace
}  // namespace kinegrad
