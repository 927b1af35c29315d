#include "kinegrad/io/report.hpp"

#include <fmt/core.h>

#include "command_files.hpp"
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
  std::vector<NamedFile> inputs{{"the result", options.result}};
  for (const std::string& path : report_files(options.result)) {
    inputs.push_back({"a file of the result", path});
  }
  require_distinct(inputs, {{"-o", options.out}});
  const auto out = open_output(options.out);
  const std::string page = report_page(kReportPage, report_data(options.result));
  KeptFiles kept;
  kept.keep(out, page);
  if (!kept.all()) return kNumericsFailed;
  if (!options.quiet) {
    fmt::print("{}: {:.2f} MB, open it in a browser\n", options.out,
               static_cast<double>(page.size()) / 1e6);
  }
  return kDone;
}

}  // namespace kinegrad::app
