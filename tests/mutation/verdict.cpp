#include "mutation/verdict.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

namespace kinegrad::test {

namespace {

using Json = nlohmann::json;

bool says(const Outcome& outcome, const char* words) {
  return outcome.output.find(words) != std::string::npos;
}

std::string broken_end(const Outcome& outcome, bool interruptible) {
  if (says(outcome, "Sanitizer") || says(outcome, "runtime error:")) return "sanitizer";
  if (outcome.hung) return "hang";
  if (outcome.long_run && !interruptible) return "slow";
  if (outcome.long_run && outcome.signal == SIGINT) return "slow before it listens";
  if (outcome.signal != 0) return "signal " + std::to_string(outcome.signal);
  if (says(outcome, "internal error")) return "internal error";
  if (says(outcome, "not enough memory")) return "memory";
  if (outcome.status < 0 || outcome.status > 2) return "status " + std::to_string(outcome.status);
  if (outcome.status != 0 && outcome.output.empty()) return "no reason";
  return {};
}

/// FILE:LINE, anywhere in the message.
bool has_place(const std::string& output, const std::string& file) {
  for (std::size_t at = output.find(file + ":"); at != std::string::npos;
       at = output.find(file + ":", at + 1)) {
    const std::size_t digit = at + file.size() + 1;
    if (digit < output.size() && output[digit] >= '1' && output[digit] <= '9') return true;
  }
  return false;
}

/// What a file does not say has no line in it; the file is named all the same.
bool is_missing(const std::string& output, const std::string& file) {
  if (output.starts_with("cannot read "))
    return output.find(", which " + file) != std::string::npos;
  static constexpr std::string_view kMissing[] = {"give a positive step", "give a positive end",
                                                  "the model has "};
  return std::any_of(std::begin(kMissing), std::end(kMissing), [&](std::string_view words) {
    return output.starts_with(file + ": " + std::string(words));
  });
}

/// nan or inf where a number stands.
bool prints_no_number(const std::string& output) {
  static const std::regex kNoNumber(R"((^|[\s=:,(\[])-?(nan|inf)($|[\s,;)\]]))");
  return std::regex_search(output, kNoNumber);
}

/// JSON has no nan: what is not finite is null in it. The name of the first one. Scenes
/// ("model"), settings and warnings have nulls of their own: bounds and limits that nobody gives, no instant.
std::string first_null(const Json& json, const std::string& name) {
  if (json.is_null()) return name;
  if (json.is_structured()) {
    for (const auto& [key, value] : json.items()) {
      if (key == "model" || key == "settings" || key == "warnings" || key == "bounds") continue;
      if (value.is_object() && value.contains("failed"))
        continue;  // an evaluation that has no numbers
      const std::string inside = first_null(value, name + "/" + key);
      if (!inside.empty()) return inside;
    }
  }
  return {};
}

std::string broken_result(const std::string& path) {
  if (path.empty()) return {};
  std::ifstream file(path);
  if (!file) return "exit 0 without its result";
  const Json json = Json::parse(file, nullptr, false);
  if (json.is_discarded()) return "a result that is not JSON";
  Json numbers = json;
  if (json.contains("warnings") && !json["warnings"].empty())
    numbers.erase("monitors");  // it says so
  const std::string null = first_null(numbers, "");
  return null.empty() ? "" : "exit 0 with null: " + null;
}

}  // namespace

std::string broken_promise(const Outcome& outcome, const Expectation& expected) {
  const std::string end = broken_end(outcome, expected.interruptible);
  if (!end.empty()) return end;
  if (outcome.status == 2 && !is_missing(outcome.output, expected.file)) {
    bool placed = has_place(outcome.output, expected.file);
    for (const std::string& other : expected.others) {
      placed = placed || has_place(outcome.output, other);
    }
    if (!placed) return "exit 2 without a place";
  }
  if (outcome.status != 0) return {};
  if (prints_no_number(outcome.output)) return "exit 0 with a number that is not finite";
  return broken_result(expected.result);
}

std::string outline(const std::string& output) {
  std::string line = output.substr(0, output.find('\n'));
  line = std::regex_replace(line, std::regex(R"(\S*/)"), "");
  line = std::regex_replace(line, std::regex(R"("[^"]*")"), "\"…\"");
  return std::regex_replace(line, std::regex(R"([-+]?[0-9][0-9.e+-]*)"), "#").substr(0, 160);
}

}  // namespace kinegrad::test
