// Runs the command as a user does and keeps what it printed. For the integration tests, which know
// where the command is (KINEGRAD_COMMAND).
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace kinegrad::test {

struct CommandResult {
  int status = -1;     ///< exit status; 128 + signal if a signal ended it
  std::string output;  ///< standard output and standard error
};

/// `arguments` goes to the shell as it is.
inline CommandResult run_kinegrad(const std::string& arguments) {
  CommandResult result;
  const std::string command = std::string(KINEGRAD_COMMAND) + " " + arguments + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return result;
  std::array<char, 4096> buffer;
  std::size_t n = 0;
  while ((n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0) {
    result.output.append(buffer.data(), n);
  }
  const int status = pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace kinegrad::test
