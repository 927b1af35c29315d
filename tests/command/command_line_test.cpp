// What a user sees: exit statuses, messages, files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/run_command.hpp"
#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

using test::run_kinegrad;
using testing::HasSubstr;

std::string example_path(const std::string& name) {
  return test::source_path("examples/" + name + ".yaml");
}

std::string temporary(const std::string& name) {
  return (std::filesystem::temp_directory_path() / ("kinegrad_cli_" + name)).string();
}

TEST(CommandLine, EveryExampleIsSound) {
  int count = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(test::source_path("examples"))) {
    if (entry.path().extension() != ".yaml") continue;
    ++count;
    const auto checked = run_kinegrad("check " + entry.path().string());
    EXPECT_EQ(checked.status, 0) << checked.output;
    const auto info = run_kinegrad("info " + entry.path().string());
    EXPECT_EQ(info.status, 0) << info.output;
    EXPECT_THAT(info.output, HasSubstr("of freedom"));
  }
  EXPECT_GE(count, 7);
}

TEST(CommandLine, InfoShowsTreeLoopsAndParameters) {
  const auto info = run_kinegrad("info " + example_path("five_bar"));
  ASSERT_EQ(info.status, 0);
  EXPECT_THAT(info.output, HasSubstr("cut revolute J2"));
  EXPECT_THAT(info.output, HasSubstr("└─"));
  EXPECT_THAT(info.output, HasSubstr("L_s1"));
  EXPECT_THAT(info.output, HasSubstr("force \"s1\""));
}

TEST(CommandLine, InfoWritesJson) {
  const std::string out = temporary("info.json");
  ASSERT_EQ(run_kinegrad("info " + example_path("five_bar") + " --out " + out).status, 0);
  std::ifstream file(out);
  const nlohmann::json json = nlohmann::json::parse(file);
  EXPECT_EQ(json.at("loops").at(0).at("cut"), "J2");
  EXPECT_EQ(json.at("coordinate_sets").at("joint").at("coordinates"), 4);
  EXPECT_EQ(json.at("parameters").at("L_A1").at("value").get<double>(), std::sqrt(2.0));
  EXPECT_EQ(json.at("tree").size(), 4u);
  std::filesystem::remove(out);
}

TEST(CommandLine, SetChangesAParameter) {
  const std::string out = temporary("set.json");
  ASSERT_EQ(
      run_kinegrad("info " + example_path("five_bar") + " --quiet --set L_A1=1.5 --out " + out)
          .status,
      0);
  std::ifstream file(out);
  EXPECT_EQ(nlohmann::json::parse(file).at("parameters").at("L_A1").at("value"), 1.5);
  std::filesystem::remove(out);
  const auto unknown = run_kinegrad("info " + example_path("five_bar") + " --set L_A11=1.5");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.output, HasSubstr("did you mean \"L_A1\""));
  EXPECT_EQ(run_kinegrad("info " + example_path("five_bar") + " --set L_A1").status, 2);
  EXPECT_EQ(run_kinegrad("info " + example_path("five_bar") + " --set L_A1=9").status, 2)
      << "outside its bounds";
}

TEST(CommandLine, WrongModelSaysWhereAndExitsWithTwo) {
  const std::string path = temporary("wrong.yaml");
  std::ofstream(path) << "bodies:\n  rod: {mass: 1, comm: [0, 0, 0]}\njoints:\n"
                         "  J: {type: revolut, bodies: [ground, rod], point: [0, 0, 0], axis: z}\n";
  const auto result = run_kinegrad("check " + path);
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, HasSubstr(path + ":2: "));
  EXPECT_THAT(result.output, HasSubstr("did you mean \"com\""));
  std::filesystem::remove(path);
}

TEST(CommandLine, MissingFileOptionsAndSubcommandsExitWithTwo) {
  EXPECT_EQ(run_kinegrad("check no/such/file.yaml").status, 2);
  EXPECT_EQ(run_kinegrad("check").status, 2);
  EXPECT_EQ(run_kinegrad("").status, 2);
  EXPECT_EQ(run_kinegrad("list nonsense").status, 2);
  EXPECT_EQ(run_kinegrad("conjure " + example_path("pendulum")).status, 2);
  EXPECT_EQ(
      run_kinegrad("info " + example_path("pendulum") + " --out /no/such/folder/x.json").status, 2);
}

TEST(CommandLine, ListsAndHelp) {
  const auto joints = run_kinegrad("list joints");
  EXPECT_EQ(joints.status, 0);
  for (const char* name : {"fixed", "revolute", "prismatic", "universal", "cylindrical",
                           "spherical", "floating", "planar", "rectangular", "cartesian"}) {
    EXPECT_THAT(joints.output, HasSubstr(name));
  }
  EXPECT_THAT(run_kinegrad("list forces").output, HasSubstr("spring-damper"));
  EXPECT_THAT(run_kinegrad("list constraints").output, HasSubstr("knife-edge"));
  EXPECT_EQ(run_kinegrad("--help").status, 0);
  EXPECT_EQ(run_kinegrad("--version").status, 0);
}

/// A state is no body, and a mechanism that cannot be assembled is not sound.
TEST(CommandLine, CheckCountsTheFileAndAssemblesTheStart) {
  const auto pid = run_kinegrad("check " + example_path("cart_pole_pid"));
  EXPECT_EQ(pid.status, 0) << pid.output;
  EXPECT_THAT(pid.output, HasSubstr("(2 bodies, 2 joints, 1 state, "));
  const std::string path = temporary("open.yaml");
  std::ofstream(path)
      << "bodies:\n  rod: {mass: 1, inertia: [1, 1, 1], points: {P: [1, 0, 0]}}\n"
         "points: {Q: [5, 0, 0]}\n"
         "joints:\n  J: {type: revolute, bodies: [ground, rod], point: [0, 0, 0], axis: z}\n"
         "constraints:\n  far: {type: coincident, points: [P, Q]}\n";
  const auto open = run_kinegrad("check " + path);
  EXPECT_EQ(open.status, 2) << open.output;
  EXPECT_THAT(open.output, HasSubstr(path + ":7: it cannot start: "));
  std::filesystem::remove(path);
}

TEST(CommandLine, ChainsOfAnyLengthAreMade) {
  const std::string path = temporary("chain.yaml");
  const std::string make = test::python_path() + " " + test::source_path("tools/make_chain.py");
#ifdef __SANITIZE_ADDRESS__  // the accelerations of the start are a dense matrix: minutes, with every access watched
  const char* longest = " --links 1000";
#else
  const char* longest = " --links 5000";
#endif
  for (const char* options : {" --links 1", " --links 300 --spatial", longest}) {
    ASSERT_EQ(std::system((make + options + " > " + path).c_str()), 0);
    const auto result = run_kinegrad("check " + path);
    EXPECT_EQ(result.status, 0) << result.output;
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace kinegrad
