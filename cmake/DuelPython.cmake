# Sets duel_build_python: whether the Python module is built, and says so where it is not.
set(duel_build_python OFF)
if(DUEL_BUILD_PYTHON STREQUAL "AUTO" OR DUEL_BUILD_PYTHON)
  # A shim of another Python may stand first on PATH, without the packages that Debian installs.
  if(NOT DEFINED Python_EXECUTABLE AND EXISTS /usr/bin/python3)
    set(Python_EXECUTABLE /usr/bin/python3)
  endif()
  find_package(Python 3.9 QUIET COMPONENTS Interpreter Development.Module)
  set(PYBIND11_NOPYTHON OFF)
  set(PYBIND11_FINDPYTHON ON)
  if(Python_FOUND)
    find_package(pybind11 2.10 CONFIG QUIET)
  endif()
  if(Python_FOUND AND pybind11_FOUND)
    set(duel_build_python ON)
  elseif(DUEL_BUILD_PYTHON STREQUAL "AUTO")
    message(STATUS "The Python module is not built: pybind11 or Python's headers are missing; "
      "`scripts/setup` installs both")
  else()
    message(FATAL_ERROR
      "DUEL_BUILD_PYTHON is on, but pybind11 2.10 or Python's headers are missing")
  endif()
  # Sanitizers need their runtime before the interpreter's first allocation: build it there only
  # when asked to.
  if(DUEL_BUILD_PYTHON STREQUAL "AUTO" AND
      (DUEL_SANITIZE OR DUEL_FUZZ OR DUEL_COVERAGE OR NOT CMAKE_BUILD_TYPE STREQUAL "Release"))
    set(duel_build_python OFF)
  endif()
endif()
