// Sizes of the coordinate sets, and the one that `auto` takes [GC-5].
#include "kinegrad/simulation/coordinate_choice.hpp"

#include <gtest/gtest.h>

#include "bench/chain_model.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/compile.hpp"
#include "support/run_command.hpp"
#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

ModelDescription example(const std::string& name) {
  return read_model_yaml(test::source_path("examples/" + name + ".yaml"));
}

ModelDescription chain(int links) { return bench::chain_description(links, false); }

TEST(CoordinateChoice, SmallMechanismsKeepTheirJoints) {
  for (const char* name : {"five_bar", "slider_crank", "double_pendulum", "bricard"}) {
    EXPECT_EQ(fastest(coordinate_sizes(example(name))), "joint-com") << name;
  }
}

TEST(CoordinateChoice, LongChainsAreSparse) {
  const auto small = coordinate_sizes(chain(200)), large = coordinate_sizes(chain(400));
  ASSERT_EQ(small.size(), 3u);
  EXPECT_EQ(fastest(large), "cartesian");
  EXPECT_EQ(large[0].mass_entries, 400 * 400);
  for (const std::size_t set : {1u, 2u}) {  // twice the links, twice the entries
    EXPECT_NEAR(double(large[set].mass_entries), 2.0 * double(small[set].mass_entries), 200);
    EXPECT_NEAR(double(large[set].row_entries), 2.0 * double(small[set].row_entries), 200);
  }
}

/// Seven coordinates and a normalisation per body, five rows per revolute joint.
TEST(CoordinateChoice, CartesianFiveBar) {
  const CoordinateSize size = coordinate_size(test::example("five_bar", CoordinateSet::kCartesian));
  EXPECT_EQ(size.coordinates, 4 * 7);
  EXPECT_EQ(size.normalisations, 4);
  EXPECT_EQ(size.rows, 5 * 5);
  EXPECT_EQ(size.mass_entries, 4 * 49);
}

TEST(CoordinateChoice, IsShownAndTaken) {
  const std::string file = test::source_path("examples/five_bar.yaml");
  const auto info = test::run_kinegrad("info " + file);
  EXPECT_EQ(info.status, 0);
  for (const char* text : {"Coordinate sets", "cartesian", "natural", "auto takes it"}) {
    EXPECT_NE(info.output.find(text), std::string::npos) << text;
  }
  const auto run = test::run_kinegrad("simulate " + file + " --coordinates auto --end 0.01");
  EXPECT_EQ(run.status, 0);
  EXPECT_NE(run.output.find("joint-com"), std::string::npos) << run.output;
  const auto wrong = test::run_kinegrad("simulate " + file + " --coordinates cartesan --end 0.01");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.output.find("did you mean \"cartesian\""), std::string::npos) << wrong.output;
}

}  // namespace
}  // namespace kinegrad
