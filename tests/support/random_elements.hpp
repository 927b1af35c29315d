// Seeded mechanisms of the elements with translations: springs on lengths, point masses, rotors, joints of two
// and three translations in chains and as cut joints, and fields that change from place to place.
#pragma once

#include <cstdint>
#include <string>

namespace kinegrad::test {

struct ElementCase {
  std::string yaml;
  bool closed = false;        ///< a joint of two or three translations closes a loop
  bool conservative = false;  ///< no dampers, no field that depends on time
};

/// Equal seeds give equal cases.
ElementCase random_elements(std::uint64_t seed);

}  // namespace kinegrad::test
