#include "mesh_file.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <sstream>

#include "kinegrad/base/error.hpp"
#include "regular_file.hpp"

namespace kinegrad::io {

namespace {

constexpr std::size_t kHeader = 84, kFacet = 50;  // bytes of a binary STL

std::uint32_t facet_count(const std::string& bytes) {
  std::uint32_t n = 0;
  if (bytes.size() >= kHeader) std::memcpy(&n, bytes.data() + 80, sizeof n);
  return n;
}

/// A text STL may begin like a binary one, but is never of this very length.
bool is_binary_stl(const std::string& bytes) {
  return bytes.size() >= kHeader && bytes.size() == kHeader + kFacet * facet_count(bytes);
}

std::vector<double> binary_stl(const std::string& bytes) {
  std::vector<double> out;
  for (std::size_t at = kHeader; at + kFacet <= bytes.size(); at += kFacet) {
    float corners[9];
    std::memcpy(corners, bytes.data() + at + 12, sizeof corners);  // after the normal
    out.insert(out.end(), corners, corners + 9);
  }
  return out;
}

std::vector<double> text_stl(const std::string& text) {
  std::vector<double> out;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    double x = 0, y = 0, z = 0;
    if (word == "vertex" && words >> x >> y >> z) out.insert(out.end(), {x, y, z});
  }
  out.resize(out.size() / 9 * 9);
  return out;
}

/// Adds the fan of a face; indices count from 1, or backwards from the last vertex.
void add_face(std::istringstream& words, const std::vector<double>& vertices,
              std::vector<double>& out) {
  std::vector<std::size_t> face;
  const auto count = static_cast<long>(vertices.size() / 3);
  for (std::string word; words >> word;) {
    long k = std::strtol(word.c_str(), nullptr, 10);
    k = k < 0 ? count + k : k - 1;
    if (k >= 0 && k < count) face.push_back(static_cast<std::size_t>(k));
  }
  for (std::size_t k = 2; k < face.size(); ++k) {
    for (const std::size_t corner : {face[0], face[k - 1], face[k]}) {
      const double* x = vertices.data() + 3 * corner;
      out.insert(out.end(), x, x + 3);
    }
  }
}

std::vector<double> obj(const std::string& text) {
  std::vector<double> vertices, out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    double x = 0, y = 0, z = 0;
    if (kind == "v" && words >> x >> y >> z) vertices.insert(vertices.end(), {x, y, z});
    if (kind == "f") add_face(words, vertices, out);
  }
  return out;
}

}  // namespace

std::vector<double> read_mesh(const std::string& path, std::size_t limit) {
  const std::string bytes = whole_file(path);
  std::vector<double> out = is_binary_stl(bytes) ? binary_stl(bytes) : text_stl(bytes);
  if (out.empty()) out = obj(bytes);
  if (out.empty()) throw InvalidArgument(path + " holds no triangle (STL and OBJ are read)");
  if (out.size() / 9 > limit) {
    throw InvalidArgument(fmt::format("{} holds {} triangles, more than the {} a report takes",
                                      path, out.size() / 9, limit));
  }
  return out;
}

}  // namespace kinegrad::io
