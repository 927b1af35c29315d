// Seeded mechanisms of joints with translations, springs on lengths, point masses, rotors and fields
// (support/random_elements.hpp): the motion agrees in all coordinates and formulations, energy is kept where it
// must be, and forward, adjoint and complex step give the same gradient.
#include <gtest/gtest.h>

#include <cstdlib>

#include "kinegrad/formulations/all.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "kinegrad/simulation/signal_table.hpp"
#include "support/gradient_distance.hpp"
#include "support/random_elements.hpp"

namespace kinegrad {
namespace {

using test::ElementCase;

Model compiled(const ElementCase& c, const std::string& coordinates) {
  return compile_model(parse_model_yaml(c.yaml, "case"), builtin_catalogue(),
                       coordinate_set_named(coordinates));
}

RunOptions run(const std::string& coordinates, const std::string& formulation,
               const std::string& integrator = "rk4", double step = 5e-3) {
  RunOptions options;
  options.coordinates = coordinates;
  options.formulation = formulation;
  options.integrator = integrator;
  options.step = step;
  options.end = 0.2;
  return options;
}

/// KINEGRAD_ATTACK_CASES and KINEGRAD_ATTACK_SEED ask for more than the suite runs.
std::uint64_t asked(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// Each check for the seeds of the run.
template <typename Check>
void for_seeds(std::uint64_t count, const Check& check) {
  const std::uint64_t first = asked("KINEGRAD_ATTACK_SEED", 1);
  const std::uint64_t cases = asked("KINEGRAD_ATTACK_CASES", count);
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    const ElementCase c = test::random_elements(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + c.yaml);
    check(c);
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// The fourth-order method leaves some 1e-9 at this step, in each set of coordinates another.
constexpr double kDiscretisation = 2e-6;

TEST(ElementsAttack, CoordinatesAndFormulationsAgree) {
  for_seeds(40, [](const ElementCase& c) {
    const Model first = compiled(c, "joint-com");
    const SignalTable expected =
        simulate(first, run("joint-com", c.closed ? "matrix-r" : "semi-recursive"));
    ASSERT_TRUE(expected.report.done()) << expected.report.message;
    const VecX last = expected.values.bottomRows(1).transpose();
    ASSERT_TRUE(last.allFinite());
    const auto compare = [&](const std::string& coordinates, const std::string& formulation,
                             const std::string& integrator, double step, double tolerance) {
      const SignalTable table =
          simulate(compiled(c, coordinates), run(coordinates, formulation, integrator, step));
      ASSERT_TRUE(table.report.done())
          << coordinates << " × " << formulation << ": " << table.report.message;
      const VecX end = table.values.bottomRows(1).transpose();
      EXPECT_LE((end - last).cwiseAbs().maxCoeff(), tolerance * (1 + last.cwiseAbs().maxCoeff()))
          << coordinates << " × " << formulation << " × " << integrator;
    };
    compare("joint-origin", c.closed ? "matrix-r" : "fully-recursive", "rk4", 5e-3,
            kDiscretisation);
    compare("joint-com", "index1", "rk4", 5e-3, kDiscretisation);
    compare("cartesian", "matrix-r", "rk4", 5e-3, kDiscretisation);
    compare("natural", "matrix-r", "rk4", 5e-3, kDiscretisation);
    compare("cartesian", "index1", "rk4", 5e-3, kDiscretisation);
    // second order: the step is 25 times shorter than the time of the fastest spring
    compare("natural", "ali3p", "trapezoidal", 1e-3, 1e-4);
    compare("joint-com", "ali3p", "trapezoidal", 1e-3, 1e-4);
  });
}

/// Dampers apart, the energy of all elements together is constant: each has the right potential.
TEST(ElementsAttack, EnergyIsKept) {
  int conservative = 0;
  for_seeds(150, [&](const ElementCase& c) {
    if (!c.conservative) return;
    ++conservative;
    const SignalTable table = simulate(compiled(c, "joint-com"),
                                       run("joint-com", c.closed ? "matrix-r" : "semi-recursive"));
    ASSERT_TRUE(table.report.done()) << table.report.message;
    const VecX energy = table.column("e");
    const double scale = 1 + energy.cwiseAbs().maxCoeff();
    EXPECT_LE(energy.maxCoeff() - energy.minCoeff(), 1e-6 * scale);
    EXPECT_TRUE(table.report.monitors.conservative);
  });
  EXPECT_GT(conservative, 0);
}

/// With dampers and time in the fields, what the energy changes by is the work the monitor adds up.
TEST(ElementsAttack, WorkAccountsForTheRest) {
  for_seeds(150, [](const ElementCase& c) {
    const SignalTable table = simulate(compiled(c, "joint-com"),
                                       run("joint-com", c.closed ? "matrix-r" : "semi-recursive"));
    ASSERT_TRUE(table.report.done()) << table.report.message;
    const Monitors& m = table.report.monitors;
    EXPECT_LE(m.balance, 1e-5 * (1 + m.scale)) << "resolution " << m.resolution;
  });
}

TEST(ElementsAttack, ForwardAdjointAndComplexStepAgree) {
  for_seeds(16, [](const ElementCase& c) {
    for (const auto& [coordinates, formulation, integrator] :
         std::vector<std::tuple<const char*, const char*, const char*>>{
             {"joint-com", "matrix-r", "rk4"},
             {"joint-origin", "ali3p", "trapezoidal"},
             {"cartesian", "index1", "rk4"},
             {"natural", "ali3p", "trapezoidal"}}) {
      const Model model = compiled(c, coordinates);
      const VecX rho = model.default_rho();
      std::vector<GradientReport> all;
      for (const char* method : {"complex-step", "forward", "adjoint"}) {
        GradientOptions options;
        options.method = method;
        options.run = run(coordinates, formulation, integrator, 1e-2);
        all.push_back(gradient(model, in(rho), options));
        ASSERT_EQ(all.back().status, RunStatus::kDone)
            << coordinates << " × " << formulation << ", " << method << ": " << all.back().message;
      }
      // an objective that depends on nothing (a loop that falls freely) is measured against 1e-8: rounding
      // of 1e-15 shows as 1e-7
      constexpr double kRounding = 1e-7;
      EXPECT_LE(test::gradient_distance(model, all[0], all[1]), kRounding)
          << coordinates << formulation;
      EXPECT_LE(test::gradient_distance(model, all[0], all[2]), kRounding)
          << coordinates << formulation;
      EXPECT_GT(all[0].gradient.cwiseAbs().maxCoeff(), 1e-3);
    }
  });
}

}  // namespace
}  // namespace kinegrad
