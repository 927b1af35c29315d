#include "thinning.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>

namespace kinegrad::io {

namespace {

std::vector<std::size_t> all_of(std::size_t n) {
  std::vector<std::size_t> indices(n);
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  return indices;
}

/// The samples of one span that its picture needs, in order.
class SpanSummary {
 public:
  void see(std::size_t k, double y) {
    if (!std::isfinite(y)) {
      gap_ = k;
      return;
    }
    if (low_ == kNone || y < low_value_) low_ = k, low_value_ = y;
    if (high_ == kNone || y > high_value_) high_ = k, high_value_ = y;
  }
  void flush(std::vector<std::size_t>& out) {
    std::size_t kept[3] = {low_, high_, gap_};
    std::sort(kept, kept + 3);
    for (const std::size_t k : kept) {
      if (k != kNone && (out.empty() || out.back() < k)) out.push_back(k);
    }
    *this = {};
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t low_ = kNone, high_ = kNone, gap_ = kNone;
  double low_value_ = 0, high_value_ = 0;
};

}  // namespace

std::vector<std::size_t> thin_evenly(std::span<const double> t, std::size_t limit) {
  if (t.size() <= limit) return all_of(t.size());
  std::vector<std::size_t> out;
  const double begin = t.front(), length = t.back() - begin;
  const auto last = static_cast<double>(limit - 1);
  for (std::size_t k = 0, at = 0; k < limit; ++k) {
    const double wanted = begin + length * (static_cast<double>(k) / last);
    while (at + 1 < t.size() && std::abs(t[at + 1] - wanted) <= std::abs(t[at] - wanted)) ++at;
    if (k + 1 == limit) at = t.size() - 1;
    if (out.empty() || out.back() < at) out.push_back(at);
  }
  return out;
}

std::vector<std::size_t> thin_curve(std::span<const double> t, std::span<const double> y,
                                    std::size_t limit) {
  if (t.size() <= limit) return all_of(t.size());
  const bool gaps = std::any_of(y.begin(), y.end(), [](double x) { return !std::isfinite(x); });
  const std::size_t spans = std::max<std::size_t>(1, (limit - 2) / (gaps ? 3 : 2));
  const double begin = t.front(), length = t.back() - begin;
  const auto span_of = [&](double time) {
    const double part = length > 0 ? (time - begin) / length : 0;
    return std::min(spans - 1, static_cast<std::size_t>(part * static_cast<double>(spans)));
  };
  std::vector<std::size_t> out{0};
  SpanSummary summary;
  std::size_t current = 0;
  for (std::size_t k = 1; k + 1 < t.size(); ++k) {
    if (span_of(t[k]) != current) {
      summary.flush(out);
      current = span_of(t[k]);
    }
    summary.see(k, y[k]);
  }
  summary.flush(out);
  out.push_back(t.size() - 1);
  return out;
}

double rounded(double x, int digits) {
  if (!std::isfinite(x)) return x;
  char text[40];
  std::snprintf(text, sizeof text, "%.*e", digits - 1, x);
  return std::strtod(text, nullptr);
}

}  // namespace kinegrad::io
