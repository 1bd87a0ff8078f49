# Configures a build where the pages cannot be built, in three ways:
#   cmake -DSOURCE=<this project> -DWORK=<directory> -P without_npm.cmake
# The build goes on without pages and says so, unless the pages were asked for.
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}/bare/web" "${WORK}/bare/cmake")
file(COPY "${SOURCE}/cmake/no_web_assets.cc.in" DESTINATION "${WORK}/bare/cmake")
file(WRITE "${WORK}/project/CMakeLists.txt" "
cmake_minimum_required(VERSION 3.25)
project(pages NONE)
set(PROJECT_SOURCE_DIR \${DUEL_SOURCE})
include(${SOURCE}/cmake/DuelPages.cmake)
message(STATUS \"has pages: \${DUEL_HAS_PAGES}\")
")

# Configures with the given arguments; the output must match.
function(configured name status expected)
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -S "${WORK}/project" -B "${WORK}/${name}" ${ARGN}
    OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE result)
  if(status STREQUAL "fails" AND result EQUAL 0 OR status STREQUAL "works" AND NOT result EQUAL 0)
    message(FATAL_ERROR "${name}: ended with ${result}\n${output}")
  endif()
  if(NOT output MATCHES "${expected}")
    message(FATAL_ERROR "${name}: does not say '${expected}'\n${output}")
  endif()
  if(status STREQUAL "works")
    file(READ "${WORK}/${name}/generated/web_assets.cc" source)
    if(NOT source MATCHES "web_assets\\(\\) { return {}; }")
      message(FATAL_ERROR "${name}: the stand-in for the pages is missing\n${source}")
    endif()
  endif()
endfunction()

# Nothing is built, so any program will do for the one that would build it.
set(no_programs "-DCMAKE_MAKE_PROGRAM=${CMAKE_COMMAND}" -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF -DCMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH=OFF)
configured(no_node works "not built \\(Node.js is missing\\).*has pages: OFF"
  "-DDUEL_SOURCE=${SOURCE}" ${no_programs})
configured(no_packages works "web/node_modules is missing.*npm ci.*has pages: OFF"
  "-DDUEL_SOURCE=${WORK}/bare" -DDUEL_NODE=node)
configured(not_wanted works "DUEL_PAGES is OFF.*has pages: OFF"
  "-DDUEL_SOURCE=${SOURCE}" -DDUEL_PAGES=OFF)
configured(wanted fails "pages cannot be built: Node.js is missing"
  "-DDUEL_SOURCE=${SOURCE}" -DDUEL_PAGES=ON ${no_programs})
message(STATUS "a build without npm goes on without pages, and says so")
