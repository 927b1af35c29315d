// Which libraries of optimisers were there when this one was built, and the door to each: one file.
// Without its library the door is not there either, and the list of all.cpp says so.
#pragma once

#include <memory>
#include <string_view>

#include "kinegrad/optimization/optimizer.hpp"

namespace kinegrad {

#ifdef KINEGRAD_HAS_LBFGSB
inline constexpr bool kHasLbfgsb = true;
std::unique_ptr<Optimizer> make_lbfgsb(const OptimizerTolerances& tolerances);
#else
inline constexpr bool kHasLbfgsb = false;
inline std::unique_ptr<Optimizer> make_lbfgsb(const OptimizerTolerances&) { return nullptr; }
#endif

#ifdef KINEGRAD_HAS_IPOPT
inline constexpr bool kHasIpopt = true;
std::unique_ptr<Optimizer> make_ipopt(const OptimizerTolerances& tolerances);
#else
inline constexpr bool kHasIpopt = false;
inline std::unique_ptr<Optimizer> make_ipopt(const OptimizerTolerances&) { return nullptr; }
#endif

#ifdef KINEGRAD_HAS_NLOPT
inline constexpr bool kHasNlopt = true;
/// slsqp, mma or ccsa.
std::unique_ptr<Optimizer> make_nlopt(std::string_view name, const OptimizerTolerances& tolerances);
#else
inline constexpr bool kHasNlopt = false;
inline std::unique_ptr<Optimizer> make_nlopt(std::string_view, const OptimizerTolerances&) {
  return nullptr;
}
#endif

}  // namespace kinegrad
