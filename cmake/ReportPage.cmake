# The page of `kinegrad report`: report/ bundled by npm and esbuild into <build>/report, and linked into
# the command. Without node and npm, or where npm cannot fetch its packages, the command is built without
# it and says so when asked for a report.
#
#   kinegrad_report_page(TARGET)   adds the page to a target
set(kinegrad_page_dir "${CMAKE_CURRENT_BINARY_DIR}/report")
find_program(KINEGRAD_NODE NAMES node nodejs)
find_program(KINEGRAD_NPM npm)
mark_as_advanced(KINEGRAD_NODE KINEGRAD_NPM)

set(KINEGRAD_REPORT_PAGE OFF)
if(KINEGRAD_NODE AND KINEGRAD_NPM)
  execute_process(COMMAND "${KINEGRAD_NODE}" --version OUTPUT_VARIABLE node_version
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  string(REGEX REPLACE "^v" "" node_version "${node_version}")
  if(node_version VERSION_GREATER_EQUAL 18)
    set(KINEGRAD_REPORT_PAGE ON)
  endif()
endif()
if(NOT KINEGRAD_REPORT_PAGE)
  message(STATUS "kinegrad report: left out, because node (18 or later) and npm were not found "
                 "(Debian: nodejs npm)")
endif()

function(kinegrad_report_page target)
  set(page_cpp "${kinegrad_page_dir}/report_page.cpp")
  set(without_page "${CMAKE_CURRENT_SOURCE_DIR}/apps/kinegrad/without_page.cpp.in")
  file(MAKE_DIRECTORY "${kinegrad_page_dir}")
  if(NOT KINEGRAD_REPORT_PAGE)
    configure_file("${without_page}" "${kinegrad_page_dir}/without_page.cpp" COPYONLY)
    target_sources(${target} PRIVATE "${kinegrad_page_dir}/without_page.cpp")
    return()
  endif()
  file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS
       "${CMAKE_CURRENT_SOURCE_DIR}/report/src/*" "${CMAKE_CURRENT_SOURCE_DIR}/report/*.html"
       "${CMAKE_CURRENT_SOURCE_DIR}/report/*.mjs" "${CMAKE_CURRENT_SOURCE_DIR}/report/*.json")
  # The stamp is written by success alone, so that a build that could not fetch the packages tries again.
  add_custom_command(
    OUTPUT "${kinegrad_page_dir}/page.stamp"
    BYPRODUCTS "${page_cpp}"
    COMMAND "${CMAKE_COMMAND}"
      "-DNODE=${KINEGRAD_NODE}" "-DNPM=${KINEGRAD_NPM}" "-DWITHOUT=${without_page}"
      "-DSOURCE=${CMAKE_CURRENT_SOURCE_DIR}/report" "-DOUT=${kinegrad_page_dir}"
      -P "${CMAKE_CURRENT_SOURCE_DIR}/cmake/BuildReportPage.cmake"
    DEPENDS ${page_sources} "${without_page}"
            "${CMAKE_CURRENT_SOURCE_DIR}/cmake/BuildReportPage.cmake"
    COMMENT "Bundling the page of kinegrad report"
    VERBATIM)
  add_custom_target(kinegrad_page DEPENDS "${kinegrad_page_dir}/page.stamp")
  target_sources(${target} PRIVATE "${page_cpp}")
  add_dependencies(${target} kinegrad_page)
endfunction()
