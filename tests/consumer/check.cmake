# Run by ctest; see CMakeLists.txt in this folder.
set(work "${BUILD_DIR}/consumer")
file(REMOVE_RECURSE "${work}")

execute_process(
  COMMAND "${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${work}/prefix"
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(
  COMMAND "${CMAKE_COMMAND}" -S "${CONSUMER_DIR}" -B "${work}/build" -G "${GENERATOR}"
    "-DCMAKE_MAKE_PROGRAM=${MAKE_PROGRAM}"
    "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}"
    "-DCMAKE_CXX_COMPILER_LAUNCHER=${CXX_COMPILER_LAUNCHER}"
    "-DCMAKE_BUILD_TYPE=Release"
    "-DCMAKE_PREFIX_PATH=${work}/prefix"
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(
  COMMAND "${CMAKE_COMMAND}" --build "${work}/build"
  COMMAND_ERROR_IS_FATAL ANY)
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
