// What a command does to the files of its user: nothing is lost, nothing is half there, nothing is shared.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/run_command.hpp"
#include "support/sample_models.hpp"

namespace kinegrad {
namespace {

namespace fs = std::filesystem;
using test::run_kinegrad;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A folder with a model, gone after the test.
class CommandFiles : public testing::Test {
 protected:
  CommandFiles()
      : folder_(fs::temp_directory_path() /
                (std::string("kinegrad_files_") +
                 testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
    fs::copy(test::source_path("examples/five_bar_equilibrium.yaml"), at("m.yaml"));
    model_ = text_of(at("m.yaml"));
  }
  ~CommandFiles() override { fs::remove_all(folder_); }

  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(at(name), std::ios::binary) << text;
  }
  std::string text(const std::string& name) const { return text_of(folder_ / name); }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      all.push_back(entry.path().filename().string());
    }
    std::sort(all.begin(), all.end());
    return all;
  }
  /// A command on the model, with names of files in braces.
  test::CommandResult run(const std::string& arguments, const std::string& before = "") const {
    std::string all;
    for (const char c : arguments) {
      if (c == '{') all += folder_.string() + "/";
      if (c != '{' && c != '}') all += c;
    }
    return run_kinegrad(all, before);
  }

  fs::path folder_;
  std::string model_;
};

const std::string kShort = " --step 0.01 --end 0.05 ";

/// Every way in which an output can be an input: under its name, by a link, as an output's default.
TEST_F(CommandFiles, InputsAreNoOutputs) {
  fs::create_symlink("m.yaml", at("soft.json"));
  fs::create_hard_link(at("m.yaml"), at("hard.json"));
  for (const std::string command :
       {"simulate {m.yaml} --out {m.yaml}", "simulate {m.yaml} --csv {m.yaml}",
        "simulate {m.yaml} --motion {m.yaml}", "gradient {m.yaml} --out {m.yaml}",
        "gradient {m.yaml} --motion {m.yaml}",
        "gradient {m.yaml} --method forward --sensitivities {m.yaml}",
        "optimize {m.yaml} --out {m.yaml}", "optimize {m.yaml} --motion {m.yaml}",
        "simulate {m.yaml} --out {soft.json}", "simulate {m.yaml} --out {hard.json}",
        "simulate {m.yaml} --csv {../kinegrad_files_InputsAreNoOutputs/./m.yaml}",
        "info {m.yaml} --out {m.yaml}", "info {soft.json} --out {m.yaml}"}) {
    const bool run_options = command.rfind("info", 0) != 0;
    const auto result = run(command + (run_options ? kShort : ""));
    EXPECT_EQ(result.status, 2) << command;
    EXPECT_THAT(result.output, HasSubstr(" is the model: ")) << command;
    EXPECT_THAT(result.output, HasSubstr(" must name another file")) << command;
    ASSERT_EQ(text("m.yaml"), model_) << command;
  }
  EXPECT_EQ(names(), (std::vector<std::string>{"hard.json", "m.yaml", "soft.json"}));
}

TEST_F(CommandFiles, MeshesAreNoOutputs) {
  put("mesh.yaml",
      "bodies: {rod: {mass: 1, inertia: [1, 1, 1], shape: {type: mesh, file: rod.stl}}}\n"
      "joints: {J: {type: revolute, bodies: [ground, rod], point: [0, 0, 0], axis: z}}\n"
      "analysis: {step: 0.1, end: 1}\n");
  put("rod.stl", "solid rod\nendsolid rod\n");
  const auto result = run("simulate {mesh.yaml} --csv {rod.stl}");
  EXPECT_EQ(result.status, 2) << result.output;
  EXPECT_THAT(result.output, HasSubstr("is a mesh of body rod"));
  EXPECT_EQ(text("rod.stl"), "solid rod\nendsolid rod\n");
}

/// A road that was measured is an input like the model; it is found beside the model, wherever the command runs.
TEST_F(CommandFiles, SamplesAreNoOutputs) {
  put("road.yaml",
      "parameters: {c: {value: 1, bounds: [0.5, 2]}}\n"
      "splines:\n"
      "  f: {type: linear, nodes: {file: times.csv, column: t}, values: {file: road.csv, column: z, scale: c}}\n"
      "bodies: {block: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {J: {type: prismatic, bodies: [ground, block], point: [0, 0, 0], axis: x}}\n"
      "forces: {push: {type: joint-force, joint: J, value: f(t)}}\n"
      "objectives: {place: {terminal: J.q}}\n"
      "optimize: {minimize: place}\n"
      "analysis: {step: 0.1, end: 1}\n");
  const std::string times = "t\n0\n1\n2\n", road = "z\n1\n2\n1\n";
  put("times.csv", times);
  put("road.csv", road);
  ASSERT_EQ(run("simulate {road.yaml} --no-motion").status, 0);
  for (const std::string command :
       {"simulate {road.yaml} --csv {road.csv}", "simulate {road.yaml} --out {times.csv}",
        "simulate {road.yaml} --motion {road.csv}", "gradient {road.yaml} --out {road.csv}",
        "gradient {road.yaml} --method forward --sensitivities {times.csv}",
        "gradient {road.yaml} --motion {times.csv}", "optimize {road.yaml} --out {road.csv}",
        "optimize {road.yaml} --motion {times.csv}", "info {road.yaml} --out {road.csv}"}) {
    const auto result = run(command);
    EXPECT_EQ(result.status, 2) << command << "\n" << result.output;
    EXPECT_THAT(result.output, HasSubstr("is a file of spline f")) << command;
    ASSERT_EQ(text("times.csv"), times) << command;
    ASSERT_EQ(text("road.csv"), road) << command;
  }
}

TEST_F(CommandFiles, OutputsAreNotEachOther) {
  fs::create_symlink("later.csv", at("link.json"));
  for (const std::string command :
       {"simulate {m.yaml} --out {x} --csv {x}", "simulate {m.yaml} --out {x} --motion {x}",
        "simulate {m.yaml} --csv {x} --motion {x}", "simulate {m.yaml} --out {a.motion}",
        "simulate {m.yaml} --out {link.json} --csv {later.csv}",
        "simulate {m.yaml} --out {a.json} --csv {a.motion}", "gradient {m.yaml} --out {a.motion}",
        "optimize {m.yaml} --out {a.journal}", "optimize {m.yaml} --out {a.motion}",
        "optimize {m.yaml} --out {a.json} --motion {a.journal}",
        "optimize {m.yaml} --out {a.start.motion} --motion {a.motion}"}) {
    const auto result = run(command + kShort);
    EXPECT_EQ(result.status, 2) << command << "\n" << result.output;
    EXPECT_THAT(result.output, HasSubstr("must name another file")) << command;
  }
  EXPECT_EQ(names(), (std::vector<std::string>{"link.json", "m.yaml"})) << "nothing was opened";
}

TEST_F(CommandFiles, PagesAreNotTheFilesOfTheirResult) {
  ASSERT_EQ(run("simulate {m.yaml} --quiet --out {r.json}" + kShort).status, 0);
  const std::string motion = text("r.motion"), result = text("r.json");
  for (const char* page : {"{r.motion}", "{r.json}", "{m.yaml}"}) {
    const auto refused = run(std::string("report {r.json} -o ") + page);
    EXPECT_EQ(refused.status, 2) << refused.output;
  }
  EXPECT_EQ(text("r.motion"), motion);
  EXPECT_EQ(text("r.json"), result);
  EXPECT_EQ(text("m.yaml"), model_);
}

TEST_F(CommandFiles, UnwritableOutputsAreFoundBeforeTheComputation) {
  fs::create_directory(at("folder"));
  put("old.csv", "old");
  // a run that would take hours
  const std::string run_long = " --step 1e-5 --end 1e4 --csv {old.csv} ";
  for (const char* output :
       {"--out {no/such/folder.json}", "--out {folder}", "--motion {folder}"}) {
    const auto result = run("simulate {m.yaml}" + run_long + output);
    EXPECT_EQ(result.status, 2) << result.output;
    EXPECT_THAT(result.output, HasSubstr("cannot write ")) << output;
  }
  EXPECT_EQ(text("old.csv"), "old");
  EXPECT_EQ(names(), (std::vector<std::string>{"folder", "m.yaml", "old.csv"}));
}

/// A disk that is full in the middle of a file: what was there stays, what was computed is printed.
TEST_F(CommandFiles, FullDiskLosesNothing) {
  ASSERT_EQ(run("simulate {m.yaml} --quiet --out {r.json} --csv {r.csv}" + kShort).status, 0);
  const std::string csv = text("r.csv"), json = text("r.json"), motion = text("r.motion");
  // files of one block and no more
  const auto result =
      run("simulate {m.yaml} --out {r.json} --csv {r.csv} --step 0.01 --end 1", "ulimit -f 1;");
  EXPECT_EQ(result.status, 1) << result.output;
  for (const char* name : {"r.csv", "r.json", "r.motion"}) {
    EXPECT_THAT(result.output, HasSubstr("cannot write " + at(name) + ": "));
  }
  EXPECT_THAT(result.output, AllOf(HasSubstr("100 steps to t = 1 s"), HasSubstr("objective psi")));
  EXPECT_EQ(text("r.csv"), csv);
  EXPECT_EQ(text("r.json"), json);
  EXPECT_EQ(text("r.motion"), motion);
  EXPECT_EQ(names(), (std::vector<std::string>{"m.yaml", "r.csv", "r.json", "r.motion"}));
}

TEST_F(CommandFiles, FullDevicesAreNamed) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  fs::create_symlink("/dev/full", at("full.journal"));
  const auto refused = [&](const std::string& command, const std::string& name) {
    const auto result = run(command + kShort);
    EXPECT_EQ(result.status, 1) << command << "\n" << result.output;
    EXPECT_THAT(result.output, HasSubstr("cannot write " + name + ": No space left on device"))
        << command;
    return result.output;
  };
  EXPECT_THAT(refused("simulate {m.yaml} --out /dev/full", "/dev/full"),
              HasSubstr("objective psi"));
  refused("gradient {m.yaml} --out /dev/full", "/dev/full");
  refused("gradient {m.yaml} --method forward --sensitivities /dev/full", "/dev/full");
  refused("optimize {m.yaml} --out /dev/full", "/dev/full");
  refused("optimize {m.yaml} --out {full.json}", at("full.journal"));
  refused("simulate {m.yaml} > /dev/full", "the standard output");
  const auto info = run("info {m.yaml} --quiet --out /dev/full");
  EXPECT_EQ(info.status, 1) << info.output;
}

/// A run that was wrong from the beginning leaves the results of an earlier one.
TEST_F(CommandFiles, WrongInputLosesNothing) {
  ASSERT_EQ(run("simulate {m.yaml} --quiet --out {r.json}" + kShort).status, 0);
  const std::string before = text("r.json"), motion = text("r.motion");
  EXPECT_EQ(run("simulate {m.yaml} --out {r.json} --set L_A1=100" + kShort).status, 2);
  EXPECT_EQ(run("simulate {m.yaml} --out {r.json} --integrator magic" + kShort).status, 2);
  EXPECT_EQ(text("r.json"), before);
  EXPECT_EQ(text("r.motion"), motion);
}

/// The command as a process of its own.
class Running {
 public:
  explicit Running(const std::string& arguments) : child_(fork()) {
    if (child_ != 0) return;
    const int null = open("/dev/null", O_WRONLY);
    dup2(null, 1);
    dup2(null, 2);
    const std::string command = std::string("exec ") + test::command_path() + " " + arguments;
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  /// Waits until the file is there and has something in it, a minute at most.
  static bool appears(const std::string& path) {
    for (int k = 0; k < 6000; ++k) {
      std::error_code none;
      if (fs::exists(path, none) && fs::file_size(path, none) > 0) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
  int end(int signal) const {
    kill(child_, signal);
    int status = 0;
    waitpid(child_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t child_;
};

TEST_F(CommandFiles, KilledRunLeavesTheOldResult) {
  ASSERT_EQ(run("simulate {m.yaml} --quiet --out {r.json} --csv {r.csv}" + kShort).status, 0);
  const std::string csv = text("r.csv"), json = text("r.json"), motion = text("r.motion");
  const Running running("simulate " + at("m.yaml") + " --step 1e-5 --end 1e4 --out " +
                        at("r.json") + " --csv " + at("r.csv"));
  ASSERT_TRUE(Running::appears(at("r.csv.unfinished")));
  EXPECT_EQ(running.end(SIGKILL), 128 + SIGKILL);
  EXPECT_EQ(text("r.csv"), csv);
  EXPECT_EQ(text("r.json"), json);
  EXPECT_EQ(text("r.motion"), motion);
  // what it left is in nobody's way
  ASSERT_EQ(run("simulate {m.yaml} --quiet --out {r.json} --csv {r.csv}" + kShort).status, 0);
  EXPECT_EQ(text("r.csv"), csv);
  EXPECT_EQ(names(), (std::vector<std::string>{"m.yaml", "r.csv", "r.json", "r.motion"}));
}

TEST_F(CommandFiles, TwoProcessesDoNotWriteOneResult) {
  const Running running("simulate " + at("m.yaml") + " --step 1e-5 --end 1e4 --csv " + at("r.csv"));
  ASSERT_TRUE(Running::appears(at("r.csv.unfinished")));
  const auto second = run("simulate {m.yaml} --csv {r.csv}" + kShort);
  EXPECT_EQ(second.status, 2);
  EXPECT_THAT(second.output, HasSubstr(at("r.csv") + ": another process is writing it"));
  EXPECT_EQ(running.end(SIGINT), 1);
  EXPECT_THAT(text("r.csv"), testing::Not(IsEmpty())) << "what was computed is kept";
}

TEST_F(CommandFiles, TwoProcessesDoNotShareAJournal) {
  const std::string slow = "optimize " + at("m.yaml") + " --step 1e-5 --out " + at("a.json");
  const Running running(slow);
  ASSERT_TRUE(Running::appears(at("a.journal")));
  const auto second = run("optimize {m.yaml} --step 1e-5 --out {b.json} --resume {a.journal}");
  EXPECT_EQ(second.status, 2) << second.output;
  EXPECT_THAT(second.output, HasSubstr(at("a.journal") + ": another process is using it"));
  EXPECT_EQ(running.end(SIGKILL), 128 + SIGKILL);
}

TEST_F(CommandFiles, OldJournalIsKept) {
  ASSERT_EQ(run("optimize {m.yaml} --quiet --out {r.json} --step 0.01").status, 0);
  const std::string journal = text("r.journal");
  EXPECT_THAT(journal, testing::Not(IsEmpty()));
  ASSERT_EQ(run("optimize {m.yaml} --quiet --out {r.json} --step 0.02").status, 0);
  EXPECT_EQ(text("r.journal~"), journal);
  EXPECT_NE(text("r.journal"), journal);
}

/// A journal in which somebody has made a cheap optimum is refused with the line, whatever the line says of
/// itself.
TEST_F(CommandFiles, FakeOptimumIsRefused) {
  ASSERT_EQ(run("optimize {m.yaml} --quiet --out {r.json} --step 0.01").status, 0);
  std::istringstream lines(text("r.journal"));
  std::string header, start, second;
  std::getline(lines, header);
  std::getline(lines, start);
  std::getline(lines, second);
  nlohmann::json fake = nlohmann::json::parse(second);
  fake["objectives"] = {1e-30};
  fake["gradient"] = {{0.0, 0.0}};
  put("changed.journal", header + "\n" + start + "\n" + fake.dump() + "\n");
  fake.erase("sum");
  put("fake.journal", header + "\n" + start + "\n" + fake.dump() + "\n");
  const std::string json = text("r.json");
  for (const char* name : {"changed.journal", "fake.journal"}) {
    const auto result =
        run(std::string("optimize {m.yaml} --out {r.json} --step 0.01 --resume {") + name + "}");
    EXPECT_EQ(result.status, 2) << result.output;
    EXPECT_THAT(result.output, HasSubstr(at(name) + ":3: ")) << result.output;
    EXPECT_EQ(text("r.json"), json);
  }
}

}  // namespace
}  // namespace kinegrad
