// States with multipliers at which systems and their derivatives are compared.
#pragma once

#include <random>
#include <vector>

#include "support/sample_models.hpp"

namespace kinegrad::test {

/// L1: sums over a few bodies of products of a few dozen operations.
inline constexpr double kAssembly = 1e-12;

/// All numbers of size 1.
struct SystemSample {
  double t;
  std::vector<double> p, q, v, a, lambda;
};

inline SystemSample random_sample(const Model& model, std::mt19937_64& rng) {
  const SampleState s = random_state(model, rng);
  SystemSample x{1 + 0.8 * uniform(rng), s.p, s.q, s.v, s.a, {}};
  x.lambda.resize(model.constraint_rows().size());
  for (double& l : x.lambda) l = uniform(rng);
  return x;
}

}  // namespace kinegrad::test
