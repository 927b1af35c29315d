// Models for tests: the examples, and random trees with every joint type.
#pragma once

#include <random>
#include <string>

#include "kinegrad/model/description.hpp"
#include "kinegrad/model/model.hpp"
#include "support/places.hpp"

namespace kinegrad::test {

/// examples/NAME.yaml, compiled.
Model example(const std::string& name, CoordinateSet coordinates = CoordinateSet::kJoint);

/// A tree of `bodies` bodies: random joint types, branching, geometry, masses. Some geometry, masses
/// and initial values depend on the parameters a, b, c. Same seed, same tree.
ModelDescription random_tree(unsigned seed, int bodies);

/// A state with its physical parameters.
struct SampleState {
  std::vector<double> p, q, v, a;
};

/// Random coordinates near the model's initial ones (Euler parameters off the unit sphere too),
/// random speeds and accelerations.
SampleState random_state(const Model& model, std::mt19937_64& rng);

/// All frames among the parameters of a model: those of joints and those that forces act on. Their rotations
/// cannot change entry by entry.
std::vector<FrameBlock> frames_of(const Model& model);

/// Uniform in [-1, 1].
double uniform(std::mt19937_64& rng);

}  // namespace kinegrad::test
