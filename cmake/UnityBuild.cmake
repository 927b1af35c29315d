# Small sources are compiled together: most of the time of a source is spent on headers and on templates that its
# neighbours need as well (eight sources of one folder take twice the time of one).
option(KINEGRAD_UNITY "Compile the sources of a folder together, eight at a time" ON)

# kinegrad_unity(NAME source…): groups of at most eight sources of the same folder. The sweeps of the
# tree stay apart: what is inlined into them must not depend on neighbours.
function(kinegrad_unity name)
  if(NOT KINEGRAD_UNITY)
    return()
  endif()
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # g++ lets a unit of compilation grow by 40 % through inlining; a group of sources has spent that on the first of them,
  # and steps of small mechanisms were 2 to 7 % slower than compiled source by source.
  target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:--param=inline-unit-growth=300>)
  set(last_folder "")
  set(count 0)
  foreach(source IN LISTS ARGN)
    get_filename_component(folder "${source}" DIRECTORY)
    if(NOT folder STREQUAL last_folder)
      set(count 0)
      set(last_folder "${folder}")
    endif()
    if(source MATCHES "/tree/(articulated_bodies|residual|tree_motion)[.]cpp$")
      set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      continue()
    endif()
    math(EXPR group "${count} / 8")
    math(EXPR count "${count} + 1")
    get_filename_component(word "${folder}" NAME)
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${word}_${group}")
  endforeach()
endfunction()

# kinegrad_unity_tests(NAME source…): groups of at most six whose internal names differ (tools/unity_groups.py). Where a
# change makes two of them alike, the compiler says so; configure again.
function(kinegrad_unity_tests name)
  if(NOT KINEGRAD_UNITY)
    return()
  endif()
  execute_process(
    COMMAND "${KINEGRAD_PYTHON}" -B "${CMAKE_CURRENT_SOURCE_DIR}/tools/unity_groups.py" 6 ${ARGN}
    OUTPUT_VARIABLE lines OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" pairs "${lines}")  # source; group; source; group; …
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  while(pairs)
    list(POP_FRONT pairs source group)
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${name}_${group}")
  endwhile()
endfunction()
