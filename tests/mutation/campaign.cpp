#include "mutation/campaign.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <stdexcept>

#include "mutation/drawn_models.hpp"
#include "support/text_mutation.hpp"

namespace kinegrad::test {

namespace fs = std::filesystem;

namespace {

using Rng = std::mt19937_64;
using Json = nlohmann::json;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// ---- models ----------------------------------------------------------------------------------------

/// Now and then another formulation, integrator or set of coordinates, said by the file.
std::string with_other_choices(std::string text, Rng& rng) {
  static const std::map<std::string, std::vector<std::string>> kChoices{
      {"coordinates", {"joint-com", "joint-origin", "cartesian", "natural"}},
      {"formulation",
       {"ali3p", "matrix-r", "penalty", "index1", "index3", "kinematic", "semi-recursive",
        "fully-recursive"}},
      {"integrator",
       {"trapezoidal", "newmark", "hht", "generalized-alpha", "rk4", "dopri5", "esdirk3",
        "esdirk4"}}};
  for (const auto& [key, words] : kChoices) {
    if (rng() % 4 != 0) continue;
    const std::string word = words[rng() % words.size()];
    text = std::regex_replace(text, std::regex(key + ": [a-z0-9-]+, "), "");
    text = std::regex_replace(text, std::regex("\nanalysis: \\{"),
                              "\nanalysis: {" + key + ": " + word + ", ");
  }
  return text;
}

class DamagedModels : public Campaign {
 public:
  DamagedModels(std::string command, ModelFiles files, const fs::path& folder)
      : command_(std::move(command)), files_(std::move(files)), folder_(folder) {
    if (command_ != "optimize") return;
    for (std::vector<std::string>& family : files_.families) {
      std::erase_if(family, [](const std::string& text) {
        return text.find("\noptimize:") == std::string::npos;
      });
    }
    std::erase_if(files_.families, [](const auto& family) { return family.empty(); });
  }

  Case next(Rng& rng) override {
    const std::string model = (folder_ / "mutant.yaml").string();
    std::string text = damaged(rng);
    Expectation expected{model, {}, "", command_ != "check"};
    for (const auto& [name, data] : files_.data) {
      // now and then the damage is in the file that the model names
      const bool here = text.find(name) != std::string::npos && rng() % 3 == 0;
      write(folder_ / name, here ? mutated({data}, rng) : data);
      expected.others.push_back((folder_ / name).string());
    }
    if (command_ == "check") {
      write(model, text);
      return {{"check", model}, expected};
    }
    write(model, with_other_choices(std::move(text), rng));
    expected.result = (folder_ / "result.json").string();
    fs::remove(expected.result);
    Case made{{command_, model, "--end", "0.02", "--out", expected.result}, expected};
    if (command_ == "optimize") made.arguments.insert(made.arguments.end(), {"--evaluations", "8"});
    return made;
  }

 private:
  /// Of a fifth of the cases nobody has written the original. Half of the runs get models that can be read, to have something
  /// to compute.
  std::string damaged(Rng& rng) {
    const bool drawn = rng() % 5 == 0;
    const auto& family = files_.families[rng() % files_.families.size()];
    const std::string text = drawn ? drawn_model(rng) : family[rng() % family.size()];
    if (drawn && rng() % 2 == 0) return text;
    const bool readable = command_ != "check" && rng() % 2 == 0;
    if (readable) return with_other_numbers({text}, rng);
    const auto& others = files_.families[rng() % files_.families.size()];
    return test::damaged(text, others, rng);
  }

  std::string command_;
  ModelFiles files_;
  fs::path folder_;
};

// ---- results and journals --------------------------------------------------------------------------

/// Runs the command on an original; its results are what is damaged then.
void run_original(const std::vector<std::string>& arguments) {
  const Outcome outcome = run_apart(arguments, {60, 10});
  if (outcome.status == 0 || outcome.status == 1) return;
  throw std::runtime_error("an original fails: " + outcome.output);
}

class DamagedResults : public Campaign {
 public:
  DamagedResults(const fs::path& examples, const fs::path& folder) : folder_(folder) {
    make("simulate", examples / "five_bar.yaml", {});
    make("gradient", examples / "heavy_top.yaml", {});
    make("gradient", examples / "cart_pole_pid.yaml", {});
    make("optimize", examples / "four_bar_path.yaml", {"--evaluations", "4"});
  }

  Case next(Rng& rng) override {
    const std::string result = (folder_ / "mutant.json").string();
    const fs::path page = folder_ / "page.html";
    write(result, rng() % 2 == 0 ? with_other_numbers(originals_, rng) : mutated(originals_, rng));
    fs::remove(page);
    return {{"report", result, "-o", page.string()}, {result, {}, "", false}};
  }

 private:
  void make(const std::string& command, const fs::path& model, std::vector<std::string> more) {
    const fs::path result = folder_ / ("original" + std::to_string(originals_.size()) + ".json");
    std::vector<std::string> arguments{command, model.string(),  "--end",  "0.1",
                                       "--out", result.string(), "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    run_original(arguments);
    originals_.push_back(text_of(result));
  }

  fs::path folder_;
  std::vector<std::string> originals_;
};

class DamagedJournals : public Campaign {
 public:
  DamagedJournals(const fs::path& examples, const fs::path& folder) : folder_(folder) {
    for (const char* name : {"five_bar_equilibrium.yaml", "four_bar_path.yaml"}) {
      Original made;
      made.arguments = {"optimize", (examples / name).string(), "--end", "0.05", "--evaluations",
                        "4"};
      const fs::path result = folder / "original.json";
      std::vector<std::string> arguments = made.arguments;
      arguments.insert(arguments.end(), {"--out", result.string(), "--quiet"});
      run_original(arguments);
      made.journal = text_of(folder / "original.journal");
      made.optimum = Json::parse(text_of(result)).at("optimum").at("parameters");
      originals_.push_back(std::move(made));
    }
  }

  /// Half of the journals are without sums, so that damage gets further than the sum.
  Case next(Rng& rng) override {
    const Original& original = originals_[rng() % originals_.size()];
    believed_ = rng() % 2 == 0 ? &original : nullptr;
    std::string text = original.journal;
    if (!believed_) text = std::regex_replace(text, std::regex(",\"sum\":\"[0-9a-f]*\""), "");
    const std::string journal = (folder_ / "mutant.journal").string();
    result_ = folder_ / "result.json";
    fs::remove(result_);
    write(journal, mutated({text}, rng));
    Case made{original.arguments, {journal, {}, "", true}};
    made.arguments.insert(made.arguments.end(), {"--resume", journal, "--out", result_.string()});
    return made;
  }

  /// A journal that passes its sums leads to the optimum that it led to before.
  std::string broken_promise(const Outcome& outcome) override {
    if (!believed_ || outcome.status == 2) return {};
    const Json result = Json::parse(text_of(result_), nullptr, false);
    if (result.is_discarded()) return "no result";
    return result["optimum"]["parameters"] == believed_->optimum ? "" : "another optimum";
  }

 private:
  struct Original {
    std::vector<std::string> arguments;
    std::string journal;
    Json optimum;
  };
  fs::path folder_, result_;
  std::vector<Original> originals_;
  const Original* believed_ = nullptr;
};

}  // namespace

ModelFiles model_files(const std::vector<fs::path>& folders) {
  ModelFiles files;
  for (const fs::path& folder : folders) {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    std::map<fs::path, std::vector<std::string>> families;
    for (const fs::path& path : paths) {
      if (path.extension() == ".csv") files.data[path.filename().string()] = text_of(path);
      if (path.extension() != ".yaml") continue;
      families[path.parent_path() == folder ? path : path.parent_path()].push_back(text_of(path));
    }
    for (auto& [place, family] : families) files.families.push_back(std::move(family));
  }
  return files;
}

std::unique_ptr<Campaign> make_campaign(const std::string& name,
                                        const std::vector<fs::path>& models,
                                        const fs::path& folder) {
  if (name == "check" || name == "simulate" || name == "gradient" || name == "optimize") {
    return std::make_unique<DamagedModels>(name, model_files(models), folder);
  }
  if (name == "report") return std::make_unique<DamagedResults>(models.front(), folder);
  if (name == "resume") return std::make_unique<DamagedJournals>(models.front(), folder);
  return nullptr;
}

}  // namespace kinegrad::test
