// Sizes of the machines among the examples, as `kinegrad info` counts them.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/run_command.hpp"
#include "support/sample_models.hpp"
#include "support/temporary_file.hpp"

namespace kinegrad {
namespace {

struct Size {
  int coordinates, equations;
};

struct Machine {
  const char* file;
  int bodies, freedom;
  Size joint, natural;
};

nlohmann::json info_of(const Machine& machine) {
  std::string name = machine.file;
  std::replace(name.begin(), name.end(), '/', '_');
  const test::TemporaryFile out("size_" + name + ".json");
  const auto run = test::run_kinegrad(
      "info " + test::source_path("examples/" + std::string(machine.file) + ".yaml") + " --out " +
      out.path());
  EXPECT_EQ(run.status, 0) << run.output;
  return nlohmann::json::parse(out.text());
}

void expect_size(const nlohmann::json& set, const Size& size) {
  EXPECT_EQ(set.at("coordinates").get<int>(), size.coordinates);
  EXPECT_EQ(set.at("rows").get<int>() + set.at("normalisations").get<int>(), size.equations);
}

/// Joint coordinates as printed (López Varela 2022, sections 7.4 and 7.5). Natural coordinates depend on what is shared and on which angles are
/// coordinates, too: the source has 36 with 30 equations, of which 3 depend on the others, and for the anchor 702 with 700, angles of all joints
/// among them.
TEST(MachineSizes, AreThoseOfTheSources) {
  constexpr Machine kMachines[] = {{"bicycle_rolling", 4, 3, {10, 7}, {35, 32}},
                                   {"bicycle_tyres", 4, 9, {10, 1}, {36, 27}},
                                   {"anchor_chain/anchor_chain", 64, 126, {130, 4}, {587, 461}}};
  for (const Machine& machine : kMachines) {
    SCOPED_TRACE(machine.file);
    const nlohmann::json info = info_of(machine);
    EXPECT_EQ(info.at("tree").size(), static_cast<std::size_t>(machine.bodies));
    const nlohmann::json& sets = info.at("coordinate_sets");
    EXPECT_EQ(sets.at("joint").at("degrees_of_freedom").get<int>(), machine.freedom);
    expect_size(sets.at("joint"), machine.joint);
    expect_size(sets.at("natural"), machine.natural);
  }
}

}  // namespace
}  // namespace kinegrad
