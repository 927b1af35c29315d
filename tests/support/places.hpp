// Where tests find the repository, the command and Python. The build writes the definitions into one source of its own
// (cmake/Tests.cmake), so that no other object depends on the folder that it is built in.
#pragma once

#include <string>

namespace kinegrad::test {

/// Path of a file in the repository.
std::string source_path(const std::string& relative);
/// Path of the command; empty if it is not built.
std::string command_path();
/// Path of the Python interpreter that the build has found.
std::string python_path();

}  // namespace kinegrad::test
