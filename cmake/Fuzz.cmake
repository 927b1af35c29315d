# tests/fuzz/NAME_fuzz.cpp → kinegrad_fuzz_NAME: targets of libFuzzer, which clang alone has.
#
# What reads files is compiled once more, watched: its branches guide the fuzzer, its accesses and
# arithmetic are checked. The mechanics behind it comes from the library as it is: a fuzzer that
# collects its branches would look for new motions instead of new files.
if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "The fuzz targets need clang; see the preset fuzz.")
endif()

set(kinegrad_watch -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
                   -fno-omit-frame-pointer -O1)
set(kinegrad_src "${CMAKE_CURRENT_SOURCE_DIR}/src")
file(GLOB kinegrad_reading_sources CONFIGURE_DEPENDS
     "${kinegrad_src}/base/*.cpp" "${kinegrad_src}/math/expression_*.cpp" "${kinegrad_src}/math/spline.cpp"
     "${kinegrad_src}/math/symbolic.cpp" "${kinegrad_src}/math/tape.cpp" "${kinegrad_src}/model/*.cpp"
     "${kinegrad_src}/io/model_*.cpp" "${kinegrad_src}/io/yaml_*.cpp"
     "${kinegrad_src}/io/*_file.cpp" "${kinegrad_src}/io/field_reader.cpp" "${kinegrad_src}/io/noise.cpp"
     "${kinegrad_src}/io/number_table.cpp" "${kinegrad_src}/io/samples.cpp"
     "${kinegrad_src}/optimization/journal*.cpp")
add_library(kinegrad_watched OBJECT ${kinegrad_reading_sources}
  "${CMAKE_CURRENT_SOURCE_DIR}/tests/support/model_promise.cpp")
target_include_directories(kinegrad_watched PUBLIC
  "${kinegrad_src}" "${CMAKE_CURRENT_SOURCE_DIR}/tests")
target_include_directories(kinegrad_watched SYSTEM PRIVATE ${KLU_INCLUDE_DIR})
target_compile_options(kinegrad_watched PRIVATE ${kinegrad_watch})
target_link_libraries(kinegrad_watched PUBLIC
  kinegrad::kinegrad ${kinegrad_yaml_cpp} fmt::fmt nlohmann_json::nlohmann_json)
kinegrad_own_target(kinegrad_watched)
kinegrad_precompile(kinegrad_watched)
if(KINEGRAD_UNITY)  # in the groups of the library
  set_target_properties(kinegrad_watched PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endif()

file(GLOB kinegrad_fuzz_sources CONFIGURE_DEPENDS
     "${CMAKE_CURRENT_SOURCE_DIR}/tests/fuzz/*_fuzz.cpp")
foreach(source IN LISTS kinegrad_fuzz_sources)
  get_filename_component(name "${source}" NAME_WE)
  string(REGEX REPLACE "_fuzz$" "" name "${name}")
  add_executable(kinegrad_fuzz_${name} "${source}")
  target_compile_options(kinegrad_fuzz_${name} PRIVATE ${kinegrad_watch})
  # a group of the library that has one source which nobody watches brings its watched neighbours a second time
  target_link_options(kinegrad_fuzz_${name} PRIVATE
    -fsanitize=fuzzer,address,undefined -Wl,--allow-multiple-definition)
  target_link_libraries(kinegrad_fuzz_${name} PRIVATE kinegrad_watched)
  set_target_properties(kinegrad_fuzz_${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
  kinegrad_own_target(kinegrad_fuzz_${name})
endforeach()
