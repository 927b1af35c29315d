# The command: apps/kinegrad/kinegrad.cpp and one file per subcommand. Built as <build>/kinegrad.
find_package(CLI11 REQUIRED)
set(kinegrad_command_dir "${CMAKE_CURRENT_SOURCE_DIR}/apps/kinegrad")
file(GLOB_RECURSE kinegrad_command_sources CONFIGURE_DEPENDS "${kinegrad_command_dir}/*.cpp")
list(REMOVE_ITEM kinegrad_command_sources "${kinegrad_command_dir}/kinegrad.cpp")

# All of it but main(), for the tests that run it thousands of times.
add_library(kinegrad_command_line STATIC ${kinegrad_command_sources})
target_include_directories(kinegrad_command_line PUBLIC "${kinegrad_command_dir}")
target_link_libraries(kinegrad_command_line
  PUBLIC kinegrad::kinegrad
  PRIVATE CLI11::CLI11 fmt::fmt nlohmann_json::nlohmann_json)
kinegrad_own_target(kinegrad_command_line)
kinegrad_unity(kinegrad_command_line ${kinegrad_command_sources})
include(ReportPage)
kinegrad_report_page(kinegrad_command_line)

add_executable(kinegrad_command "${kinegrad_command_dir}/kinegrad.cpp")
set_target_properties(kinegrad_command PROPERTIES
  OUTPUT_NAME kinegrad
  RUNTIME_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
target_link_libraries(kinegrad_command PRIVATE kinegrad_command_line)
kinegrad_own_target(kinegrad_command)
install(TARGETS kinegrad_command RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
