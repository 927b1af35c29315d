// Runs the command as a user does and keeps what it printed.
#pragma once

#include <signal.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>

#include "support/places.hpp"
#include "support/temporary_file.hpp"

namespace kinegrad::test {

struct CommandResult {
  int status = -1;     ///< exit status; 128 + signal if a signal ended it
  std::string output;  ///< standard output and standard error
};

/// `arguments` goes to the shell as it is; `before` is what the shell does first.
inline CommandResult run_kinegrad(const std::string& arguments, const std::string& before = "") {
  CommandResult result;
  const std::string command = before + " " + command_path() + " 2>&1 " + arguments;
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

/// Runs the command with the arguments and interrupts it once it has written to `sign`.
inline CommandResult run_interrupted(const std::string& arguments, const TemporaryFile& sign) {
  const TemporaryFile pid(std::filesystem::path(sign.path()).filename().string() + ".pid");
  std::thread interrupter([&] {
    for (int k = 0; k < 600; ++k) {  // a minute at most
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      std::error_code none;
      if (std::filesystem::exists(sign.path(), none) &&
          std::filesystem::file_size(sign.path(), none) > 0) {
        break;
      }
    }
    const std::string number = pid.text();
    if (!number.empty()) kill(static_cast<pid_t>(std::stol(number)), SIGINT);
  });
  // the shell writes its number and becomes the command
  const std::string command =
      "sh -c 'echo $$ > " + pid.path() + "; exec " + command_path() + " " + arguments + "' 2>&1";
  CommandResult result;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe != nullptr) {
    char buffer[4096];
    for (std::size_t n = 0; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
      result.output.append(buffer, n);
    }
    const int status = pclose(pipe);
    if (WIFEXITED(status)) result.status = WEXITSTATUS(status);
  }
  interrupter.join();
  return result;
}

}  // namespace kinegrad::test
