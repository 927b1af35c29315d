// Damaged files through the command, thousands of them, the same ones for the same seed:
//
//   kinegrad_mutation check|simulate|gradient|optimize|report|resume
//     [--seed S] [--count N] [--only K] [--models FOLDER]… [--keep FOLDER] [--seconds S]
//
// Counts how they end; each broken promise is printed with its number, for --only, and kept with --keep.
// Exit 0 if none is broken.
#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string_view>

#include "mutation/campaign.hpp"
#include "support/places.hpp"

namespace fs = std::filesystem;
using namespace kinegrad::test;

namespace {

struct Options {
  std::string campaign;
  unsigned long seed = 1, count = 100, only = 0;
  std::vector<fs::path> models{fs::path(source_path("examples"))};
  fs::path keep;
  Limits limits;
};

Options options_of(int argc, char** argv) {
  Options options;
  if (argc > 1) options.campaign = argv[1];
  for (int k = 2; k + 1 < argc; k += 2) {
    const std::string_view name = argv[k];
    const char* value = argv[k + 1];
    if (name == "--seed") options.seed = std::strtoul(value, nullptr, 10);
    if (name == "--count") options.count = std::strtoul(value, nullptr, 10);
    if (name == "--only") options.only = std::strtoul(value, nullptr, 10);
    if (name == "--models") options.models.emplace_back(value);
    if (name == "--keep") options.keep = value;
    if (name == "--seconds") options.limits.seconds = std::strtod(value, nullptr);
  }
  return options;
}

/// A folder of this process, gone at the end.
class OwnFolder {
 public:
  OwnFolder() {
    std::string name = (fs::temp_directory_path() / "kinegrad_mutation_XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no folder for the damaged files");
    path_ = name;
  }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  ~OwnFolder() { fs::remove_all(path_); }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

class Tally {
 public:
  void add(unsigned long number, const Outcome& outcome, const std::string& broken) {
    ++ends_[outcome.long_run     ? "interrupted"
            : outcome.status < 0 ? "signal"
                                 : "exit " + std::to_string(outcome.status)];
    if (broken.empty()) return;
    ++broken_count_;
    if (++kinds_[broken + " | " + outline(outcome.output)] > kShown) return;
    fmt::print("case {}: {}\n  {}\n", number, broken, outcome.output.substr(0, 600));
  }
  bool all_kept() const { return broken_count_ == 0; }
  void print(const Options& options) const {
    fmt::print("{} {} (seed {}):", options.count, options.campaign, options.seed);
    for (const auto& [end, count] : ends_) fmt::print(" {} {},", end, count);
    fmt::print(" broken promises {}\n", broken_count_);
    for (const auto& [kind, count] : kinds_) fmt::print("  {} × {}\n", count, kind);
  }

 private:
  static constexpr unsigned long kShown = 3;  // of one kind
  std::map<std::string, unsigned long> ends_, kinds_;
  unsigned long broken_count_ = 0;
};

void keep(const Options& options, unsigned long number, const Case& made) {
  if (options.keep.empty()) return;
  fs::create_directories(options.keep);
  const fs::path file = made.expected.file;
  const std::string name =
      fmt::format("{}_{}_{}{}", options.campaign, options.seed, number, file.extension().string());
  std::error_code none;
  fs::copy_file(file, options.keep / name, fs::copy_options::overwrite_existing, none);
}

/// Each case has a generator of its own, so that one can be repeated alone.
std::mt19937_64 generator(unsigned long seed, unsigned long number) {
  std::seed_seq both{seed, number};
  return std::mt19937_64(both);
}

bool run(const Options& options, Campaign& campaign) {
  Tally tally;
  const unsigned long first = options.only > 0 ? options.only : 1;
  const unsigned long last = options.only > 0 ? options.only : options.count;
  for (unsigned long number = first; number <= last; ++number) {
    std::mt19937_64 rng = generator(options.seed, number);
    const Case made = campaign.next(rng);
    const Outcome outcome = run_apart(made.arguments, options.limits);
    std::string broken = broken_promise(outcome, made.expected);
    if (broken.empty()) broken = campaign.broken_promise(outcome);
    tally.add(number, outcome, broken);
    if (!broken.empty() || options.only > 0) keep(options, number, made);
    if (options.only > 0) fmt::print("{}", outcome.output);
  }
  tally.print(options);
  return tally.all_kept();
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = options_of(argc, argv);
  const OwnFolder folder;
  const auto campaign = make_campaign(options.campaign, options.models, folder.path());
  if (!campaign) {
    fmt::print(stderr, "which of check, simulate, gradient, optimize, report, resume?\n");
    return 2;
  }
  return run(options, *campaign) ? 0 : 1;
}
