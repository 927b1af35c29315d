#include "mutation/run_apart.hpp"

#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <stdexcept>

#include "command_line.hpp"
#include "support/time_limit.hpp"

namespace kinegrad::test {

namespace {

constexpr rlim_t kMemory = rlim_t{4} << 30;       // bytes: a model that asks for more says so
constexpr rlim_t kLargestFile = rlim_t{1} << 28;  // bytes
constexpr int kLook = 5'000;       // ms from one look at its processor time to the next
constexpr int kLongestSleep = 12;  // looks without any: a process that does nothing waits for ever

void limit(__rlimit_resource what, rlim_t value) {
  const rlimit both{value, value};
  setrlimit(what, &both);
}

/// Processor time, not the time of the wall: others on the machine do not count.
void limit_time(const Limits& limits) {
  std::signal(SIGPROF, [](int) { std::raise(SIGINT); });
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(limits.seconds);
  timer.it_value.tv_usec = static_cast<suseconds_t>(1e6 * std::fmod(limits.seconds, 1.0));
  setitimer(ITIMER_PROF, &timer, nullptr);
  limit(RLIMIT_CPU, static_cast<rlim_t>(std::ceil(limits.seconds + limits.grace)));
}

[[noreturn]] void be_the_command(const std::vector<std::string>& arguments, int output,
                                 const Limits& limits) {
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, kLargestFile);
  if (!kSanitized) limit(RLIMIT_AS, kMemory);  // sanitizers reserve terabytes
  limit_time(limits);
  std::vector<std::string> words{"kinegrad"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  std::exit(app::command_line(static_cast<int>(pointers.size()), pointers.data()));
}

std::string all_of(int file) {
  std::string text;
  char buffer[4096];
  for (ssize_t n = 0;
       (n = pread(file, buffer, sizeof buffer, static_cast<off_t>(text.size()))) > 0;) {
    text.append(buffer, static_cast<std::size_t>(n));
  }
  return text;
}

/// Seconds of processor time, so far; what others do on the machine does not count.
double processor_time(pid_t process) {
  clockid_t clock{};
  timespec spent{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &spent) != 0) return 0;
  return static_cast<double>(spent.tv_sec) + 1e-9 * static_cast<double>(spent.tv_nsec);
}

/// Waits for its end; false if it had to be ended because it did nothing.
bool ended_itself(pid_t process) {
  // glibc 2.36 declares pidfd_open() without C linkage
  pollfd end{static_cast<int>(syscall(SYS_pidfd_open, process, 0)), POLLIN, 0};
  bool itself = false;
  double before = -1;
  for (int asleep = 0; end.fd >= 0 && !itself && asleep < kLongestSleep; ++asleep) {
    itself = poll(&end, 1, kLook) > 0;
    const double now = processor_time(process);
    if (now > before) asleep = 0;
    before = now;
  }
  if (!itself) kill(process, SIGKILL);
  if (end.fd >= 0) close(end.fd);
  return itself;
}

}  // namespace

Outcome run_apart(const std::vector<std::string>& arguments, const Limits& limits) {
  const int output = memfd_create("output", 0);
  if (output < 0) throw std::runtime_error("memfd_create");
  std::fflush(nullptr);
  const pid_t process = fork();
  if (process < 0) throw std::runtime_error("fork");
  if (process == 0) be_the_command(arguments, output, limits);

  Outcome outcome;
  const bool itself = ended_itself(process);
  int status = 0;
  rusage used{};
  wait4(process, &status, 0, &used);
  outcome.output = all_of(output);
  close(output);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  outcome.long_run = seconds(used.ru_utime) + seconds(used.ru_stime) >= limits.seconds;
  if (WIFEXITED(status)) outcome.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  outcome.hung = !itself || outcome.signal == SIGXCPU || outcome.signal == SIGKILL;
  return outcome;
}

}  // namespace kinegrad::test
