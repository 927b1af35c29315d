// Seeded noise as the values of a spline (docs/theory/splines.md, [SP-10]), the same on every machine.
#pragma once

#include <cstdint>
#include <vector>

#include "io/model_keys.hpp"

namespace kinegrad::io {

/// n numbers of mean 0 and variance 1: independent ones for correlation 0 (white), else each like the one before by
/// the factor exp(−1/correlation) (red).
std::vector<double> noise(std::uint64_t seed, std::size_t n, double correlation);

/// The keys by which a file asks for it.
const KeyTable& noise_keys();

}  // namespace kinegrad::io
