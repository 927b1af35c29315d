#include "kinegrad/math/spline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kinegrad/base/error.hpp"
#include "kinegrad/math/sized.hpp"

namespace kinegrad {

namespace {

void validate(const SplineKnots& knots) {
  const std::size_t least = knots.type == SplineType::kPeriodic ? 3 : 2;
  if (knots.x.size() < least) {
    throw InvalidArgument(fmt::format("a spline of this type needs at least {} nodes, not {}",
                                      least, knots.x.size()));
  }
  for (std::size_t i = 0; i < knots.x.size(); ++i) {
    if (!std::isfinite(knots.x[i])) {
      throw InvalidArgument(fmt::format("spline node {} is not a finite number", i + 1));
    }
    if (i > 0 && !(knots.x[i] > knots.x[i - 1])) {
      throw InvalidArgument(fmt::format("spline nodes must increase: node {} is {}, node {} is {}",
                                        i, knots.x[i - 1], i + 1, knots.x[i]));
    }
  }
}

/// A slope of the monotone rule and its partials with respect to the two secants it is made of.
template <typename T>
struct SlopeRule {
  T slope = T(0);
  T near = T(0);
  T far = T(0);
};

/// The weighted harmonic mean of two secants at an inner node [SP-4].
struct HarmonicMean {
  double weight_a, weight_b;

  /// (wₐ + w_b)/(wₐ/a + w_b/b), or 0 where the secants do not agree in sign.
  template <typename T>
  SlopeRule<T> operator()(const T& a, const T& b) const {
    const bool agree =
        (real_part(a) > 0 && real_part(b) > 0) || (real_part(a) < 0 && real_part(b) < 0);
    const bool nan = std::isnan(real_part(a)) || std::isnan(real_part(b));
    if (!agree && !nan) return {};
    const double sum = weight_a + weight_b;
    const T slope = T(sum) / (T(weight_a) / a + T(weight_b) / b);
    const T ratio_a = slope / a, ratio_b = slope / b;
    return {slope, ratio_a * ratio_a * T(weight_a / sum), ratio_b * ratio_b * T(weight_b / sum)};
  }

  bool at_kink(double a, double b) const { return a == 0 || b == 0; }

  /// The derivative from one side along (da, db) at a kink [SP-8].
  double along(double a, double b, double da, double db) const {
    if (a == 0 && b == 0) return (*this)(da, db).slope;  // homogeneous
    const double d = a == 0 ? da : db, other = a == 0 ? b : a;
    const double weight = a == 0 ? weight_a : weight_b;
    return d * other > 0 ? d * (weight_a + weight_b) / weight : 0;
  }
};

/// The parabola through three nodes at an end, limited to the range [0, 3a] [SP-4]. `a` is the
/// secant at the end, over h_a; `b` the next one.
struct EndSlope {
  double h_a, h_b;
  double near() const { return (2 * h_a + h_b) / (h_a + h_b); }
  double far() const { return -h_a / (h_a + h_b); }

  template <typename T>
  SlopeRule<T> operator()(const T& a, const T& b) const {
    const T slope = a * T(near()) + b * T(far());
    const double ratio = real_part(slope) / real_part(a);
    if (ratio <= 0 || real_part(a) == 0) return {};
    if (ratio > 3) return {a * T(3), T(3), T(0)};
    return {slope, T(near()), T(far())};
  }

  bool at_kink(double a, double b) const {
    const double slope = a * near() + b * far();
    return a == 0 || slope == 0 || slope == 3 * a;
  }

  /// The derivative from one side along (da, db) at a kink [SP-8].
  double along(double a, double b, double da, double db) const {
    if (a == 0 && b == 0) return (*this)(da, db).slope;  // homogeneous
    if (a == 0) return b * far() * da > 0 ? 3 * da : 0;
    const double sign = a > 0 ? 1 : -1;  // f = sign·min(max(sign·parabola, 0), 3|a|)
    const double slope = a * near() + b * far(), d = sign * (da * near() + db * far());
    return slope == 0 ? sign * std::max(d, 0.0) : sign * std::min(d, 3 * sign * da);
  }
};

/// Partials of a slope with respect to the three node values that its two secants are made of: (−1, 1, 0)/h₀ and
/// (0, −1, 1)/h₁. `first` says that the rule's a is the first secant. At a kink the partial along a coordinate is
/// that of both sides where they agree, else that of the branch taken [SP-8].
template <typename Rule>
std::array<double, 3> slope_partials(const Rule& rule, double d0, double d1, double h0, double h1,
                                     bool first) {
  const double a = first ? d0 : d1, b = first ? d1 : d0;
  const SlopeRule<double> branch = rule(a, b);
  const double s0 = first ? branch.near : branch.far, s1 = first ? branch.far : branch.near;
  std::array<double, 3> partial{-s0 / h0, s0 / h0 - s1 / h1, s1 / h1};
  if (!rule.at_kink(a, b)) return partial;
  const std::array<double, 3> along0{-1 / h0, 1 / h0, 0}, along1{0, -1 / h1, 1 / h1};
  for (std::size_t k = 0; k < 3; ++k) {
    const double da = first ? along0[k] : along1[k], db = first ? along1[k] : along0[k];
    const double right = rule.along(a, b, da, db), left = -rule.along(a, b, -da, -db);
    constexpr double kRounding = 1e-14;
    if (std::abs(right - left) <= kRounding * std::abs(right)) partial[k] = right;
  }
  return partial;
}

}  // namespace

/// Partials of one slope with respect to three consecutive node values.
struct Spline::SlopePartials {
  int first = 0;
  int count = 3;
  std::array<double, 3> partial{};
};

Spline::Spline(SplineKnots knots) : knots_(std::move(knots)) {
  validate(knots_);
  if (type() == SplineType::kCubic || type() == SplineType::kPeriodic) factorize();
}

/// LDLᵀ of the slope matrix with eᵢ = 1/hᵢ: diagonal 2(e_{i−1} + eᵢ), off-diagonal eᵢ [SP-2].
/// Periodic: A = T + c uuᵀ with c = e_{N−1}, u = e₀ + e_{N−1} (unit vectors) [SP-3].
void Spline::factorize() {
  const bool periodic = type() == SplineType::kPeriodic;
  const int unknowns = periodic ? size() - 1 : size();
  pivot_.assign(index(unknowns), 0.0);
  multiplier_.assign(index(unknowns - 1), 0.0);
  for (int i = 0; i + 1 < size(); ++i) {
    const double e = 1 / width(i);
    pivot_[index(i)] += 2 * e;
    pivot_[index((i + 1) % unknowns)] += 2 * e;
  }
  const double corner = periodic ? 1 / width(size() - 2) : 0;
  pivot_.front() -= corner;
  pivot_.back() -= corner;
  for (int i = 0; i + 1 < unknowns; ++i) {
    const double e = 1 / width(i);
    multiplier_[index(i)] = e / pivot_[index(i)];
    pivot_[index(i + 1)] -= e * multiplier_[index(i)];
  }
  if (!periodic) return;
  std::vector<double> column(index(unknowns), 0.0);
  column.front() = 1;
  column.back() = 1;
  solve(std::span<double>(column));  // corner_ is still empty: this is T⁻¹u
  closure_ = corner / (1 + corner * (column.front() + column.back()));
  corner_ = std::move(column);
}

/// In place: A⁻¹r. For a periodic spline by Sherman–Morrison, x = T⁻¹r − T⁻¹u · closure · uᵀT⁻¹r.
template <typename T>
void Spline::solve(std::span<T> r) const {
  const std::size_t n = pivot_.size();
  for (std::size_t i = 1; i < n; ++i) r[i] -= r[i - 1] * T(multiplier_[i - 1]);
  for (std::size_t i = 0; i < n; ++i) r[i] /= T(pivot_[i]);
  for (std::size_t i = n - 1; i-- > 0;) r[i] -= r[i + 1] * T(multiplier_[i]);
  if (corner_.empty()) return;
  const T along = (r[0] + r[n - 1]) * T(closure_);
  for (std::size_t i = 0; i < n; ++i) r[i] -= along * T(corner_[i]);
}

/// A m = B y, (B y)ᵢ = g_{i−1} + gᵢ, gᵢ = 3(y_{i+1} − yᵢ)/hᵢ² [SP-2], [SP-3].
template <typename T>
void Spline::linear_slopes(std::span<const T> values, std::span<T> slopes) const {
  const std::size_t unknowns = pivot_.size();
  for (T& m : slopes) m = T(0);
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    const double h = width(static_cast<int>(i));
    const T g = (values[i + 1] - values[i]) * T(3 / (h * h));
    slopes[i] += g;
    slopes[i + 1 == unknowns ? 0 : i + 1] += g;
  }
  solve(slopes.first(unknowns));
  if (unknowns < slopes.size()) slopes.back() = slopes.front();
}

template <typename T>
void Spline::monotone_slopes(std::span<const T> values, std::span<T> slopes) const {
  const int n = size();
  const auto secant = [&](int i) {
    return (values[index(i + 1)] - values[index(i)]) * T(1 / width(i));
  };
  if (n == 2) {
    slopes[0] = slopes[1] = secant(0);
    return;
  }
  for (int i = 0; i < n; ++i) {
    const int first = std::clamp(i - 1, 0, n - 3);  // the secants used are `first` and `first + 1`
    const double h0 = width(first), h1 = width(first + 1);
    const T d0 = secant(first), d1 = secant(first + 1);
    const bool forwards = i + 1 < n;  // a is the first of both
    const T &a = forwards ? d0 : d1, &b = forwards ? d1 : d0;
    const bool inner = i > 0 && forwards;
    const HarmonicMean mean{2 * h1 + h0, h1 + 2 * h0};
    const EndSlope end{forwards ? h0 : h1, forwards ? h1 : h0};
    slopes[index(i)] = inner ? mean(a, b).slope : end(a, b).slope;
    if constexpr (!std::is_same_v<T,
                                  double>) {  // at a kink, by its partials: the branch has others
      const double ra = real_part(a), rb = real_part(b);
      if (!(inner ? mean.at_kink(ra, rb) : end.at_kink(ra, rb))) continue;
      const double r0 = real_part(d0), r1 = real_part(d1);
      const auto partial = inner ? slope_partials(mean, r0, r1, h0, h1, true)
                                 : slope_partials(end, r0, r1, h0, h1, forwards);
      T slope(real_part(slopes[index(i)]));
      for (int k = 0; k < 3; ++k) {
        const T& y = values[index(first + k)];
        slope += T(partial[index(k)]) * (y - T(real_part(y)));
      }
      slopes[index(i)] = slope;
    }
  }
}

bool Spline::slopes_have_kink(std::span<const double> values) const {
  const int n = size();
  if (type() != SplineType::kMonotone || n == 2) return false;
  const auto secant = [&](int i) {
    return (values[index(i + 1)] - values[index(i)]) * (1 / width(i));
  };
  for (int i = 0; i + 1 < n; ++i) {
    if (secant(i) == 0) return true;
  }
  return EndSlope{width(0), width(1)}.at_kink(secant(0), secant(1)) ||
         EndSlope{width(n - 2), width(n - 3)}.at_kink(secant(n - 2), secant(n - 3));
}

Spline::SlopePartials Spline::monotone_partials(std::span<const double> values, int i) const {
  const int n = size();
  const auto secant = [&](int k) {
    return (values[index(k + 1)] - values[index(k)]) * (1 / width(k));
  };
  if (n == 2) return {0, 2, {-1 / width(0), 1 / width(0), 0}};
  const int first = std::clamp(i - 1, 0, n - 3);  // the secants used are `first` and `first + 1`
  const double h0 = width(first), h1 = width(first + 1);
  const double d0 = secant(first), d1 = secant(first + 1);
  if (i == 0) return {first, 3, slope_partials(EndSlope{h0, h1}, d0, d1, h0, h1, true)};
  if (i == n - 1) return {first, 3, slope_partials(EndSlope{h1, h0}, d0, d1, h0, h1, false)};
  return {first, 3, slope_partials(HarmonicMean{2 * h1 + h0, h1 + 2 * h0}, d0, d1, h0, h1, true)};
}

void Spline::monotone_forward(std::span<const double> values, std::span<const double> d_values,
                              std::span<double> d_slopes) const {
  for (int i = 0; i < size(); ++i) {
    const SlopePartials p = monotone_partials(values, i);
    double sum = 0;
    for (int k = 0; k < p.count; ++k) sum += p.partial[index(k)] * d_values[index(p.first + k)];
    d_slopes[index(i)] = sum;
  }
}

void Spline::monotone_reverse(std::span<const double> values, std::span<const double> bar_slopes,
                              std::span<double> bar_values) const {
  for (int i = 0; i < size(); ++i) {
    const SlopePartials p = monotone_partials(values, i);
    for (int k = 0; k < p.count; ++k) {
      bar_values[index(p.first + k)] += p.partial[index(k)] * bar_slopes[index(i)];
    }
  }
}

template <Scalar T>
void Spline::slopes(std::span<const T> values, std::span<T> slopes) const {
  KINEGRAD_ASSERT(values.size() == knots_.x.size() && slopes.size() == knots_.x.size());
  if (type() == SplineType::kLinear) {
    for (T& m : slopes) m = T(0);
  } else if (type() == SplineType::kMonotone) {
    monotone_slopes(values, slopes);
  } else {
    linear_slopes(values, slopes);
  }
}

void Spline::slopes_forward(std::span<const double> values, std::span<const double> /*slopes*/,
                            std::span<const double> d_values, std::span<double> d_slopes) const {
  if (type() == SplineType::kLinear) {
    std::fill(d_slopes.begin(), d_slopes.end(), 0.0);
  } else if (type() == SplineType::kMonotone) {
    monotone_forward(values, d_values, d_slopes);
  } else {
    linear_slopes(d_values, d_slopes);
  }
}

/// ȳ += Bᵀ A⁻¹ m̄: A is symmetric, so the transposed solve is the solve itself [SP-6].
void Spline::slopes_reverse(std::span<const double> values, std::span<const double> /*slopes*/,
                            std::span<double> bar_slopes, std::span<double> bar_values) const {
  if (type() == SplineType::kLinear) return;
  if (type() == SplineType::kMonotone) {
    monotone_reverse(values, bar_slopes, bar_values);
    return;
  }
  const std::size_t unknowns = pivot_.size();
  if (unknowns < bar_slopes.size()) bar_slopes.front() += bar_slopes.back();  // m_N is m₀
  solve(bar_slopes.first(unknowns));
  for (std::size_t i = 0; i + 1 < bar_slopes.size(); ++i) {
    const double h = width(static_cast<int>(i));
    const double g = 3 / (h * h) * (bar_slopes[i] + bar_slopes[i + 1 == unknowns ? 0 : i + 1]);
    bar_values[i + 1] += g;
    bar_values[i] -= g;
  }
}

int Spline::interval_of(double x) const {
  const auto above = std::upper_bound(knots_.x.begin(), knots_.x.end(), x);
  return std::clamp(static_cast<int>(above - knots_.x.begin()) - 1, 0, size() - 2);
}

namespace {

/// The order-th derivatives with respect to x of H₀₀, H₀₁, hH₁₀, hH₁₁ at s [SP-5].
template <typename T>
std::array<T, 4> hermite(const T& s, double h, int order) {
  const T one(1), r = one - s;
  switch (order) {
    case 0:
      return {(one + T(2) * s) * r * r, s * s * (T(3) - T(2) * s), T(h) * s * r * r,
              T(-h) * s * s * r};
    case 1: {
      const T d = T(6 / h) * s * r;
      return {-d, d, r * (one - T(3) * s), s * (T(3) * s - T(2))};
    }
    case 2: {
      const T d = (T(12) * s - T(6)) * T(1 / (h * h));
      return {d, -d, (T(6) * s - T(4)) * T(1 / h), (T(6) * s - T(2)) * T(1 / h)};
    }
    case 3: return {T(12 / (h * h * h)), T(-12 / (h * h * h)), T(6 / (h * h)), T(6 / (h * h))};
    default: return {T(0), T(0), T(0), T(0)};
  }
}

/// Continuation along the end tangent: y_end + (x − x_end) m_end [SP-7].
template <typename T>
std::array<T, 4> tangent(const T& beyond, bool right, int order) {
  std::array<T, 4> weight{T(0), T(0), T(0), T(0)};
  if (order == 0) {
    weight[right ? 1 : 0] = T(1);
    weight[right ? 3 : 2] = beyond;
  } else if (order == 1) {
    weight[right ? 3 : 2] = T(1);
  }
  return weight;
}

/// The straight line through two nodes, beyond them too [SP-9].
template <typename T>
std::array<T, 4> line(const T& s, double h, int order) {
  if (order == 0) return {T(1) - s, s, T(0), T(0)};
  if (order == 1) return {T(-1 / h), T(1 / h), T(0), T(0)};
  return {T(0), T(0), T(0), T(0)};
}

}  // namespace

template <Scalar T>
SplineWeights<T> Spline::weights(T x, int order) const {
  if (type() == SplineType::kLinear) {
    const int i = interval_of(real_part(x));
    const double h = width(i);
    return {i, line((x - T(knots_.x[index(i)])) * T(1 / h), h, order)};
  }
  const double first = knots_.x.front(), last = knots_.x.back();
  if (type() == SplineType::kPeriodic) {
    const double turns = std::floor((real_part(x) - first) / (last - first));
    x = x - T(turns * (last - first));
  } else if (real_part(x) < first) {
    return {0, tangent(x - T(first), false, order)};
  } else if (real_part(x) > last) {
    return {size() - 2, tangent(x - T(last), true, order)};
  }
  const int i = interval_of(real_part(x));
  const double h = width(i);
  return {i, hermite((x - T(knots_.x[index(i)])) * T(1 / h), h, order)};
}

template <Scalar T>
T Spline::evaluate(T x, int order, std::span<const T> values, std::span<const T> slopes) const {
  const SplineWeights<T> w = weights(x, order);
  const std::size_t i = index(w.interval);
  return w.weight[0] * values[i] + w.weight[1] * values[i + 1] + w.weight[2] * slopes[i] +
         w.weight[3] * slopes[i + 1];
}

#define KINEGRAD_INSTANTIATE_SPLINE(T)                                                  \
  template void Spline::slopes<T>(std::span<const T>, std::span<T>) const;              \
  template T Spline::evaluate<T>(T, int, std::span<const T>, std::span<const T>) const; \
  template SplineWeights<T> Spline::weights<T>(T, int) const;
KINEGRAD_INSTANTIATE_SPLINE(double)
KINEGRAD_INSTANTIATE_SPLINE(Complex)
KINEGRAD_INSTANTIATE_SPLINE(Dual)
#undef KINEGRAD_INSTANTIATE_SPLINE
template Sized Spline::evaluate<Sized>(Sized, int, std::span<const Sized>,
                                       std::span<const Sized>) const;

}  // namespace kinegrad
