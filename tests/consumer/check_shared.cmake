# Run by ctest, label slow; see CMakeLists.txt in this folder. The library as a shared object: built in a
# tree of its own, installed without the program, and used by the same project as the archive.
cmake_minimum_required(VERSION 3.25)
set(work "${BUILD_DIR}/shared")
file(REMOVE_RECURSE "${work}/prefix" "${work}/consumer")

execute_process(
  COMMAND "${CMAKE_COMMAND}" -S "${SOURCE_DIR}" -B "${work}/build" -G "${GENERATOR}"
    "-DCMAKE_MAKE_PROGRAM=${MAKE_PROGRAM}"
    "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}"
    "-DCMAKE_CXX_COMPILER_LAUNCHER=${CXX_COMPILER_LAUNCHER}"
    -DDUEL_SHARED=ON -DDUEL_TESTS=OFF -DDUEL_BUILD_PYTHON=OFF
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(
  COMMAND "${CMAKE_COMMAND}" --build "${work}/build" --target duel_library
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(
  COMMAND "${CMAKE_COMMAND}" --install "${work}/build" --prefix "${work}/prefix" --component library
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE archives "${work}/prefix/*.a")
if(archives)
  message(FATAL_ERROR "An archive is installed beside the shared object: ${archives}")
endif()

include("${CMAKE_CURRENT_LIST_DIR}/build_consumer.cmake")
build_consumer("${CONSUMER_DIR}" "${work}/consumer")
execute_process(
  COMMAND "${work}/consumer/list_policies"
  OUTPUT_VARIABLE installed COMMAND_ERROR_IS_FATAL ANY)
execute_process(
  COMMAND "${REFERENCE}"
  OUTPUT_VARIABLE expected COMMAND_ERROR_IS_FATAL ANY)
if(NOT installed STREQUAL expected)
  message(FATAL_ERROR "With the shared object:\n${installed}\nThis tree:\n${expected}")
endif()
file(GET_RUNTIME_DEPENDENCIES
  EXECUTABLES "${work}/consumer/list_policies" RESOLVED_DEPENDENCIES_VAR needed)
if(NOT needed MATCHES "/libduel\\.so\\.[0-9]+\\.[0-9]+")
  message(FATAL_ERROR "The program does not load libduel.so: ${needed}")
endif()

# The four programs of docs/library.md compile and link, an own policy among them.
build_consumer("${CONSUMER_DIR}/library" "${work}/library")
execute_process(COMMAND "${work}/library/own_policy" OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
