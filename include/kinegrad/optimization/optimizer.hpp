// What minimises a nonlinear program. A new optimiser is its file and its line in the list of all.cpp
// (docs/howto/add_an_optimizer.md); the libraries behind them show in no header.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "kinegrad/base/choice.hpp"
#include "kinegrad/optimization/nlp.hpp"

namespace kinegrad {

class Optimizer;
struct OptimizerTolerances;
using OptimizerMaker = std::unique_ptr<Optimizer> (*)(const OptimizerTolerances&);

/// What the list of optimisers knows of one: its name, what it can take, and how it is made.
struct OptimizerInfo : NamedChoice {
  bool inequalities = false, equations = false;  ///< of c; bounds of x everyone takes
  std::string_view package;                      ///< of Debian, that has the library
  OptimizerMaker make = nullptr;                 ///< null without its library

  /// Whether its library was there when this one was built.
  bool available() const { return make != nullptr; }
};

/// What `--optimizer` may name, built in or not.
std::span<const OptimizerInfo> optimizers();
/// Null if there is none of that name.
const OptimizerInfo* find_optimizer(std::string_view name);
/// What an optimisation takes if nobody says.
std::string_view default_optimizer(bool constraints);
/// Why it cannot solve a problem with constraints, equations among them or not, or with the largest of
/// several objectives; empty if it can.
std::string optimizer_refusal(const OptimizerInfo& info, bool constraints, bool equations,
                              bool minimax);

/// How an optimiser came to its end by itself.
enum class OptimizerEnd {
  kFinished,      ///< the program said so: Nlp::finished()
  kStationary,    ///< its own test of the gradient
  kNoChange,      ///< f or x no longer changes
  kNoDescent,     ///< it finds no better point
  kInfeasible,    ///< it finds no point that holds the constraints
  kLibraryFailed  ///< anything else, with the library's word
};

struct OptimizerResult {
  OptimizerEnd end = OptimizerEnd::kFinished;
  std::string message;  ///< the library's word, where it has one
};

/// When an optimiser ends by itself, all in scaled variables.
struct OptimizerTolerances {
  double gradient = 1e-7;     ///< of the projected gradient
  double objective = 1e-12;   ///< relative change of f from iterate to iterate
  double variables = 1e-10;   ///< change of x
  double constraints = 1e-8;  ///< of c; the smallest of all rows
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  /// From nlp.start() to where it ends. What was best on the way the program itself remembers.
  virtual OptimizerResult minimize(Nlp& nlp) = 0;
};

/// @throws InvalidArgument if it is not built in, or the name is unknown.
std::unique_ptr<Optimizer> make_optimizer(const OptimizerInfo& info,
                                          const OptimizerTolerances& tolerances);
std::unique_ptr<Optimizer> make_optimizer(std::string_view name,
                                          const OptimizerTolerances& tolerances);

}  // namespace kinegrad
