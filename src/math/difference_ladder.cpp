#include "kinegrad/math/difference_ladder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace kinegrad {

namespace {

constexpr double kRatio = 5, kExtrapolate = kRatio * kRatio - 1;
constexpr int kLevels = 11;
/// Distance of the values that noise is measured with, of the largest step; so many on each side of x.
constexpr double kHair = 1e-8;
constexpr int kHairs = 4, kPoints = 2 * kHairs + 1;
/// Rounding of sums of many terms, of the value.
constexpr double kSummed = 1e-14;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// One component of the function on the ladder.
struct Rung {
  double h, slope, bend;  ///< D, and |f(x + h) + f(x − h) − 2f(x)|/2h
};

/// Noise from differences of higher order of values a hair apart, which a smooth function does not have:
/// σ² = (k!)²/(2k)! · mean (Δᵏf)², the largest of k = 4, 5, 6.                                    [FD-2]
double noise_of(std::array<double, kPoints> f) {
  double most = 0, factor = 1;
  for (int k = 1; k <= 6; ++k) {
    const int count = kPoints - k;
    double sum = 0;
    for (int i = 0; i < count; ++i) {
      f[static_cast<std::size_t>(i)] =
          f[static_cast<std::size_t>(i + 1)] - f[static_cast<std::size_t>(i)];
      sum += f[static_cast<std::size_t>(i)] * f[static_cast<std::size_t>(i)];
    }
    factor *= k / (2.0 * (2 * k - 1));  // (k!)²/(2k)!
    if (k >= 4) most = std::max(most, std::sqrt(factor * sum / count));
  }
  return most;
}

/// One component: all that is known of it, and the best estimate.
class Component {
 public:
  /// Values at x + iδ, i = −4 … 4.
  Component(const std::array<double, kPoints>& hairs, double delta)
      : value_(hairs[kHairs]), noise_(std::max(noise_of(hairs), kSummed * std::abs(value_))) {
    double sum = 0, squares = 0;  // least squares
    for (int i = -kHairs; i <= kHairs; ++i) {
      sum += i * hairs[static_cast<std::size_t>(i + kHairs)];
      squares += i * i;
    }
    near_ = {2 * delta, sum / (squares * delta), 0};
  }

  void add(double h, double ahead, double behind) {
    range_ = std::max({range_, std::abs(ahead - value_), std::abs(behind - value_)});
    rungs_.push_back(
        {h, (ahead - behind) / (2 * h), std::abs(ahead + behind - 2 * value_) / (2 * h)});
    decide();
  }
  /// Steps from here on have no neighbours further away.
  void forget_rungs() {
    rungs_.clear();
    range_ = 0;
    error_ = kInfinity;
  }
  double derivative() const { return derivative_; }
  double error() const { return error_; }
  bool good() const {
    constexpr double kGood = 1e-9;
    return error_ <= kGood * std::abs(derivative_);
  }

 private:
  /// Where noise makes an error of slopes with that step.
  double noise_at(double h) const {
    constexpr double kSafety = 3;
    return kSafety * noise_ / h;
  }
  /// E_k.
  double extrapolated(std::size_t k) const {
    return rungs_[k].slope + (rungs_[k].slope - rungs_[k - 1].slope) / kExtrapolate;
  }
  /// What nearer slopes contradict it by, if their noise does not explain it; they are not exact themselves.
  /// [FD-4]
  double contradiction(std::size_t k, double slope) const {
    constexpr double kSafety = 2;
    double most = 0;
    const auto hear = [&](const Rung& nearer) {
      const double gap = std::abs(nearer.slope - slope), noise = noise_at(nearer.h);
      if (gap > noise) most = std::max(most, kSafety * gap + noise);
    };
    hear(near_);
    for (std::size_t j = k + 1; j < rungs_.size(); ++j) hear(rungs_[j]);
    return most;
  }
  /// At a kink slopes ahead and behind stay apart, however near they are taken.                 [FD-5]
  double kink() const {
    constexpr double kSame = 1.5;
    double most = 0;
    for (std::size_t k = 0; k + 2 < rungs_.size(); ++k) {
      const auto [low, high] =
          std::minmax({rungs_[k].bend, rungs_[k + 1].bend, rungs_[k + 2].bend});
      if (high <= kSame * low && low > noise_at(rungs_[k + 2].h))
        most = std::max(most, kSame * low);
    }
    return most;
  }

  /// The estimate with the least error: the spread of three neighbours, noise, contradictions.  [FD-3]
  void decide() {
    constexpr double kSafety = 2;
    error_ = kInfinity;
    derivative_ = rungs_.back().slope;
    for (std::size_t k = 2; k < rungs_.size(); ++k) {
      const double slope = extrapolated(k);
      const double spread = std::abs(slope - extrapolated(k - 1));
      const double error = kSafety * spread + noise_at(rungs_[k].h) + contradiction(k, slope);
      if (error >= error_) continue;
      error_ = error;
      derivative_ = slope;
    }
    error_ = rough() ? kInfinity : std::max(error_, kink());
  }

  /// Values a hair apart differ as those far away do: noise, or a function so rough that its slope is not to be
  /// seen at any distance.                                                                      [FD-6]
  bool rough() const {
    constexpr double kPart = 0.01, kRounding = 1e-10;
    return noise_ > kPart * range_ && noise_ > kRounding * std::max(1.0, std::abs(value_));
  }

  double value_, noise_, range_ = 0;
  Rung near_{};
  std::vector<Rung> rungs_;
  double derivative_ = 0, error_ = kInfinity;
};

std::vector<Component> components_of(const std::vector<VecX>& hairs, double delta) {
  std::vector<Component> out;
  for (Eigen::Index i = 0; i < hairs[0].size(); ++i) {
    std::array<double, kPoints> values{};
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = hairs[k](i);
    out.emplace_back(values, delta);
  }
  return out;
}

}  // namespace

std::optional<LadderDerivative> ladder_derivative(const LadderFunction& f, double x,
                                                  double largest) {
  // distances that are added to x without rounding
  const auto exact = [&](double h) { return (x + h) - x; };
  const double delta = exact(std::max(kHair * largest, 64 * std::abs(x) * 0x1.0p-52));
  std::vector<VecX> hairs;
  for (int i = -kHairs; i <= kHairs; ++i) {
    const std::optional<VecX> value = f(x + i * delta);
    if (!value) return {};
    hairs.push_back(*value);
  }
  std::vector<Component> components = components_of(hairs, delta);
  double h = largest;
  int usable = 0;
  for (int k = 0; k < kLevels; ++k, h /= kRatio) {
    const double step = exact(h);
    if (!(step > 8 * delta)) break;
    const std::optional<VecX> ahead = f(x + step);
    const std::optional<VecX> behind = ahead ? f(x - step) : std::nullopt;
    if (!ahead || !behind) {  // a gap: the ladder begins anew below it [FD-7]
      usable = 0;
      for (Component& component : components) component.forget_rungs();
      continue;
    }
    ++usable;
    for (std::size_t i = 0; i < components.size(); ++i) {
      const auto entry = static_cast<Eigen::Index>(i);
      components[i].add(step, (*ahead)(entry), (*behind)(entry));
    }
    constexpr int kLeast = 5;  // three neighbours, and two beyond that might contradict
    if (usable >= kLeast && std::all_of(components.begin(), components.end(),
                                        [](const Component& c) { return c.good(); })) {
      break;
    }
  }
  if (usable == 0) return {};
  LadderDerivative out;
  const auto size = static_cast<Eigen::Index>(components.size());
  out.derivative.resize(size);
  out.error.resize(size);
  for (std::size_t i = 0; i < components.size(); ++i) {
    out.derivative(static_cast<Eigen::Index>(i)) = components[i].derivative();
    out.error(static_cast<Eigen::Index>(i)) = components[i].error();
  }
  return out;
}

}  // namespace kinegrad
