#include "optimization/journal_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace kinegrad::journal {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSum = ",\"sum\":\"";

Json numbers(const VecX& x) { return std::vector<double>(x.begin(), x.end()); }

VecX vector_of(const char* key, const Json& json) {
  if (!json.is_array()) throw std::invalid_argument(fmt::format("\"{}\" is no list", key));
  VecX x(static_cast<Eigen::Index>(json.size()));
  for (std::size_t k = 0; k < json.size(); ++k) {
    const double number = json[k].is_number() ? json[k].get<double>() : std::nan("");
    if (!std::isfinite(number)) {
      throw std::invalid_argument(fmt::format("\"{}\" has something that is no number", key));
    }
    x(static_cast<Eigen::Index>(k)) = number;
  }
  return x;
}

const Json& member(const Json& line, const char* key) {
  if (!line.contains(key)) throw std::invalid_argument(fmt::format("\"{}\" is missing", key));
  return line[key];
}

/// FNV-1a, 64 bits (G. Fowler, L. C. Noll, K.-P. Vo).
std::string sum_of(std::string_view text) {
  std::uint64_t sum = 0xcbf29ce484222325u;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return fmt::format("{:016x}", sum);
}

/// Whether the line is as it was written, as far as it says.
bool intact(const std::string& line) {
  const std::size_t at = line.rfind(kSum);
  if (at == std::string::npos) return line.find("\"sum\"") == std::string::npos;
  return line.substr(at + kSum.size()) == sum_of(std::string_view(line).substr(0, at)) + "\"}";
}

/// A key that no line has is a key that was changed.
void check_keys(const Json& line) {
  for (const auto& [key, value] : line.items()) {
    static constexpr std::string_view kKeys[] = {"stage",  "parameters", "objectives", "gradient",
                                                 "failed", "seconds",    "sum"};
    if (std::find(std::begin(kKeys), std::end(kKeys), key) == std::end(kKeys)) {
      throw std::invalid_argument(fmt::format("a line has no key \"{:.40}\"", key));
    }
  }
}

Evaluation evaluation_of(const Json& line) {
  check_keys(line);
  Evaluation out;
  out.rho = vector_of("parameters", member(line, "parameters"));
  const Json& seconds = member(line, "seconds");
  if (!seconds.is_number()) throw std::invalid_argument("\"seconds\" is no number");
  out.seconds = seconds.get<double>();
  if (line.contains("failed")) {
    if (!line["failed"].is_string()) throw std::invalid_argument("\"failed\" is no text");
    out.failure = line["failed"].get<std::string>();
    if (out.failure.empty()) out.failure = "failed";
    return out;
  }
  out.psi = vector_of("objectives", member(line, "objectives"));
  const Json& gradient = member(line, "gradient");
  if (!gradient.is_array() || gradient.size() != static_cast<std::size_t>(out.psi.size())) {
    throw std::invalid_argument("\"gradient\" has not one list for each objective");
  }
  out.psi_rho.resize(out.psi.size(), out.rho.size());
  for (Eigen::Index i = 0; i < out.psi.size(); ++i) {
    const VecX row = vector_of("gradient", gradient[static_cast<std::size_t>(i)]);
    if (row.size() != out.rho.size()) {
      throw std::invalid_argument("\"gradient\" has not one number for each parameter");
    }
    out.psi_rho.row(i) = row.transpose();
  }
  return out;
}

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string header_line(const std::map<std::string, std::string>& what) {
  Json header{{"kinegrad", "evaluations"}, {"version", 1}};
  for (const auto& [key, text] : what) header[key] = text;
  return text_of(header) + "\n";
}

std::optional<std::map<std::string, std::string>> read_header(const std::string& line) {
  const Json header = Json::parse(line, nullptr, false);
  if (!header.is_object() || !header.contains("kinegrad") || !header.contains("version") ||
      header["kinegrad"] != "evaluations" || header["version"] != 1) {
    return {};
  }
  std::map<std::string, std::string> what;
  for (const auto& [key, value] : header.items()) {
    what[key] = value.is_string() ? value.get<std::string>() : text_of(value);
  }
  return what;
}

/// Numbers are written with as many digits as it takes to read the same bits again.
std::string evaluation_line(int stage, const Evaluation& evaluation) {
  Json line{{"stage", stage}, {"parameters", numbers(evaluation.rho)}};
  if (evaluation.usable()) {
    line["objectives"] = numbers(evaluation.psi);
    line["gradient"] = Json::array();
    for (Eigen::Index i = 0; i < evaluation.psi_rho.rows(); ++i) {
      line["gradient"].push_back(numbers(evaluation.psi_rho.row(i).transpose()));
    }
  } else {
    line["failed"] = evaluation.failure;
  }
  line["seconds"] = evaluation.seconds;
  std::string text = text_of(line);
  text.pop_back();  // the brace
  return fmt::format("{0}{1}{2}\"}}\n", text, kSum, sum_of(text));
}

Line read_evaluation(const std::string& line) {
  Line out;
  try {
    if (!intact(line)) throw std::invalid_argument("it was changed after it was written");
    const Json json = Json::parse(line);
    if (!json.is_object()) throw std::invalid_argument("it is no map");
    const Json& stage = member(json, "stage");
    const bool whole = stage.is_number_integer() && stage >= 0 && stage <= 1'000'000;
    if (!whole) throw std::invalid_argument("\"stage\" is no count");
    out.stage = stage.get<int>();
    out.evaluation = evaluation_of(json);
  } catch (const Json::exception&) {
    out.wrong = "it is not JSON";
  } catch (const std::invalid_argument& error) {
    out.wrong = error.what();
  }
  return out;
}

bool same_answer(const Evaluation& a, const Evaluation& b) {
  if (a.usable() != b.usable()) return false;
  return a.usable() ? a.psi == b.psi && a.psi_rho == b.psi_rho : a.failure == b.failure;
}

}  // namespace kinegrad::journal
