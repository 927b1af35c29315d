# Installs the library under the build folder and builds tests/consumer against the installed package.
set(consumer "${CMAKE_CURRENT_BINARY_DIR}/consumer")
set(consumer_flags "")
if(KINEGRAD_SANITIZE)
  set(consumer_flags "-fsanitize=${KINEGRAD_SANITIZE}")
elseif(KINEGRAD_COVERAGE)
  set(consumer_flags "--coverage")
endif()

add_test(NAME Consumer.Install COMMAND "${CMAKE_COMMAND}"
  --install "${CMAKE_CURRENT_BINARY_DIR}" --prefix "${consumer}/prefix")
add_test(NAME Consumer.BuildAndRun COMMAND "${CMAKE_CTEST_COMMAND}"
  --build-and-test "${CMAKE_CURRENT_SOURCE_DIR}/tests/consumer" "${consumer}/build"
  --build-generator "${CMAKE_GENERATOR}"
  --build-options
    "-DCMAKE_PREFIX_PATH=${consumer}/prefix"
    "-DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE}"
    "-DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}"
    "-DCMAKE_CXX_FLAGS=${consumer_flags}"
  --test-command consumer)
set_tests_properties(Consumer.Install PROPERTIES FIXTURES_SETUP installed_package LABELS consumer)
set_tests_properties(Consumer.BuildAndRun PROPERTIES
  FIXTURES_REQUIRED installed_package LABELS consumer TIMEOUT 300)
