// What the choices of a run ask of each other, and where a file makes them.
#include <fmt/format.h>

#include <algorithm>

#include "commands.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/simulation/option_readers.hpp"

namespace kinegrad::app {

namespace {

/// spectral_radius → --spectral-radius
std::string command_option(std::string_view option) {
  std::string name = "--" + std::string(option);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

bool mentions(const std::string& message, const std::string& word) {
  for (std::size_t at = message.find(word); at != std::string::npos;
       at = message.find(word, at + 1)) {
    const auto letter = [&](std::size_t k) {
      return k < message.size() && (std::isalnum(static_cast<unsigned char>(message[k])) ||
                                    message[k] == '-' || message[k] == '_');
    };
    if (!letter(at - 1) && !letter(at + word.size())) return true;
  }
  return false;
}

}  // namespace

void require_used(const RunArguments& arguments, const RunOptions& run) {
  for (const OptionReaders& readers : option_readers()) {
    const auto& given = arguments.given;
    const std::string option = command_option(readers.option);
    if (!std::count(given.begin(), given.end(), option) || readers.read_by(run)) continue;
    throw InvalidArgument(fmt::format(
        "{} is for {}, and the {} of this run is {}", option, fmt::join(readers.names, ", "),
        readers.of_integrators ? "integrator" : "formulation", readers.choice(run)));
  }
}

std::string placed(const RunArguments& arguments, const std::string& message) {
  const ModelDescription description = read_model_yaml(arguments.model.file);
  const AnalysisSpec& analysis = description.analysis;
  std::vector<std::pair<std::string, SourceLocation>> words;
  const auto word = [&](const std::string& given, const std::optional<NameSpec>& field) {
    if (given.empty() && field) words.emplace_back(field->name, field->where);
  };
  const auto number = [&](double given, const std::optional<NumberSpec>& field, const char* name) {
    if (given == 0 && field) words.emplace_back(name, field->where);
  };
  word(arguments.formulation, analysis.formulation);
  word(arguments.integrator, analysis.integrator);
  word(arguments.coordinates, analysis.coordinates);
  number(arguments.tolerance, analysis.tolerance, "tolerance");
  number(arguments.max_step, analysis.max_step, "max_step");
  number(arguments.min_step, analysis.min_step, "min_step");
  word(arguments.steps, analysis.steps);
  number(arguments.step, analysis.step, "step");
  number(arguments.end, analysis.end, "end");
  for (const auto& [name, where] : words) {
    if (where.known() && mentions(message, name)) {
      return Diagnostic{where, "analysis: " + message}.text();
    }
  }
  // what is missing has no line of its own, but perhaps a section
  if (message.find("(analysis: ") != std::string::npos) {
    return analysis.where.known() ? Diagnostic{analysis.where, message}.text()
                                  : arguments.model.file + ": " + message;
  }
  return message.starts_with("the model ") ? arguments.model.file + ": " + message : message;
}

}  // namespace kinegrad::app
