#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "html_text.hpp"
#include "kinegrad/base/error.hpp"
#include "kinegrad/io/report.hpp"
#include "regular_file.hpp"
#include "report_run.hpp"
#include "thinning.hpp"

namespace kinegrad {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr int kDepth = 100;
constexpr std::size_t kHistoryNumbers = 20000;  // above, a page leaves out the parameters' paths

/// The result file, and what it names.
struct Result {
  std::string path;
  Json json;

  std::string beside(const std::string& name) const {
    return (fs::path(path).parent_path() / name).string();
  }
};

/// Counted from 1.
std::ptrdiff_t line_at(const std::string& text, std::size_t byte) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size()));
  return 1 + std::count(text.begin(), end, '\n');
}

/// Where a number stands that no double can hold: the message quotes it.
std::size_t quoted_in(const std::string& text, const std::string& message) {
  const std::size_t begin = message.find('\'') + 1, end = message.rfind('\'');
  return begin < end ? text.find(message.substr(begin, end - begin)) : 0;
}

Json parse_json(const std::string& path) {
  // what comes after walks through the tree by recursion
  const auto shallow = [&](int depth, Json::parse_event_t, const Json&) {
    if (depth > kDepth) throw InvalidArgument(path + " is nested too deeply for a result");
    return true;
  };
  const std::string text = io::whole_file(path);
  try {
    return Json::parse(text, shallow);
  } catch (const Json::parse_error& error) {
    throw InvalidArgument(
        fmt::format("{}:{}: this is not JSON any more", path, line_at(text, error.byte)));
  } catch (const Json::out_of_range& error) {
    throw InvalidArgument(fmt::format("{}:{}: a number that is too large", path,
                                      line_at(text, quoted_in(text, error.what()))));
  }
}

Result read_result(const std::string& path) {
  Result result{path, parse_json(path)};
  const Json& json = result.json;
  if (!json.is_object() || !(json.contains("settings") || json.contains("objectives") ||
                             json.contains("optimum") || json.contains("motion"))) {
    throw InvalidArgument(path + ":1: this is not a result of simulate, gradient or optimize");
  }
  return result;
}

/// The member if it is of the kind that the format has, else null: a report shows what it knows.
Json member(const Json& json, const char* key, Json::value_t kind) {
  if (!json.is_object() || !json.contains(key) || json[key].type() != kind) return nullptr;
  return json[key];
}

Json run_data(const Result& result, const char* label, Json scene, const Json& motion_name) {
  const io::ReportLimits limits;
  io::add_meshes(scene, limits);
  Json run{{"label", label}, {"scene", scene}};
  if (!motion_name.is_string() || motion_name.get_ref<const std::string&>().empty()) return run;
  const io::NumberTable motion(result.beside(motion_name), result.path);
  if (motion.rows() == 0) return run;  // it failed at the start
  run["frames"] = io::frames_json(motion, scene, limits);
  run["signals"] = io::curves_json(motion, "signal:", limits);
  return run;
}

Json runs_data(const Result& result) {
  const auto object = Json::value_t::object, string = Json::value_t::string;
  const Json& json = result.json;
  const Json start = member(json, "start", object), optimum = member(json, "optimum", object);
  const Json scene = member(json, "model", object), motion = member(json, "motion", string);
  if (start.is_null() && optimum.is_null()) {
    return Json::array({run_data(result, "run", scene, motion)});
  }
  Json runs = Json::array();
  const auto add = [&](const char* label, const Json& point, const Json& other_motion) {
    const Json own_scene = member(point, "model", object), own = member(point, "motion", string);
    runs.push_back(run_data(result, label, own_scene.is_null() ? scene : own_scene,
                            own.is_null() ? other_motion : own));
  };
  if (!start.is_null()) add("start", start, nullptr);
  add("optimum", optimum, motion);
  return runs;
}

std::size_t count_numbers(const Json& json) {
  std::size_t n = json.is_number() ? 1 : 0;
  if (json.is_structured()) {
    for (const Json& part : json) n += count_numbers(part);
  }
  return n;
}

/// Ten digits are more than a page shows.
void round_numbers(Json& json) {
  if (json.is_number_float()) json = io::rounded(json.get<double>(), 10);
  if (!json.is_structured()) return;
  for (Json& part : json) round_numbers(part);
}

/// The result itself, less what the runs hold already.
Json result_data(const Result& result) {
  Json json = result.json;
  json.erase("model");
  for (const char* key : {"start", "optimum"}) {
    if (json.contains(key) && json[key].is_object()) json[key].erase("model");
  }
  if (json.contains("history") && json["history"].is_array() &&
      count_numbers(json["history"]) > kHistoryNumbers) {
    for (Json& entry : json["history"]) {
      if (entry.is_object()) entry.erase("parameters");
    }
  }
  round_numbers(json);
  return json;
}

std::string title_of(const Json& data) {
  for (const Json& run : data["runs"]) {
    const Json name = member(run["scene"], "name", Json::value_t::string);
    if (name.is_string() && !name.get_ref<const std::string&>().empty()) return name;
  }
  return data["file"];
}

/// Every text under one of the keys with which a result names files.
void collect_files(const Result& result, const Json& json, std::vector<std::string>& files) {
  for (const auto& [key, value] : json.items()) {
    if (value.is_structured()) collect_files(result, value, files);
    if (!value.is_string()) continue;
    const std::string& name = value.get_ref<const std::string&>();
    if (key == "motion" || key == "sensitivities") files.push_back(result.beside(name));
    if (key == "file") files.push_back(name);  // the model, a mesh
  }
}

/// Puts a text where the template has the place for it.
void fill(std::string& page, std::string_view place, std::string_view text) {
  const std::size_t at = page.find(place);
  if (at == std::string::npos) {
    throw InvalidArgument(fmt::format("the template of the report has no {}", place));
  }
  page.replace(at, place.size(), text);
}

}  // namespace

ReportData report_data(const std::string& result_path) {
  const Result result = read_result(result_path);
  try {
    Json data{{"file", fs::path(result_path).filename().string()},
              {"result", result_data(result)},
              {"runs", runs_data(result)}};
    const Json sensitivities = member(result.json, "sensitivities", Json::value_t::string);
    if (!sensitivities.is_null()) {
      const io::NumberTable table(result.beside(sensitivities), result_path);
      data["sensitivities"] = io::curves_json(table, "", io::ReportLimits{});
    }
    return {title_of(data), data.dump(-1, ' ', false, Json::error_handler_t::replace)};
  } catch (const Json::exception& error) {
    throw InvalidArgument(fmt::format("{} is not as results are: {}", result_path, error.what()));
  }
}

std::vector<std::string> report_files(const std::string& result_path) {
  std::vector<std::string> files;
  try {
    const Result result{result_path, parse_json(result_path)};
    if (result.json.is_structured()) collect_files(result, result.json, files);
  } catch (const InvalidArgument&) {
    return {};  // report_data() says why
  }
  return files;
}

std::string report_page(std::string_view page, const ReportData& data) {
  std::string out(page);
  // what stands last first: a text may hold the name of a place that comes after it
  fill(out, "{{data}}", io::script_json(data.json));
  fill(out, "{{title}}", io::html_text(data.title));
  return out;
}

}  // namespace kinegrad
