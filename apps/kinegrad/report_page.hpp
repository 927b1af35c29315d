// The template of the report, which the build makes of report/ and links in.
#pragma once

#include <string_view>

namespace kinegrad::app {

/// Empty where the build had no node and npm to make it with.
extern const std::string_view kReportPage;

}  // namespace kinegrad::app
