# The module libduel_mpi.so, with which the ranks of mpirun share their work. The program loads it
# when mpirun started it; it is the only thing that is linked with MPI, so that the program itself
# runs where there is none.
set(DUEL_MPI AUTO CACHE STRING "Build the MPI module: ON, OFF, or AUTO (where MPI is installed)")
if(NOT DUEL_MPI)
  return()
endif()
# MPI is found with the compiler of a language that is enabled. Its C functions are all that is used.
find_package(MPI QUIET COMPONENTS CXX)
if(NOT MPI_CXX_FOUND)
  if(DUEL_MPI STREQUAL "AUTO")
    message(STATUS "MPI is not found (libopenmpi-dev): under mpirun, rank 0 will work alone")
    return()
  endif()
  message(FATAL_ERROR "MPI is not found (libopenmpi-dev)")
endif()

add_library(duel_mpi MODULE
  "${CMAKE_CURRENT_SOURCE_DIR}/duel/mpi/mpi_ranks.cc" "${DUEL_GIT_COMMIT_SOURCE}")
set_target_properties(duel_mpi PROPERTIES
  LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin"
  CXX_VISIBILITY_PRESET hidden)
target_include_directories(duel_mpi PRIVATE
  "${CMAKE_CURRENT_SOURCE_DIR}" "${DUEL_GENERATED_INCLUDE_DIR}")
target_compile_features(duel_mpi PRIVATE cxx_std_20)
# Without the C++ bindings, which are not part of MPI any more.
target_compile_definitions(duel_mpi PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
target_link_libraries(duel_mpi PRIVATE duel_options MPI::MPI_CXX)
# The program loads the module from beside it, and both must be of the same build.
add_dependencies(duel_cli duel_mpi)
# Not among what packages hold: a package with it would need MPI. `cmake --install DIR --component
# mpi` installs it by itself.
install(TARGETS duel_mpi LIBRARY DESTINATION lib/duel COMPONENT mpi EXCLUDE_FROM_ALL)
