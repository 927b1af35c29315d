# Run by the build: fetches the packages of report/ if their list has changed, and bundles the page.
#   cmake -DNODE=… -DNPM=… -DSOURCE=report -DOUT=<build>/report -DWITHOUT=file -P BuildReportPage.cmake
# Where that fails the command is built without a page, with a warning: nothing else depends on it.
set(stamp "${OUT}/page.stamp")
set(packages "${OUT}/packages.stamp")
file(REMOVE "${stamp}")

# The first lines of npm's message say what happened; the rest is its own stack.
function(give_up why details)
  string(REGEX MATCHALL "npm [^\n]+" lines "${details}")
  if(lines)
    list(SUBLIST lines 0 4 lines)
  endif()
  list(JOIN lines "\n  " lines)
  message("kinegrad report: LEFT OUT, because ${why}. The rest is not affected; the next build tries again.\n  ${lines}")
  configure_file("${WITHOUT}" "${OUT}/report_page.cpp" COPYONLY)
endfunction()

# What npm needs is copied, so that nothing is written into the source folder.
file(SHA256 "${SOURCE}/package-lock.json" wanted)
set(fetched "")
if(EXISTS "${packages}")
  file(READ "${packages}" fetched)
endif()
if(NOT fetched STREQUAL wanted)
  file(COPY "${SOURCE}/package.json" "${SOURCE}/package-lock.json" "${SOURCE}/.npmrc"
       DESTINATION "${OUT}")
  execute_process(
    COMMAND "${NPM}" ci --ignore-scripts --prefer-offline --fetch-retries=1
            --fetch-retry-mintimeout=1000 --fetch-timeout=60000 --loglevel=error
    WORKING_DIRECTORY "${OUT}" TIMEOUT 300
    RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT failed EQUAL 0)
    give_up("npm could not fetch the packages in report/package.json" "${output}")
    return()
  endif()
  file(WRITE "${packages}" "${wanted}")
endif()

execute_process(COMMAND "${NODE}" "${SOURCE}/build.mjs" "${OUT}" "${OUT}"
                RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT failed EQUAL 0)
  message(FATAL_ERROR "report/build.mjs failed:\n${output}")
endif()
file(TOUCH "${stamp}")
