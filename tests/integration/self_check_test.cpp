// The self-check of gradients: it finds derivatives that are wrong, and says nothing where they are right.
//
//   KINEGRAD_SELF_CHECK_CASES=1000 kinegrad_integration_tests --gtest_filter=SelfCheck.RandomModels*
//
// runs more random models.
#include "kinegrad/sensitivity/self_check.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "kinegrad/base/error.hpp"
#include "kinegrad/io/gradient_output.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/math/views.hpp"
#include "kinegrad/model/compile.hpp"
#include "kinegrad/sensitivity/run_partials.hpp"
#include "kinegrad/signals/reactive_partials.hpp"
#include "support/example_runs.hpp"
#include "support/flipped_partials.hpp"
#include "support/gradient_distance.hpp"
#include "support/random_mechanisms.hpp"
#include "support/run_command.hpp"
#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

using test::Dice;
using test::Flip;
using test::FlippedForce;
using test::FlippedPartials;
using testing::HasSubstr;

Warnings checks_of(const GradientReport& report) {
  Warnings out;
  for (const Warning& warning : report.run.warnings) {
    if (warning.kind == "self-check") out.push_back(warning);
  }
  return out;
}

std::string text_of(const Warnings& warnings) {
  std::string out;
  for (const Warning& warning : warnings) out += fmt::format("{}: {}\n", warning.t, warning.text);
  return out;
}

GradientOptions options_of(double step, double end, const std::string& formulation,
                           const std::string& integrator) {
  GradientOptions options;
  options.run.step = step;
  options.run.end = end;
  options.run.formulation = formulation;
  options.run.integrator = integrator;
  return options;
}

/// A run with its samples, whose derivatives somebody else may make.
class SampledRun {
 public:
  SampledRun(const Model& model, const GradientOptions& options)
      : model_(model),
        options_(options),
        simulator_(model, options.run),
        task_{model, options_, {},      {},
              {},    nullptr,  nullptr, simulator_.formulation().stage_rule()} {
    IntegratorOptions details = simulator_.options().details;
    details.tolerance = 1e-13;
    if (simulator_.implicit()) simulator_.set_details(details);
    const VecX rho = model.default_rho();
    task_.rho.assign(rho.begin(), rho.end());
    task_.p = physical_at(model, task_.rho);
    report_.settings = simulator_.options();
    for (int k = 0; k < model.design_map().parameter_count(); ++k) report_.parameters.push_back(k);
    report_.run = simulator_.run(
        task_.p, [](const StepState<double>&) { return true; }, &task_.plan, &trajectory_);
    task_.trajectory = &trajectory_;
    task_.start = &simulator_.start_sets();
    samples_.emplace(task_.plan, report_.run.events);
    RecordRoom room;
    for (std::size_t k = 0; k < trajectory_.size(); ++k) {
      samples_->see(k, trajectory_.record(k, room));
    }
  }

  const RunReport& run() const { return report_.run; }
  std::unique_ptr<StepPartials> step(Flip flip) const {
    const auto right = system_partials_of(model_, report_.settings, task_.rule, task_.p);
    return make_step_partials(report_.settings.integrator, report_.settings.details, task_.rule,
                              [=] { return std::make_unique<FlippedPartials>(right(), flip); });
  }
  std::unique_ptr<StartPartials> start(Flip flip) const {
    auto right = make_system_partials(model_, ReferencePoint::kCom);
    right->set_parameters(task_.p);
    return std::make_unique<JointStartPartials>(
        model_, std::make_unique<FlippedPartials>(std::move(right), flip));
  }
  Warnings check(Flip of_steps, Flip of_start) const {
    const auto steps = step(of_steps);
    const auto begin = start(of_start);
    return self_check(task_, report_, *samples_, *steps, *begin);
  }

  Warnings check_with(StepPartials& steps) const {
    const auto begin = start(Flip::kNothing);
    return self_check(task_, report_, *samples_, steps, *begin);
  }

  /// How much a mistake changes tangents and adjoints, of the largest entry: what has no effect is none.
  double effect_on_steps(Flip flip) const {
    double most = 0;
    for (const SampledStep& sampled : samples_->kept()) {
      most = std::max(most, apart(along(*step(Flip::kNothing), sampled.record()),
                                  along(*step(flip), sampled.record())));
    }
    return most;
  }
  double effect_on_start(Flip flip) const {
    return apart(along(*start(Flip::kNothing)), along(*start(flip)));
  }

 private:
  static double apart(const std::vector<VecX>& a, const std::vector<VecX>& b) {
    double most = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
      const double size = a[k].size() ? a[k].cwiseAbs().maxCoeff() : 0;
      if (size > 0) most = std::max(most, (a[k] - b[k]).cwiseAbs().maxCoeff() / size);
    }
    return most;
  }
  static VecX pulled(const DesignJacobian& design, const VecX& p) {
    VecX rho(1);
    design.pull(in(p), out(rho));
    return rho;
  }
  int n() const { return model_.state_size(); }
  int m() const { return static_cast<int>(model_.constraint_rows().size()); }

  std::vector<VecX> along(StepPartials& partials, const StepRecord& record) const {
    const std::vector<double> ones(task_.rho.size(), 1.0);
    const auto design = DesignJacobian::along(model_.design_map(), task_.rho, ones);
    StateTangent x;
    x.resize(n(), m(), 1);
    x.q.setOnes();
    x.v.setOnes();
    StateCotangent w;
    w.set_zero(n(), m());
    w.q.setOnes();
    w.v.setOnes();
    w.a.setOnes();
    VecX p = VecX::Zero(static_cast<Eigen::Index>(task_.p.size()));
    if (!partials.tangent(record, design, x, [](int, const StateTangent&) {})) return {};
    if (!partials.linearize(record)) return {};
    partials.adjoint(w, out(p), [](int, StateCotangent&) {});
    return {x.q.col(0), x.v.col(0), x.a.col(0), w.q, w.v, pulled(design, p)};
  }
  std::vector<VecX> along(StartPartials& partials) const {
    const std::vector<double> ones(task_.rho.size(), 1.0);
    const auto design = DesignJacobian::along(model_.design_map(), task_.rho, ones);
    StateTangent x;
    x.resize(n(), m(), 1);
    StateCotangent w;
    w.set_zero(n(), m());
    w.q.setOnes();
    w.v.setOnes();
    VecX p = VecX::Zero(static_cast<Eigen::Index>(task_.p.size()));
    if (!partials.linearize(trajectory_.first(), *task_.start, false)) return {};
    partials.tangent(design, x);
    partials.adjoint(w, out(p));
    return {x.q.col(0), x.v.col(0), pulled(design, p)};
  }

  const Model& model_;
  GradientOptions options_;
  Simulator simulator_;
  GradientTask task_;
  GradientReport report_;
  Trajectory trajectory_;
  std::optional<SampledSteps> samples_;
};

struct Choice {
  const char *example, *formulation, *integrator;
};
constexpr Choice kLoops[] = {{"five_bar", "ali3p", "trapezoidal"},
                             {"five_bar", "matrix-r", "rk4"},
                             {"five_bar", "index1", "hht"},
                             {"slider_crank", "ali3p", "hht"},
                             {"slider_crank_planar", "matrix-r", "trapezoidal"},
                             {"four_bar", "index1", "rk4"},
                             {"four_bar", "penalty", "trapezoidal"},
                             {"rolling_disc", "matrix-r", "rk4"},
                             {"double_pendulum", "semi-recursive", "trapezoidal"},
                             {"all_joints", "fully-recursive", "rk4"}};
/// Below that part of the largest entry a mistake is as small as what rounding may do.
constexpr double kEffect = 1e-4;

/// Seeded mistakes in what stages, and hence steps, are differentiated with, and in starts.
TEST(SelfCheck, FlippedSignsInStagesAndStartsAreFound) {
  Dice dice(7);
  int cases = 0, found = 0, drawn = 0;
  std::string missed;
  while (cases < 70 && drawn < 600) {
    ++drawn;
    const Choice& choice = kLoops[dice.below(static_cast<int>(std::size(kLoops)))];
    const auto flip = static_cast<Flip>(1 + dice.below(test::kFlips - 1));
    const bool of_start = dice.chance(0.35);
    const Model model = test::example(choice.example);
    const double step = dice.decades(1e-3, 1e-2);
    const SampledRun run(model, options_of(step, step * (5 + dice.below(20)), choice.formulation,
                                           choice.integrator));
    ASSERT_TRUE(run.run().done()) << run.run().message;
    if ((of_start ? run.effect_on_start(flip) : run.effect_on_steps(flip)) < kEffect) continue;
    ++cases;
    const Warnings warnings =
        of_start ? run.check(Flip::kNothing, flip) : run.check(flip, Flip::kNothing);
    if (!warnings.empty())
      ++found;
    else
      missed +=
          fmt::format("{} {} {}: flip {} of the {}\n", choice.example, choice.formulation,
                      choice.integrator, static_cast<int>(flip), of_start ? "start" : "steps");
    EXPECT_TRUE(run.check(Flip::kNothing, Flip::kNothing).empty());
  }
  EXPECT_EQ(cases, 70);
  EXPECT_GE(found, 67) << missed;
  fmt::print("{} of {} found\n{}", found, cases, missed);
}

/// Elements whose partials have the wrong sign, through the whole of gradient().
TEST(SelfCheck, FlippedSignsInElementsAreFound) {
  Dice dice(11);
  int cases = 0, found = 0, drawn = 0;
  std::string missed;
  constexpr Choice kForced[] = {{"five_bar", "ali3p", "trapezoidal"},
                                {"five_bar", "matrix-r", "rk4"},
                                {"slider_crank", "index1", "trapezoidal"},
                                {"slider_crank_planar", "ali3p", "hht"},
                                {"all_joints", "semi-recursive", "rk4"},
                                {"double_pendulum", "semi-recursive", "trapezoidal"}};
  while (cases < 30 && drawn < 300) {
    ++drawn;
    const Choice& choice = kForced[dice.below(static_cast<int>(std::size(kForced)))];
    ModelDescription description =
        read_model_yaml(test::source_path(fmt::format("examples/{}.yaml", choice.example)));
    ForceSpec& force =
        description.forces[std::size_t(dice.below(static_cast<int>(description.forces.size())))];
    const FlippedForce flipped(*builtin_catalogue().find_force(force.type.name),
                               static_cast<FlippedForce::By>(dice.below(3)), dice.below(8));
    Catalogue catalogue = builtin_catalogue();
    catalogue.add(flipped);
    GradientOptions options = options_of(5e-3, 0.1, choice.formulation, choice.integrator);
    options.method = dice.chance(0.5) ? "forward" : "adjoint";
    const Model right = compile_model(description, builtin_catalogue());
    force.type.name = std::string(flipped.name());
    const Model model = compile_model(description, catalogue);
    const VecX rho = model.default_rho();
    const GradientReport wrong = gradient(model, in(rho), options);
    const GradientReport expected = gradient(right, in(rho), options);
    ASSERT_EQ(wrong.status, RunStatus::kDone) << wrong.message;
    EXPECT_EQ(text_of(checks_of(expected)), "");
    const double change = (wrong.gradient - expected.gradient).cwiseAbs().maxCoeff() /
                          expected.gradient.cwiseAbs().maxCoeff();
    if (change < kEffect) continue;
    ++cases;
    if (!checks_of(wrong).empty())
      ++found;
    else
      missed += fmt::format("{} {}: {}, change {:.1e}\n", choice.example, force.name,
                            options.method, change);
  }
  EXPECT_EQ(cases, 30);
  EXPECT_GE(found, 28) << missed;
  fmt::print("{} of {} found\n{}", found, cases, missed);
}

/// Others' derivatives of the start, and none of steps.
class NoStepDerivatives final : public StepPartials {
 public:
  explicit NoStepDerivatives(StepPartials& others) : others_(others) {}
  bool start_tangent(const StepState<double>& x0, const CoordinateSelection* selection,
                     const DesignJacobian& design, StateTangent& x) override {
    return others_.start_tangent(x0, selection, design, x);
  }
  bool start_adjoint(const StepState<double>& x0, const CoordinateSelection* selection,
                     StateCotangent& x, std::span<double> p) override {
    return others_.start_adjoint(x0, selection, x, p);
  }
  bool tangent(const StepRecord&, const DesignJacobian&, StateTangent&,
               const VisitTangent&) override {
    return false;
  }
  bool linearize(const StepRecord&) override { return false; }
  void adjoint(StateCotangent&, std::span<double>, const VisitCotangent&) override {}

 private:
  StepPartials& others_;
};

/// A check that compared nothing is no check, and says so.
TEST(SelfCheck, NothingComparedIsSaid) {
  const Model model = test::example("five_bar");
  const SampledRun run(model, options_of(5e-3, 0.1, "ali3p", "trapezoidal"));
  const auto right = run.step(Flip::kNothing);
  EXPECT_EQ(text_of(run.check_with(*right)), "");
  NoStepDerivatives none(*right);
  const Warnings warnings = run.check_with(none);
  ASSERT_EQ(warnings.size(), 1u) << text_of(warnings);
  EXPECT_EQ(warnings[0].kind, "self-check");
  EXPECT_THAT(warnings[0].text,
              HasSubstr("nothing could be compared of every sampled step, because "
                        "it has no derivative: this gradient has not been checked"));
}

TEST(SelfCheck, EveryExampleIsAmongTheRuns) {
  std::set<std::string> files, runs;
  for (const auto& entry : std::filesystem::directory_iterator(test::source_path("examples"))) {
    if (entry.path().extension() == ".yaml") files.insert(entry.path().stem().string());
  }
  for (const test::ExampleRun& run : test::kExampleRuns) runs.insert(run.name);
  EXPECT_EQ(files, runs);
}

/// All examples of the folder itself; with KINEGRAD_SELF_CHECK_ALL every choice of coordinates, formulation and integrator that the
/// library accepts, else some in joint coordinates.
TEST(SelfCheck, ExamplesRaiseNoAlarm) {
  using Words = std::vector<std::string>;
  const bool all = std::getenv("KINEGRAD_SELF_CHECK_ALL") != nullptr;
  const Words coordinates =
      all ? Words{"joint-com", "joint-origin", "cartesian", "natural"} : Words{"joint-com"};
  const Words formulations =
      all ? Words{"semi-recursive", "fully-recursive", "ali3p",   "matrix-r",
                  "index1",         "index3",          "penalty", "kinematic"}
          : Words{"semi-recursive", "ali3p", "matrix-r", "index1"};
  const Words integrators =
      all ? Words{"trapezoidal", "newmark", "hht", "generalized-alpha", "rk4", "dopri5"}
          : Words{"trapezoidal", "dopri5"};
  std::map<std::string, int> runs, reasons;
  int count = 0, refused = 0, ended = 0;
  for (const test::ExampleRun& run : test::kExampleRuns) {
    for (const std::string& set : coordinates) {
      const Model model = test::example(run.name, coordinate_set_named(set));
      const VecX rho = model.default_rho();
      for (const std::string& formulation : formulations) {
        for (const std::string& integrator : integrators) {
          SCOPED_TRACE(fmt::format("{} {} {} {}", run.name, set, formulation, integrator));
          GradientOptions options = options_of(run.step, run.end, formulation, integrator);
          options.run.coordinates = set;
          try {
            const GradientReport report = gradient(model, in(rho), options);
            if (report.status != RunStatus::kDone) {
              // the one formulation that sees by its run alone whether it takes a mechanism
              const bool free =
                  report.message.find("motion is prescribed altogether") != std::string::npos;
              ++(free && formulation == "kinematic" ? refused : ended);
              if (!free) ++reasons[formulation + ": " + report.message.substr(0, 60)];
              continue;
            }
            ++count;
            ++runs[run.name];
            EXPECT_EQ(text_of(checks_of(report)), "");
          } catch (const InvalidArgument&) {  // the choices do not go together
            ++refused;
          }
        }
      }
    }
  }
  fmt::print("{} runs of {} examples, {} choices refused, {} runs ended with a reason\n", count,
             runs.size(), refused, ended);
  for (const auto& [reason, times] : reasons) fmt::print("  {} times {}\n", times, reason);
  EXPECT_EQ(ended, 0);
  EXPECT_EQ(runs.size(), std::size(test::kExampleRuns));
}

int random_cases() {
  const char* text = std::getenv("KINEGRAD_SELF_CHECK_CASES");
  return text ? std::atoi(text) : 40;
}

/// Open chains and trees with joints of all types.
TEST(SelfCheck, RandomModelsRaiseNoAlarm) {
  Dice dice(3);
  int alarms = 0, runs = 0;
  for (int seed = 1; seed <= random_cases(); ++seed) {
    ModelDescription description =
        test::random_tree(static_cast<unsigned>(seed), 2 + dice.below(6));
    ObjectiveSpec objective;
    objective.name = "motion";
    objective.integral = "kinetic_energy";
    description.objectives = {objective};
    const Model model = compile_model(description);
    static const std::vector<std::string> integrators{"trapezoidal", "hht", "rk4", "dopri5"};
    const std::string formulation = dice.chance(0.5) ? "semi-recursive" : "fully-recursive";
    const std::string integrator = dice.of(integrators);
    const GradientOptions options =
        options_of(dice.decades(1e-4, 1e-2), 0.05, formulation, integrator);
    const VecX rho = model.default_rho();
    const GradientReport report = gradient(model, in(rho), options);
    if (report.status != RunStatus::kDone) continue;
    ++runs;
    const Warnings warnings = checks_of(report);
    if (warnings.empty()) continue;
    ++alarms;
    fmt::print("tree {} {} {}: {}", seed, formulation, integrator, text_of(warnings));
  }
  EXPECT_GT(runs, random_cases() / 2);
  EXPECT_EQ(alarms, 0);
}

/// Whether the gradient is indeed off: complex numbers go through the same steps with the code of the simulation, and
/// agree with derivatives that are right to nine digits (level L4).
bool confirmed(const Model& model, const GradientReport& report) {
  constexpr double kRight = 1e-8;
  GradientOptions options;
  options.run = report.settings;
  options.method = "complex-step";
  const VecX rho = model.default_rho();
  const GradientReport other = gradient(model, in(rho), options);
  if (other.status != RunStatus::kDone) return false;
  return test::gradient_distance(model, other, report) > kRight;
}

/// Closed loops in all coordinates and formulations, away from singular positions. Equations at acceleration level that
/// depend on each other have no exact derivatives once they have drifted apart: an alarm is false if the gradient is
/// right all the same. With KINEGRAD_SELF_CHECK_EXTRAS equations are added that are redundant or nearly so.
TEST(SelfCheck, RandomModelsOfClosedLoopsRaiseNoAlarm) {
  int alarms = 0, deserved = 0, unconfirmed = 0, runs = 0;
  const bool extras = std::getenv("KINEGRAD_SELF_CHECK_EXTRAS") != nullptr;
  for (int seed = 5001; seed <= 5000 + random_cases(); ++seed) {
    const test::RandomCase random = test::random_case(static_cast<std::uint64_t>(seed));
    if (random.mechanism.through_singular) continue;
    try {
      const Model model =
          compile_model(parse_model_yaml(extras ? random.yaml() : random.twin(), "case"),
                        builtin_catalogue(), coordinate_set_named(random.run.coordinates));
      GradientOptions options;
      options.run = random.run;
      const VecX rho = model.default_rho();
      const GradientReport report = gradient(model, in(rho), options);
      if (report.status != RunStatus::kDone) continue;
      ++runs;
      const Warnings warnings = checks_of(report);
      if (warnings.empty()) continue;
      const bool right = confirmed(model, report);
      // differences that are too noisy, or do not exist, accuse nobody
      const bool mute = std::all_of(warnings.begin(), warnings.end(), [](const Warning& warning) {
        return warning.text.find("cannot confirm it") != std::string::npos;
      });
      ++(right ? deserved : mute ? unconfirmed : alarms);
      fmt::print("{} ({}): {}", random.name(),
                 right  ? "deserved"
                 : mute ? "unconfirmed"
                        : "FALSE",
                 text_of(warnings));
    } catch (const Error&) {
      continue;  // refused
    }
  }
  EXPECT_GT(runs, random_cases() / 3);
  EXPECT_LE(alarms, runs / 1000);
  EXPECT_LE(unconfirmed, runs / 200);
  fmt::print("{} runs, {} false alarms, {} deserved ones, {} right but not confirmed\n", runs,
             alarms, deserved, unconfirmed);
}

TEST(SelfCheck, CanBeTurnedOff) {
  ModelDescription description = read_model_yaml(test::source_path("examples/five_bar.yaml"));
  const FlippedForce flipped(*builtin_catalogue().find_force("spring-damper"),
                             FlippedForce::By::kX);
  Catalogue catalogue = builtin_catalogue();
  catalogue.add(flipped);
  for (ForceSpec& force : description.forces) {
    if (force.type.name == "spring-damper") force.type.name = std::string(flipped.name());
  }
  const Model model = compile_model(description, catalogue);
  const VecX rho = model.default_rho();
  GradientOptions options = options_of(5e-3, 0.1, "ali3p", "trapezoidal");
  const Warnings warnings = checks_of(gradient(model, in(rho), options));
  ASSERT_FALSE(warnings.empty());
  EXPECT_THAT(warnings[0].text, HasSubstr("--check"));
  EXPECT_EQ(warnings.front().t, 0) << "accelerations at the start";
  EXPECT_GT(warnings.back().t, 0) << "and those of a step";
  options.self_check = false;
  EXPECT_TRUE(checks_of(gradient(model, in(rho), options)).empty());
  const std::string file = test::source_path("examples/five_bar.yaml");
  EXPECT_EQ(test::run_kinegrad("gradient " + file + " --end 0.01 --no-self-check").status, 0);
}

}  // namespace
}  // namespace kinegrad
