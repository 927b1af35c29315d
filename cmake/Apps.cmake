# The command: apps/kinegrad/main.cpp and one file per subcommand. Built as <build>/kinegrad.
file(GLOB_RECURSE kinegrad_command_sources CONFIGURE_DEPENDS
     "${CMAKE_CURRENT_SOURCE_DIR}/apps/kinegrad/*.cpp")
if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/apps/kinegrad/main.cpp")
  find_package(CLI11 REQUIRED)
  add_executable(kinegrad_command ${kinegrad_command_sources})
  set_target_properties(kinegrad_command PROPERTIES
    OUTPUT_NAME kinegrad
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
  target_include_directories(kinegrad_command PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/apps/kinegrad")
  target_link_libraries(kinegrad_command PRIVATE
    kinegrad::kinegrad CLI11::CLI11 fmt::fmt nlohmann_json::nlohmann_json)
  kinegrad_own_target(kinegrad_command)
  include(ReportPage)
  kinegrad_report_page(kinegrad_command)
  install(TARGETS kinegrad_command RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
