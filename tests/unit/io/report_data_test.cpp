// The data of a report: what is shown of a result, and what is said of a wrong one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "kinegrad/base/error.hpp"
#include "kinegrad/io/report.hpp"
#include "support/temporary_file.hpp"

namespace kinegrad {
namespace {

using nlohmann::json;
using test::TemporaryFile;
using testing::AllOf;
using testing::HasSubstr;

void write(const TemporaryFile& file, const std::string& text) {
  std::ofstream(file.path(), std::ios::binary) << text;
}

std::string name_of(const TemporaryFile& file) {
  return std::filesystem::path(file.path()).filename().string();
}

/// What reading the result is refused with.
std::string refusal(const TemporaryFile& result) {
  try {
    report_data(result.path());
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "it was read";
}

const char* const kHeader = "t,rod.x,rod.y,rod.z,rod.e0,rod.e1,rod.e2,rod.e3,signal:angle\n";

/// A run of one body, as `simulate` writes it.
class ReportReader : public testing::Test {
 protected:
  ReportReader() {
    result_ = {{"model", {{"name", "a rod"}, {"bodies", json::array({{{"name", "rod"}}})}}},
               {"settings", {{"step", 0.001}}},
               {"motion", name_of(motion_file_)}};
    motion_ = kHeader;
  }
  void add_rows(int n) {
    for (int k = 0; k < n; ++k) {
      motion_ += std::to_string(0.001 * k) + ",1,2,3,1,0,0,0," + std::to_string(k % 7) + "\n";
    }
  }
  void save() const {
    write(file_, result_.dump());
    write(motion_file_, motion_);
  }
  json data() const {
    save();
    return json::parse(report_data(file_.path()).json);
  }
  std::string refused() const {
    save();
    return refusal(file_);
  }

  static std::string test_name() {
    return testing::UnitTest::GetInstance()->current_test_info()->name();
  }
  TemporaryFile file_{test_name() + ".json"}, motion_file_{test_name() + ".motion"};
  json result_;
  std::string motion_;
};

TEST_F(ReportReader, OneRun) {
  add_rows(10000);
  const json all = data();
  ASSERT_EQ(all.at("runs").size(), 1u);
  const json& run = all.at("runs")[0];
  EXPECT_EQ(run.at("label"), "run");
  EXPECT_EQ(run.at("scene").at("name"), "a rod");
  EXPECT_EQ(run.at("frames").at("t").size(), 600u);
  EXPECT_EQ(run.at("frames").at("poses").at("rod").size(), 4200u);
  const json& signal = run.at("signals")[0];
  EXPECT_EQ(signal.at("name"), "angle");
  EXPECT_LE(signal.at("y").size(), 2000u);
  EXPECT_EQ(signal.at("y").size(), signal.at("t").size());
  EXPECT_FALSE(all.at("result").contains("model")) << "it is in the run";
  EXPECT_EQ(report_data(file_.path()).title, "a rod");
}

TEST_F(ReportReader, StartAndOptimumHaveTheirOwnScenes) {
  add_rows(5);
  result_["start"] = {{"model", {{"name", "before"}, {"bodies", json::array({{{"name", "rod"}}})}}},
                      {"motion", name_of(motion_file_)}};
  result_["optimum"] = {{"parameters", {{"L", 1.0 / 3}}}};
  const json all = data();
  ASSERT_EQ(all.at("runs").size(), 2u);
  EXPECT_EQ(all.at("runs")[0].at("label"), "start");
  EXPECT_EQ(all.at("runs")[0].at("scene").at("name"), "before");
  EXPECT_EQ(all.at("runs")[1].at("label"), "optimum");
  EXPECT_EQ(all.at("runs")[1].at("scene").at("name"), "a rod");
  EXPECT_EQ(all.at("runs")[1].at("frames").at("t").size(), 5u);
  EXPECT_EQ(all.at("result").at("optimum").at("parameters").at("L"), 0.3333333333);
}

TEST_F(ReportReader, SensitivitiesOverTime) {
  add_rows(3);
  const TemporaryFile csv("sensitivities.csv");
  write(csv, "t,angle/L,angle/m\n0,1,2\n0.001,3,4\n");
  result_["sensitivities"] = name_of(csv);
  const json curves = data().at("sensitivities");
  ASSERT_EQ(curves.size(), 2u);
  EXPECT_EQ(curves[1].at("name"), "angle/m");
  EXPECT_EQ(curves[1].at("y"), json::array({2.0, 4.0}));
}

TEST_F(ReportReader, WhatIsNotThereIsLeftOut) {
  result_["motion"] = nullptr;
  EXPECT_FALSE(data().at("runs")[0].contains("frames"));
  result_ = {{"settings", json::object()}, {"model", "rod.yaml"}};  // as older versions wrote it
  EXPECT_TRUE(data().at("runs")[0].at("scene").is_null());
}

TEST_F(ReportReader, RunThatFailedAtItsStartHasNoFrames) {
  EXPECT_FALSE(data().at("runs")[0].contains("frames"));
}

TEST_F(ReportReader, LineThatAKilledRunLeftIsNotRead) {
  add_rows(4);
  motion_ += "0.004,1,2";
  EXPECT_EQ(data().at("runs")[0].at("frames").at("t").size(), 4u);
}

TEST_F(ReportReader, MeshThatIsMissingIsNamedInTheScene) {
  add_rows(2);
  result_["model"]["bodies"][0]["shapes"] = {{{"type", "mesh"}, {"file", "/nowhere/a.stl"}}};
  const json shape = data().at("runs")[0].at("scene").at("bodies")[0].at("shapes")[0];
  EXPECT_THAT(shape.at("missing").get<std::string>(), HasSubstr("/nowhere/a.stl"));
}

TEST_F(ReportReader, WrongMotionIsNamed) {
  add_rows(2);
  std::filesystem::remove(motion_file_.path());
  write(file_, result_.dump());
  EXPECT_THAT(refusal(file_), AllOf(HasSubstr(motion_file_.path()), HasSubstr(file_.path())));
  motion_ = "t,rod.x,rod.y\n0,1,2\n";
  EXPECT_THAT(refused(), AllOf(HasSubstr(motion_file_.path()), HasSubstr("rod.z")));
  motion_ = std::string(kHeader) + "0,1,2,3,1,0,0,0,zero\n";
  EXPECT_THAT(refused(), HasSubstr(motion_file_.path() + ":2"));
  motion_ = std::string(kHeader) + "0,1,2,3,1,0,0,0,0\n1,2,3\n";
  EXPECT_THAT(refused(), HasSubstr(motion_file_.path() + ":3"));
  motion_ = std::string(kHeader) + "1,1,2,3,1,0,0,0,0\n0,1,2,3,1,0,0,0,0\n";
  EXPECT_THAT(refused(), HasSubstr("time runs backwards"));
  motion_ = "x,y\n0,1\n";
  EXPECT_THAT(refused(), HasSubstr("the first column should be t"));
  motion_.clear();
  EXPECT_THAT(refused(), HasSubstr("is empty"));
}

TEST_F(ReportReader, WrongResultIsNamed) {
  for (const char* text :
       {"", "{\"settings\": {", "nonsense", "[1, 2]", "{}", "{\"a\": 1}", "null"}) {
    write(file_, text);
    EXPECT_THAT(refusal(file_), HasSubstr(file_.path())) << text;
  }
  write(file_, "{\"settings\": {},\n\n\"final\": {\"x\": 1e400}}");
  EXPECT_THAT(refusal(file_), HasSubstr(file_.path() + ":3: a number that is too large"));
  write(file_, "{\"settings\": {},\n]");
  EXPECT_THAT(refusal(file_), HasSubstr(file_.path() + ":2: this is not JSON any more"));
  EXPECT_THROW(report_data("/nowhere/at/all.json"), InvalidArgument);
  EXPECT_THROW(report_data("/tmp"), InvalidArgument);
  EXPECT_THROW(report_data("/dev/zero"), InvalidArgument);
  write(file_, "{\"settings\": " + std::string(100000, '['));
  EXPECT_THAT(refusal(file_), HasSubstr("nested too deeply"));
}

/// Keys of the wrong kind: refused with the file's name, or left out; never a crash.
TEST_F(ReportReader, KeysOfTheWrongKind) {
  add_rows(2);
  const json good = result_;
  for (const char* bad : {"1", "\"text\"", "[1, \"a\", null]", "{\"x\": [1]}", "null", "true"}) {
    for (const char* key :
         {"model", "settings", "motion", "start", "optimum", "history", "sensitivities"}) {
      result_ = good;
      result_[key] = json::parse(bad);
      const std::string said = refused();
      EXPECT_TRUE(said == "it was read" || said.find(file_.path()) != std::string::npos)
          << key << said;
    }
    for (const char* key : {"bodies", "ground", "name", "joints"}) {
      result_ = good;
      result_["model"][key] = json::parse(bad);
      const std::string said = refused();
      EXPECT_TRUE(said == "it was read" || said.find(file_.path()) != std::string::npos)
          << key << said;
    }
  }
}

TEST(ReportPage, HasItsDataAndTitle) {
  const ReportData data{"{{data}} <b>", "{\"a\": \"</script>\"}"};
  EXPECT_EQ(report_page("<title>{{title}}</title><script>{{data}}</script>", data),
            "<title>{{data}} &lt;b&gt;</title><script>{\"a\": \"\\u003c/script\\u003e\"}</script>");
  EXPECT_THROW(report_page("<title></title>", data), InvalidArgument);
}

}  // namespace
}  // namespace kinegrad
