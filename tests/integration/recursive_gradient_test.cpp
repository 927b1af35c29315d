// L4 where stages are differentiated without matrices [ST-11]: forward = adjoint = complex step for long chains of
// all joints, with and without constraint equations, and for random trees; and that a gradient of a chain needs
// memory in proportion to its length.
#include <gtest/gtest.h>

#include "kinegrad/formulations/chosen_stage.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "support/allocation_counter.hpp"
#include "support/gradient_distance.hpp"
#include "support/long_chain.hpp"
#include "support/tree_samples.hpp"

namespace kinegrad {
namespace {

using test::ChainJoints;

/// Of the largest |ρ ∂ψ/∂ρ| of the objective.
constexpr double kAgreement = 1e-9;

GradientReport gradient_by(const Model& model, const char* method, const RunOptions& run) {
  GradientOptions options;
  options.method = method;
  options.run = run;
  const VecX rho = model.default_rho();
  return gradient(model, test::view(rho), options);
}

RunOptions options_of(const char* integrator, const char* coordinates = "joint-com") {
  RunOptions run;
  run.formulation = "fully-recursive";
  run.integrator = integrator;
  run.coordinates = coordinates;
  run.step = 2e-3;
  run.end = 1e-2;
  return run;
}

/// All objectives, no warning of the self-check.
void expect_agreement(const Model& model, const RunOptions& run) {
  const GradientReport expected = gradient_by(model, "complex-step", run);
  ASSERT_EQ(expected.status, RunStatus::kDone) << expected.message;
  for (const char* method : {"forward", "adjoint"}) {
    const GradientReport actual = gradient_by(model, method, run);
    ASSERT_EQ(actual.status, RunStatus::kDone) << actual.message;
    EXPECT_LE(test::gradient_distance(model, expected, actual), kAgreement) << method;
    for (const Warning& warning : actual.run.warnings) {
      EXPECT_NE(warning.kind, "self-check") << method << ": " << warning.text;
    }
  }
}

TEST(RecursiveGradient, OpenChainsOfAllJoints) {
  for (const char* integrator : {"rk4", "dopri5"}) {
    for (const char* coordinates : {"joint-com", "joint-origin"}) {
      SCOPED_TRACE(std::string(integrator) + " " + coordinates);
      expect_agreement(test::long_chain(15, ChainJoints::kAll, false),
                       options_of(integrator, coordinates));
    }
  }
}

TEST(RecursiveGradient, ChainsWithConstraintEquations) {
  for (const char* integrator : {"rk4", "dopri5"}) {
    for (const char* coordinates : {"joint-com", "joint-origin"}) {
      for (const ChainJoints joints : {ChainJoints::kHinges, ChainJoints::kAll}) {
        SCOPED_TRACE(std::string(integrator) + " " + coordinates);
        const Model model = test::long_chain(30, joints, true);
        ASSERT_TRUE(responses_pay(model.nq(), int(model.constraint_rows().size())));
        expect_agreement(model, options_of(integrator, coordinates));
      }
    }
  }
}

/// So long that forward makes sweeps instead of matrices, too.
TEST(RecursiveGradient, ForwardBySweeps) {
  for (const bool constrained : {false, true}) {
    expect_agreement(test::long_chain(60, ChainJoints::kAll, constrained), options_of("rk4"));
  }
}

TEST(RecursiveGradient, ImplicitStepsKeepTheirMatrices) {
  for (const bool constrained : {false, true}) {
    expect_agreement(test::long_chain(30, ChainJoints::kHinges, constrained),
                     options_of("trapezoidal"));
  }
}

/// Branching trees with all types of joints, forces between distant bodies.
TEST(RecursiveGradient, RandomTrees) {
  for (unsigned seed = 900; seed < 912; ++seed) {
    SCOPED_TRACE(seed);
    ModelDescription d = test::loaded_tree(seed, 12);
    ObjectiveSpec objective;
    objective.name = "psi";
    objective.integral = "B12.P.x*B5.P.vy + B7.P.z^2";
    objective.terminal = "B9.P.vx";
    d.objectives.push_back(objective);
    expect_agreement(compile_model(d), options_of(seed % 2 ? "rk4" : "dopri5"));
  }
}

/// Bytes that a gradient asks for, self-check included; a matrix of the tree would show as a square.
double bytes_of(int links, bool constrained, const char* method) {
  const Model model = test::long_chain(links, ChainJoints::kHinges, constrained);
  RunOptions run = options_of("rk4");
  run.step = 1e-3;
  run.end = 5e-3;
  const AllocationCounter counter;
  const GradientReport report = gradient_by(model, method, run);
  EXPECT_EQ(report.status, RunStatus::kDone) << report.message;
  return double(counter.bytes());
}

TEST(RecursiveGradient, MemoryGrowsLikeTheChain) {
  for (const bool constrained : {false, true}) {
    for (const char* method : {"forward", "adjoint"}) {
      const double one = bytes_of(400, constrained, method),
                   two = bytes_of(800, constrained, method),
                   four = bytes_of(1600, constrained, method);
      if (one == 0) GTEST_SKIP() << "nothing is counted under sanitizers";
      EXPECT_LE(two, 2.2 * one) << method << (constrained ? ", constrained" : "");
      EXPECT_LE(four, 2.2 * two) << method << (constrained ? ", constrained" : "");
    }
  }
}

}  // namespace
}  // namespace kinegrad
