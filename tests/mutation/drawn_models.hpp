// Models drawn from the tables of keys: a little of everything that a model file can say, also of what no example uses.
#pragma once

#include <random>
#include <string>

namespace kinegrad::test {

/// Four bodies, and one to three forces and constraints of any type, whose optional keys each have their chance. Most are models;
/// the others are refused, with their place.
std::string drawn_model(std::mt19937_64& rng);

}  // namespace kinegrad::test
