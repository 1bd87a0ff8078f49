# duel_options carries the flags that every target of this tree is compiled and linked with.
# Installed targets do not pass them on to their users.
add_library(duel_options INTERFACE)

# Results must have the same bits on every architecture: g++ fuses multiply and add on aarch64
# unless told not to. Fast-math is never used. errno after sqrt and log is read nowhere, and
# without it sqrt is one instruction; this changes no value.
target_compile_options(duel_options INTERFACE -ffp-contract=off -fno-math-errno)

target_compile_options(duel_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual
  # Members that a designated initialiser leaves out have their defaults; that is what it is for.
  -Wno-missing-field-initializers)
if(DUEL_WERROR)
  target_compile_options(duel_options INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports overlapping copies inside std::string that do not exist (GCC bug 105329).
  target_compile_options(duel_options INTERFACE -Wno-restrict)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # libstdc++ 12 uses a deprecated function of its own in std::stable_sort.
  target_compile_options(duel_options INTERFACE -Wno-deprecated-declarations)
endif()

target_compile_definitions(duel_options INTERFACE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)

if(DUEL_SANITIZE)
  list(JOIN DUEL_SANITIZE "," duel_sanitizers)
  target_compile_options(duel_options INTERFACE
    -fsanitize=${duel_sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(duel_options INTERFACE -fsanitize=${duel_sanitizers})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # The instrumentation hides initialisations from the optimiser's flow analysis.
    target_compile_options(duel_options INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()

if(DUEL_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "DUEL_FUZZ needs clang: use the preset `fuzz` (clang++-19)")
  endif()
  # The whole library is instrumented; the fuzz targets add the engine itself.
  target_compile_options(duel_options INTERFACE
    -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  target_link_options(duel_options INTERFACE -fsanitize=address,undefined)
endif()

if(DUEL_COVERAGE)
  target_compile_options(duel_options INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(duel_options INTERFACE --coverage)
endif()
