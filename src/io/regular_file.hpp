// Files that are read whole or line by line: regular ones, so that neither a folder nor an endless
// device is taken for one.
#pragma once

#include <fstream>
#include <string>

namespace kinegrad::io {

/// @throws InvalidArgument "cannot read PATHwhy: reason".
std::ifstream open_regular(const std::string& path, const std::string& why = {});

/// All bytes of it.
std::string whole_file(const std::string& path);

}  // namespace kinegrad::io
