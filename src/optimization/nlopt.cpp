// NLopt (S. G. Johnson): SLSQP after D. Kraft, MMA and CCSA after K. Svanberg.
#include "kinegrad/base/error.hpp"
#include "optimization/libraries.hpp"

#ifdef KINEGRAD_HAS_NLOPT

#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace kinegrad {

namespace {

/// A row of c as NLopt wants it: sign·(c − bound) ≤ 0, or = 0.
struct OneSided {
  int row;
  double sign, bound;
};

class NloptRun {
 public:
  NloptRun(nlopt_algorithm algorithm, Nlp& nlp, const OptimizerTolerances& tolerances)
      : nlp_(nlp), n_(nlp.variables()), x_(nlp.start()) {
    opt_ = nlopt_create(algorithm, static_cast<unsigned>(n_));
    KINEGRAD_DEMAND(opt_ != nullptr);
    nlopt_set_lower_bounds(opt_, nlp.lower().data());
    nlopt_set_upper_bounds(opt_, nlp.upper().data());
    nlopt_set_min_objective(opt_, &NloptRun::objective, this);
    nlopt_set_ftol_rel(opt_, tolerances.objective);
    nlopt_set_xtol_abs1(opt_, tolerances.variables);
    split_rows();
    const auto add = [&](const std::vector<OneSided>& rows, auto nlopt_add, nlopt_mfunc function) {
      if (rows.empty()) return;
      // half of what is asked for, so that what the library takes for feasible is
      const std::vector<double> tolerance(rows.size(), tolerances.constraints / 2);
      nlopt_add(opt_, static_cast<unsigned>(rows.size()), function, this, tolerance.data());
    };
    add(equations_, nlopt_add_equality_mconstraint, &NloptRun::equations);
    add(inequalities_, nlopt_add_inequality_mconstraint, &NloptRun::inequalities);
  }
  NloptRun(const NloptRun&) = delete;
  NloptRun& operator=(const NloptRun&) = delete;
  ~NloptRun() { nlopt_destroy(opt_); }

  OptimizerResult run() {
    double f = 0;
    const nlopt_result result = nlopt_optimize(opt_, x_.data(), &f);
    if (nlp_.finished()) return {};
    switch (result) {
      case NLOPT_FTOL_REACHED:
      case NLOPT_XTOL_REACHED:
      case NLOPT_STOPVAL_REACHED:
      case NLOPT_SUCCESS: return {OptimizerEnd::kNoChange, {}};
      case NLOPT_ROUNDOFF_LIMITED:
      case NLOPT_FAILURE: return {OptimizerEnd::kNoDescent, nlopt_result_to_string(result)};
      default: return {OptimizerEnd::kLibraryFailed, nlopt_result_to_string(result)};
    }
  }

 private:
  void split_rows() {
    for (int i = 0; i < nlp_.constraints(); ++i) {
      const double lower = nlp_.c_lower()(i), upper = nlp_.c_upper()(i);
      if (lower == upper) {
        equations_.push_back({i, 1, upper});
        continue;
      }
      if (std::isfinite(upper)) inequalities_.push_back({i, 1, upper});
      if (std::isfinite(lower)) inequalities_.push_back({i, -1, lower});
    }
  }

  /// The point asked for; of a failed one nothing but that it failed.
  const NlpPoint& at(const double* x) {
    const NlpPoint& point = nlp_.at(Eigen::Map<const VecX>(x, n_));
    if (nlp_.finished()) nlopt_force_stop(opt_);
    if (!point.failed) last_ = point;
    return point;
  }

  /// [OP-6] A failed point is worse than any: line searches and trust regions shrink.
  static double objective(unsigned n, const double* x, double* gradient, void* data) {
    auto& self = *static_cast<NloptRun*>(data);
    const NlpPoint& point = self.at(x);
    const NlpPoint& known = point.failed ? self.last_ : point;
    if (gradient && known.f_x.size()) std::copy_n(known.f_x.data(), n, gradient);
    if (gradient && !known.f_x.size()) std::fill_n(gradient, n, 0.0);
    return point.failed ? std::numeric_limits<double>::infinity() : point.f;
  }

  /// Rows of a failed point are those of the last good one, missed by more than they were there.
  void fill(const std::vector<OneSided>& rows, const double* x, double* values, double* gradient) {
    const NlpPoint& point = at(x);
    const NlpPoint& known = point.failed ? last_ : point;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const OneSided& row = rows[k];
      const bool any = known.c.size() > 0;
      const double value = any ? row.sign * (known.c(row.row) - row.bound) : 0;
      values[k] = point.failed ? std::abs(value) + 1 : value;
      if (!gradient) continue;
      for (int j = 0; j < n_; ++j) {
        gradient[k * static_cast<std::size_t>(n_) + static_cast<std::size_t>(j)] =
            any ? row.sign * known.c_x(row.row, j) : 0;
      }
    }
  }

  static void equations(unsigned, double* values, unsigned, const double* x, double* gradient,
                        void* data) {
    auto& self = *static_cast<NloptRun*>(data);
    self.fill(self.equations_, x, values, gradient);
  }
  static void inequalities(unsigned, double* values, unsigned, const double* x, double* gradient,
                           void* data) {
    auto& self = *static_cast<NloptRun*>(data);
    self.fill(self.inequalities_, x, values, gradient);
  }

  Nlp& nlp_;
  int n_;
  VecX x_;
  nlopt_opt opt_ = nullptr;
  std::vector<OneSided> equations_, inequalities_;
  NlpPoint last_;  // that did not fail
};

class Nlopt final : public Optimizer {
 public:
  Nlopt(nlopt_algorithm algorithm, const OptimizerTolerances& tolerances)
      : algorithm_(algorithm), tolerances_(tolerances) {}
  OptimizerResult minimize(Nlp& nlp) override {
    return NloptRun(algorithm_, nlp, tolerances_).run();
  }

 private:
  nlopt_algorithm algorithm_;
  OptimizerTolerances tolerances_;
};

std::unique_ptr<Optimizer> make_slsqp(const OptimizerTolerances& tolerances) {
  return std::make_unique<Nlopt>(NLOPT_LD_SLSQP, tolerances);
}

std::unique_ptr<Optimizer> make_mma(const OptimizerTolerances& tolerances) {
  return std::make_unique<Nlopt>(NLOPT_LD_MMA, tolerances);
}

std::unique_ptr<Optimizer> make_ccsa(const OptimizerTolerances& tolerances) {
  return std::make_unique<Nlopt>(NLOPT_LD_CCSAQ, tolerances);
}

}  // namespace

}  // namespace kinegrad

#else

namespace kinegrad {

namespace {

constexpr OptimizerMaker make_slsqp = nullptr, make_mma = nullptr, make_ccsa = nullptr;

}  // namespace

}  // namespace kinegrad

#endif  // KINEGRAD_HAS_NLOPT

namespace kinegrad {

constinit const OptimizerInfo kSlsqp{
    {"slsqp", "sequential quadratic programming; the default with constraints"},
    true,
    true,
    "libnlopt-dev",
    make_slsqp};

constinit const OptimizerInfo kMma{
    {"mma", "method of moving asymptotes: many variables, inequalities"},
    true,
    false,
    "libnlopt-dev",
    make_mma};

constinit const OptimizerInfo kCcsa{
    {"ccsa", "conservative convex separable quadratics: the same class as mma"},
    true,
    false,
    "libnlopt-dev",
    make_ccsa};

}  // namespace kinegrad
