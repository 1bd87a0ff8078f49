# Writes duel/version_info.h into the build tree (version, compiler, build type), and the source that
# holds the commit. Outside a git checkout, or inside somebody else's, the commit is empty.
set(DUEL_GIT_COMMIT "")
find_program(DUEL_GIT git)
mark_as_advanced(DUEL_GIT)
if(DUEL_GIT)
  execute_process(
    COMMAND "${DUEL_GIT}" rev-parse --show-toplevel
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    OUTPUT_VARIABLE duel_git_top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  file(REAL_PATH "${PROJECT_SOURCE_DIR}" duel_source_top)
  if("${duel_git_top}" STREQUAL "${duel_source_top}")
    execute_process(
      COMMAND "${DUEL_GIT}" rev-parse --verify --quiet --short=12 HEAD
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
      OUTPUT_VARIABLE DUEL_GIT_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    # A new commit configures again, so that the source does not go stale.
    execute_process(
      COMMAND "${DUEL_GIT}" rev-parse --git-path logs/HEAD
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
      OUTPUT_VARIABLE duel_git_log OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    cmake_path(ABSOLUTE_PATH duel_git_log BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
    if(EXISTS "${duel_git_log}")
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${duel_git_log}")
    endif()
  endif()
endif()

set(DUEL_GENERATED_INCLUDE_DIR "${PROJECT_BINARY_DIR}/generated/include")
configure_file("${PROJECT_SOURCE_DIR}/cmake/version_info.h.in"
  "${DUEL_GENERATED_INCLUDE_DIR}/duel/version_info.h" @ONLY)
set(DUEL_GIT_COMMIT_SOURCE "${PROJECT_BINARY_DIR}/generated/git_commit.cc")
configure_file("${PROJECT_SOURCE_DIR}/cmake/git_commit.cc.in" "${DUEL_GIT_COMMIT_SOURCE}" @ONLY)
