#include "html_text.hpp"

namespace kinegrad::io {

std::string script_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    // these stand inside strings only, where an escape means the same
    switch (c) {
      case '<': out += "\\u003c"; break;
      case '>': out += "\\u003e"; break;
      case '&': out += "\\u0026"; break;
      default: out += c;
    }
  }
  return out;
}

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace kinegrad::io
