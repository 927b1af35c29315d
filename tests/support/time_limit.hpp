// How long reading a model may take, whatever is in the file: what takes the square of the elements takes
// minutes. A second does in a release build, three leave room for a machine that is busy with others; ten
// times as long where nothing is optimised and under the sanitizers, which slow everything down by that.
#pragma once

#include <ctime>

namespace kinegrad::test {

#if defined(__has_feature)  // clang says it so
#if __has_feature(address_sanitizer)
#define KINEGRAD_SANITIZED 1
#endif
#endif
#if defined(KINEGRAD_SANITIZED) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

#ifdef NDEBUG
inline constexpr double kLongestRead = kSanitized ? 30.0 : 3.0;  // s
#else
inline constexpr double kLongestRead = 30.0;  // s
#endif

class Stopwatch {
 public:
  /// Seconds of processor time since construction: others on the machine do not count.
  double elapsed() const { return static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC; }

 private:
  std::clock_t start_ = std::clock();
};

}  // namespace kinegrad::test
