# ccache, where there is one. Precompiled headers need it to look past time stamps and macros.
find_program(KINEGRAD_CCACHE ccache)
mark_as_advanced(KINEGRAD_CCACHE)

if(KINEGRAD_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    "${CMAKE_COMMAND}" -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    "${KINEGRAD_CCACHE}")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(kinegrad_rules INTERFACE -fpch-preprocess)
  elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(kinegrad_rules INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endif()
