#include "regular_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>

#include "kinegrad/base/error.hpp"

namespace kinegrad::io {

std::ifstream open_regular(const std::string& path, const std::string& why) {
  std::error_code error;
  // asked before it is opened: opening a pipe would wait for a writer
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error)) {
    throw InvalidArgument("cannot read " + path + why + ": it is not a file");
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InvalidArgument("cannot read " + path + why + ": " + std::strerror(errno));
  return file;
}

std::string whole_file(const std::string& path) {
  std::ifstream file = open_regular(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace kinegrad::io
