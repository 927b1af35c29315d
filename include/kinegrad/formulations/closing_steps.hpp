// When Newton's method for the positions of a closed loop goes on, has arrived, or has lost its way.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <type_traits>

#include "kinegrad/math/scalar.hpp"

namespace kinegrad {

template <Scalar T>
class ClosingSteps {
 public:
  static constexpr int kIterations = 25;

  /// Whether corrections are such as a step of a run can need; a pivot that is lost throws
  /// coordinates away. Begins an iteration; unit(i) is that of the coordinate that step[i] corrects [KP-11].
  template <typename Unit>
  bool begin(std::span<const T> step, const Unit& unit) {
    // a step of a run moves less than half a radian or metre, where small bodies may go many levers far, and less
    // than a part of large levers
    constexpr double kLargestStep = 0.5, kMany = 100, kPart = 0.1;
    before_ = begun_ ? moved_ : HUGE_VAL;
    before_size_ = begun_ ? size_ : HUGE_VAL;
    begun_ = true;
    size_ = moved_ = 0;
    scale_ = 1;
    for (std::size_t i = 0; i < step.size(); ++i) {
      const double d = unit(i);
      const double far =
          std::max(kPart * d, kLargestStep * std::min(1.0, kMany * d));  // holomorphic: sizes
      if (!(std::abs(real_part(step[i])) <= far)) return false;          // holomorphic: a size
    }
    return true;
  }
  /// x += step.
  void take(T& x, const T& step, double unit) {
    if constexpr (!std::is_same_v<T, double>) {
      moved_ = std::max(moved_, std::abs(step.imag()));         // holomorphic: a size
      derivative_ = std::max(derivative_, std::abs(x.imag()));  // holomorphic: a size
    }
    x += step;
    size_ = std::max(size_, std::abs(real_part(step)) / unit);  // holomorphic: a size
    scale_ = std::max(scale_, std::abs(real_part(x)) / unit);   // holomorphic: a size
  }
  /// Nothing has moved: what was evaluated is that of this place.
  bool stands() const { return size_ <= 1e-15 * scale_ && moved_ == 0; }
  /// The next correction would be the square of this one, of its derivative too. A derivative that is
  /// nothing but rounding, as that of a motion which a moved point does not change, has no digits to
  /// agree in: it does not become smaller any more.
  /// `delicate`: near a singular position, which magnifies what is left; then nothing is to be left.
  bool arrived(bool delicate = false) const {
    constexpr double kNear = 1e-8, kNothing = 1e-13, kStalls = 0.5;
    if (size_ > kNear * scale_) return false;
    const bool shrinks = size_ < kStalls * before_size_;
    if (delicate && size_ > kNothing * scale_ && shrinks) return false;
    return moved_ <= kNear * derivative_ || moved_ > kStalls * before_;
  }

 private:
  bool begun_ = false;
  double size_ = 0, scale_ = 1, moved_ = 0;
  double before_ = HUGE_VAL;  // what moved_ was in the iteration before
  double before_size_ = HUGE_VAL;
  double derivative_ = 0;  // the largest of the way, the first guess included
};

}  // namespace kinegrad
