// The command line. Exit 0: done · 1: the numerics failed · 2: the input is wrong.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <functional>

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

int run(const std::function<int()>& command) {
  try {
    return command();
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return app::kWrongInput;
  } catch (const std::exception& error) {
    fmt::print(stderr, "internal error: {}\n", error.what());
    return app::kNumericsFailed;
  }
}

}  // namespace

int main(int argc, char** argv) {
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
  sub->add_option("--out", info.out, "also write it as JSON to this file");
  sub->add_flag("--quiet", info.quiet, "print nothing");
  sub->callback([&] { command = [&] { return app::info(info); }; });

  app::ListOptions list;
  sub = cli.add_subcommand("list", "what a model or a run may name");
  sub->add_option("WHAT", list.what, "topic")->required()->check(CLI::IsMember(app::list_topics()));
  sub->callback([&] { command = [&] { return app::list(list); }; });

  sub = cli.add_subcommand("schema", "print the JSON Schema of model files");
  sub->callback([&] { command = [] { return app::schema(); }; });

  try {
    cli.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return cli.exit(error) == 0 ? app::kDone : app::kWrongInput;
  }
  return run(command);
}
