#include "kinegrad/simulation/initial_state.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <vector>

#include "simulation/nearest_place.hpp"

namespace kinegrad {

namespace {

int rank_of(const MatX& A) {
  if (A.size() == 0) return 0;
  Eigen::CompleteOrthogonalDecomposition<MatX> factor;
  factor.setThreshold(kRankTolerance);
  factor.compute(A);
  return static_cast<int>(factor.rank());
}

/// x of least size with A x = b in the sense of least squares; complex b by its parts.
template <typename T>
VecXT<T> least_change(const MatX& A, const VecXT<T>& b) {
  if (A.size() == 0) return VecXT<T>::Constant(A.cols(), T(0));
  Eigen::CompleteOrthogonalDecomposition<MatX> factor;
  factor.setThreshold(kRankTolerance);
  factor.compute(A);
  return by_parts(b, [&](const VecX& x) -> VecX { return factor.solve(x); });
}

template <Scalar T>
class StartProblem {
 public:
  StartProblem(const Model& model, MechanicalSystem<T>& system, double t)
      : model_(model), system_(system), rows_(model, system, t), t_(t) {}

  KinematicReport solve(VecXT<T>& q, VecXT<T>& v) {
    find_touched(q);
    choose_given(model_.initial_q_given());
    const VecXT<T> drawn = q;
    if (!positions(q) || !check_given(q)) return report_;
    report_.sets.position_columns = free_.columns;
    report_.sets.position_rows = free_.rows;
    if (left_ > 0 && !is_drawn(drawn, q)) go_nearest(drawn, q);
    velocities(q, v);
    report_.sets.velocity_columns = free_.columns;
    if (report_.sets.velocity_multipliers.empty()) report_.sets.velocity_rows = free_.rows;
    return report_;
  }

 private:
  /// Coordinates that rows reach: the others are nobody's business here.
  void find_touched(const VecXT<T>& q) {
    rows_.place(q);
    touched_.assign(static_cast<std::size_t>(system_.nq()), false);
    for (const SparseRows<T>* rows : {&system_.Phi_q(), &system_.targets_q()}) {
      for (const int column : rows->column) touched_[static_cast<std::size_t>(column)] = true;
    }
    for (const int first : system_.euler_sets()) {
      bool any = false;
      for (int c = 0; c < 4; ++c) any = any || touched_[static_cast<std::size_t>(first + c)];
      for (int c = 0; c < 4; ++c) touched_[static_cast<std::size_t>(first + c)] = any;
    }
  }

  void choose_given(const std::vector<bool>& given) {
    given_ = given;
    free_.columns.clear();
    all_.columns.clear();
    given_count_ = 0;
    for (std::size_t c = 0; c < touched_.size(); ++c) {
      if (!touched_[c]) continue;
      all_.columns.push_back(static_cast<int>(c));
      if (given[c]) {
        ++given_count_;
      } else {
        free_.columns.push_back(static_cast<int>(c));
      }
    }
    free_.rows.clear();
    for (int i = 0; i < rows_.count(); ++i) {
      if (rows_.for_positions(i) && counts(i)) free_.rows.push_back(i);
    }
    all_.rows.clear();
    target_count_ = 0;
    for (const int row : free_.rows) {
      if (rows_.is_target(row)) {
        ++target_count_;
      } else {
        all_.rows.push_back(row);
      }
    }
    given_count_ += target_count_;
  }

  /// A normalisation whose parameters are all given, or out of reach, is met already.
  bool counts(int row) const {
    if (row < system_.rows() || rows_.is_target(row)) return true;
    const int first = system_.euler_sets()[static_cast<std::size_t>(row - system_.rows())];
    for (int c = first; c < first + 4; ++c) {
      if (touched_[static_cast<std::size_t>(c)] && !given_[static_cast<std::size_t>(c)]) {
        return true;
      }
    }
    return false;
  }

  VecXT<T> values(const VecXT<T>& q) const { return values_of(rows_, q, free_); }

  /// [KP-1]: steps of least change, at most half a radian or metre, halved until Φ falls.
  bool positions(VecXT<T>& q) {
    constexpr int kIterations = 200;
    constexpr double kLargestStep = 0.5, kClosed = 1e-12;
    rows_.place(q);
    VecXT<T> phi = values(q);
    double size = real_of(phi).norm();  // holomorphic: a size
    double moved = 1, derivative_moved = 1;
    for (int k = 0; k < kIterations; ++k) {
      report_.iterations = k;
      const bool derivative_done = derivative_size(phi) <= 1e-14 * (derivative_size(q) + 1e-300) ||
                                   derivative_moved <= 1e-14 * derivative_size(q);
      // a start that is drawn exactly closed has a derivative all the same
      if (derivative_done && (size == 0 || (size <= kClosed && moved < 1e-8))) return true;
      free_.take(rows_.J(in(q)));
      VecXT<T> step = least_change<T>(free_.part, VecXT<T>(-phi));
      const double step_size = real_of(step).norm();  // holomorphic: a size
      double part = std::min(1.0, kLargestStep / std::max(step_size, 1e-300));
      const VecXT<T> before = q;
      bool better = false;
      for (int halvings = 0; halvings < 30; ++halvings, part *= 0.5) {
        q = before;
        free_.add(VecXT<T>(step * T(part)), q);
        rows_.place(q);
        phi = values(q);
        const double now = real_of(phi).norm();  // holomorphic: a size
        if (now < size * (1 - 1e-4 * part) || now <= kClosed) {
          size = now;
          better = true;
          break;
        }
      }
      moved = step_size * part;
      derivative_moved = derivative_size(step) * part;
      if (!better) break;
    }
    return size <= kClosed * 1e3 || not_closed(phi, size);
  }

  bool not_closed(const VecXT<T>& phi, double size) {
    int worst = 0;
    const double most = largest(real_of(phi), &worst);
    report_.solved = false;
    report_.message =
        fmt::format("{} cannot be closed{}: {:.3g} is left after {} iterations (|Φ| = {:.3g})",
                    rows_.name(free_.rows[static_cast<std::size_t>(worst)]),
                    given_count_ ? " with the coordinates that initial gives" : "", most,
                    report_.iterations, size);
    return false;
  }

  /// Up to the rounding of a drawing that closes.
  static bool is_drawn(const VecXT<T>& drawn, const VecXT<T>& q) {
    constexpr double kDrawn = 1e-13;
    return largest(real_of(VecXT<T>(q - drawn))) <= kDrawn * (1 + largest(real_of(q)));
  }

  /// [KP-7].
  void go_nearest(const VecXT<T>& drawn, VecXT<T>& q) {
    NearestPlace<T> place(rows_, free_);
    report_.sets.nearest = place.go(drawn, q);
    if (!report_.sets.nearest) return;
    report_.sets.position_rows = place.rows();
    keep(place.multipliers(), report_.sets.position_multipliers);
  }

  static void keep(const VecXT<T>& from, std::vector<double>& to) {
    const VecX re = real_of(from);
    to.assign(re.begin(), re.end());
  }

  std::string free_names(const MatX& J, int freedom) const {
    // coordinates that would take a freedom away each, found by elimination
    MatX A = J;
    std::string names;
    std::vector<int> columns = free_.columns;
    for (std::size_t j = 0; j < columns.size() && freedom > 0; ++j) {
      MatX without(A.rows(), A.cols() - 1);
      without << A.leftCols(static_cast<Eigen::Index>(j)),
          A.rightCols(A.cols() - 1 - static_cast<Eigen::Index>(j));
      if (rank_of(without) < rank_of(A)) continue;
      names += (names.empty() ? "" : ", ") +
               model_.coordinate_names()[static_cast<std::size_t>(columns[j])];
      A = without;
      columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(j--));
      --freedom;
    }
    return names;
  }

  std::string given_names() const {
    std::string names;
    for (std::size_t c = 0; c < touched_.size(); ++c) {
      if (touched_[c] && given_[c]) {
        names += (names.empty() ? "" : ", ") + model_.coordinate_names()[c];
      }
    }
    for (const InitialTarget& target : model_.initial_targets()) {
      if (!target.rate) names += (names.empty() ? "" : ", ") + target.name;
    }
    return names;
  }

  bool check_given(const VecXT<T>& q) {
    const MatX& J = rows_.J(in(q));
    free_.take(J);
    all_.take(J);
    const int rank = rank_of(all_.part), free_rank = rank_of(free_.part);
    report_.freedom = static_cast<int>(all_.columns.size()) - rank;
    left_ = static_cast<int>(free_.columns.size()) - free_rank;
    const int surplus = rank + target_count_ - free_rank;
    if (given_count_ > 0 && surplus > 0) {
      report_.message = fmt::format(
          "initial gives {}, too many: the loops leave {} degree{} of freedom, leave out {}",
          given_names(), report_.freedom, report_.freedom == 1 ? "" : "s", surplus);
    } else if (given_count_ > 0 && left_ > 0) {
      report_.message = fmt::format(
          "initial gives {}, too few: {} more of the {} degrees of freedom must be given, for "
          "example {}",
          given_names(), left_, report_.freedom, free_names(free_.part, left_));
    } else {
      return true;
    }
    report_.solved = false;
    report_.input_wrong = true;
    return false;
  }

  void evaluate(const VecXT<T>& q, const VecXT<T>& v, const VecXT<T>& a) {
    system_.evaluate(T(t_), in(q), in(v), in(a));
    system_.measure_targets(T(t_), in(q), in(v));
  }

  /// The Jacobian of the first pass is real; what its derivative does to the speeds is left over.
  void second_pass(const VecXT<T>& q, const VecXT<T>& zero, VecXT<T>& v) {
    evaluate(q, v, zero);
    free_.add(least_change<T>(free_.part, VecXT<T>(-rates(q, v, free_))), v);
  }

  VecXT<T> rates(const VecXT<T>& q, const VecXT<T>& v, const Selection& some) const {
    VecXT<T> all;
    rows_.velocities(in(q), in(v), all);
    return Selection::pick(all, some.rows);
  }

  /// [KP-8] from v̂ in v, which rows change by a step; false where there is but one solution.
  bool nearest_speeds(const VecXT<T>& q, const VecXT<T>& step, VecXT<T>& v) {
    constexpr double kNothing = 1e-14;
    if (largest(real_of(step)) <= kNothing) return false;
    MatX beside;
    const Selection some = free_.independent(beside);
    if (beside.cols() == 0 || !nearest_.take(some.exact(rows_, q))) return false;
    const VecXT<T> zero = VecXT<T>::Constant(step.size(), T(0));
    nearest_.solve(zero, VecXT<T>(-rates(q, v, some)));
    report_.sets.velocity_rows = some.rows;
    keep(nearest_.multipliers(), report_.sets.velocity_multipliers);
    free_.add(std::is_same_v<T, double> ? step : nearest_.change(), v);
    return true;
  }

  /// [KP-2]. A coordinate that is given without a speed rests, if the constraints let it.
  void velocities(const VecXT<T>& q, VecXT<T>& v) {
    std::vector<bool> given = model_.initial_v_given(), resting = given;
    for (std::size_t c = 0; c < given.size(); ++c) {
      resting[c] = given[c] || model_.initial_q_given()[c];
    }
    const VecXT<T> zero = VecXT<T>::Constant(system_.nq(), T(0));
    for (const bool rests : {true, false}) {
      choose_given(rests ? resting : given);
      free_.rows.clear();
      for (int i = 0; i < rows_.count(); ++i) {
        // a point that is given without a speed rests, too
        const bool resting_point = rows_.is_target(i) && !rows_.is_rate_target(i);
        if (resting_point && (!rests || rows_.has_rate(i))) continue;
        if (counts(i)) free_.rows.push_back(i);
      }
      evaluate(q, v, zero);
      const VecXT<T> rate = rates(q, v, free_);
      free_.take(rows_.J(in(q)));
      const VecXT<T> step = least_change<T>(free_.part, VecXT<T>(-rate));
      const VecXT<T> rest = rate + free_.part * step;
      int worst = 0;
      const double most = largest(real_of(rest), &worst);
      constexpr double kMet = 1e-9;  // rows are O(1) and speeds come as typed
      const double scale = 1 + largest(real_of(v)) + largest(real_of(rate));
      if (most <= kMet * scale) {
        if (nearest_speeds(q, step, v)) return;
        free_.add(step, v);
        if constexpr (!std::is_same_v<T, double>) second_pass(q, zero, v);
        return;
      }
      report_.message =
          fmt::format("{} contradict {}: {:.3g} is left",
                      given_count_ ? "the speeds that initial gives" : "other constraints' speeds",
                      rows_.name(free_.rows[static_cast<std::size_t>(worst)]), most);
    }
    report_.solved = false;
    report_.input_wrong = true;
  }

  const Model& model_;
  MechanicalSystem<T>& system_;
  StartRows<T> rows_;
  double t_;
  std::vector<bool> touched_, given_;
  int given_count_ = 0, target_count_ = 0, left_ = 0;
  Selection free_, all_;
  Nearest<T> nearest_;
  KinematicReport report_;
};

}  // namespace

template <Scalar T>
KinematicReport assemble_start(const Model& model, MechanicalSystem<T>& system, double t,
                               VecXT<T>& q, VecXT<T>& v) {
  if (system.rows() == 0 && model.initial_targets().empty()) return {};
  KinematicReport report = StartProblem<T>(model, system, t).solve(q, v);
  if (report.solved) report.message.clear();
  return report;
}

template KinematicReport assemble_start<double>(const Model&, MechanicalSystem<double>&, double,
                                                VecX&, VecX&);
template KinematicReport assemble_start<Complex>(const Model&, MechanicalSystem<Complex>&, double,
                                                 VecXT<Complex>&, VecXT<Complex>&);

}  // namespace kinegrad
