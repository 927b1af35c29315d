// Texts that are plain numbers.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace kinegrad::io {

/// The value of a text that is a plain number and nothing else, whatever the locale.
template <typename Number>
std::optional<Number> literal(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return {};
  return value;
}

}  // namespace kinegrad::io
