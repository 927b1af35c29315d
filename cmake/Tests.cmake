# One GoogleTest executable per folder of tests/, found by name; a new test file needs no line here.
enable_testing()
find_package(GTest REQUIRED)
include(GoogleTest)
include(PythonTools)

# What every test shares: tests/support, definitions, and a precompiled header.
file(GLOB kinegrad_support_sources CONFIGURE_DEPENDS
     "${CMAKE_CURRENT_SOURCE_DIR}/tests/support/*.cpp")
file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/tests/shared_header.cpp"
     CONTENT "// Holds the precompiled header of the tests.\n")
# Where things are (tests/support/places.hpp): one source, so that a compiler cache serves every folder.
set(kinegrad_places "${CMAKE_CURRENT_BINARY_DIR}/tests/places.cpp")
set(kinegrad_command_place "")
if(TARGET kinegrad_command)
  set(kinegrad_command_place "$<TARGET_FILE:kinegrad_command>")
endif()
file(GENERATE OUTPUT "${kinegrad_places}" CONTENT
"// Written by cmake/Tests.cmake.
#include \"support/places.hpp\"
namespace kinegrad::test {
std::string source_path(const std::string& relative) {
  return \"${CMAKE_CURRENT_SOURCE_DIR}/\" + relative;
}
std::string command_path() { return \"${kinegrad_command_place}\"; }
std::string python_path() { return \"${KINEGRAD_PYTHON}\"; }
}  // namespace kinegrad::test
")
add_library(kinegrad_test_support STATIC
  "${CMAKE_CURRENT_BINARY_DIR}/tests/shared_header.cpp" "${kinegrad_places}"
  ${kinegrad_support_sources})
target_include_directories(kinegrad_test_support PUBLIC
  "${CMAKE_CURRENT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}/tests"
  "${CMAKE_CURRENT_SOURCE_DIR}/src")
# The library is tested as users run it; the tests themselves need not be fast, but quick to compile.
target_compile_options(kinegrad_test_support PUBLIC $<$<CONFIG:Release>:-O1>)
target_link_libraries(kinegrad_test_support PUBLIC
  kinegrad::kinegrad ${kinegrad_yaml_cpp} fmt::fmt nlohmann_json::nlohmann_json GTest::gmock
  GTest::gtest)
kinegrad_own_target(kinegrad_test_support)
kinegrad_precompile(kinegrad_test_support <gmock/gmock.h> <gtest/gtest.h>)

# kinegrad_test_executable(NAME LABEL [source…]); nothing without sources.
function(kinegrad_test_executable name label)
  if(NOT ARGN)
    return()
  endif()
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE kinegrad_test_support GTest::gtest_main)
  if(label MATCHES "integration|command" AND TARGET kinegrad_command)
    add_dependencies(${name} kinegrad_command)
  endif()
  kinegrad_own_target(${name})
  target_precompile_headers(${name} REUSE_FROM kinegrad_test_support)
  kinegrad_unity_tests(${name} ${ARGN})
  gtest_discover_tests(${name}
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    NO_PRETTY_VALUES
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
    # memory that nobody has written to reads as nonsense, every time alike
    PROPERTIES TIMEOUT 600 LABELS ${label} ENVIRONMENT "MALLOC_PERTURB_=165")
endfunction()

# The readers and the command have executables of their own, so that the sanitizers can have them alone.
set(kinegrad_tests "${CMAKE_CURRENT_SOURCE_DIR}/tests")
file(GLOB_RECURSE unit_tests CONFIGURE_DEPENDS "${kinegrad_tests}/unit/*_test.cpp")
file(GLOB reader_tests CONFIGURE_DEPENDS "${kinegrad_tests}/unit/io/*_test.cpp")
file(GLOB conformance_tests CONFIGURE_DEPENDS "${kinegrad_tests}/conformance/*_test.cpp")
file(GLOB command_tests CONFIGURE_DEPENDS "${kinegrad_tests}/command/*_test.cpp")
file(GLOB integration_tests CONFIGURE_DEPENDS "${kinegrad_tests}/integration/*_test.cpp")
if(reader_tests)
  list(REMOVE_ITEM unit_tests ${reader_tests})
endif()
kinegrad_test_executable(kinegrad_unit_tests unit ${unit_tests})
kinegrad_test_executable(kinegrad_reader_tests unit ${reader_tests})
kinegrad_test_executable(kinegrad_conformance_tests conformance ${conformance_tests})
kinegrad_test_executable(kinegrad_command_tests command ${command_tests})
kinegrad_test_executable(kinegrad_integration_tests integration ${integration_tests})

# What the short run under the sanitizers needs: the command, its tests and the readers'.
add_custom_target(kinegrad_smoke)
foreach(name IN ITEMS kinegrad_command kinegrad_reader_tests kinegrad_command_tests)
  if(TARGET ${name})
    add_dependencies(kinegrad_smoke ${name})
  endif()
endforeach()
if(TARGET kinegrad_command)
  kinegrad_python_test(CommandLine.ReadmeExample tests/tools/readme_example.py
    "$<TARGET_FILE:kinegrad_command>")
  foreach(vehicle IN ITEMS Iltis Buggy Files)
    kinegrad_python_test(Vehicles.${vehicle} tests/tools/vehicles.py
      "$<TARGET_FILE:kinegrad_command>" ${vehicle})
  endforeach()
  foreach(machine IN ITEMS AnchorChain Walker)
    kinegrad_python_test(Machines.${machine} tests/tools/machines.py
      "$<TARGET_FILE:kinegrad_command>" ${machine})
  endforeach()
endif()
include(MutationTest)
include(ConsumerTest)
include(PageTest)
