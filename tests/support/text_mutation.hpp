// Damages to the text of a model file such as people and editors cause.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace kinegrad::test {

/// One of the originals with one to four random damages: bytes changed, lines deleted, doubled or
/// exchanged, odd numbers, keys misspelled, words exchanged, indentation broken, sections moved,
/// pieces of other originals pasted in. Same state of the generator, same text.
std::string mutated(const std::vector<std::string>& originals, std::mt19937_64& rng);

/// The same damages to one text; pieces come from the others, of which there must be one.
std::string damaged(std::string text, const std::vector<std::string>& others,
                    std::mt19937_64& rng);

/// One of the originals with one to three other numbers: most are models still, and odd ones.
std::string with_other_numbers(const std::vector<std::string>& originals, std::mt19937_64& rng);

}  // namespace kinegrad::test
