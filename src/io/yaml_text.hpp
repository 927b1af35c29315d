// Is this text at all: checks on the bytes of a file before YAML is parsed.
#pragma once

#include <string>
#include <string_view>

namespace kinegrad::io {

/// Refuses NUL and other control characters, invalid UTF-8 and lines indented with tabs.
/// @throws InvalidModel with the line.
void check_text(std::string_view text, const std::string& file_name);

/// `text` in quotes, fit for a message: clipped, on one line, without control characters.
std::string shown(std::string_view text);

}  // namespace kinegrad::io
