// Matrix R with degrees of freedom that the model names, points among them: variable B [MR-4] to
// [MR-6].
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kinegrad/base/error.hpp"
#include "kinegrad/math/derivative_check.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/sensitivity/gradient.hpp"
#include "kinegrad/simulation/simulator.hpp"
#include "support/allocation_counter.hpp"
#include "support/closed_loops.hpp"
#include "support/named_coordinates.hpp"

namespace kinegrad {
namespace {

using test::Method;
using test::naming;
using testing::HasSubstr;

struct Choice {
  const char* example;
  std::vector<std::string> names;
};

/// Points of two bars, a point with a joint, a point of a slider.
const std::vector<Choice>& choices() {
  static const std::vector<Choice> all{{"five_bar", {"P2.x", "P2.y"}},
                                       {"five_bar", {"A.q", "B12.P2.x"}},
                                       {"slider_crank", {"slider.D.x"}}};
  return all;
}

IntegratorOptions tight(double tolerance = 1e-13) {
  IntegratorOptions options;
  options.tolerance = tolerance;
  return options;
}

// before the slider of the spatial slider-crank reaches its dead point at 0.3 s
constexpr double kEnd = 0.2;

/// The state at the end as a reference: order 5, h⁵ = 3e-15.
VecX reference(const Model& model) {
  const Method method{"matrix-r", "dopri5", ReferencePoint::kCom, tight()};
  return test::joined(model, test::run<double>(model, model.default_physical(), method, kEnd, 200));
}

double error(const Model& model, const std::string& integrator, ReferencePoint point, int steps,
             const VecX& exact) {
  const Method method{"matrix-r", integrator, point, tight()};
  const auto x = test::run<double>(model, model.default_physical(), method, kEnd, steps);
  return (test::joined(model, x) - exact).norm();
}

TEST(IndependentChoice, SameMotionAsItsOwnChoiceAtTheOrderOfTheMethod) {
  for (const Choice& choice : choices()) {
    const VecX exact = reference(test::example(choice.example));
    const Model model = naming(choice.example, choice.names);
    for (const ReferencePoint point : test::kBothPoints) {
      const std::string name = choice.example + (" " + choice.names.front());
      const double coarse = error(model, "trapezoidal", point, 50, exact),
                   fine = error(model, "trapezoidal", point, 200, exact);
      EXPECT_NEAR(std::log(coarse / fine) / std::log(4.0), 2, 0.1) << name;
      const double rk_coarse = error(model, "rk4", point, 25, exact),
                   rk_fine = error(model, "rk4", point, 50, exact);
      EXPECT_NEAR(std::log2(rk_coarse / rk_fine), 4, 0.5) << name;
      // h⁵ = 1e-15, times what is left of a reference of the same kind
      EXPECT_LE(error(model, "dopri5", point, 200, exact), 1e-10 * exact.norm()) << name;
    }
  }
}

TEST(IndependentChoice, AllLevelsOfTheConstraintsHoldToRounding) {
  for (const Choice& choice : choices()) {
    const Model model = naming(choice.example, choice.names);
    const std::vector<double> p = model.default_physical();
    for (const char* integrator : {"trapezoidal", "generalized-alpha", "rk4"}) {
      test::ConstraintSizes sizes(model, p);
      const Method method{"matrix-r", integrator, ReferencePoint::kCom, tight(1e-10)};
      test::run<double>(model, p, method, kEnd, 100,
                        [&](const StepState<double>& x) { sizes.take(x); });
      // accelerations are some 1e2, speeds 1e1
      EXPECT_LE(sizes.positions, 1e-13) << integrator;
      EXPECT_LE(sizes.speeds, 1e-12) << integrator;
      EXPECT_LE(sizes.accelerations, 1e-10) << integrator;
    }
  }
}

/// The same state has the same accelerations and multipliers, whatever y is.
TEST(IndependentChoice, AccelerationsAndMultipliersAreThoseOfItsOwnChoice) {
  for (const Choice& choice : choices()) {
    const Model model = naming(choice.example, choice.names);
    const Model plain = test::example(choice.example);
    const std::vector<double> p = model.default_physical();
    const auto chosen = make_formulation<double>("matrix-r", model, ReferencePoint::kCom);
    const std::vector<double> plain_p = plain.default_physical();
    const auto own = make_formulation<double>("matrix-r", plain, ReferencePoint::kCom);
    chosen->set_parameters(p);
    own->set_parameters(plain_p);
    EXPECT_EQ(chosen->integrated(), static_cast<int>(choice.names.size()));
    const Method method{"matrix-r", "trapezoidal", ReferencePoint::kCom, tight()};
    test::run<double>(model, p, method, kEnd, 20, [&](const StepState<double>& x) {
      VecX a = VecX::Constant(x.q.size(), test::kNaN), b = a;
      VecX lambda = VecX::Constant(chosen->multipliers(), test::kNaN), mu = lambda;
      ASSERT_TRUE(chosen->acceleration(x.t, in(x.q), in(x.v), out(a), out(lambda)));
      ASSERT_TRUE(own->acceleration(x.t, in(x.q), in(x.v), out(b), out(mu)));
      // the condition of G, some 1e2, times rounding; then that of the step's own multipliers,
      // which are those of Newton's method at 1e-13/c_q
      EXPECT_LE((a - b).norm(), 1e-11 * (1 + b.norm())) << choice.example;
      EXPECT_LE((lambda - mu).norm(), 1e-11 * (1 + mu.norm())) << choice.example;
      EXPECT_LE((x.lambda - mu).norm(), 1e-7 * (1 + mu.norm())) << choice.example;
    });
  }
}

/// (q, v) at the end at a value of the parameter.
template <Scalar T>
VecXT<T> end_state(const Model& model, const Method& method, const std::string& parameter,
                   const T& value) {
  const std::vector<T> p = test::physical_with<T>(model, {{parameter, value}});
  const StepState<T> x = test::run<T>(model, p, method, 0.1, 25);
  VecXT<T> both(2 * x.q.size());
  both << x.q, x.v;
  return both;
}

TEST(IndependentChoice, ComplexStepIsTheDerivative) {
  for (const auto& [example, name, parameter, value] :
       {std::tuple{"five_bar", "P2.x", "L_A1", std::sqrt(2.0)},
        {"slider_crank", "D.x", "m_CD", 2.0}}) {
    const bool five = std::string(example) == "five_bar";
    const Model model = five ? naming(example, {name, "P2.y"}) : naming(example, {name});
    for (const char* integrator : {"trapezoidal", "generalized-alpha", "rk4"}) {
      const Method method{"matrix-r", integrator, ReferencePoint::kCom, tight()};
      const VecXT<Complex> z = end_state<Complex>(model, method, parameter, {value, kComplexStep});
      const auto central = [&, parameter = parameter, value = value](double h) {
        return VecX((end_state<double>(model, method, parameter, value + h) -
                     end_state<double>(model, method, parameter, value - h)) /
                    (2 * h));
      };
      // h⁴ = 1e-12 after one extrapolation, rounding 1e-13/h = 1e-10
      const VecX expected = (4 * central(0.5e-3) - central(1e-3)) / 3;
      EXPECT_GT(expected.norm(), 1e-3);
      EXPECT_LE((z.imag() / kComplexStep - expected).norm(), 1e-8 * std::max(1.0, expected.norm()))
          << example << " " << integrator;
    }
  }
}

TEST(IndependentChoice, NoAllocationAfterTheFirstStep) {
  for (const Choice& choice : choices()) {
    const Model model = naming(choice.example, choice.names);
    const std::vector<double> p = model.default_physical();
    for (const char* integrator : {"trapezoidal", "generalized-alpha", "rk4", "dopri5"}) {
      const auto solver = make_formulation<double>("matrix-r", model, ReferencePoint::kCom);
      solver->set_parameters(p);
      const auto map = make_step_map<double>(integrator, *solver, {});
      StepState<double> x0 = test::assembled<double>(model, p), x1;
      ASSERT_TRUE(map->start(x0).usable());
      for (int k = 0; k < 2; ++k) {
        ASSERT_TRUE(map->step(x0, 1e-3, x1).usable());
        std::swap(x0, x1);
      }
      bool fine = true;
      const AllocationCounter counter;
      for (int k = 0; k < 10; ++k) {
        fine = map->step(x0, 1e-3, x1).usable() && fine;
        std::swap(x0, x1);
      }
      EXPECT_EQ(counter.count(), 0) << choice.example << " " << integrator;
      EXPECT_TRUE(fine);
    }
  }
}

/// Open chains are taken as well: there is no Φ, and y a point that turns with two joints.
TEST(IndependentChoice, OpenChainsToo) {
  const Model plain = test::example("double_pendulum");
  std::string tip;
  for (const BodyVector& v : plain.vectors()) {
    if (!v.is_point || v.body == 0 || v.hidden) continue;
    tip = plain.bodies()[static_cast<std::size_t>(v.body)].name + "." + v.name;
  }
  ASSERT_FALSE(tip.empty());
  const Method method{"matrix-r", "dopri5", ReferencePoint::kCom, tight()};
  const VecX exact =
      test::joined(plain, test::run<double>(plain, plain.default_physical(), method, 0.05, 50));
  const std::string joint = plain.coordinate_names().front();
  int described = 0;
  for (const char* axis : {".x", ".y"}) {
    const Model model = naming("double_pendulum", {joint, tip + axis});
    RunOptions options;
    options.integrator = "dopri5";
    options.step = options.end = 0.05;
    options.details = tight(1e-12);
    Simulator simulator(model, options);
    EXPECT_EQ(simulator.options().formulation, "matrix-r");
    VecX last;
    const RunReport report =
        simulator.run(model.default_physical(), [&](const StepState<double>& x) {
          last = test::joined(model, x);
          return true;
        });
    if (report.input_wrong) continue;  // singular there: along the bar
    ASSERT_EQ(report.status, RunStatus::kDone) << report.message;
    // dopri5 at 1e-12 a step on both sides
    EXPECT_LE((last - exact).norm(), 1e-9 * exact.norm());
    ++described;
  }
  EXPECT_GE(described, 1);
}

/// A drive leaves one of the two freedoms: Φ_t and Φ_tt are not zero.
TEST(IndependentChoice, WithADrive) {
  const auto driven = [](const std::vector<std::string>& names) {
    ModelDescription description = read_model_yaml(test::source_path("examples/five_bar.yaml"));
    ConstraintSpec& drive = description.constraints.emplace_back();
    drive.name = "drive";
    drive.type = NameSpec("prescribed");
    drive.numbers["coordinate"] = {NumberSpec("A.q")};
    drive.numbers["value"] = {NumberSpec("-3*pi/4 + 2*t^2")};
    description.initial.clear();
    return naming(description, names);
  };
  const Model plain = driven({}), model = driven({"P2.y"});
  const VecX exact = reference(plain);
  const double coarse = error(model, "trapezoidal", ReferencePoint::kCom, 50, exact),
               fine = error(model, "trapezoidal", ReferencePoint::kCom, 200, exact);
  EXPECT_NEAR(std::log(coarse / fine) / std::log(4.0), 2, 0.1);
  EXPECT_LE(error(model, "dopri5", ReferencePoint::kCom, 200, exact), 1e-10 * exact.norm());
  test::ConstraintSizes sizes(model, model.default_physical());
  test::run<double>(model, model.default_physical(),
                    {"matrix-r", "trapezoidal", ReferencePoint::kCom, tight()}, kEnd, 50,
                    [&](const StepState<double>& x) { sizes.take(x); });
  // as without the drive
  EXPECT_LE(sizes.positions, 1e-13);
  EXPECT_LE(sizes.speeds, 1e-12);
  EXPECT_LE(sizes.accelerations, 1e-10);
}

RunReport run_with(const Model& model, const std::string& integrator, double end) {
  RunOptions options;
  options.integrator = integrator;
  options.step = 1e-3;
  options.end = end;
  Simulator simulator(model, options);
  return simulator.run(model.default_physical(), [](const StepState<double>&) { return true; });
}

/// The slider turns round at 0.3 s, where its place says nothing about the crank.
TEST(IndependentChoice, EndsWithASentenceWhereTheChoiceIsSingular) {
  const Model model = naming("slider_crank", {"D.x"});
  for (const char* integrator : {"trapezoidal", "generalized-alpha", "rk4", "dopri5"}) {
    const RunReport report = run_with(model, integrator, 1);
    EXPECT_EQ(report.status, RunStatus::kFailed) << integrator;
    EXPECT_FALSE(report.input_wrong);
    EXPECT_NEAR(report.t, 0.3, 0.02) << integrator;
    EXPECT_THAT(report.message, HasSubstr("the chosen independent coordinates cannot describe the "
                                          "motion there: choose others than D.x"));
  }
}

TEST(IndependentChoice, CountAndRankOfTheStart) {
  const auto message = [](const std::vector<std::string>& names) {
    const RunReport report = run_with(naming("five_bar", names), "trapezoidal", 0.01);
    EXPECT_TRUE(report.input_wrong);
    return report.message;
  };
  EXPECT_THAT(message({"P2.x", "P2.y", "A.q"}), HasSubstr("names P2.x, P2.y, A.q, too many: the "
                                                          "mechanism starts with 2 degrees"));
  EXPECT_THAT(message({"P2.x"}), HasSubstr("too few"));
  EXPECT_THAT(message({"P2.x", "P2.z"}), HasSubstr("cannot describe the motion from where it"));
  // P1 turns about A: one of its components says all about it
  EXPECT_THAT(message({"P1.x", "P1.y"}), HasSubstr("cannot describe the motion from where it"));
}

TEST(IndependentChoice, OtherFormulationsRefuseIt) {
  const Model model = naming("five_bar", {"P2.x", "P2.y"});
  for (const NamedChoice& formulation : formulations()) {
    if (formulation.name == "matrix-r") continue;
    EXPECT_FALSE(test::takes(formulation.name, model)) << formulation.name;
  }
  EXPECT_EQ(default_formulation(model), "matrix-r");
  EXPECT_EQ(default_formulation(test::example("five_bar")), "ali3p");
}

TEST(IndependentChoice, RefusesConstraintsOnSpeedsByName) {
  const Model plain = test::example("two_mass_nonholonomic");
  const Model model = naming("two_mass_nonholonomic", {plain.coordinate_names().front()});
  try {
    make_formulation<double>("matrix-r", model, ReferencePoint::kCom);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("constraint \"" + plain.constraints().front().name + "\""));
  }
}

GradientReport gradient_by(const Model& model, const std::string& method,
                           const std::string& integrator, std::size_t memory = 0) {
  GradientOptions options;
  options.method = method;
  options.memory = memory;
  options.run.formulation = "matrix-r";
  options.run.integrator = integrator;
  options.run.step = 5e-3;
  options.run.end = 0.1;
  const VecX rho = model.default_rho();
  return gradient(model, {rho.data(), std::size_t(rho.size())}, options);
}

/// A choice of joint coordinates is differentiated like one that Matrix R makes itself, checkpoints
/// included; points: named_points_gradient_test.
TEST(IndependentChoice, GradientsOfChosenJoints) {
  for (const auto& names : {std::vector<std::string>{"A.q", "J1.q"}, {"J2.q", "A.q"}}) {
    const Model model = naming("five_bar", names);
    for (const char* integrator : {"trapezoidal", "generalized-alpha", "rk4"}) {
      const GradientReport expected = gradient_by(model, "complex-step", integrator);
      for (const char* method : {"forward", "adjoint"}) {
        const GradientReport report = gradient_by(model, method, integrator);
        ASSERT_EQ(report.status, RunStatus::kDone) << report.message;
        for (Eigen::Index i = 0; i < report.gradient.rows(); ++i) {  // L4
          EXPECT_LE((report.gradient.row(i) - expected.gradient.row(i)).norm(),
                    1e-9 * expected.gradient.row(i).norm())
              << names[0] << " " << integrator << " " << method << " " << i;
        }
        const GradientReport small = gradient_by(model, method, integrator, 20'000);
        EXPECT_TRUE(small.gradient == report.gradient) << "the same bits: " << integrator;
      }
    }
  }
}

}  // namespace
}  // namespace kinegrad
