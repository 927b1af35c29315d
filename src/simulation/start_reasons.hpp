// Why a start was not found, in words that say what to do about it.
#pragma once

#include "simulation/position_search.hpp"

namespace kinegrad {

/// The loops do not close: by how much they stay open at the closest approach, and why.
std::string reason_open(StartProblem& problem, const PositionSearch& search);

/// The loops close against a value that the file gives beyond the degrees of freedom.
std::string reason_contradiction(StartProblem& problem, const PositionSearch& search);

/// A value is no degree of freedom while a freedom is left open.
std::string reason_misplaced(StartProblem& problem, const PositionSearch& search);

}  // namespace kinegrad
