#include <fmt/format.h>

#include <algorithm>

#include "kinegrad/io/gradient_output.hpp"
#include "kinegrad/io/warnings_output.hpp"

namespace kinegrad {

namespace {

std::string verdict(const DerivativeCheck& check) {
  if (!check.left.empty()) return "not compared: " + check.left;
  const std::string order = check.order ? fmt::format(", order {:.2f}", *check.order) : "";
  if (check.agrees()) return "agrees" + order;
  return "DIFFERS " + check.where + order;
}

}  // namespace

std::string derivative_text(const DerivativeReport& report) {
  if (report.checks.empty()) return "nothing was compared\n";
  const bool all = std::all_of(report.checks.begin(), report.checks.end(),
                               [](const DerivativeCheck& check) { return check.agrees(); });
  std::size_t width = 0, differ = 0;
  for (const DerivativeCheck& check : report.checks) {
    if (!check.agrees()) ++differ;
    if (all || !check.agrees()) width = std::max(width, check.what.size());
  }
  std::string text;
  for (const DerivativeCheck& check : report.checks) {
    if (!all && check.agrees()) continue;
    text += fmt::format("  {:<{}}  {:<17}  {:>8.1e}  {}\n", check.what, width, check.against,
                        check.difference, verdict(check));
  }
  const std::size_t n = report.checks.size();
  text += warnings_text(report.warnings);
  return text + (differ ? fmt::format("{} of {} comparisons differ\n", differ, n)
                        : fmt::format("{} comparisons agree\n", n));
}

}  // namespace kinegrad
