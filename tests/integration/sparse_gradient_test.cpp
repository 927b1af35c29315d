// L4 where matrices are sparse: forward = adjoint = complex step for a chain of floating links with cut
// joints, too large for whole matrices. It starts with Euler parameters (1, 0, 0, 0), where the mass matrix
// has a diagonal entry that is nothing but rounding: short ones are tested for that.
#include <gtest/gtest.h>

#include "kinegrad/assembly/joint_partials.hpp"
#include "kinegrad/formulations/stage_partials.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "kinegrad/sensitivity/run_partials.hpp"
#include "support/allocation_counter.hpp"
#include "support/cut_chain.hpp"

namespace kinegrad {
namespace {

/// Of the largest |ρ ∂ψ/∂ρ| of the objective.
constexpr double kAgreement = 1e-9;

struct Case {
  const char *formulation, *integrator;
  int links;
};

RunOptions options_of(const Case& c) {
  RunOptions run;
  run.formulation = c.formulation;
  run.integrator = c.integrator;
  run.step = 5e-3;
  run.end = 1.5e-2;
  // above 1e8 the penalty formulation loses digits, its derivatives as well
  if (run.formulation == "penalty") run.constraints.penalty = 1e7;
  return run;
}

class SparseGradient : public testing::TestWithParam<Case> {};

TEST_P(SparseGradient, ForwardAdjointAndComplexStepAreOne) {
  const Model model = compile_model(test::cut_chain(GetParam().links));
  const RunOptions run = options_of(GetParam());
  const JointPartials system(model, ReferencePoint::kCom);
  ASSERT_EQ(stage_pattern(system, stage_rule_of(model, run)).has_value(), GetParam().links > 8);
  const VecX rho = model.default_rho();
  const auto by = [&](const char* method) {
    GradientOptions options;
    options.method = method;
    options.run = run;
    return gradient(model, {rho.data(), std::size_t(rho.size())}, options);
  };
  const GradientReport expected = by("complex-step");
  ASSERT_EQ(expected.status, RunStatus::kDone) << expected.message;
  const VecX sizes = expected.gradient.row(0).transpose().cwiseProduct(rho);
  ASSERT_GT(sizes.cwiseAbs().minCoeff(),
            1e-3 * sizes.cwiseAbs().maxCoeff());  // all of them move it
  for (const char* method : {"forward", "adjoint"}) {
    const GradientReport actual = by(method);
    ASSERT_EQ(actual.status, RunStatus::kDone) << actual.message;
    const VecX error = (actual.gradient - expected.gradient).row(0).transpose().cwiseProduct(rho);
    EXPECT_LE(error.cwiseAbs().maxCoeff(), kAgreement * sizes.cwiseAbs().maxCoeff()) << method;
  }
}

INSTANTIATE_TEST_SUITE_P(
    CutChain, SparseGradient,
    testing::Values(Case{"ali3p", "trapezoidal", 2}, Case{"index1", "trapezoidal", 2},
                    Case{"index3", "hht", 2}, Case{"ali3p", "trapezoidal", 12},
                    Case{"index1", "trapezoidal", 12}, Case{"penalty", "trapezoidal", 12},
                    Case{"index3", "hht", 12}, Case{"index1", "rk4", 12},
                    Case{"ali3p", "trapezoidal", 40}, Case{"index1", "trapezoidal", 40},
                    Case{"penalty", "trapezoidal", 40}, Case{"index3", "hht", 40}),
    [](const auto& c) {
      return std::string(c.param.formulation) + "_" + c.param.integrator + "_" +
             std::to_string(c.param.links);
    });

/// Tangents and adjoints of steps ask for no memory, once they have their size.
TEST(SparseGradientMemory, NoneInDerivativesOfSteps) {
  const Model model = compile_model(test::cut_chain(12));
  const std::vector<double> p = model.default_physical();
  const VecX rho = model.default_rho();
  const std::vector<int> parameters{0, 1};
  const DesignJacobian design(model.design_map(), {rho.data(), std::size_t(rho.size())},
                              parameters);
  for (const Case& c : {Case{"ali3p", "trapezoidal", 12}, Case{"index1", "trapezoidal", 12},
                        Case{"index3", "hht", 12}}) {
    SCOPED_TRACE(c.formulation);
    Simulator simulator(model, options_of(c));
    Trajectory trajectory;
    const RunReport report = simulator.run(
        p, [](const StepState<double>&) { return true; }, nullptr, &trajectory);
    ASSERT_TRUE(report.done()) << report.message;
    RunPartials partials(model, simulator.options(), p);
    const auto m = int(model.constraint_rows().size());
    StateCotangent bar;
    bar.set_zero(model.nq(), m);
    bar.q.setOnes();
    StateTangent dx;
    dx.resize(model.nq(), m, 2);
    std::vector<double> p_bar(p.size(), 0.0);
    RecordRoom room;
    const auto both = [&](std::size_t k) {
      bool fine = partials.step().linearize(trajectory.record(k, room));
      partials.step().adjoint(bar, p_bar, {});
      return partials.step().tangent(trajectory.record(k, room), design, dx, {}) && fine;
    };
    EXPECT_TRUE(both(0));
    EXPECT_TRUE(both(1));
    const AllocationCounter counter;
    const bool fine = both(2);
    EXPECT_EQ(counter.count(), 0);
    EXPECT_TRUE(fine);
  }
}

}  // namespace
}  // namespace kinegrad
