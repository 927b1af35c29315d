// L-BFGS-B 3.0 (C. Zhu, R. Byrd, P. Lu, J. Nocedal; J. L. Morales). Reverse communication: the routine
// is called again and again and says in `task` what it wants next.
#include "optimization/libraries.hpp"

#ifdef KINEGRAD_HAS_LBFGSB

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

// The library ships no header. Fortran with default kinds: 4-byte integers and logicals, doubles,
// and the lengths of the two texts, as size_t, behind all other arguments.
extern "C" void setulb_(const int* n, const int* m, double* x, const double* l, const double* u,
                        const int* nbd, double* f, double* g, const double* factr,
                        const double* pgtol, double* wa, int* iwa, char* task, const int* iprint,
                        char* csave, int* lsave, int* isave, double* dsave, std::size_t task_length,
                        std::size_t csave_length);

namespace kinegrad {

namespace {

/// The routine with the memory it works in.
class Routine {
 public:
  explicit Routine(const Nlp& nlp) : n_(nlp.variables()), x(nlp.start()), g(VecX::Zero(n_)) {
    const auto n = static_cast<std::size_t>(n_), m = static_cast<std::size_t>(kCorrections);
    wa_.resize(2 * m * n + 5 * n + 11 * m * m + 8 * m);
    iwa_.resize(3 * n);
    for (int k = 0; k < n_; ++k) {
      const bool low = std::isfinite(nlp.lower()(k)), high = std::isfinite(nlp.upper()(k));
      bound_kinds_.push_back(low && high ? 2 : low ? 1 : high ? 3 : 0);
    }
    tell("START");
  }

  /// What it wants next: "FG", "FG_LNSRCH", "NEW_X", or how it ended.
  std::string next(const Nlp& nlp) {
    // Tests for the end are those of the program, the same for every optimiser.
    const double factr = 0, pgtol = 0;
    const int m = kCorrections, silent = -1;
    setulb_(&n_, &m, x.data(), nlp.lower().data(), nlp.upper().data(), bound_kinds_.data(), &f,
            g.data(), &factr, &pgtol, wa_.data(), iwa_.data(), task_.data(), &silent, csave_.data(),
            lsave_.data(), isave_.data(), dsave_.data(), task_.size(), csave_.size());
    std::string said(task_.data(), task_.size());
    said.erase(said.find_last_not_of(' ') + 1);
    return said;
  }

  void tell(std::string_view word) {
    task_.fill(' ');
    std::copy(word.begin(), word.end(), task_.begin());
  }

 private:
  static constexpr int kCorrections = 10;
  int n_;
  std::vector<int> bound_kinds_, iwa_;
  std::vector<double> wa_;
  std::array<char, 60> task_{}, csave_{};
  std::array<int, 4> lsave_{};
  std::array<int, 44> isave_{};
  std::array<double, 29> dsave_{};

 public:
  VecX x;
  double f = 0;
  VecX g;
};

class Lbfgsb final : public Optimizer {
 public:
  explicit Lbfgsb(const OptimizerTolerances& tolerances) : tolerances_(tolerances) {}

  OptimizerResult minimize(Nlp& nlp) override {
    Routine routine(nlp);
    x0_ = nlp.start();
    bool first = true;
    for (;;) {
      const std::string task = routine.next(nlp);
      if (task.starts_with("FG")) {
        answer(nlp, routine);
        if (first) keep(routine);
        first = false;
      } else if (task.starts_with("NEW_X")) {
        if (settled(routine)) return {OptimizerEnd::kNoChange, {}};
        keep(routine);
      } else if (task.starts_with("CONVERGENCE")) {
        return {OptimizerEnd::kStationary, task};
      } else if (task.starts_with("ABNORMAL")) {
        return {OptimizerEnd::kNoDescent, task};
      } else {
        return {OptimizerEnd::kLibraryFailed, task};
      }
      if (nlp.finished()) return {};
    }
  }

 private:
  /// [OP-6] A failed point is answered with the parabola through the last iterate that has its slope
  /// there and its least value a quarter of the way: finite, consistent, and never acceptable.
  void answer(Nlp& nlp, Routine& routine) const {
    const NlpPoint& point = nlp.at(routine.x);
    if (!point.failed) {
      routine.f = point.f;
      routine.g = point.f_x;
      return;
    }
    if (g0_.size() == 0) return;  // at the start: the program has finished
    routine.f = f0_ - g0_.dot(routine.x - x0_);
    routine.g = -3 * g0_;
  }

  void keep(const Routine& routine) {
    x0_ = routine.x;
    f0_ = routine.f;
    g0_ = routine.g;
  }

  bool settled(const Routine& routine) const {
    const double size = std::max(std::abs(routine.f), std::abs(f0_));
    return std::abs(routine.f - f0_) <= tolerances_.objective * size ||
           (routine.x - x0_).cwiseAbs().maxCoeff() <= tolerances_.variables;
  }

  OptimizerTolerances tolerances_;
  VecX x0_, g0_;  // the last iterate
  double f0_ = 0;
};

std::unique_ptr<Optimizer> make_lbfgsb(const OptimizerTolerances& tolerances) {
  return std::make_unique<Lbfgsb>(tolerances);
}

}  // namespace

}  // namespace kinegrad

#else

namespace kinegrad {

namespace {

constexpr OptimizerMaker make_lbfgsb = nullptr;

}  // namespace

}  // namespace kinegrad

#endif  // KINEGRAD_HAS_LBFGSB

namespace kinegrad {

constinit const OptimizerInfo kLbfgsb{
    {"lbfgsb", "L-BFGS-B: quasi-Newton with bounds; the default without constraints"},
    false,
    false,
    "liblbfgsb-dev",
    make_lbfgsb};

}  // namespace kinegrad
