#include "command_files.hpp"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "kinegrad/base/error.hpp"

namespace kinegrad::app {

namespace {

/// Device and inode of a file that exists, its place if it does not; empty: many may write it.
std::string identity(const std::string& path) {
  if (path == "-") return path;  // tables of two files in one stream would be neither
  if (path.empty() || is_device(path)) return {};
  struct stat there {};
  if (::stat(path.c_str(), &there) != 0) return resolved_path(path);
  return fmt::format("{}:{}", there.st_dev, there.st_ino);
}

struct Compared {
  std::string what, identity;
};

void compare(const std::vector<Compared>& others, const NamedFile& output,
             const std::string& path) {
  const std::string own = identity(path);
  for (const Compared& other : others) {
    if (own.empty() || other.identity != own) continue;
    throw InvalidArgument(
        fmt::format("{} is {}: {} must name another file", path, other.what, output.what));
  }
}

}  // namespace

void require_distinct(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs) {
  std::vector<Compared> others;
  for (const NamedFile& input : inputs) others.push_back({input.what, identity(input.path)});
  for (const NamedFile& output : outputs) {
    if (output.path.empty()) continue;
    const std::string unfinished = output.path == "-" ? "" : unfinished_path(output.path);
    for (const std::string& path : {output.path, unfinished}) compare(others, output, path);
    for (const std::string& path : {output.path, unfinished}) {
      others.push_back({"what " + output.what + " writes", identity(path)});
    }
  }
}

std::string path_beside(const std::string& result, const std::string& extension) {
  if (result.empty() || is_device(result)) return {};
  return std::filesystem::path(result).replace_extension(extension).string();
}

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::unique_ptr<OutputFile> open_output(const std::string& path) {
  return path.empty() ? nullptr : std::make_unique<OutputFile>(path);
}

std::unique_ptr<LineFile> open_lines(const std::string& path) {
  return path.empty() ? nullptr : std::make_unique<LineFile>(path);
}

void KeptFiles::keep(const std::unique_ptr<OutputFile>& file, const std::string& text) {
  if (!file) return;
  file->write(text);
  keep(file.get());
}

void KeptFiles::note(const std::string& path, const std::string& refusal) {
  if (refusal.empty()) {
    if (!path.empty()) kept_.push_back(path);
  } else {
    refusals_.push_back(refusal);
  }
}

std::string KeptFiles::text(const std::vector<std::string>& paths) const {
  std::string text;
  for (const std::string& path : paths) {
    const bool kept = std::count(kept_.begin(), kept_.end(), path) > 0;
    if (kept) text += (text.empty() ? "" : ", ") + path;
  }
  return text.empty() ? text : "; what was computed is in " + text;
}

bool KeptFiles::all() const {
  for (const std::string& refusal : refusals_) fmt::print(stderr, "{}\n", refusal);
  return refusals_.empty();
}

}  // namespace kinegrad::app
