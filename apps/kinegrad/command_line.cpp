// Exit 0: done · 1: the numerics failed · 2: the input is wrong.
#include "command_line.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <new>
#include <system_error>

#include "commands.hpp"
#include "kinegrad/base/error.hpp"
#include "kinegrad/version.hpp"

using namespace kinegrad;

namespace {

void add_model(CLI::App& command, app::ModelArguments& model) {
  command.add_option("MODEL", model.file, "model file (YAML)")->required();
  command.add_option("--set", model.set, "NAME=VALUE: give a parameter another value")
      ->allow_extra_args(false);
}

CLI::Validator positive() {
  return CLI::Validator(
      [](std::string& text) {
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        const bool good = value > 0 && std::isfinite(value) && end && *end == '\0';
        return good ? std::string() : "must be a positive number, not " + text;
      },
      "POSITIVE");
}

CLI::Validator not_negative() {
  return CLI::Validator(
      [](std::string& text) {
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        const bool good = value >= 0 && std::isfinite(value) && end && *end == '\0';
        return good ? std::string() : "must be 0 or a positive number, not " + text;
      },
      "NONNEGATIVE");
}

/// An empty name is a variable of the shell that nobody has set: what the user wants would be lost without a word.
CLI::Validator named_file() {
  return CLI::Validator(
      [](std::string& text) { return text.empty() ? "the name of a file is empty" : std::string(); },
      "FILE");
}

/// Notes that the option was given, for those who refuse it where nobody reads it.
void note_given(CLI::Option* option, app::RunArguments& options) {
  option->each(
      [&options, option](const std::string&) { options.given.push_back(option->get_name()); });
}

/// What every command that runs a model takes.
void add_run(CLI::App& command, app::RunArguments& options) {
  add_model(command, options.model);
  command.add_option("--coordinates", options.coordinates, "see: kinegrad list coordinates");
  command.add_option("--formulation", options.formulation, "see: kinegrad list formulations");
  command.add_option("--integrator", options.integrator, "see: kinegrad list integrators");
  command.add_option("--step", options.step, "time step, s")->check(positive());
  command.add_option("--end", options.end, "end of the run, s")->check(positive());
  command
      .add_option("--tolerance", options.tolerance,
                  "of Newton's method or, of adaptive steps, of the local error")
      ->check(positive());
  command
      .add_option("--steps", options.steps,
                  "fixed or adaptive; dopri5, esdirk3 and esdirk4 are adaptive by themselves")
      ->check(CLI::IsMember({"fixed", "adaptive"}));
  command.add_option("--max-step", options.max_step, "largest of adaptive steps, s")
      ->check(positive());
  command.add_option("--min-step", options.min_step, "smallest of adaptive steps, s")
      ->check(positive());
  command.add_option("--spectral-radius", options.spectral_radius,
                     "of hht and generalized-alpha at infinite frequency, 0 to 1");
  command.add_option("--beta", options.beta, "of newmark");
  command.add_option("--gamma", options.gamma, "of newmark");
  command.add_flag("--exact-tangent", options.exact_tangent, "Newton's matrix with every term");
  command.add_option("--penalty", options.constraints.penalty, "alpha of ali3p and penalty")
      ->check(positive());
  command
      .add_option("--stabilisation", options.constraints.stabilisation_frequency,
                  "Omega of penalty, index1 and fully-recursive, 1/s")
      ->check(not_negative());
  command.add_option("--stabilisation-damping", options.constraints.stabilisation_damping,
                     "xi that goes with it, 1 by default");
  command.add_option("--multiplier-start", options.constraints.multiplier_start,
                     "part of the last multipliers a step of ali3p starts with, 0 to 1");
  command.add_option("--projection-scale", options.constraints.projection_scale,
                     "penalty of the projections of ali3p over alpha, with --project-once");
  command.add_flag("--project-once", options.project_once,
                   "projections of ali3p by one penalised solution, as its authors do");
  command.get_option("--projection-scale")->needs("--project-once");
  for (const char* name :
       {"--max-step", "--min-step", "--spectral-radius", "--beta", "--gamma", "--exact-tangent",
        "--penalty", "--stabilisation", "--stabilisation-damping", "--multiplier-start",
        "--projection-scale", "--project-once"}) {
    note_given(command.get_option(name), options);
  }
  command.add_option("--start", options.start,
                     "given, or equilibrium: start where the forces balance, with the speeds of "
                     "the file");
  command.add_option("--out", options.out, "write the results as JSON to this file")
      ->check(named_file());
  command
      .add_option("--motion", options.motion,
                  "write the poses of the bodies to this file (default with --out: beside it)")
      ->check(named_file());
  command
      .add_flag("--no-motion", options.no_motion, "write no poses; reports then have no animation")
      ->excludes("--motion");
  command.add_flag("--quiet", options.quiet, "print nothing but errors");
}

void add_simulation(CLI::App& command, app::SimulateOptions& options) {
  add_run(command, options.run);
  command.add_flag("--statics", options.statics, "find the static equilibrium and stop there");
  command
      .add_option("--csv", options.csv,
                  "write the signals to this file; -: to the standard output, without the table")
      ->check(named_file());
}

void add_gradient(CLI::App& command, app::GradientArguments& options) {
  add_run(command, options.run);
  command.add_option("--method", options.method, "see: kinegrad list methods");
  command.add_flag("--statics", options.statics,
                   "of the static equilibrium alone: terminal objectives, no run");
  command
      .add_option("--adjoint-step", options.adjoint_step,
                  "step of continuous-adjoint, s; by default the mean step of the simulation")
      ->check(positive());
  command
      .add_option("--adjoint-approach", options.adjoint_approach,
                  "1 or 2: continuous-adjoint of index1 with or without rates of accelerations")
      ->check(CLI::Range(1, 2));
  command.add_option("--parameters", options.parameters, "A,B,…: only with respect to these")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_option("--objectives", options.objectives, "A,B,…: only of these")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      .add_option(
          "--memory", options.memory,
          "bytes for the steps that forward and adjoint go through (default: what it takes)")
      ->transform(CLI::AsSizeValue(false))
      ->transform(CLI::Validator(  // runs first: a number below zero would become a huge one
          [](std::string& text) {
            return text.starts_with("-") ? "must be positive, not " + text : std::string();
          },
          ""));
  command
      .add_option("--sensitivities", options.sensitivities,
                  "write the derivatives of the signals over time to this file (forward)")
      ->check(named_file());
  command.add_flag(
      "--no-self-check", options.no_self_check,
      "do not compare forward and adjoint with differences of some of their steps (a few "
      "per cent of the time), nor gradients of delicate runs with differences of all "
      "steps (4 to 10 simulations)");
  command
      .add_flag(
          "--check", options.check,
          "compare the derivatives of elements, system and run, found in several ways: exact ones, "
          "and the order of continuous-adjoint")
      ->excludes("--method")
      ->excludes("--out")
      ->excludes("--statics")
      ->excludes("--sensitivities");
}

void add_optimization(CLI::App& command, app::OptimizeArguments& options) {
  add_run(command, options.run);
  command.add_option("--optimizer", options.optimizer, "see: kinegrad list optimizers");
  command.add_option("--method", options.method,
                     "of the gradients: auto, or see: kinegrad list methods");
  command.add_option("--parameters", options.parameters, "A,B,…: change these only")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      .add_option("--evaluations", options.evaluations, "most simulations of one start and horizon")
      ->check(positive());
  command.add_option("--starts", options.starts, "number of starts, inside the bounds")
      ->check(CLI::Range(1, 100'000));
  command.add_option("--seed", options.seed, "which of many sets of starts")
      ->check(positive());
  command.add_option("--threads", options.threads, "that work at starts; changes no result")
      ->check(CLI::Range(1, 1024));
  command.add_flag("--statics", options.statics,
                   "of the static equilibrium alone: terminal objectives, no runs");
  command
      .add_option("--resume", options.resume,
                  "go on with the journal of an earlier run (RESULT.journal)")
      ->check(named_file());
}

/// What was printed and did not arrive is no success.
int flushed(int status) {
  errno = 0;
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return status;
  fmt::print(stderr, "cannot write the standard output: {}\n", std::strerror(errno));
  return status == app::kDone ? app::kNumericsFailed : status;
}

/// `--set a=1 b=2` is `--set a=1 --set b=2`; CLI11 would take the model for a setting too.
std::vector<std::string> arguments_of(int argc, char** argv) {
  std::vector<std::string> all;
  bool setting = false;  // the last one was a value of --set
  for (int k = 1; k < argc; ++k) {
    const std::string argument = argv[k];
    const bool value = !argument.starts_with("-") && argument.find('=') != std::string::npos;
    if (setting && value) all.emplace_back("--set");
    setting = value && !all.empty() && all.back() == "--set";
    all.push_back(argument);
  }
  std::reverse(all.begin(), all.end());  // as CLI11 wants them
  return all;
}

bool has_command(const CLI::App& cli, const std::string& name) {
  const auto all = cli.get_subcommands([](const CLI::App*) { return true; });
  return std::any_of(all.begin(), all.end(),
                     [&](const CLI::App* sub) { return sub->get_name() == name; });
}

std::string commands_of(const CLI::App& cli) {
  std::string names;
  for (const CLI::App* sub : cli.get_subcommands([](const CLI::App*) { return true; })) {
    names += (names.empty() ? "" : ", ") + sub->get_name();
  }
  return names;
}

int run(const std::function<int()>& command) {
  try {
    return flushed(command());
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return app::kWrongInput;
  } catch (const std::system_error& error) {  // of fmt, where a device refuses
    fmt::print(stderr, "cannot write the standard output: {}\n", error.code().message());
    return app::kNumericsFailed;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "there is not enough memory for this\n");
    return app::kNumericsFailed;
  } catch (const std::exception& error) {
    fmt::print(stderr, "internal error: {}\n", error.what());
    return app::kNumericsFailed;
  }
}

}  // namespace

int app::command_line(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is a write that fails
  CLI::App cli{"Kinegrad: exact gradients of multibody dynamics"};
  cli.set_version_flag("--version", "kinegrad " + std::string(kVersion));
  cli.require_subcommand(1);
  std::function<int()> command;

  app::CheckOptions check;
  CLI::App* sub = cli.add_subcommand("check", "validate a model; errors as FILE:LINE: message");
  add_model(*sub, check.model);
  sub->add_flag("--quiet", check.quiet, "say nothing if all is well");
  sub->callback([&] { command = [&] { return app::check(check); }; });

  app::InfoOptions info;
  sub = cli.add_subcommand("info", "bodies, tree, loops and cuts, coordinates, parameters");
  add_model(*sub, info.model);
  sub->add_option("--out", info.out, "also write it as JSON to this file")->check(named_file());
  sub->add_flag("--quiet", info.quiet, "print nothing");
  sub->callback([&] { command = [&] { return app::info(info); }; });

  app::SimulateOptions simulate;
  sub = cli.add_subcommand("simulate", "the motion: signals as CSV, a summary as JSON");
  add_simulation(*sub, simulate);
  sub->callback([&] { command = [&] { return app::simulate(simulate); }; });

  app::GradientArguments gradient;
  sub = cli.add_subcommand("gradient", "objectives and their derivatives: a table, JSON");
  add_gradient(*sub, gradient);
  sub->callback([&] { command = [&] { return app::gradient(gradient); }; });

  app::OptimizeArguments optimize;
  sub = cli.add_subcommand("optimize", "the best parameters: a table, JSON with all evaluations");
  add_optimization(*sub, optimize);
  sub->callback([&] { command = [&] { return app::optimize(optimize); }; });

  app::ReportOptions report;
  sub = cli.add_subcommand("report", "a result as one page: 3D animation, plots, tables");
  sub->add_option("RESULT", report.result, "what simulate, gradient or optimize --out wrote")
      ->required();
  sub->add_option("-o,--out", report.out, "the page (HTML)")->required()->check(named_file());
  sub->add_flag("--quiet", report.quiet, "print nothing but errors");
  sub->callback([&] { command = [&] { return app::report(report); }; });

  app::ListOptions list;
  sub = cli.add_subcommand("list", "what a model or a run may name");
  sub->add_option("WHAT", list.what, "topic")->required()->check(CLI::IsMember(app::list_topics()));
  sub->callback([&] { command = [&] { return app::list(list); }; });

  bool markdown = false;
  sub = cli.add_subcommand("schema", "print the JSON Schema of model files");
  sub->add_flag("--markdown", markdown,
                "print every key as a page for people (docs/model_file.md) instead");
  sub->callback([&] { command = [&] { return app::schema(markdown); }; });

  if (argc > 1 && *argv[1] != '-' && !has_command(cli, argv[1])) {
    fmt::print(stderr, "unknown command \"{}\"; there are {}\n", argv[1], commands_of(cli));
    return app::kWrongInput;
  }
  try {
    cli.parse(arguments_of(argc, argv));
  } catch (const CLI::ParseError& error) {
    return cli.exit(error) == 0 ? app::kDone : app::kWrongInput;
  }
  return run(command);
}
