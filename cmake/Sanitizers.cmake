# KINEGRAD_SANITIZE: a list for -fsanitize=, e.g. "address,undefined"; KINEGRAD_COVERAGE: gcov data.
set(KINEGRAD_SANITIZE "" CACHE STRING "Sanitizers to build with, separated by commas")
option(KINEGRAD_COVERAGE "Record which lines the tests run" OFF)

set(kinegrad_instrumentation "")
if(KINEGRAD_SANITIZE)
  list(APPEND kinegrad_instrumentation
    -fsanitize=${KINEGRAD_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
endif()
if(KINEGRAD_COVERAGE)
  list(APPEND kinegrad_instrumentation --coverage)
endif()

function(kinegrad_sanitize name)
  target_compile_options(${name} PRIVATE ${kinegrad_instrumentation})
  target_link_options(${name} PRIVATE ${kinegrad_instrumentation})
endfunction()
