#include "io/yaml_text.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>

#include "kinegrad/base/error.hpp"

namespace kinegrad::io {

namespace {

unsigned byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

/// Length of the UTF-8 sequence at `i`, or 0 if there is none. Refuses overlong forms, surrogates
/// and code points above U+10FFFF.
std::size_t utf8_length(std::string_view text, std::size_t i) {
  const unsigned lead = byte_at(text, i);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || i + length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte_at(text, i + k) & 0xC0) != 0x80) return 0;
  }
  const unsigned second = byte_at(text, i + 1);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool surrogate = lead == 0xED && second >= 0xA0;
  const bool too_large = lead == 0xF4 && second >= 0x90;
  return overlong || surrogate || too_large ? 0 : length;
}

bool is_control(unsigned c) {
  return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F;
}

/// Whether the line that starts at `begin` is indented with a tab before something that counts.
bool tab_indented(std::string_view text, std::size_t begin) {
  const std::size_t end = text.find_first_not_of(" \t", begin);
  if (end == std::string_view::npos) return false;
  if (text[end] == '\n' || text[end] == '\r') return false;
  return text.substr(begin, end - begin).find('\t') != std::string_view::npos;
}

}  // namespace

void check_text(std::string_view text, const std::string& file_name) {
  int line = 1;
  bool line_start = true;
  for (std::size_t i = 0; i < text.size();) {
    const SourceLocation here{file_name, line, 1};
    if (line_start && tab_indented(text, i)) {
      throw InvalidModel(here, "the line is indented with a tab; indent with spaces");
    }
    // The end of the line, one character after the other.
    line_start = false;
    while (i < text.size() && !line_start) {
      const unsigned c = byte_at(text, i);
      const std::size_t length = utf8_length(text, i);
      if (length == 0) throw InvalidModel(here, "not a text file: invalid UTF-8");
      if (is_control(c)) {
        throw InvalidModel(here, fmt::format("not a text file: control character {:#04x}", c));
      }
      i += length;
      const bool lone_return = c == '\r' && (i >= text.size() || text[i] != '\n');
      line_start = c == '\n' || lone_return;
    }
    if (line_start) ++line;
  }
}

std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size();) {
    if (i >= kLongest) return out + "…\"";
    const std::size_t length = utf8_length(text, i);
    const unsigned c = byte_at(text, i);
    if (length == 0 || c < 0x20 || c == 0x7F) {
      out += fmt::format("\\x{:02x}", c);
      i += 1;
    } else {
      out += text.substr(i, length);
      i += length;
    }
  }
  return out + "\"";
}

}  // namespace kinegrad::io
