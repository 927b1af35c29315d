// The files of a command: which they are, that none of them is another, and what became of those that
// it wrote. Nothing is opened for writing before all of them have been compared.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kinegrad/base/output_file.hpp"
#include "kinegrad/io/run_output.hpp"

namespace kinegrad::app {

/// A file that a command reads or writes, and what it is: "the model", "--out". An empty path is none.
struct NamedFile {
  std::string what, path;
};

/// Refuses an output that is an input or another output, under whatever name: files that exist are told
/// apart by device and inode, others by where they would lie. @throws InvalidArgument
void require_distinct(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs);

/// RESULT.json → RESULT.motion; empty where there is no result, or a device takes it.
std::string path_beside(const std::string& result, const std::string& extension);
/// The name of a file that lies beside the result.
std::string file_name(const std::string& path);

/// Null for an empty path. @throws InvalidArgument
std::unique_ptr<OutputFile> open_output(const std::string& path);
std::unique_ptr<LineFile> open_lines(const std::string& path);

/// What became of the files that a command wrote.
class KeptFiles {
 public:
  /// Puts a file in its place; null is none.
  template <typename File>
  void keep(File* file) {
    if (file) note(file->path(), file->keep());
  }
  template <typename File>
  void keep(const std::unique_ptr<File>& file) {
    keep(file.get());
  }
  /// A text as a whole file.
  void keep(const std::unique_ptr<OutputFile>& file, const std::string& text);
  /// A file that is kept already.
  void add(const std::string& path) { note(path, ""); }

  /// "; what was computed is in A, B", of these files those that are kept; or nothing.
  std::string text(const std::vector<std::string>& paths) const;
  /// Says which files could not be written; false if there are any.
  bool all() const;

 private:
  void note(const std::string& path, const std::string& refusal);
  std::vector<std::string> kept_, refusals_;
};

}  // namespace kinegrad::app
