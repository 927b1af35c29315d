#include "kinegrad/model/description.hpp"

#include <fmt/format.h>

namespace kinegrad {

// Seventeen digits, so that the text reads back as the same double.
NumberSpec::NumberSpec(double value) : text(fmt::format("{:.17g}", value)) {}

}  // namespace kinegrad
