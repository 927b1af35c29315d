// Whole runs on complex numbers: the start, every formulation and the step maps are holomorphic, so
// the imaginary part is the derivative with respect to a parameter.
#include <gtest/gtest.h>

#include "kinegrad/math/derivative_check.hpp"
#include "support/closed_loops.hpp"

namespace kinegrad {
namespace {

using test::Method;

constexpr double kEnd = 0.1;
constexpr int kSteps = 25;

double value_of(const Model& model, const std::string& parameter) {
  for (const Parameter& p : model.parameters()) {
    if (p.name == parameter) return p.value;
  }
  return test::kNaN;
}

/// (q, v) at the end at a value of the parameter.
template <Scalar T>
VecXT<T> end_state(const Model& model, const Method& method, const std::string& parameter,
                   const T& value) {
  const std::vector<T> p = test::physical_with<T>(model, {{parameter, value}});
  const StepState<T> x = test::run<T>(model, p, method, kEnd, kSteps);
  VecXT<T> out(2 * x.q.size());
  out << x.q, x.v;
  return out;
}

/// Central difference, extrapolated once: h⁴ = 1e-12, rounding 1e-13/h = 1e-10 of states near 1 that
/// are converged to 1e-13.
VecX difference(const Model& model, const Method& method, const std::string& parameter) {
  const double value = value_of(model, parameter);
  const auto central = [&](double h) {
    return VecX((end_state<double>(model, method, parameter, value + h) -
                 end_state<double>(model, method, parameter, value - h)) /
                (2 * h));
  };
  constexpr double h = 1e-3;
  return (4 * central(0.5 * h) - central(h)) / 3;
}

void expect_holomorphic(const Model& model, const Method& method, const std::string& parameter) {
  const VecXT<Complex> z =
      end_state<Complex>(model, method, parameter, {value_of(model, parameter), kComplexStep});
  const VecX x = end_state<double>(model, method, parameter, value_of(model, parameter));
  EXPECT_LE((z.real() - x).norm(), 1e-9 * x.norm()) << method.name() << ", " << parameter;
  const VecX expected = difference(model, method, parameter);
  // a penalty of 1e10 costs the differences three digits more
  EXPECT_LE((z.imag() / kComplexStep - expected).norm(), 1e-7 * std::max(1.0, expected.norm()))
      << method.name() << ", " << parameter;
  EXPECT_GT(expected.norm(), 1e-3) << "the parameter does something";
}

IntegratorOptions tight() {
  IntegratorOptions options;
  options.tolerance = 1e-13;
  return options;
}

TEST(ComplexRun, FiveBarWithEveryPair) {
  const Model model = test::example("five_bar");
  for (const char* parameter : {"L_A1", "m_A1"}) {
    for (const ReferencePoint point : test::kBothPoints) {
      for (const Method& method : test::methods_for(model, point, tight())) {
        if (method.integrator == "newmark" || method.integrator == "dopri5") continue;
        expect_holomorphic(model, method, parameter);
      }
    }
  }
}

/// Euler parameters, a nonholonomic constraint, a closure in space, a drive.
TEST(ComplexRun, OtherExamples) {
  for (const auto& [name, parameter] : {std::pair{"rolling_disc", "R"},
                                        {"slider_crank", "m_CD"},
                                        {"driven_four_bar", "crank_length"}}) {
    const Model model = test::example(name);
    for (const char* formulation : {"ali3p", "matrix-r", "penalty", "index1", "fully-recursive"}) {
      expect_holomorphic(model, {formulation, "trapezoidal", ReferencePoint::kCom, tight()},
                         parameter);
    }
    expect_holomorphic(model, {"index3", "hht", ReferencePoint::kCom, tight()}, parameter);
    expect_holomorphic(model, {"matrix-r", "rk4", ReferencePoint::kCom, tight()}, parameter);
  }
}

}  // namespace
}  // namespace kinegrad
