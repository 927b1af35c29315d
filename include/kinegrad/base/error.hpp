// The exceptions of the library. Thrown only while a model or an algorithm is being set up;
// numerical outcomes of a run are reports, never exceptions.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "kinegrad/base/diagnostic.hpp"

namespace kinegrad {

class Error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The model is wrong: an unknown name, an impossible inertia, a body in two places, …
class InvalidModel : public Error {
 public:
  explicit InvalidModel(std::vector<Diagnostic> findings);
  InvalidModel(SourceLocation where, std::string message);

  /// Everything that was found, in file order; never empty.
  const std::vector<Diagnostic>& findings() const { return findings_; }

 private:
  std::vector<Diagnostic> findings_;
};

/// An argument or option given to the library is wrong.
class InvalidArgument : public Error {
  using Error::Error;
};

namespace internal {
[[noreturn]] void demand_failed(const char* condition, const char* file, int line);
}  // namespace internal

}  // namespace kinegrad

/// A broken internal invariant: always checked, cheap.
#define KINEGRAD_DEMAND(condition)    \
  ((condition) ? static_cast<void>(0) \
               : ::kinegrad::internal::demand_failed(#condition, __FILE__, __LINE__))

/// The same, in debug builds only.
#ifdef NDEBUG
#define KINEGRAD_ASSERT(condition) static_cast<void>(0)
#else
#define KINEGRAD_ASSERT(condition) KINEGRAD_DEMAND(condition)
#endif
