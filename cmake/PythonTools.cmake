# An interpreter that can check a model file against the schema, and the Python tests.
set(KINEGRAD_PYTHON "" CACHE FILEPATH "A Python 3 with jsonschema and yaml")
if(NOT KINEGRAD_PYTHON)
  find_program(kinegrad_python_on_path python3)
  foreach(candidate IN ITEMS /usr/bin/python3 "${kinegrad_python_on_path}")
    if(EXISTS "${candidate}")
      execute_process(COMMAND "${candidate}" -c "import jsonschema, yaml"
                      RESULT_VARIABLE missing OUTPUT_QUIET ERROR_QUIET)
      if(missing EQUAL 0)
        set(KINEGRAD_PYTHON "${candidate}" CACHE FILEPATH "" FORCE)
        break()
      endif()
    endif()
  endforeach()
endif()
if(NOT KINEGRAD_PYTHON)
  message(FATAL_ERROR
    "The tests need a Python 3 with the modules jsonschema and yaml; see tools/setup.sh.")
endif()

# kinegrad_python_test(NAME SCRIPT [argument…])
function(kinegrad_python_test name script)
  add_test(NAME ${name} COMMAND "${KINEGRAD_PYTHON}" -B "${script}" ${ARGN}
           WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  set_tests_properties(${name} PROPERTIES LABELS tools TIMEOUT 120)
endfunction()

kinegrad_python_test(Tools.Layers tools/check_layers.py)
kinegrad_python_test(Tools.Holomorphic tools/check_holomorphic.py)
kinegrad_python_test(Tools.Labels tools/check_labels.py)
kinegrad_python_test(Tools.Recipes tools/check_recipes.py)

# tests/tools/*_test.py run as they are, from the root of the project.
file(GLOB kinegrad_python_tests CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}"
     "${CMAKE_CURRENT_SOURCE_DIR}/tests/tools/*_test.py")
foreach(script IN LISTS kinegrad_python_tests)
  get_filename_component(stem "${script}" NAME_WE)
  kinegrad_python_test(Tools.${stem} "${script}")
endforeach()
