#include "kinegrad/optimization/journal.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "kinegrad/base/error.hpp"
#include "kinegrad/base/output_file.hpp"
#include "optimization/journal_line.hpp"

namespace kinegrad {

namespace fs = std::filesystem;

Journal::Journal(std::string path, JournalSubject subject, bool resume)
    : path_(std::move(path)), subject_(std::move(subject)) {
  resume ? go_on() : begin();
}

void Journal::refuse(long number, const std::string& why) const {
  throw InvalidArgument(fmt::format("{}:{}: {}", path_, number, why));
}

namespace {

[[noreturn]] void refuse_file(const char* what, const std::string& path) {
  const char* why = errno == EWOULDBLOCK ? "another process is using it" : std::strerror(errno);
  throw InvalidArgument(fmt::format("cannot {} {}: {}", what, path, why));
}

/// The journal of this process alone.
int locked(const std::string& path) {
  const int file = open_locked(path);
  if (file < 0) refuse_file("write", path);
  return file;
}

/// A file of its own, empty; the one that was there keeps what it has under another name.
int fresh(const std::string& path) {
  const int old = locked(path);
  struct stat there {};
  if (::fstat(old, &there) == 0 && there.st_size == 0) return old;
  const bool moved = std::rename(path.c_str(), Journal::old_path(path).c_str()) == 0;
  const int error = errno;
  const int file = moved ? open_locked(path) : -1;
  ::close(old);
  if (moved && file >= 0) return file;
  if (!moved) errno = error;
  refuse_file("write", path);
}

}  // namespace

void Journal::begin() {
  file_.reset(is_device(path_) ? std::fopen(path_.c_str(), "wb")
                               : ::fdopen(fresh(resolved_path(path_)), "wb"));
  if (!file_) refuse_file("write", path_);
  const std::string header = journal::header_line(subject_.what);
  // A device that refuses already is met again with the first evaluation, whose result is not lost.
  std::fwrite(header.data(), 1, header.size(), file_.get());
  std::fflush(file_.get());
}

void Journal::go_on() {
  std::error_code none;
  errno = 0;
  if (!std::ifstream(path_)) refuse_file("read", path_);
  if (!fs::is_regular_file(path_, none)) refuse(1, "not a journal of evaluations");
  file_.reset(::fdopen(locked(resolved_path(path_)), "ab"));
  if (!file_) refuse_file("write", path_);
  read();
}

void Journal::check_header(const std::string& line) const {
  const auto header = journal::read_header(line);
  if (!header) refuse(1, "not a journal of evaluations");
  for (const auto& [key, text] : subject_.what) {
    const auto there = header->find(key);
    if (there == header->end()) refuse(1, "does not say with what " + key + " it was recorded");
    if (there->second == text) continue;
    refuse(1, "was recorded with other " + key + ": " + there->second + ", not " + text);
  }
}

/// Whole lines count; what follows the last of them is cut off, so that the next one stands alone.
void Journal::read() {
  std::ifstream file(path_, std::ios::binary);
  std::string line;
  long whole = 0, number = 0;
  while (std::getline(file, line) && !file.eof()) {
    ++number == 1 ? check_header(line) : take(line, number);
    whole += static_cast<long>(line.size()) + 1;
  }
  if (number == 0) refuse(1, "not a journal of evaluations");
  if (::ftruncate(::fileno(file_.get()), whole) != 0) refuse_file("write", path_);
}

void Journal::take(const std::string& line, long number) {
  journal::Line read = journal::read_evaluation(line);
  if (!read.wrong.empty()) refuse(number, "not an evaluation: " + read.wrong);
  const Evaluation& evaluation = read.evaluation;
  const auto sized = [&](Eigen::Index size, Eigen::Index right, const char* what) {
    if (size == right) return;
    refuse(number,
           fmt::format("not an evaluation: {} {} where the problem has {}", size, what, right));
  };
  sized(evaluation.rho.size(), subject_.parameters, "parameters");
  if (read.stage < 0 || read.stage >= subject_.stages) {
    refuse(number, fmt::format("not an evaluation: there is no horizon {}", read.stage));
  }
  if (evaluation.usable()) sized(evaluation.psi.size(), subject_.objectives, "objectives");
  if (!first_ && evaluation.usable()) first_ = {read.stage, evaluation.rho};
  Key key{read.stage, {evaluation.rho.begin(), evaluation.rho.end()}};
  const auto there = known_.find(key);
  if (there != known_.end() && !journal::same_answer(there->second.evaluation, evaluation)) {
    refuse(number,
           fmt::format("line {} has other values of the same parameters", there->second.line));
  }
  known_.emplace(std::move(key), Known{std::move(read.evaluation), number});
  ++resumed_;
}

std::optional<Evaluation> Journal::find(int stage, const VecX& rho) const {
  const std::lock_guard lock(mutex_);
  const auto it = known_.find({stage, {rho.begin(), rho.end()}});
  if (it == known_.end()) return {};
  return it->second.evaluation;
}

long Journal::line_of(int stage, const VecX& rho) const {
  const std::lock_guard lock(mutex_);
  const auto it = known_.find({stage, {rho.begin(), rho.end()}});
  return it == known_.end() ? 0 : it->second.line;
}

std::string Journal::add(int stage, const Evaluation& evaluation) {
  const std::string line = journal::evaluation_line(stage, evaluation);
  const std::lock_guard lock(mutex_);
  errno = 0;
  const bool good = std::fwrite(line.data(), 1, line.size(), file_.get()) == line.size() &&
                    std::fflush(file_.get()) == 0;
  return good ? "" : fmt::format("cannot write {}: {}", path_, std::strerror(errno));
}

Evaluator journaled(Evaluator evaluate, Journal& journal) {
  return [evaluate = std::move(evaluate), &journal](const EvaluationRequest& request) {
    if (auto known = journal.find(request.stage, request.rho)) return *known;
    Evaluation evaluation = evaluate(request);
    if (evaluation.stopped) return evaluation;
    const std::string refusal = journal.add(request.stage, evaluation);
    if (!refusal.empty()) throw InvalidArgument(refusal);
    return evaluation;
  };
}

std::string disagreement(const Journal& journal, int stage, const VecX& rho,
                         const Evaluator& evaluate, const std::function<bool()>& go_on) {
  const auto before = journal.find(stage, rho);
  if (!before) return {};
  const Evaluation now = evaluate({rho, stage, go_on});
  if (now.stopped) return {};
  const auto says = [&](const std::string& what) {
    return fmt::format("{}:{}: {}", journal.path(), journal.line_of(stage, rho), what);
  };
  if (!now.usable()) return says("an evaluation that fails now: " + now.failure);
  constexpr double kSame = 1e-9;  // other compilers and libraries round otherwise
  for (Eigen::Index i = 0; i < now.psi.size(); ++i) {
    const double slope = now.psi_rho.row(i).cwiseAbs().maxCoeff();
    const double size = std::abs(now.psi(i)) + slope;
    if (!(std::abs(now.psi(i) - before->psi(i)) <= kSame * size)) {
      return says(
          fmt::format("an objective is {:.17g} there and {:.17g} when it is evaluated again",
                      before->psi(i), now.psi(i)));
    }
    for (Eigen::Index k = 0; k < rho.size(); ++k) {
      if (std::abs(now.psi_rho(i, k) - before->psi_rho(i, k)) <= kSame * slope) continue;
      return says(
          fmt::format("a derivative is {:.17g} there and {:.17g} when it is evaluated again",
                      before->psi_rho(i, k), now.psi_rho(i, k)));
    }
  }
  return {};
}

}  // namespace kinegrad
