// What is damaged and which command gets it, one campaign for each.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "mutation/verdict.hpp"

namespace kinegrad::test {

/// One run of the command on one damaged file.
struct Case {
  std::vector<std::string> arguments;
  Expectation expected;
};

class Campaign {
 public:
  virtual ~Campaign() = default;
  /// Writes the damaged file into the folder.
  virtual Case next(std::mt19937_64& rng) = 0;
  /// What only this campaign can judge; empty if all is well.
  virtual std::string broken_promise(const Outcome&) { return {}; }
};

/// The model files of folders and of the folders inside, in the order of their names, with the data that they name. Those of a
/// folder inside are variants of one machine: a family, of which one is as likely as a model that stands alone.
struct ModelFiles {
  std::vector<std::vector<std::string>> families;
  std::map<std::string, std::string> data;  ///< *.csv, by name
};
ModelFiles model_files(const std::vector<std::filesystem::path>& folders);

/// check, simulate, gradient, optimize: of damaged models. report: of damaged results. resume: optimize with a
/// damaged journal. Nothing for another word.
std::unique_ptr<Campaign> make_campaign(const std::string& name,
                                        const std::vector<std::filesystem::path>& models,
                                        const std::filesystem::path& folder);

}  // namespace kinegrad::test
