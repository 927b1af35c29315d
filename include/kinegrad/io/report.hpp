// The report of a result: one self-contained page, made of a template and of the data it shows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kinegrad {

/// What a page shows.
struct ReportData {
  std::string title;  ///< the model's name, or the file's
  std::string json;   ///< for the page's script
};

/// The result, and per run ("start" and "optimum", or one) its scene, its frames and its signals,
/// thinned to what a screen can show; sensitivities over time where the result names them. Files that
/// the result names are looked up beside it.
/// @throws InvalidArgument with the file's name where something cannot be read.
ReportData report_data(const std::string& result_path);

/// The files that a result names, those that it was made from included; none if it cannot be read.
std::vector<std::string> report_files(const std::string& result_path);

/// The page with the data in its place. `page` is the template that `report/` builds.
/// @throws InvalidArgument where the template has no place for them.
std::string report_page(std::string_view page, const ReportData& data);

}  // namespace kinegrad
