# Run by ctest; see CMakeLists.txt in this folder. The code blocks of the document are the files of
# the example, whole and to the letter.
cmake_minimum_required(VERSION 3.25)
file(READ "${DOCUMENT}" document)
file(GLOB sources RELATIVE "${EXAMPLE_DIR}" "${EXAMPLE_DIR}/*.cc")
foreach(name IN ITEMS "CMakeLists.txt" LISTS sources)
  set(language cpp)
  if(name STREQUAL "CMakeLists.txt")
    set(language cmake)
  endif()
  file(READ "${EXAMPLE_DIR}/${name}" content)
  string(FIND "${document}" "```${language}\n${content}```" place)
  if(place EQUAL -1)
    message(FATAL_ERROR
      "${DOCUMENT} shows another ${name} than ${EXAMPLE_DIR}/${name}, which is the one that is built")
  endif()
endforeach()
