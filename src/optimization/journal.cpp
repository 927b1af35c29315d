#include "kinegrad/optimization/journal.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "kinegrad/base/error.hpp"

namespace kinegrad {

namespace {

using Json = nlohmann::ordered_json;

Json numbers(const VecX& x) { return std::vector<double>(x.begin(), x.end()); }

VecX vector_of(const Json& json) {
  const auto x = json.get<std::vector<double>>();
  return Eigen::Map<const VecX>(x.data(), static_cast<Eigen::Index>(x.size()));
}

/// Numbers are written with as many digits as it takes to read the same bits again.
std::string line_of(int stage, const Evaluation& evaluation) {
  Json line{{"stage", stage}, {"parameters", numbers(evaluation.rho)}};
  if (evaluation.usable()) {
    line["objectives"] = numbers(evaluation.psi);
    for (Eigen::Index i = 0; i < evaluation.psi_rho.rows(); ++i) {
      line["gradient"].push_back(numbers(evaluation.psi_rho.row(i).transpose()));
    }
  } else {
    line["failed"] = evaluation.failure;
  }
  line["seconds"] = evaluation.seconds;
  return line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Evaluation evaluation_of(const Json& line) {
  Evaluation out;
  out.rho = vector_of(line.at("parameters"));
  out.seconds = line.at("seconds").get<double>();
  if (line.contains("failed")) {
    out.failure = line.at("failed").get<std::string>();
    if (out.failure.empty()) out.failure = "failed";
    return out;
  }
  out.psi = vector_of(line.at("objectives"));
  out.psi_rho.resize(out.psi.size(), out.rho.size());
  for (Eigen::Index i = 0; i < out.psi.size(); ++i) {
    const VecX row = vector_of(line.at("gradient").at(static_cast<std::size_t>(i)));
    if (row.size() != out.rho.size()) throw InvalidArgument("sizes differ");
    out.psi_rho.row(i) = row.transpose();
  }
  return out;
}

std::string header_line(const std::map<std::string, std::string>& what) {
  Json header{{"kinegrad", "evaluations"}, {"version", 1}};
  for (const auto& [key, text] : what) header[key] = text;
  return header.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

Journal::Journal(std::string path, std::map<std::string, std::string> what, bool resume)
    : path_(std::move(path)) {
  if (resume) read(what);
  file_ = std::fopen(path_.c_str(), resume ? "ab" : "wb");
  if (!file_) throw InvalidArgument("cannot write " + path_ + ": " + std::strerror(errno));
  const std::string header = header_line(what);
  const bool good =
      resume || (std::fwrite(header.data(), 1, header.size(), file_) == header.size() &&
                 std::fflush(file_) == 0);
  if (!good) throw InvalidArgument("cannot write " + path_ + ": " + std::strerror(errno));
}

Journal::~Journal() {
  if (file_) std::fclose(file_);
}

void Journal::check_header(const std::string& line,
                           const std::map<std::string, std::string>& what) const {
  const Json header = Json::parse(line, nullptr, false);
  if (!header.is_object() || header.value("kinegrad", "") != "evaluations" ||
      header.value("version", 0) != 1) {
    throw InvalidArgument(path_ + ":1: not a journal of evaluations");
  }
  for (const auto& [key, text] : what) {
    const std::string there = header.value(key, "");
    if (there == text) continue;
    throw InvalidArgument(path_ + ": was recorded with other " + key + ": " + there + ", not " +
                          text);
  }
}

/// Whole lines count; what follows the last of them is cut off, so that the next one stands alone.
void Journal::read(const std::map<std::string, std::string>& what) {
  std::ifstream file(path_, std::ios::binary);
  if (!file) throw InvalidArgument("cannot read " + path_ + ": " + std::strerror(errno));
  std::string line;
  std::uintmax_t whole = 0;
  for (long number = 1; std::getline(file, line) && !file.eof(); ++number) {
    if (number == 1) {
      check_header(line, what);
    } else if (!keep(line)) {
      throw InvalidArgument(path_ + ":" + std::to_string(number) + ": not an evaluation");
    }
    whole += line.size() + 1;
  }
  file.close();
  if (whole == 0) throw InvalidArgument(path_ + ":1: not a journal of evaluations");
  std::error_code error;
  std::filesystem::resize_file(path_, whole, error);
  if (error) throw InvalidArgument("cannot write " + path_ + ": " + error.message());
}

bool Journal::keep(const std::string& line) {
  try {
    const Json json = Json::parse(line);
    const int stage = json.at("stage").get<int>();
    Evaluation evaluation = evaluation_of(json);
    if (!first_ && evaluation.usable()) first_ = {stage, evaluation};
    std::vector<double> bits(evaluation.rho.begin(), evaluation.rho.end());
    known_.emplace(Key{stage, std::move(bits)}, std::move(evaluation));
    ++resumed_;
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

std::optional<Evaluation> Journal::find(int stage, const VecX& rho) const {
  const std::lock_guard lock(mutex_);
  const auto it = known_.find({stage, {rho.begin(), rho.end()}});
  if (it == known_.end()) return {};
  return it->second;
}

bool Journal::add(int stage, const Evaluation& evaluation) {
  const std::string line = line_of(stage, evaluation);
  const std::lock_guard lock(mutex_);
  return std::fwrite(line.data(), 1, line.size(), file_) == line.size() && std::fflush(file_) == 0;
}

Evaluator journaled(Evaluator evaluate, Journal& journal) {
  return [evaluate = std::move(evaluate), &journal](const EvaluationRequest& request) {
    if (auto known = journal.find(request.stage, request.rho)) return *known;
    Evaluation evaluation = evaluate(request);
    if (!evaluation.stopped && !journal.add(request.stage, evaluation)) {
      throw InvalidArgument("cannot write " + journal.path() + ": " + std::strerror(errno));
    }
    return evaluation;
  };
}

}  // namespace kinegrad
