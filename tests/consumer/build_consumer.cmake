# Builds the project in `source` against the installed package.
function(build_consumer source build)
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -S "${source}" -B "${build}" -G "${GENERATOR}"
      "-DCMAKE_MAKE_PROGRAM=${MAKE_PROGRAM}"
      "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}"
      "-DCMAKE_CXX_COMPILER_LAUNCHER=${CXX_COMPILER_LAUNCHER}"
      "-DCMAKE_BUILD_TYPE=Release"
      "-DCMAKE_PREFIX_PATH=${work}/prefix"
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(
    COMMAND "${CMAKE_COMMAND}" --build "${build}"
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()
