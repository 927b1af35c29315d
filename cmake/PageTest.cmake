# The page of reports in a headless Chromium. Where there is no browser, or no page, it is skipped.
if(TARGET kinegrad_page)
  add_test(NAME Report.Page
    COMMAND "${KINEGRAD_NODE}" "${CMAKE_CURRENT_SOURCE_DIR}/tests/page/page_test.mjs"
      "$<TARGET_FILE:kinegrad_command>" "${CMAKE_CURRENT_SOURCE_DIR}" "${kinegrad_page_dir}")
  set_tests_properties(Report.Page PROPERTIES LABELS page TIMEOUT 600 SKIP_RETURN_CODE 77)
endif()
