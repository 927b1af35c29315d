// Files that are whole or not there. A result is written beside its place, to NAME.unfinished, and takes
// the place of an older one when nothing is missing any more. Whoever looks finds the old file or the
// new one, never half of one; a process that is killed leaves the old one.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace kinegrad {

/// Where a file that is called so lies: symbolic links are followed, also those that lead to no file yet.
std::string resolved_path(const std::string& path);

/// Devices, pipes, open files of the process: what is written as it comes, by many at once.
bool is_device(const std::string& path);

/// The name under which a file is written until it is whole.
std::string unfinished_path(const std::string& path);

/// Opens a file, which is made if there is none, for this process alone. −1 where that fails, with
/// errno, which is EWOULDBLOCK if another process has it.
int open_locked(const std::string& path);

class OutputFile {
 public:
  /// Devices and pipes are written to directly.
  /// @throws InvalidArgument if the file cannot be written, or another process is writing it.
  explicit OutputFile(std::string path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /// What was not kept is gone.
  ~OutputFile();

  void write(std::string_view text);
  /// Puts the file in its place, after which nothing more is written. Empty, or why the device refused
  /// some of it ("cannot write PATH: No space left on device"); the file that was there stays then.
  [[nodiscard]] std::string keep();

  const std::string& path() const { return path_; }

 private:
  void note(bool good);
  void close();
  std::string refusal() const;

  std::string path_, place_;
  std::string beside_;  // empty: a device, or the file is closed
  std::FILE* file_ = nullptr;
  int error_ = 0;  // errno of what was refused first
};

}  // namespace kinegrad
