# kinegrad_own_target(NAME): the rules for code of ours. They never reach a consumer.
add_library(kinegrad_rules INTERFACE)
# g++ 12 sees overflows in std::string concatenation at -O3 that are not there (GCC bug 105329,
# 105651); these warnings are off for it alone.
target_compile_options(kinegrad_rules INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Werror
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-stringop-overflow;-Wno-array-bounds>
  # `#pragma GCC ivdep` is a hint for g++ alone
  $<$<CXX_COMPILER_ID:Clang>:-Wno-unknown-pragmas>
  $<$<BOOL:${KINEGRAD_NATIVE}>:-march=native>
  # g++ 12 takes the undefined lanes of its own AVX-512 intrinsics for a mistake of ours
  $<$<AND:$<BOOL:${KINEGRAD_NATIVE}>,$<CXX_COMPILER_ID:GNU>>:-Wno-maybe-uninitialized;-Wno-uninitialized>)
# g++ 12 takes the inlined `"text" + std::string` for a copy of enormous size; g++ 13 does not.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(kinegrad_rules INTERFACE
    -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
endif()
target_compile_definitions(kinegrad_rules INTERFACE
  $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>
  $<$<BOOL:${KINEGRAD_NO_MALLOC}>:EIGEN_RUNTIME_NO_MALLOC>)

function(kinegrad_own_target name)
  target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:kinegrad_rules>)
  kinegrad_sanitize(${name})
endfunction()
