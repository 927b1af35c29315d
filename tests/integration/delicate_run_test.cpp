// Gradients of runs through singular positions are confirmed as a whole: what is right is confirmed, what is
// not carries a warning.
#include "sensitivity/delicate_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/simulation/simulator.hpp"
#include "support/four_bar_windows.hpp"
#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

Model windows() {
  return compile_model(parse_model_yaml(test::four_bar_windows(2), "windows.yaml"),
                       builtin_catalogue());
}

/// Through the first singular position, at 0.7 s.
GradientOptions passing() {
  GradientOptions options;
  options.run.step = 2e-3;
  options.run.end = 2;
  return options;
}

GradientReport gradient_of(const Model& model, const GradientOptions& options) {
  const VecX rho = model.default_rho();
  return gradient(model, in(rho), options);
}

/// What a confirmation says of a gradient, right or wrong, of the run that it belongs to.
Warnings confirmed(const Model& model, const GradientOptions& options, GradientReport report) {
  const VecX rho = model.default_rho();
  GradientTask task{
      model, options, {rho.begin(), rho.end()}, {}, model.default_physical(), nullptr, nullptr,
      {},    nullptr};
  Simulator simulator(model, report.settings);
  simulator.run(
      task.p, [](const StepState<double>&) { return true; }, &task.plan);
  report.run.warnings.clear();
  confirm_delicate_gradient(task, {}, report);
  return report.run.warnings;
}

TEST(DelicateRun, RunsFarFromSingularPositionsAreNot) {
  GradientOptions options;
  options.run.step = 2e-3;
  options.run.end = 0.2;
  EXPECT_THAT(delicate_reason(gradient_of(test::example("five_bar"), options).run), IsEmpty());
}

TEST(DelicateRun, AGradientThatIsRightIsConfirmed) {
  const Model model = windows();
  for (const char* method : {"forward", "adjoint", "complex-step"}) {
    GradientOptions options = passing();
    options.method = method;
    const GradientReport report = gradient_of(model, options);
    ASSERT_EQ(report.status, RunStatus::kDone) << report.message;
    EXPECT_THAT(delicate_reason(report.run), HasSubstr("singular position at t = 0.7"));
    EXPECT_THAT(report.run.warnings, IsEmpty()) << report.run.warnings.front().text;
  }
}

/// Each entry in turn, wrong by 1e-4 of the largest derivative of its objective.
TEST(DelicateRun, AGradientThatIsWrongCarriesAWarning) {
  const Model model = windows();
  const GradientOptions options = passing();
  const GradientReport right = gradient_of(model, options);
  EXPECT_THAT(confirmed(model, options, right), IsEmpty());
  const VecX rho = model.default_rho();
  for (Eigen::Index i = 0; i < right.gradient.rows(); ++i) {
    const double size = (right.gradient.row(i).transpose().cwiseProduct(rho)).cwiseAbs().maxCoeff();
    for (Eigen::Index j = 0; j < right.gradient.cols(); ++j) {
      GradientReport wrong = right;
      wrong.gradient(i, j) += 1e-4 * size / rho(j);
      const Warnings warnings = confirmed(model, options, wrong);
      ASSERT_EQ(warnings.size(), 1u);
      EXPECT_EQ(warnings[0].kind, "self-check");
      EXPECT_EQ(warnings[0].element, model.objectives()[static_cast<std::size_t>(i)].name);
      EXPECT_THAT(warnings[0].text, HasSubstr("e-05 only"));
    }
  }
}

}  // namespace
}  // namespace kinegrad
