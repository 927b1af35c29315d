// Triangles of a mesh file: STL (binary or text) or OBJ.
#pragma once

#include <string>
#include <vector>

namespace kinegrad::io {

/// x, y, z of three corners per triangle. Polygons of an OBJ are cut into fans.
/// @throws InvalidArgument where the file cannot be read, holds no triangle, or more than `limit`.
std::vector<double> read_mesh(const std::string& path, std::size_t limit);

}  // namespace kinegrad::io
