// How far a command is, on a terminal, and whether its user wants it to stop.
#pragma once

#include <chrono>
#include <string_view>

namespace kinegrad::app {

/// From now on Ctrl-C and SIGTERM ask to stop; the second one ends the process at once, which leaves
/// journals whole up to the last evaluation.
void listen_for_interrupt();
bool interrupted();

/// What is done for the sake of completeness once the user wants to stop, and how long it may take:
/// a command that is asked to stop ends within a second.
class Patience {
 public:
  /// Whether the user wants to stop and this has lasted long enough.
  bool ended() const;

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now();
};

/// A line that says how far the work is; silent when piped or quiet.
class Progress {
 public:
  explicit Progress(bool quiet);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// The part that is done, and what is being done. A part below the last one begins something new.
  void show(std::string_view what, double part);

 private:
  using Clock = std::chrono::steady_clock;
  bool shown_, drawn_ = false;
  double part_ = 0;
  Clock::time_point begin_ = Clock::now(), last_ = begin_;
};

}  // namespace kinegrad::app
