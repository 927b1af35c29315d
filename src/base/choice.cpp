#include "kinegrad/base/choice.hpp"

#include "kinegrad/base/error.hpp"

namespace kinegrad {

std::string enumerate(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 < names.size() ? ", " : " and ";
    text += names[i];
  }
  return text;
}

void refuse_unknown(std::string_view what, std::string_view name,
                    const std::vector<std::string>& known) {
  std::string hint = suggestion(name, known);
  if (hint.empty()) {
    for (const std::string& one : known) hint += (hint.empty() ? "; there are " : ", ") + one;
  }
  throw InvalidArgument("unknown " + std::string(what) + " \"" + std::string(name) + "\"" + hint);
}

}  // namespace kinegrad
