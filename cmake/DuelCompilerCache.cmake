# Uses ccache where it is installed; nothing depends on it.
if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(DUEL_CCACHE ccache)
  mark_as_advanced(DUEL_CCACHE)
  if(DUEL_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${DUEL_CCACHE}")
  endif()
endif()
