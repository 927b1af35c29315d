// The command in a process of its own, without the cost of starting one: a copy of this process calls
// app::command_line(). What it breaks, asks for or never ends stays in the copy.
#pragma once

#include <string>
#include <vector>

namespace kinegrad::test {

struct Limits {
  double seconds = 4;  ///< of processor time; then it is interrupted as by Ctrl-C
  double grace = 4;    ///< for the answer to that; then it is ended
};

struct Outcome {
  int status = -1;        ///< exit status; -1 if a signal ended it
  int signal = 0;         ///< that ended it
  bool hung = false;      ///< it did not answer, or slept
  bool long_run = false;  ///< it was interrupted
  std::string output;     ///< standard output and standard error
};

/// @param arguments after the name of the command
Outcome run_apart(const std::vector<std::string>& arguments, const Limits& limits);

}  // namespace kinegrad::test
