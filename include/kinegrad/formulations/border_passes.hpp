// Passes that forget the border of a saddle-point system [B-2] (docs/theory/constrained.md), where its solution is to be that of the
// system without a border: as many as are needed, not always three.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "kinegrad/formulations/border.hpp"

namespace kinegrad {

/// A pass leaves E/(σ + E) of what an equation misses. Where that is not as small as E was meant to be, near singular
/// positions and where something massless makes the sizes of equations guesses, three passes leave more than rounding, and
/// further ones follow for the equations that still come closer. Equations that do not come closer depend on others: they rest
/// after the third pass.                                                                          [B-10]
class BorderPasses {
 public:
  static std::size_t memory(std::size_t equations, std::size_t columns) {
    return 2 * equations * columns;
  }
  /// E of the equations; multipliers of several right sides at once stand side by side, equation by equation.
  BorderPasses(std::span<const double> E, std::size_t columns, std::span<double> memory)
      : E_(E),
        columns_(columns),
        before_(memory.first(E.size() * columns)),
        change_(memory.subspan(E.size() * columns, E.size() * columns)) {
    for (double& x : before_) x = 0;
    for (double& x : change_) x = 0;
  }

  /// The multipliers y that a pass has found become the right sides g − E y of the next one; false if none is needed, with y
  /// as they are. `given` are the right sides of the first.
  bool next(std::span<const double> given, std::span<double> y) {
    ++pass_;
    if (pass_ >= border::kPasses && (!any_left(y) || pass_ == kMost)) return false;
    for (std::size_t i = 0; i < E_.size(); ++i) {
      for (std::size_t k = i * columns_; k < (i + 1) * columns_; ++k) {
        if (change_[k] != kRests) {
          change_[k] = std::abs(y[k] - before_[k]);
          before_[k] = y[k];
        }
        y[k] = given[k] - E_[i] * before_[k];
      }
    }
    return true;
  }

 private:
  static constexpr double kRests = -1;
  static constexpr double kLeft = 1e-15;     // rounding
  static constexpr double kFalls = 0.5;      // σ > E: an equation of its own
  static constexpr double kSettled = 0.1;    // multipliers that change by less are a measure
  static constexpr int kMost = 24;

  bool any_left(std::span<const double> y) {
    bool any = false;
    for (std::size_t c = 0; c < columns_; ++c) any = left(y, c) || any;
    return any;
  }

  /// Whether the next pass would change more of a column than rounding: d²/d' after changes by d', then d, in the metric of E,
  /// which is that of the equations' own forces.
  bool left(std::span<const double> y, std::size_t column) {
    double left = 0, all = 0;
    for (std::size_t i = 0; i < E_.size(); ++i) {
      const std::size_t k = i * columns_ + column;
      const double d = std::abs(y[k] - before_[k]);
      if (d <= kSettled * std::abs(y[k])) all += E_[i] * y[k] * y[k];
      if (change_[k] == kRests) continue;
      if (!(d <= kFalls * change_[k])) {
        change_[k] = kRests;
      } else if (d > 0) {
        const double next = d * (d / change_[k]);
        left += E_[i] * next * next;
      }
    }
    if (left > kLeft * kLeft * all) return true;
    for (std::size_t k = column; k < change_.size(); k += columns_) change_[k] = kRests;
    return false;
  }

  std::span<const double> E_;
  std::size_t columns_;
  std::span<double> before_, change_;  // multipliers of the pass before, and what they changed by
  int pass_ = 0;
};

}  // namespace kinegrad
