#include "support/judge_apart.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace kinegrad::test {

namespace {

/// Seconds that a case of some tens of steps may take; most take a tenth of one.
constexpr rlim_t kLongest = 5;

/// A verdict through a pipe: the outcome, then one line each.
std::string written(const Verdict& verdict) {
  std::string out =
      std::to_string(static_cast<int>(verdict.outcome)) + "\n" + verdict.reason + "\n";
  for (const std::string& line : verdict.wrong) out += line + "\n";
  return out;
}

Verdict read_back(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  Verdict out;
  std::getline(lines, line);
  out.outcome = static_cast<Outcome>(std::atoi(line.c_str()));
  std::getline(lines, out.reason);
  while (std::getline(lines, line)) out.wrong.push_back(line);
  return out;
}

/// All that comes through the pipe until its other end is closed.
std::string drained(int pipe) {
  std::string text;
  char buffer[4096];
  for (ssize_t n = 0; (n = ::read(pipe, buffer, sizeof buffer)) > 0;)
    text.append(buffer, std::size_t(n));
  ::close(pipe);
  return text;
}

}  // namespace

Verdict judge_apart(const RandomCase& random) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) {
    ::close(ends[0]);
    const rlimit seconds{kLongest, kLongest};  // of its own time, whatever else the machine does
    setrlimit(RLIMIT_CPU, &seconds);
    Verdict verdict;
    try {
      verdict = judge(random);
    } catch (const std::exception& error) {
      verdict = {Outcome::kWrong, std::string("exception: ") + error.what(), {error.what()}};
    }
    const std::string text = written(verdict);
    const bool sent = ::write(ends[1], text.data(), text.size()) == ssize_t(text.size());
    _exit(sent ? 0 : 1);
  }
  ::close(ends[1]);
  const std::string text = drained(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return read_back(text);
  const bool endless =
      WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL);
  if (endless) return {Outcome::kSlow, fmt::format("over {} s", kLongest), {}};
  return {Outcome::kWrong, "crash: the process died", {"crash: the process died"}};
}

}  // namespace kinegrad::test
