#include "kinegrad/simulation/initial_state.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <vector>
#include "kinegrad/math/views.hpp"
#include "kinegrad/simulation/nearest.hpp"

namespace kinegrad {

namespace {

constexpr double kRankTolerance = 1e-9;

/// The rows of all constraints and normalisations at one place, as dense real numbers.
template <Scalar T>
class Rows {
 public:
  Rows(const Model& model, MechanicalSystem<T>& system)
      : model_(model), system_(system), sets_(system.euler_sets()) {
    J_.resize(count(), system.nq());
  }

  int count() const { return first_target() + static_cast<int>(model_.initial_targets().size()); }
  /// Rows from here on are initial values of points.
  int first_target() const { return system_.rows() + static_cast<int>(sets_.size()); }
  bool is_target(int row) const { return row >= first_target(); }
  bool is_rate_target(int row) const { return is_target(row) && target(row).rate; }
  /// A component whose place is given and whose rate is given as well.
  bool has_rate(int row) const {
    const auto term = [&](int i) -> const ConstraintTerm& {
      return model_.initial_rows()[static_cast<std::size_t>(target(i).row)].terms.front();
    };
    for (int i = first_target(); i < count(); ++i) {
      if (!target(i).rate) continue;
      if (term(i).A.plus == term(row).A.plus && term(i).axis == term(row).axis) return true;
    }
    return false;
  }

  /// Rows that hold for positions; the others are for speeds.
  bool for_positions(int row) const {
    if (is_target(row)) return !target(row).rate;
    return row < system_.holonomic() || row >= system_.rows();
  }

  const MatX& J(std::span<const T> q) {
    fill(q, J_, [](const T& x) { return real_part(x); });
    return J_;
  }
  /// With its derivative.
  typename Nearest<T>::Matrix exact_J(std::span<const T> q) const {
    typename Nearest<T>::Matrix J(count(), system_.nq());
    fill(q, J, [](const T& x) { return x; });
    return J;
  }

  void positions(std::span<const T> q, VecXT<T>& out) const {
    out.setConstant(count(), T(0));
    out.head(system_.holonomic()) = system_.Phi();
    for (std::size_t e = 0; e < sets_.size(); ++e) {
      const auto p = Eigen::Map<const Vec<T, 4>>(q.data() + sets_[e]);
      out(system_.rows() + static_cast<int>(e)) = (la::squared_norm(p) - T(1)) * T(0.5);
    }
    for (int i = first_target(); i < count(); ++i) {
      if (target(i).rate) continue;
      out(i) = system_.targets()(target(i).row) - system_.parameter(target(i).value);
    }
  }
  void velocities(std::span<const T> q, std::span<const T> v, VecXT<T>& out) const {
    out.resize(count());
    out.head(system_.rows()) = system_.Phi_dot();
    for (std::size_t e = 0; e < sets_.size(); ++e) {
      const auto p = Eigen::Map<const Vec<T, 4>>(q.data() + sets_[e]);
      const auto pdot = Eigen::Map<const Vec<T, 4>>(v.data() + sets_[e]);
      out(system_.rows() + static_cast<int>(e)) = la::dot(p, pdot);
    }
    for (int i = first_target(); i < count(); ++i) {
      out(i) = system_.targets_dot()(target(i).row);
      if (target(i).rate) out(i) -= system_.parameter(target(i).value);
    }
  }

  /// "the closure of joint "J2"", …
  std::string name(int row) const {
    if (is_target(row)) return "the initial value of " + target(row).name;
    if (row >= system_.rows()) {
      const int first = sets_[static_cast<std::size_t>(row - system_.rows())];
      return "the normalisation of " + model_.coordinate_names()[static_cast<std::size_t>(first)];
    }
    const int c = model_.constraint_rows()[static_cast<std::size_t>(row)].constraint;
    const Constraint& constraint = model_.constraints()[static_cast<std::size_t>(c)];
    return (constraint.joint >= 0 ? "the loop at joint \"" : "constraint \"") + constraint.name +
           "\"";
  }

 private:
  template <typename Matrix, typename Part>
  void fill(std::span<const T> q, Matrix& J, const Part& part) const {
    J.setZero();
    const auto take = [&](const SparseRows<T>& from, int row, int to) {
      const auto i = static_cast<std::size_t>(row);
      for (auto k = static_cast<std::size_t>(from.start[i]);
           k < static_cast<std::size_t>(from.start[i + 1]); ++k) {
        J(to, from.column[k]) = part(from.value[k]);
      }
    };
    const SparseRows<T>& Phi_q = system_.Phi_q();
    for (int i = 0; i < Phi_q.rows(); ++i) take(Phi_q, i, i);
    for (std::size_t e = 0; e < sets_.size(); ++e) {
      for (int c = 0; c < 4; ++c) {
        J(system_.rows() + static_cast<int>(e), sets_[e] + c) =
            part(q[static_cast<std::size_t>(sets_[e] + c)]);
      }
    }
    for (int i = first_target(); i < count(); ++i) take(system_.targets_q(), target(i).row, i);
  }

  const InitialTarget& target(int row) const {
    return model_.initial_targets()[static_cast<std::size_t>(row - first_target())];
  }

  const Model& model_;
  MechanicalSystem<T>& system_;
  EulerSets sets_;
  MatX J_;
};

VecX real_of(const VecX& x) { return x; }
VecX real_of(const VecXT<Complex>& x) { return x.real(); }  // holomorphic: a size
double derivative_size(const VecX&) { return 0; }
double derivative_size(const VecXT<Complex>& x) {
  return x.size() ? x.imag().cwiseAbs().maxCoeff() : 0;  // holomorphic: a size
}

/// The columns of J that may change, of the rows that count.
struct Selection {
  std::vector<int> columns, rows;
  MatX part;

  template <typename Matrix>
  void take(const Matrix& J, Matrix& out) const {
    out.resize(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(columns.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = 0; j < columns.size(); ++j) {
        out(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = J(rows[i], columns[j]);
      }
    }
  }
  void take(const MatX& J) { take(J, part); }
  /// The same columns, and those of the rows that span all; `part` must be taken.
  Selection independent(MatX& beside) const {
    const IndependentRows chosen(part, kRankTolerance);
    Selection out{columns, {}, {}};
    for (const int i : chosen.rows) out.rows.push_back(rows[static_cast<std::size_t>(i)]);
    beside = chosen.beside;
    return out;
  }
  /// The entries of x in the columns.
  template <typename T>
  VecXT<T> of(const VecXT<T>& x) const {
    return pick(x, columns);
  }
  template <typename T>
  static VecXT<T> pick(const VecXT<T>& x, const std::vector<int>& which) {
    VecXT<T> some(static_cast<Eigen::Index>(which.size()));
    for (std::size_t i = 0; i < which.size(); ++i) {
      some(static_cast<Eigen::Index>(i)) = x(which[i]);
    }
    return some;
  }
  /// Adds a change of the columns.
  template <typename T>
  void add(const VecXT<T>& change, VecXT<T>& x) const {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      x(columns[j]) += change(static_cast<Eigen::Index>(j));
    }
  }
};

int rank_of(const MatX& A) {
  if (A.size() == 0) return 0;
  Eigen::CompleteOrthogonalDecomposition<MatX> factor;
  factor.setThreshold(kRankTolerance);
  factor.compute(A);
  return static_cast<int>(factor.rank());
}

/// A real function of a vector, of complex ones by their parts.
template <typename T, typename F>
VecXT<T> by_parts(const VecXT<T>& x, const F& f) {
  if constexpr (std::is_same_v<T, double>) {
    return f(x);
  } else {
    const VecX re = f(x.real()), im = f(x.imag());
    VecXT<T> y(re.size());
    y.real() = re;
    y.imag() = im;
    return y;
  }
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

/// Largest entry; NaN counts as infinite.
double largest(const VecX& x, int* where = nullptr) {
  double most = 0;
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const double value = std::isfinite(x(i)) ? std::abs(x(i)) : HUGE_VAL;
    if (value <= most) continue;
    most = value;
    if (where) *where = static_cast<int>(i);
  }
  return most;
}

template <Scalar T>
class StartProblem {
 public:
  StartProblem(const Model& model, MechanicalSystem<T>& system, double t)
      : model_(model), system_(system), rows_(model, system), t_(t) {}

  KinematicReport solve(VecXT<T>& q, VecXT<T>& v) {
    find_touched(q);
    choose_given(model_.initial_q_given());
    const VecXT<T> drawn = q;
    if (!positions(q) || !check_given(q)) return report_;
    report_.sets.position_columns = free_.columns;
    report_.sets.position_rows = free_.rows;
    if (left_ > 0) go_nearest(drawn, q);
    velocities(q, v);
    report_.sets.velocity_columns = free_.columns;
    if (report_.sets.velocity_multipliers.empty()) report_.sets.velocity_rows = free_.rows;
    return report_;
  }

 private:
  void place(const VecXT<T>& q) {
    system_.place(T(t_), in(q));
    system_.measure_targets(T(t_), in(q), {});
  }

  /// Coordinates that rows reach: the others are nobody's business here.
  void find_touched(const VecXT<T>& q) {
    place(q);
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

  VecXT<T> values(const VecXT<T>& q) const { return values(q, free_); }
  VecXT<T> values(const VecXT<T>& q, const Selection& some) const {
    VecXT<T> all;
    rows_.positions(in(q), all);
    return Selection::pick(all, some.rows);
  }

  /// [KP-1]: steps of least change, at most half a radian or metre, halved until Φ falls.
  bool positions(VecXT<T>& q) {
    constexpr int kIterations = 200;
    constexpr double kLargestStep = 0.5, kClosed = 1e-12;
    place(q);
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
        for (std::size_t j = 0; j < free_.columns.size(); ++j) {
          q(free_.columns[j]) += step(static_cast<Eigen::Index>(j)) * T(part);
        }
        place(q);
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

  /// [KP-7]: from a closed place to the one nearest to the drawing, or nowhere. Newton's steps within the
  /// rows, whose matrix may be rough and real; what must vanish has its derivative.
  void go_nearest(const VecXT<T>& drawn, VecXT<T>& q) {
    constexpr int kIterations = 100;
    constexpr double kDrawn = 1e-13, kThere = 1e-14, kEnough = 1e-10;
    // rounding of a drawing that closes
    if (largest(real_of(VecXT<T>(q - drawn))) <= kDrawn * (1 + largest(real_of(q)))) return;
    const VecXT<T> closed = q;
    Pull pull;
    double left = HUGE_VAL;
    for (int k = 0; k < kIterations; ++k) {
      if (!take_pull(drawn, q, pull)) break;
      const double before = left;
      left = pull.left(q);
      // as far as rounding lets it
      if (left <= kThere || (left <= kEnough && left >= 0.5 * before)) break;
      if (!step_nearer(drawn, pull, q)) break;
    }
    place(q);
    const bool all_closed = real_of(values(q)).norm() <= 1e-9;  // holomorphic: a size
    if (left <= kEnough && all_closed) {
      report_.sets.position_rows = pull.some.rows;
      keep(pull.multipliers, report_.sets.position_multipliers);
      return;
    }
    report_.sets.nearest = false;
    q = closed;
  }

  /// What draws a closed place to the drawing: along the rows, which hold it, and beside them.
  struct Pull {
    Selection some;  // independent rows
    MatX beside;
    VecXT<T> free, multipliers;

    /// Of radians and metres; of the derivative as part of that of the coordinates.
    double left(const VecXT<T>& q) const {
      const double of_free = derivative_size(free);
      const double derivative = of_free / (derivative_size(q) + of_free + 1e-300);
      const double size = largest(real_of(free));
      return std::max(size, derivative);
    }
  };

  bool take_pull(const VecXT<T>& drawn, const VecXT<T>& q, Pull& pull) {
    place(q);
    free_.take(rows_.J(in(q)));
    pull.some = free_.independent(pull.beside);
    if (!take_exact(pull.some, q)) return false;
    const auto l = static_cast<Eigen::Index>(pull.some.rows.size());
    nearest_.solve(free_.of(VecXT<T>(drawn - q)), VecXT<T>::Constant(l, T(0)));
    pull.free = nearest_.change();
    pull.multipliers = nearest_.multipliers();
    return true;
  }

  bool take_exact(const Selection& some, const VecXT<T>& q) {
    typename Nearest<T>::Matrix J;
    some.take(rows_.exact_J(in(q)), J);
    return nearest_.take(J);
  }

  /// Zᵀ(I + (Jᵀμ)_q)Z by differences, of the real parts; I where that leads to no minimum.
  // holomorphic: real
  Eigen::LLT<MatX> curvature(const Pull& pull, const VecXT<T>& q) {
    constexpr double kStep = 1e-6;
    const VecX mu = real_of(pull.multipliers);
    const MatX& Z = pull.beside;
    MatX change(Z.rows(), Z.cols()), J;
    for (Eigen::Index j = 0; j < Z.cols(); ++j) {
      for (const double side : {kStep, -kStep}) {
        VecXT<T> there = q;
        pull.some.add(VecXT<T>((side * Z.col(j)).template cast<T>()), there);
        place(there);
        pull.some.take(rows_.J(in(there)), J);
        const VecX force = J.transpose() * mu;
        if (side > 0) {
          change.col(j) = force;
        } else {
          change.col(j) -= force;
        }
      }
    }
    MatX K = Z.transpose() * change / (2 * kStep);
    K = 0.5 * (K + K.transpose()).eval();
    K.diagonal().array() += 1;
    Eigen::LLT<MatX> factor(K);  // holomorphic: real
    if (factor.info() != Eigen::Success) factor.compute(MatX::Identity(K.rows(), K.cols()));
    return factor;
  }

  /// A step of Newton's beside the rows, closed again and halved until the drawing is nearer.
  bool step_nearer(const VecXT<T>& drawn, const Pull& pull, VecXT<T>& q) {
    constexpr double kLargestStep = 0.5, kSurely = 1e-5;
    const Eigen::LLT<MatX> factor = curvature(pull, q);  // holomorphic: real
    const auto newton = [&](const VecX& x) -> VecX {
      return pull.beside * factor.solve(pull.beside.transpose() * x);
    };
    const VecXT<T> step = by_parts(pull.free, newton);
    const double size = real_of(step).norm();                // holomorphic: a size
    const double far = real_of(VecXT<T>(q - drawn)).norm();  // holomorphic: a size
    double part = std::min(1.0, kLargestStep / std::max(size, 1e-300));
    const VecXT<T> before = q;
    for (int halvings = 0; halvings < 20; ++halvings, part *= 0.5) {
      q = before;
      pull.some.add(VecXT<T>(step * T(part)), q);
      if (!close(pull.some, q)) continue;
      const double now = real_of(VecXT<T>(q - drawn)).norm();  // holomorphic: a size
      if (now < far || size <= kSurely) return true;
    }
    return false;
  }

  /// Newton's steps of least change from nearby, the derivative with them.
  bool close(const Selection& some, VecXT<T>& q) {
    constexpr int kIterations = 12;
    constexpr double kLast = 1e-8;
    const VecXT<T> zero = VecXT<T>::Constant(static_cast<Eigen::Index>(some.columns.size()), T(0));
    for (int k = 0; k < kIterations; ++k) {
      place(q);
      if (!take_exact(some, q)) return false;
      nearest_.solve(zero, VecXT<T>(-values(q, some)));
      const VecXT<T> step = nearest_.change();
      const double size = largest(real_of(step));
      if (!(size < 1)) return false;
      some.add(step, q);
      // of what such a step leaves over nothing is to be seen
      if (size <= kLast && derivative_size(step) <= kLast * derivative_size(q)) break;
    }
    place(q);
    return real_of(values(q, some)).norm() <= 1e-12;  // holomorphic: a size
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
    if (beside.cols() == 0 || !take_exact(some, q)) return false;
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
  Rows<T> rows_;
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
