# tests/mutation → kinegrad_mutation: damaged files through the command; a seeded part of it in the suite.
if(NOT TARGET kinegrad_command_line)
  return()
endif()
file(GLOB kinegrad_mutation_sources CONFIGURE_DEPENDS "${kinegrad_tests}/mutation/*.cpp")
add_executable(kinegrad_mutation ${kinegrad_mutation_sources}
  "${kinegrad_tests}/support/text_mutation.cpp" "${kinegrad_places}")
target_include_directories(kinegrad_mutation PRIVATE
  "${kinegrad_tests}" "${CMAKE_CURRENT_SOURCE_DIR}/src")
target_link_libraries(kinegrad_mutation PRIVATE
  kinegrad_command_line fmt::fmt nlohmann_json::nlohmann_json)
kinegrad_own_target(kinegrad_mutation)
add_dependencies(kinegrad_smoke kinegrad_mutation)

# kinegrad_mutation_test(CAMPAIGN COUNT): a twentieth of it under sanitizers, which take some thirty times as long, with as
# much more time for a case before it counts as hanging
function(kinegrad_mutation_test campaign count)
  set(seconds)
  if(KINEGRAD_SANITIZE)
    math(EXPR count "${count} / 20")
    set(seconds --seconds 120)
  endif()
  add_test(NAME CommandMutation.${campaign}
    COMMAND kinegrad_mutation ${campaign} --seed 1 --count ${count} ${seconds})
  set_tests_properties(CommandMutation.${campaign} PROPERTIES LABELS mutation TIMEOUT 600)
endfunction()

kinegrad_mutation_test(check 1000)
kinegrad_mutation_test(simulate 200)
kinegrad_mutation_test(gradient 200)
kinegrad_mutation_test(optimize 200)
kinegrad_mutation_test(resume 200)
if(TARGET kinegrad_page)
  kinegrad_mutation_test(report 200)
endif()
