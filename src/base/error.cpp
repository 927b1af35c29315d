#include "kinegrad/base/error.hpp"

#include <cstdio>
#include <cstdlib>

namespace kinegrad {

namespace {

std::string join(const std::vector<Diagnostic>& findings) {
  std::string text;
  for (const Diagnostic& finding : findings) {
    if (!text.empty()) text += '\n';
    text += finding.text();
  }
  return text;
}

}  // namespace

InvalidModel::InvalidModel(std::vector<Diagnostic> findings)
    : Error(join(findings)), findings_(std::move(findings)) {}

InvalidModel::InvalidModel(SourceLocation where, std::string message)
    : InvalidModel(std::vector<Diagnostic>{{std::move(where), std::move(message)}}) {}

namespace internal {

void demand_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: internal error: %s does not hold\n", file, line, condition);
  std::abort();
}

}  // namespace internal

}  // namespace kinegrad
