# bench/*_bench.cpp → kinegrad_bench.
file(GLOB kinegrad_bench_sources CONFIGURE_DEPENDS
     "${CMAKE_CURRENT_SOURCE_DIR}/bench/*_bench.cpp")
if(kinegrad_bench_sources)
  find_package(benchmark REQUIRED)
  add_executable(kinegrad_bench ${kinegrad_bench_sources})
  target_include_directories(kinegrad_bench PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
  target_compile_definitions(kinegrad_bench PRIVATE
    KINEGRAD_SOURCE_DIR="${CMAKE_CURRENT_SOURCE_DIR}")
  target_link_libraries(kinegrad_bench PRIVATE
    kinegrad::kinegrad fmt::fmt benchmark::benchmark benchmark::benchmark_main)
  set_target_properties(kinegrad_bench PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
  kinegrad_own_target(kinegrad_bench)
endif()
