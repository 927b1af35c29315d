#include "kinegrad/base/output_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "kinegrad/base/error.hpp"

namespace kinegrad {

namespace fs = std::filesystem;

namespace {
using Stat = struct stat;

/// The standard output as it was given to the process; a file of that name is ./-.
constexpr std::string_view kStandardOutput = "-";
}  // namespace

bool is_device(const std::string& path) {
  if (path == kStandardOutput) return true;
  Stat there{};
  if (::stat(path.c_str(), &there) != 0 || S_ISDIR(there.st_mode)) return false;
  // /dev/stdout may be a regular file, which others have open too
  return !S_ISREG(there.st_mode) || path.starts_with("/dev/") || path.starts_with("/proc/");
}

std::string resolved_path(const std::string& path) {
  constexpr int kMostLinks = 40;
  fs::path at(path);
  std::error_code error;
  for (int k = 0; k < kMostLinks && fs::is_symlink(at, error); ++k) {
    const fs::path target = fs::read_symlink(at, error);
    if (error) break;
    at = at.parent_path() / target;  // which is the target itself where that is absolute
  }
  const fs::path canonical = fs::weakly_canonical(fs::absolute(at, error), error);
  return error ? at.string() : canonical.string();
}

std::string unfinished_path(const std::string& path) { return resolved_path(path) + ".unfinished"; }

int open_locked(const std::string& path) {
  constexpr int kMostTries = 100;
  for (int k = 0; k < kMostTries; ++k) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) return -1;
    // file systems without locks are used without
    const bool taken = ::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    Stat mine{}, there{};
    const bool same = !taken && ::fstat(file, &mine) == 0 && ::stat(path.c_str(), &there) == 0 &&
                      mine.st_dev == there.st_dev && mine.st_ino == there.st_ino;
    if (same) return file;
    ::close(file);
    errno = EWOULDBLOCK;
    if (taken) return -1;
    // its owner has put it in its place since it was opened here: the name is free again
  }
  return -1;
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)), place_(resolved_path(path_)) {
  const auto refuse = [&](const char* why) {
    throw InvalidArgument("cannot write " + path_ + ": " + why);
  };
  if (path_ == kStandardOutput) {  // at its own position: what it has already stays
    const int descriptor = ::dup(STDOUT_FILENO);
    file_ = descriptor < 0 ? nullptr : ::fdopen(descriptor, "wb");
    if (!file_) refuse(std::strerror(errno));
    return;
  }
  Stat there{};
  const bool exists = ::stat(path_.c_str(), &there) == 0;
  if (exists && S_ISDIR(there.st_mode)) refuse("it is a folder");
  if (exists && ::access(path_.c_str(), W_OK) != 0) refuse(std::strerror(errno));
  if (is_device(path_)) {
    file_ = std::fopen(path_.c_str(), "wb");
    if (!file_) refuse(std::strerror(errno));
    return;
  }
  beside_ = unfinished_path(path_);
  const int descriptor = open_locked(beside_);
  if (descriptor < 0) {
    refuse(errno == EWOULDBLOCK ? "another process is writing it" : std::strerror(errno));
  }
  const bool ready = ::ftruncate(descriptor, 0) == 0 &&
                     (!exists || ::fchmod(descriptor, there.st_mode & 07777) == 0);
  file_ = ready ? ::fdopen(descriptor, "wb") : nullptr;
  if (file_) return;
  const int error = errno;
  ::unlink(beside_.c_str());
  ::close(descriptor);
  refuse(std::strerror(error));
}

OutputFile::~OutputFile() {
  if (!beside_.empty()) ::unlink(beside_.c_str());  // before the lock goes
  close();
}

void OutputFile::close() {
  if (file_) note(std::fclose(file_) == 0);
  file_ = nullptr;
  beside_.clear();
}

void OutputFile::note(bool good) {
  if (!good && error_ == 0) error_ = errno != 0 ? errno : EIO;
}

void OutputFile::write(std::string_view text) {
  if (!file_ || error_ != 0) return;
  errno = 0;
  note(std::fwrite(text.data(), 1, text.size(), file_) == text.size());
}

std::string OutputFile::refusal() const {
  return error_ == 0 ? "" : "cannot write " + path_ + ": " + std::strerror(error_);
}

std::string OutputFile::keep() {
  if (!file_) return refusal();
  errno = 0;
  note(std::fflush(file_) == 0);
  if (!beside_.empty()) {
    if (error_ == 0) note(std::rename(beside_.c_str(), place_.c_str()) == 0);
    if (error_ != 0) ::unlink(beside_.c_str());
  }
  close();
  return refusal();
}

}  // namespace kinegrad
