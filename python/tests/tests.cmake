# One test of ctest per file of pytest, `python/<name>`, one per example, and the types.
execute_process(COMMAND "${Python_EXECUTABLE}" -c "import numpy, pytest"
  RESULT_VARIABLE duel_pytest_missing OUTPUT_QUIET ERROR_QUIET)
if(duel_pytest_missing)
  message(WARNING "The Python module is not tested: numpy or pytest is missing; "
    "`scripts/setup --test` installs both")
  return()
endif()

set(duel_python_environment
  "PYTHONPATH=${duel_python_path}"
  "DUEL_PROGRAM=$<TARGET_FILE:duel_cli>"
  "DUEL_SOURCE_DIR=${PROJECT_SOURCE_DIR}"
  "DUEL_BUILD_DIR=${PROJECT_BINARY_DIR}"
  "PYTHONDONTWRITEBYTECODE=1"
  "MPLBACKEND=Agg"
  "MPLCONFIGDIR=${PROJECT_BINARY_DIR}/python/matplotlib")

file(GLOB duel_python_tests CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/tests/test_*.py")
foreach(file IN LISTS duel_python_tests)
  get_filename_component(name "${file}" NAME_WE)
  string(REGEX REPLACE "^test_" "" name "${name}")
  # -ra names what was skipped and why; a test that hangs shows where.
  add_test(NAME "python/${name}"
    COMMAND "${Python_EXECUTABLE}" -m pytest -q -ra -p no:cacheprovider -o faulthandler_timeout=300
      "${file}")
  set_tests_properties("python/${name}" PROPERTIES TIMEOUT 900
    ENVIRONMENT "${duel_python_environment}")
endforeach()

file(GLOB duel_examples CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/examples/*.py")
foreach(file IN LISTS duel_examples)
  get_filename_component(name "${file}" NAME_WE)
  set(folder "${PROJECT_BINARY_DIR}/python/examples")
  file(MAKE_DIRECTORY "${folder}")
  set(runner "")
  if(name MATCHES "^test_")
    set(runner -m pytest -q -p no:cacheprovider)
  endif()
  add_test(NAME "python/example/${name}" COMMAND "${Python_EXECUTABLE}" ${runner} "${file}"
    WORKING_DIRECTORY "${folder}")
  set_tests_properties("python/example/${name}" PROPERTIES TIMEOUT 900
    ENVIRONMENT "${duel_python_environment}")
endforeach()

execute_process(COMMAND "${Python_EXECUTABLE}" -c "import mypy"
  RESULT_VARIABLE duel_mypy_missing OUTPUT_QUIET ERROR_QUIET)
if(duel_mypy_missing)
  message(WARNING "The types of the Python package are not checked: mypy is missing; "
    "`scripts/setup --test` installs it")
else()
  add_test(NAME python/types
    COMMAND "${Python_EXECUTABLE}" -m mypy --strict --cache-dir "${PROJECT_BINARY_DIR}/python/mypy"
      --config-file "${CMAKE_CURRENT_SOURCE_DIR}/mypy.ini" "${CMAKE_CURRENT_SOURCE_DIR}/duel")
  # That the stub of the extension names what is in it, with the same parameters.
  add_test(NAME python/stub
    COMMAND "${Python_EXECUTABLE}" -m mypy.stubtest --ignore-unused-allowlist
      --allowlist "${CMAKE_CURRENT_SOURCE_DIR}/stub_differences.txt" duel._native)
  set_tests_properties(python/types python/stub PROPERTIES TIMEOUT 900)
  set_tests_properties(python/stub PROPERTIES
    ENVIRONMENT "${duel_python_environment};MYPYPATH=${duel_python_path}"
    WORKING_DIRECTORY "${PROJECT_BINARY_DIR}/python")
endif()
