#include "kinegrad/formulations/matrix_r_chosen.hpp"

#include <algorithm>
#include <cmath>

#include "kinegrad/formulations/closing_steps.hpp"
#include "kinegrad/math/views.hpp"

namespace kinegrad {

namespace {

/// At a distance d from a position where G is singular, which R shows, accelerations have an error of ε/d³: where R
/// has grown by 1/d = 2000 since it was chosen, that is 1e-5, and adaptive steps would creep past it.    [LO-2]
constexpr double kLostGrowth = 2000;

}  // namespace

template <Scalar T>
MatrixRChosen<T>::MatrixRChosen(const Model& model, std::unique_ptr<MechanicalSystem<T>> system)
    : model_(model),
      system_(std::move(system)),
      units_(VecX::Ones(system_->nq())),
      independent_(model.independent()),
      n_(system_->nq()),
      freedom_(static_cast<int>(model.independent().size())),
      rows_(*system_),
      equations_(*system_),
      pivoting_(rows_.count() + freedom_, n_),
      B_(Matrix::Constant(freedom_, n_, T(0))),
      R_(n_, std::max(n_, freedom_)),
      step_(n_),
      zero_(VecXT<T>::Constant(n_, T(0))),
      a_(n_),
      lifted_(VecXT<T>::Constant(n_, T(0))) {
  for (int k = 0; k < freedom_; ++k) {
    const int c = independent_[static_cast<std::size_t>(k)].coordinate;
    if (c >= 0) B_(k, c) = T(1);
    of_tree_ = of_tree_ && c >= 0;
  }
  pivot_row_.reserve(static_cast<std::size_t>(n_));
  G_.reserve(n_);
}

template <Scalar T>
void MatrixRChosen<T>::set_parameters(std::span<const T> p) {
  system_->set_parameters(p);
  units_ = units_at(model_, p);
  rows_.forget_sizes();
  selected_ = false;
}

/// Coordinates of the tree as Matrix R would say it: what is not chosen is dependent.
template <Scalar T>
void MatrixRChosen<T>::divide_tree() const {
  std::vector<int>& chosen = snapshot_.integrated;
  chosen.clear();
  for (const IndependentCoordinate& y : independent_) chosen.push_back(y.coordinate);
  std::sort(chosen.begin(), chosen.end());
  snapshot_.free = chosen;
  snapshot_.dependent.clear();
  for (int c = 0; c < n_; ++c) {
    if (!std::binary_search(chosen.begin(), chosen.end(), c)) snapshot_.dependent.push_back(c);
  }
}

/// With points, what is left to say are the rows.
template <Scalar T>
const CoordinateSelection* MatrixRChosen<T>::selection() const {
  if (of_tree_) divide_tree();
  snapshot_.pivot_row = pivot_row_;
  snapshot_.position_rank = static_cast<int>(pivot_row_.size());
  snapshot_.growth = growth_;
  snapshot_.chosen = selected_;
  return &snapshot_;
}

template <Scalar T>
void MatrixRChosen<T>::restore(const CoordinateSelection& selection) {
  if (pivot_row_ != selection.pivot_row) orientation_ = 0;
  pivot_row_ = selection.pivot_row;
  growth_ = selection.growth;
  selected_ = selection.chosen;
}

/// f, ḟ or f̈ of one independent coordinate at the state measured last.
template <Scalar T>
T MatrixRChosen<T>::f(std::size_t k, RowLevel level, std::span<const T> q, std::span<const T> v,
                      std::span<const T> a) const {
  const IndependentCoordinate& y = independent_[k];
  if (y.coordinate >= 0) {
    const auto c = static_cast<std::size_t>(y.coordinate);
    return level == RowLevel::kPosition ? q[c] : level == RowLevel::kVelocity ? v[c] : a[c];
  }
  return level == RowLevel::kPosition   ? system_->independent()(y.row)
         : level == RowLevel::kVelocity ? system_->independent_dot()(y.row)
                                        : system_->independent_ddot()(y.row);
}

template <Scalar T>
void MatrixRChosen<T>::place(T t, std::span<const T> q) {
  system_->place(t, q);
  system_->measure_independent(t, q, {}, {});
  fill(q);
}

/// J and B at the place measured last.
template <Scalar T>
void MatrixRChosen<T>::fill(std::span<const T> q) {
  rows_.fill(q);
  const SparseRows<T>& f_q = system_->independent_q();
  for (int k = 0; k < freedom_; ++k) {
    const int row = independent_[static_cast<std::size_t>(k)].row;
    if (row < 0) continue;
    const auto i = static_cast<std::size_t>(row);
    for (auto e = static_cast<std::size_t>(f_q.start[i]);
         e < static_cast<std::size_t>(f_q.start[i + 1]); ++e) {
      B_(k, f_q.column[e]) = f_q.value[e];
    }
  }
}

/// Pivots in all rows of B, then in as many of the constraints as there are columns left. [MR-4]
template <Scalar T>
bool MatrixRChosen<T>::select() {
  rows_.keep_sizes(units_);
  MatX& A = pivoting_.matrix();
  A.topRows(freedom_) = B_.real() * units_.asDiagonal();                 // holomorphic: chooses
  A.bottomRows(rows_.count()) = rows_.J().real() * units_.asDiagonal();  // holomorphic: chooses
  pivoting_.start();
  for (int i = 0; i < freedom_; ++i) pivoting_.line_up(i);
  for (int i = 0; i < rows_.count(); ++i) pivoting_.line_up(freedom_ + i, rows_.remaining(i));
  pivoting_.eliminate(freedom_);
  if (pivoting_.rank() < freedom_) return false;
  pivoting_.eliminate(pivoting_.lined_up());
  if (pivoting_.rank() < n_ || !pivoting_.finite()) return false;
  pivot_row_.clear();
  for (int k = freedom_; k < n_; ++k) {
    pivot_row_.push_back(pivoting_.rows()[static_cast<std::size_t>(k)] - freedom_);
  }
  if (!factorize()) return false;
  make_R();
  growth_ = growth();
  orientation_ = G_.orientation();
  return orientation_ != 0;
}

/// G = [J_R; B]; false if a pivot is lost.
template <Scalar T>
bool MatrixRChosen<T>::factorize() {
  const auto rank = static_cast<int>(pivot_row_.size());
  G_.resize(n_);
  for (int j = 0; j < n_; ++j) {
    for (int i = 0; i < rank; ++i) {
      G_.at(i, j) = rows_.J()(pivot_row_[static_cast<std::size_t>(i)], j);
    }
    for (int k = 0; k < freedom_; ++k) G_.at(rank + k, j) = B_(k, j);
  }
  return G_.factorize(kLostPivot) && G_.orientation() != 0;
}

/// [MR-5].
template <Scalar T>
void MatrixRChosen<T>::make_R() {
  for (int k = 0; k < freedom_; ++k) {
    R_.col(k).setConstant(T(0));
    R_(n_ - freedom_ + k, k) = T(1);
    G_.solve({R_.col(k).data(), static_cast<std::size_t>(n_)});
  }
}

/// The largest |R_k||B_k| in units of the coordinates, which grows on the way to a position where G is singular.
template <Scalar T>
double MatrixRChosen<T>::growth() const {
  double largest = 0;
  for (int k = 0; k < freedom_; ++k) {
    double R = 0, B = 0;
    for (int i = 0; i < n_; ++i) {
      const double r = real_part(R_(i, k)) / units_(i), b = real_part(B_(k, i)) * units_(i);
      R += r * r;
      B += b * b;
    }
    largest = std::max(largest, R * B);
  }
  return std::sqrt(largest);
}

/// step_ = −G⁻¹[Φ_R; f − y] at one level. [MR-4]
template <Scalar T>
void MatrixRChosen<T>::residuals(RowLevel level, std::span<const T> y, std::span<const T> q,
                                 std::span<const T> v, std::span<const T> a) {
  const auto rank = pivot_row_.size();
  for (std::size_t i = 0; i < rank; ++i) {
    step_(static_cast<Eigen::Index>(i)) = -rows_.value(pivot_row_[i], level, q, v, a);
  }
  for (std::size_t k = 0; k < y.size(); ++k) {
    step_(static_cast<Eigen::Index>(rank + k)) = y[k] - f(k, level, q, v, a);
  }
  G_.solve(out(step_));
}

template <Scalar T>
bool MatrixRChosen<T>::begin_step(T t, std::span<const T> q, std::span<const T>) {
  equations_.begin_step();
  lost_ = false;
  if (selected_ && orientation_ != 0) return true;
  place(t, q);
  if (selected_) {
    if (!factorize()) return fail();
    orientation_ = G_.orientation();
    return true;
  }
  selected_ = select();
  return selected_ || fail();
}

template <Scalar T>
void MatrixRChosen<T>::reduce(T t, std::span<const T> q, std::span<const T> v, std::span<const T> a,
                              std::span<T> y, std::span<T> ydot, std::span<T> yddot) {
  system_->move(t, q, v, a);
  system_->measure_independent(t, q, v, a);
  for (std::size_t k = 0; k < y.size(); ++k) {
    y[k] = f(k, RowLevel::kPosition, q, v, a);
    ydot[k] = f(k, RowLevel::kVelocity, q, v, a);
    yddot[k] = f(k, RowLevel::kAcceleration, q, v, a);
  }
}

/// Φ = 0 and f(q) = y by Newton's method; leaves the factors of G at the place found.
template <Scalar T>
bool MatrixRChosen<T>::close(T t, std::span<const T> y, std::span<T> q) {
  ClosingSteps<T> closing;
  for (int k = 0; k < closing.kIterations; ++k) {
    place(t, q);
    if (!factorize()) return false;
    residuals(RowLevel::kPosition, y, q, {}, {});
    const auto unit = [&](std::size_t i) { return units_(static_cast<Eigen::Index>(i)); };
    if (!closing.begin(in(step_), unit)) return false;
    for (int i = 0; i < n_; ++i) {
      closing.take(q[static_cast<std::size_t>(i)], step_(i), units_(i));
    }
    if (!closing.stands() && !closing.arrived()) continue;
    if (!closing.stands()) {
      place(t, q);
      if (!factorize()) return false;
    }
    return true;
  }
  return false;
}

/// Rows left out follow from the others. Where they do not, the rows are selected anew before the
/// next step, or the constraints contradict each other.
template <Scalar T>
bool MatrixRChosen<T>::all_rows_hold() {
  constexpr double kStale = 1e-9, kOpen = 1e-5;
  const double open = rows_.open();
  if (open > kStale) selected_ = false;
  return open <= kOpen;
}

template <Scalar T>
bool MatrixRChosen<T>::expand(T t, std::span<const T> y, std::span<const T> ydot, std::span<T> q,
                              std::span<T> v) {
  lost_ = false;
  // G has turned over if y reached the end of its range on the way, and went back on another branch
  if (!close(t, y, q)) return fail();
  if (orientation_ == 0) orientation_ = G_.orientation();  // restored: no step was begun
  if (G_.orientation() != orientation_) return fail();
  if (!all_rows_hold()) return false;
  system_->move(t, q, v, in(zero_));
  system_->measure_independent(t, q, v, in(zero_));
  residuals(RowLevel::kVelocity, ydot, q, v, {});
  for (int i = 0; i < n_; ++i) v[static_cast<std::size_t>(i)] += step_(i);
  return true;
}

/// G must be that of expand() at the same place.
template <Scalar T>
bool MatrixRChosen<T>::lift(T t, std::span<const T> q, std::span<const T> v,
                            std::span<const T> yddot, std::span<T> a) {
  system_->evaluate(t, q, v, a);
  system_->measure_independent(t, q, v, a);
  residuals(RowLevel::kAcceleration, yddot, q, v, a);
  lifted_ = step_;
  for (int i = 0; i < n_; ++i) a[static_cast<std::size_t>(i)] += step_(i);
  std::copy(a.begin(), a.end(), a_.data());
  return true;
}

/// [MR-6] with the residual r; rows that are no pivots carry nothing.
template <Scalar T>
void MatrixRChosen<T>::find_multipliers(const VecXT<T>& r, std::span<T> lambda) {
  std::fill(lambda.begin(), lambda.end(), T(0));
  step_ = -r;
  G_.solve_transposed(out(step_));
  for (std::size_t i = 0; i < pivot_row_.size(); ++i) {
    const auto row = static_cast<std::size_t>(pivot_row_[i]);
    if (row < lambda.size()) lambda[row] = step_(static_cast<Eigen::Index>(i));
  }
}

template <Scalar T>
bool MatrixRChosen<T>::acceleration(T t, std::span<const T> q, std::span<const T> v, std::span<T> a,
                                    std::span<T> lambda) {
  lost_ = false;
  if (!selected_ && !begin_step(t, q, v)) return false;
  system_->evaluate(t, q, v, in(zero_));
  system_->measure_independent(t, q, v, in(zero_));
  fill(q);
  if (!factorize()) return fail();
  make_R();
  if (growth() > kLostGrowth * growth_) return fail();
  for (int k = 0; k < freedom_; ++k) a_(k) = T(0);  // ÿ = 0
  residuals(RowLevel::kAcceleration, {a_.data(), static_cast<std::size_t>(freedom_)}, q, v,
            in(zero_));
  a_ = step_;  // a_0 of [MR-2]
  if (!equations_.accelerate(R_, freedom_, a_, r_)) return false;
  std::copy(a_.data(), a_.data() + n_, a.begin());
  find_multipliers(r_, lambda);
  return true;
}

template <Scalar T>
bool MatrixRChosen<T>::correct(T t, std::span<const T> q, std::span<const T> v,
                               std::span<const T> a, std::span<T>, const NewtonCoefficients& c,
                               std::span<T> delta) {
  equations_.lift_residual(lifted_, r_);
  make_R();
  constexpr double kNearlySingular = 10;  // corrections that do not settle have this reason then
  const double growth = this->growth();
  if (growth > kLostGrowth * growth_) return fail();
  lost_ = growth > kNearlySingular * growth_;
  if (!equations_.correct(t, q, v, a, r_, R_, freedom_, c, step_)) return false;
  double size = 0;
  for (int k = 0; k < freedom_; ++k) {
    delta[static_cast<std::size_t>(k)] = step_(k);
    size += real_part(step_(k)) * real_part(step_(k));
  }
  return equations_.took(size, c);
}

template <Scalar T>
bool MatrixRChosen<T>::finish(T t, std::span<const T> q, std::span<T> v, std::span<T> a,
                              std::span<T> lambda) {
  end_stage(t, q, v, a, lambda);
  return true;
}

template <Scalar T>
void MatrixRChosen<T>::end_stage(T t, std::span<const T> q, std::span<const T> v,
                                 std::span<const T> a, std::span<T> lambda) {
  if (std::equal(a.begin(), a.end(), a_.data())) {  // those of lift(), last of all
    equations_.lift_residual(lifted_, r_);
  } else {
    system_->evaluate(t, q, v, a);
    r_ = system_->r();
  }
  find_multipliers(r_, lambda);
}

template class MatrixRChosen<double>;
template class MatrixRChosen<Complex>;

}  // namespace kinegrad
