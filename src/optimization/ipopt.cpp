// Ipopt (A. Wächter, L. T. Biegler) through its C interface, with a limited-memory Hessian. Its linear
// solver MUMPS has global data: one Ipopt runs at a time, whatever the number of threads.
#include "kinegrad/base/error.hpp"
#include "optimization/libraries.hpp"

#ifdef KINEGRAD_HAS_IPOPT

#include <IpStdCInterface.h>

#include <algorithm>
#include <mutex>
#include <string>

namespace kinegrad {

namespace {

class IpoptRun {
 public:
  IpoptRun(Nlp& nlp, const OptimizerTolerances& tolerances) : nlp_(nlp), x_(nlp.start()) {
    const int n = nlp.variables(), m = nlp.constraints();
    VecX l = limited(nlp.lower()), u = limited(nlp.upper());
    VecX c_l = limited(nlp.c_lower()), c_u = limited(nlp.c_upper());
    problem_ = CreateIpoptProblem(n, l.data(), u.data(), m, c_l.data(), c_u.data(), n * m, 0, 0,
                                  &IpoptRun::f, &IpoptRun::c, &IpoptRun::f_x, &IpoptRun::c_x,
                                  &IpoptRun::hessian);
    KINEGRAD_DEMAND(problem_ != nullptr);
    text("hessian_approximation", "limited-memory");
    text("nlp_scaling_method", "none");  // the program is scaled
    text("sb", "yes");
    text("mu_strategy", "adaptive");
    whole("print_level", 0);
    whole("max_iter", 1'000'000'000);  // the program counts evaluations
    whole("acceptable_iter", 0);
    number("bound_relax_factor", 0);  // bounds are physics
    number("tol", std::max(1e-14, std::min(1e-8, 1e-2 * tolerances.gradient)));
    number("constr_viol_tol", tolerances.constraints / 2);
    SetIntermediateCallback(problem_, &IpoptRun::iteration);
  }
  IpoptRun(const IpoptRun&) = delete;
  IpoptRun& operator=(const IpoptRun&) = delete;
  ~IpoptRun() { FreeIpoptProblem(problem_); }

  OptimizerResult run() {
    double f = 0;
    VecX c(nlp_.constraints());
    const ApplicationReturnStatus status =
        IpoptSolve(problem_, x_.data(), c.data(), &f, nullptr, nullptr, nullptr, this);
    if (nlp_.finished()) return {};
    switch (status) {
      case Solve_Succeeded:
      case Solved_To_Acceptable_Level:
      case Feasible_Point_Found: return {OptimizerEnd::kStationary, {}};
      case Infeasible_Problem_Detected: return {OptimizerEnd::kInfeasible, "infeasible"};
      case Search_Direction_Becomes_Too_Small:
      case Restoration_Failed:
      case Error_In_Step_Computation: return {OptimizerEnd::kNoDescent, word(status)};
      default: return {OptimizerEnd::kLibraryFailed, word(status)};
    }
  }

 private:
  static VecX limited(const VecX& bounds) { return bounds.cwiseMax(-1e20).cwiseMin(1e20); }
  static std::string word(ApplicationReturnStatus status) {
    return "status " + std::to_string(static_cast<int>(status));
  }
  void text(std::string key, std::string value) const {
    KINEGRAD_DEMAND(AddIpoptStrOption(problem_, key.data(), value.data()));
  }
  void whole(std::string key, int value) const {
    KINEGRAD_DEMAND(AddIpoptIntOption(problem_, key.data(), value));
  }
  void number(std::string key, double value) const {
    KINEGRAD_DEMAND(AddIpoptNumOption(problem_, key.data(), value));
  }

  /// Null where the simulation fails: Ipopt then takes a shorter step by itself [OP-6]. So is every point
  /// once the program has finished, until Ipopt asks whether to go on; an exception would leak its memory.
  static const NlpPoint* at(const double* x, void* data) {
    Nlp& nlp = static_cast<IpoptRun*>(data)->nlp_;
    const NlpPoint& point = nlp.at(Eigen::Map<const VecX>(x, nlp.variables()));
    return point.failed ? nullptr : &point;
  }

  static Bool f(Index, Number* x, Bool, Number* value, UserDataPtr data) {
    const NlpPoint* point = at(x, data);
    if (point) *value = point->f;
    return point != nullptr;
  }
  static Bool f_x(Index n, Number* x, Bool, Number* gradient, UserDataPtr data) {
    const NlpPoint* point = at(x, data);
    if (point) std::copy_n(point->f_x.data(), n, gradient);
    return point != nullptr;
  }
  static Bool c(Index, Number* x, Bool, Index m, Number* values, UserDataPtr data) {
    const NlpPoint* point = at(x, data);
    if (point) std::copy_n(point->c.data(), m, values);
    return point != nullptr;
  }
  /// All entries, row by row.
  static Bool c_x(Index n, Number* x, Bool, Index m, Index, Index* rows, Index* columns,
                  Number* values, UserDataPtr data) {
    const NlpPoint* point = values ? at(x, data) : nullptr;
    if (values && !point) return FALSE;
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) {
        if (values) {
          values[i * n + j] = point->c_x(i, j);
        } else {
          rows[i * n + j] = i;
          columns[i * n + j] = j;
        }
      }
    }
    return TRUE;
  }
  static Bool hessian(Index, Number*, Bool, Number, Index, Number*, Bool, Index, Index*, Index*,
                      Number*, UserDataPtr) {
    return FALSE;
  }
  static Bool iteration(Index, Index, Number, Number, Number, Number, Number, Number, Number,
                        Number, Index, UserDataPtr data) {
    return !static_cast<IpoptRun*>(data)->nlp_.finished();
  }

  Nlp& nlp_;
  VecX x_;
  IpoptProblem problem_ = nullptr;
};

class Ipopt final : public Optimizer {
 public:
  explicit Ipopt(const OptimizerTolerances& tolerances) : tolerances_(tolerances) {}
  OptimizerResult minimize(Nlp& nlp) override {
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    return IpoptRun(nlp, tolerances_).run();
  }

 private:
  OptimizerTolerances tolerances_;
};

std::unique_ptr<Optimizer> make_ipopt(const OptimizerTolerances& tolerances) {
  return std::make_unique<Ipopt>(tolerances);
}

}  // namespace

}  // namespace kinegrad

#else

namespace kinegrad {

namespace {

constexpr OptimizerMaker make_ipopt = nullptr;

}  // namespace

}  // namespace kinegrad

#endif  // KINEGRAD_HAS_IPOPT

namespace kinegrad {

constinit const OptimizerInfo kIpopt{
    {"ipopt", "interior point, limited-memory quasi-Newton; one at a time"},
    true,
    true,
    "coinor-libipopt-dev",
    make_ipopt};

}  // namespace kinegrad
