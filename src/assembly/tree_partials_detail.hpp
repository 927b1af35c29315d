// What the files of TreePartials share.
#pragma once

#include "kinegrad/assembly/tree_partials.hpp"

namespace kinegrad {

/// g, z and y of a vector's cotangents [DP-7].
struct GatheredVector {
  Halves<double> g, z, y;
};
inline GatheredVector gathered(const VectorState& s, const Vec3& x0, const VectorCotangent& bar) {
  using Part = Triple<double>;
  const Part r = s.is_point ? Part(s.x) - Part(x0) : Part(s.x), rdot(s.xdot), rddot(s.xddot);
  const Part x(bar.x), xdot(bar.xdot), xddot(bar.xddot);
  const auto lower = [&](const Part& f) { return s.is_point ? f : Part::zero(); };
  return {{cross(r, x) + cross(rdot, xdot) + cross(rddot, xddot), lower(x)},
          {cross(r, xdot) + cross(rdot, xddot) * 2.0, lower(xdot)},
          {cross(r, xddot), lower(xddot)}};
}

/// sum += x, for sums that are kept as vectors.
inline void add_halves(const Halves<double>& x, Twist<double>& sum) {
  Halves<double> all(sum);
  all += x;
  all.store(sum);
}

}  // namespace kinegrad
