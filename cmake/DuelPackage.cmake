# What is installed beside programs, library and headers, and the packages of all of it
# (scripts/package). Only where this tree is the project and not a part of another one.
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()

file(GLOB duel_documents CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/docs/*.md"
  "${PROJECT_SOURCE_DIR}/docs/*.svg")
install(FILES ${duel_documents} DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(FILES "${PROJECT_SOURCE_DIR}/CHANGELOG.md" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}"
  RENAME copyright)
# Where systemd looks, also on systems whose libraries are in lib64.
install(FILES "${PROJECT_SOURCE_DIR}/packaging/duel.service" DESTINATION "lib/systemd/system")

set(CPACK_GENERATOR "DEB;TGZ")
set(CPACK_PACKAGE_VENDOR "The Duel authors")
set(CPACK_PACKAGE_CONTACT "The Duel authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Finds the best of several arms by duels")
set(CPACK_PACKAGE_DESCRIPTION
  "The program duel with its server, and the C++ library with headers and CMake package.")
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
# The archives of both architectures lie side by side.
set(CPACK_PACKAGE_FILE_NAME "duel-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)
set(CPACK_MONOLITHIC_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# What a program that uses the library needs to build.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "gnuplot-nox, libfmt-dev, libtomlplusplus-dev,\
 librandom123-dev, coinor-libclp-dev, coinor-libcoinutils-dev, liblinear-dev, zlib1g-dev,\
 libssl-dev, libsimdjson-dev, libsqlite3-dev")
include(CPack)
