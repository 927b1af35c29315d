// Mesh files: the three formats give the same triangle; nonsense is refused by name.
#include "io/mesh_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "kinegrad/base/error.hpp"
#include "support/temporary_file.hpp"

namespace kinegrad::io {
namespace {

using test::TemporaryFile;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<double> read(const TemporaryFile& file, const std::string& bytes) {
  std::ofstream(file.path(), std::ios::binary) << bytes;
  return read_mesh(file.path(), 10);
}

std::string binary_stl(std::uint32_t triangles) {
  std::string bytes(80, ' ');
  bytes.append(reinterpret_cast<const char*>(&triangles), 4);
  const float facet[12] = {0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0};
  for (std::uint32_t k = 0; k < triangles; ++k) {
    bytes.append(reinterpret_cast<const char*>(facet), sizeof facet);
    bytes.append(2, '\0');
  }
  return bytes;
}

TEST(MeshReader, ThreeFormatsOneTriangle) {
  const TemporaryFile file("mesh_formats");
  const auto triangle = ElementsAre(0, 0, 0, 1, 0, 0, 0, 2, 0);
  EXPECT_THAT(read(file, binary_stl(1)), triangle);
  EXPECT_THAT(read(file,
                   "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
                   "vertex 0 2 0\nendloop\nendfacet\nendsolid\n"),
              triangle);
  EXPECT_THAT(read(file, "# a mesh\nv 0 0 0\nv 1 0 0\nv 0 2 0\nf 1/1 2//2 3\n"), triangle);
}

TEST(MeshReader, PolygonsAreCutIntoFans) {
  const TemporaryFile file("mesh_fan");
  EXPECT_EQ(read(file, "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf -4 -3 -2 -1\n").size(), 18u);
}

TEST(MeshReader, RefusesByName) {
  const TemporaryFile file("mesh_bad");
  for (const std::string& bytes :
       {std::string("not a mesh"), std::string(), std::string("f 1 2 99\n"), binary_stl(11)}) {
    try {
      read(file, bytes);
      FAIL() << "read " << bytes.size() << " bytes";
    } catch (const InvalidArgument& error) {
      EXPECT_THAT(error.what(), HasSubstr(file.path()));
    }
  }
  EXPECT_THROW(read_mesh("/nowhere/at/all.stl", 10), InvalidArgument);
}

}  // namespace
}  // namespace kinegrad::io
