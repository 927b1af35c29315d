// Files that tests write and that are gone after them.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace kinegrad::test {

/// A file that is gone after the test. Tests may run at the same time, so each has its own name.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& name)
      : path_((std::filesystem::temp_directory_path() / ("kinegrad_test_" + name)).string()) {
    std::filesystem::remove(path_);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove(path_); }

  const std::string& path() const { return path_; }
  std::string text() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::string path_;
};

}  // namespace kinegrad::test
