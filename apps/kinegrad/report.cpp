#include "kinegrad/io/report.hpp"

#include <fmt/core.h>

#include <filesystem>

#include "commands.hpp"
#include "kinegrad/base/error.hpp"
#include "report_page.hpp"

namespace kinegrad::app {

int report(const ReportOptions& options) {
  if (kReportPage.empty()) {
    throw InvalidArgument(
        "this kinegrad was built without the page of reports: install node (18 or later) and npm "
        "(Debian: nodejs npm), make sure that npm reaches its registry, and build again");
  }
  std::error_code none;
  if (std::filesystem::equivalent(options.result, options.out, none)) {
    throw InvalidArgument(options.out + " is the result itself: give the page another name");
  }
  const std::string page = report_page(kReportPage, report_data(options.result));
  write_file(options.out, page);
  if (!options.quiet) {
    fmt::print("{}: {:.2f} MB, open it in a browser\n", options.out,
               static_cast<double>(page.size()) / 1e6);
  }
  return kDone;
}

}  // namespace kinegrad::app
