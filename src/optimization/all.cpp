// The optimisers by name.
#include <array>

#include "kinegrad/base/error.hpp"
#include "kinegrad/optimization/optimizer.hpp"
#include "optimization/libraries.hpp"

namespace kinegrad {

namespace {

/// "slsqp, ipopt and mma": the optimisers with a property.
std::string with_property(bool OptimizerInfo::*property) {
  std::vector<std::string> names;
  for (const OptimizerInfo& info : optimizers()) {
    if (info.*property) names.emplace_back(info.name);
  }
  return enumerate(names);
}

}  // namespace

std::span<const OptimizerInfo> optimizers() {
  static const std::array all{kLbfgsb, kIpopt, kSlsqp, kMma, kCcsa};
  return all;
}

const OptimizerInfo* find_optimizer(std::string_view name) {
  return find_choice(optimizers(), name);
}

std::string_view default_optimizer(bool constraints) {
  return constraints ? kSlsqp.name : kLbfgsb.name;
}

std::string optimizer_refusal(const OptimizerInfo& info, bool constraints, bool equations,
                              bool minimax) {
  const std::string name(info.name);
  if (minimax && !info.inequalities) {
    return name + " takes no constraints, which minimax is made of; " +
           with_property(&OptimizerInfo::inequalities) + " do";
  }
  if (constraints && !info.inequalities) {
    return name + " takes bounds but no constraints; " +
           with_property(&OptimizerInfo::inequalities) + " take both";
  }
  if (equations && !info.equations) {
    return name + " takes no equations (equals); " + with_property(&OptimizerInfo::equations) +
           " do";
  }
  return {};
}

std::unique_ptr<Optimizer> make_optimizer(const OptimizerInfo& info,
                                          const OptimizerTolerances& tolerances) {
  if (!info.available()) {
    throw InvalidArgument(std::string(info.name) + " is not built in: install " +
                          std::string(info.package) + " and build again");
  }
  return info.make(tolerances);
}

std::unique_ptr<Optimizer> make_optimizer(std::string_view name,
                                          const OptimizerTolerances& tolerances) {
  return make_optimizer(choice_named("optimizer", optimizers(), name), tolerances);
}

}  // namespace kinegrad
