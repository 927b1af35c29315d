// The optimisers by name.
#include <fmt/format.h>

#include <array>

#include "kinegrad/base/error.hpp"
#include "kinegrad/optimization/optimizer.hpp"
#include "optimization/libraries.hpp"

namespace kinegrad {

namespace {

constexpr std::array kOptimizers{
    OptimizerInfo{"lbfgsb", "L-BFGS-B: quasi-Newton with bounds; the default without constraints",
                  false, false, kHasLbfgsb, "liblbfgsb-dev"},
    OptimizerInfo{"ipopt", "interior point, limited-memory quasi-Newton; one at a time", true, true,
                  kHasIpopt, "coinor-libipopt-dev"},
    OptimizerInfo{"slsqp", "sequential quadratic programming; the default with constraints", true,
                  true, kHasNlopt, "libnlopt-dev"},
    OptimizerInfo{"mma", "method of moving asymptotes: many variables, inequalities", true, false,
                  kHasNlopt, "libnlopt-dev"},
    OptimizerInfo{"ccsa", "conservative convex separable quadratics: the same class as mma", true,
                  false, kHasNlopt, "libnlopt-dev"}};

}  // namespace

std::span<const OptimizerInfo> optimizers() { return kOptimizers; }

const OptimizerInfo* find_optimizer(std::string_view name) {
  for (const OptimizerInfo& info : kOptimizers) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

std::string optimizer_refusal(const OptimizerInfo& info, bool constraints, bool equations,
                              bool minimax) {
  const std::string name(info.name);
  if (minimax && !info.inequalities) {
    return name + " takes no constraints, which minimax is made of: use slsqp, ipopt, mma or ccsa";
  }
  if (constraints && !info.inequalities) {
    return name + " takes bounds but no constraints: use slsqp, ipopt, mma or ccsa";
  }
  if (equations && !info.equations) {
    return name + " takes no equations (equals): use slsqp or ipopt";
  }
  return {};
}

std::unique_ptr<Optimizer> make_optimizer(std::string_view name,
                                          const OptimizerTolerances& tolerances) {
  const OptimizerInfo* info = find_optimizer(name);
  if (!info) {
    std::vector<std::string> known;
    for (const OptimizerInfo& one : kOptimizers) known.emplace_back(one.name);
    std::string hint = suggestion(name, known);
    if (hint.empty()) hint = "; there are " + fmt::format("{}", fmt::join(known, ", "));
    throw InvalidArgument("unknown optimizer \"" + std::string(name) + "\"" + hint);
  }
  if (!info->available) {
    throw InvalidArgument(std::string(name) + " is not built in: install " +
                          std::string(info->package) + " and build again");
  }
  if (name == "lbfgsb") return make_lbfgsb(tolerances);
  if (name == "ipopt") return make_ipopt(tolerances);
  return make_nlopt(name, tolerances);
}

}  // namespace kinegrad
