# Run by ctest; see CMakeLists.txt in this folder.
cmake_minimum_required(VERSION 3.25)
set(work "${BUILD_DIR}/consumer")
file(REMOVE_RECURSE "${work}")

execute_process(
  COMMAND "${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${work}/prefix"
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)

# A program that includes our headers must not need a library that only our sources use.
file(GLOB_RECURSE headers "${work}/prefix/include/duel/*.h")
foreach(header IN LISTS headers)
  file(STRINGS "${header}" hidden REGEX "^#include <(nlohmann|boost|simdjson|openssl)")
  if(hidden)
    message(FATAL_ERROR "${header}: ${hidden}, which duelConfig.cmake does not find for its users")
  endif()
endforeach()

include("${CMAKE_CURRENT_LIST_DIR}/build_consumer.cmake")
build_consumer("${CONSUMER_DIR}" "${work}/build")
execute_process(
  COMMAND "${work}/build/list_policies"
  OUTPUT_VARIABLE installed COMMAND_ERROR_IS_FATAL ANY)
execute_process(
  COMMAND "${REFERENCE}"
  OUTPUT_VARIABLE expected COMMAND_ERROR_IS_FATAL ANY)

# The first line is the version; a policy must follow.
if(NOT expected MATCHES "\n[a-z]")
  message(FATAL_ERROR "No policy is registered, so this test proves nothing")
endif()
if(NOT installed STREQUAL expected)
  message(FATAL_ERROR
    "The installed package lists other policies.\nInstalled:\n${installed}\nThis tree:\n${expected}")
endif()
message(STATUS "The installed package lists:\n${installed}")

# What the examples of a document print is what it says.
function(check_examples name)
  build_consumer("${CONSUMER_DIR}/${name}" "${work}/${name}")
  file(READ "${DOCUMENTS}/${name}.md" document)
  foreach(example IN LISTS ARGN)
    execute_process(
      COMMAND "${work}/${name}/${example}"
      OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
    string(FIND "${document}" "```text\n${printed}```" place)
    if(place EQUAL -1)
      message(FATAL_ERROR "docs/${name}.md does not show what ${example} prints:\n${printed}")
    endif()
    message(STATUS "${example} of docs/${name}.md prints:\n${printed}")
  endforeach()
endfunction()

check_examples(extending least_met)
check_examples(library live_experiment own_policy interleaving study)
