#include "progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

namespace kinegrad::app {

namespace {

volatile std::sig_atomic_t asked_to_stop = 0;
/// Who asks twice does not want to wait: the second signal ends the process.
void on_interrupt(int signal) {
  if (asked_to_stop) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  asked_to_stop = 1;
}

}  // namespace

void listen_for_interrupt() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
}

bool interrupted() { return asked_to_stop != 0; }

bool Patience::ended() const {
  constexpr std::chrono::milliseconds kLonger{300};
  return interrupted() && Clock::now() - begin_ > kLonger;
}

Progress::Progress(bool quiet) : shown_(!quiet && isatty(STDERR_FILENO)) {}

Progress::~Progress() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
}

void Progress::show(std::string_view what, double part) {
  if (!shown_) return;
  const auto now = Clock::now();
  if (part < part_) begin_ = now;
  part_ = part;
  if (now - last_ < std::chrono::milliseconds(200)) return;
  last_ = now;
  const double spent = std::chrono::duration<double>(now - begin_).count();
  fmt::print(stderr, "\r\033[K{:3.0f} %  {}, {:.0f} s left", 100 * part, what,
             part > 0 ? spent / part - spent : 0);
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace kinegrad::app
