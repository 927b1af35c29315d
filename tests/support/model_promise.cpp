#include "support/model_promise.hpp"

#include <cmath>

#include "kinegrad/base/error.hpp"
#include "kinegrad/io/model_info.hpp"
#include "kinegrad/io/model_yaml.hpp"
#include "kinegrad/model/compile.hpp"

namespace kinegrad::test {

namespace {

const std::string kFile = "mutant.yaml";

std::string wrong_with(const Model& model) {
  if (model_info_text(model).empty()) return "no description of the model";
  if (model_info_json(model).empty()) return "no JSON of the model";
  for (const double value : model.default_physical()) {
    if (!std::isfinite(value)) return "a physical parameter is not finite";
  }
  return {};
}

/// The model, or a file of samples that it names.
bool is_named(const std::string& file, const std::string& text) {
  const std::size_t slash = file.rfind('/');
  const std::string name = slash == std::string::npos ? file : file.substr(slash + 1);
  return file == kFile || (!name.empty() && text.find(name) != std::string::npos);
}

std::string wrong_with(const InvalidModel& error, const std::string& text) {
  if (error.findings().empty()) return "refused without a finding";
  for (const Diagnostic& finding : error.findings()) {
    if (finding.message.empty()) return "a finding without words";
    if (!is_named(finding.where.file, text)) return "a finding without the file: " + finding.message;
    if (finding.where.line < 1) return "a finding without a line: " + finding.message;
  }
  return {};
}

}  // namespace

ModelPromise reader_promise(const std::string& text) {
  try {
    return {true, wrong_with(compile_model(parse_model_yaml(text, kFile)))};
  } catch (const InvalidModel& error) {
    return {false, wrong_with(error, text)};
  } catch (const std::exception& error) {
    return {false, std::string("an exception of another kind: ") + error.what()};
  }
}

}  // namespace kinegrad::test
