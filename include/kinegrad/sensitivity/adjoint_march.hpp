// Adjoint equations backwards from t_F to the start, by the trapezoidal rule with equal steps [CA-3],
// for several integrands at once: one factorisation per step serves all of them.
#pragma once

#include <functional>
#include <vector>

#include "kinegrad/sensitivity/adjoint_system.hpp"
#include "kinegrad/sensitivity/integrand_rates.hpp"

namespace kinegrad {

/// What is differentiated: integrands g and terminal values g_T of a motion.
class AdjointIntegrands {
 public:
  virtual ~AdjointIntegrands() = default;
  virtual std::size_t count() const = 0;
  /// Takes an instant.
  virtual void take(const MotionPoint& x) = 0;
  /// Adds the derivatives of weight·g of one of them to the cotangents and to p̄.
  virtual void pull(std::size_t i, double weight, StateCotangent& g, std::span<double> p) = 0;
  /// The same of g_T.
  virtual void pull_end(std::size_t i, StateCotangent& g, std::span<double> p) = 0;
};

enum class MarchStatus { kDone, kNoMotion, kNoDerivative, kStopped };

class AdjointMarch {
 public:
  /// All must outlive the object. `physical` is the size of p.
  AdjointMarch(MotionInterpolant& motion, AdjointSystem& system, AdjointIntegrands& integrands,
               int steps, int physical);

  /// Told which part is done; false asks to stop.
  using Watch = std::function<bool(double part)>;
  MarchStatus run(const Watch& watch);

  /// Where it is.
  double t() const { return t_; }
  /// At the start: what q' and v' are multiplied by.
  const AdjointState& mu(std::size_t i) const { return each_[i].mu; }
  /// How large the adjoint variables were, from t_F back to the start: the largest |μ_q|, |μ_v| of all.
  struct Size {
    double t, mu;
  };
  const std::vector<Size>& sizes() const { return sizes_; }
  /// What the motion gives to p̄; the caller adds what the start does.
  std::vector<std::vector<double>>& p_bar() { return p_; }

 private:
  struct One {  // of an integrand
    AdjointState mu, rate;
    AdjointSource source;
    std::vector<double> p_node;  // what the last instant gives to p̄, of its source's weight
  };

  void note_size();
  bool take_sources(int n, double weight);
  bool pull_a(int node, std::vector<VecX>& g_a);
  bool end();
  bool change();
  bool step(int n);
  bool first_step();
  bool euler(double t, double c);
  void solve(One& one, double c);
  static void extrapolate(const One& in_one, One& x);

  MotionInterpolant& motion_;
  AdjointSystem& system_;
  AdjointIntegrands& integrands_;
  int steps_;
  double h_, t_ = 0;
  MotionPoint here_, before_, other_;
  std::vector<One> each_;
  std::vector<std::vector<double>> p_;
  StateCotangent other_g_;
  std::vector<double> sink_;
  AdjointState b_;
  IntegrandRates rates_;
  std::vector<Size> sizes_;
};

}  // namespace kinegrad
