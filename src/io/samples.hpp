// Columns of numbers from a CSV file beside the model: measured roads, recorded inputs (docs/theory/splines.md, [SP-11]).
#pragma once

#include <vector>

#include "io/field_reader.hpp"

namespace kinegrad::io {

/// {file: road.csv, column: left, scale: s}.
const KeyTable& samples_keys();

/// Whether the field names a file.
bool names_samples(const Field& field);

/// A number of the file per line, times the scale if there is one; each with its place in the file, whose path joins `files`. Reports
/// what is wrong with the file where it stands in it.
std::vector<NumberSpec> read_samples(ReadContext& context, const Field& field,
                                     std::vector<std::string>& files);

/// Reports the first of them that is not above the one before.
void require_increasing(ReadContext& context, const Field& field,
                        const std::vector<NumberSpec>& samples);

}  // namespace kinegrad::io
