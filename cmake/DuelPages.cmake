# The pages of `duel serve` and of the reports: web/ is bundled by esbuild and embedded as bytes.
# DUEL_PAGES_SOURCE is the source that holds them. Where Node.js or web/node_modules is missing, the
# build goes on without pages and says so; `scripts/setup` gets both.
set(DUEL_PAGES AUTO CACHE STRING
  "Embed the pages: ON, OFF, or AUTO (where Node.js and web/node_modules are there)")
set(duel_web_dir "${PROJECT_SOURCE_DIR}/web")
find_program(DUEL_NODE NAMES node nodejs)
mark_as_advanced(DUEL_NODE)

set(duel_pages_missing "")
if(DUEL_PAGES STREQUAL "OFF")
  set(duel_pages_missing "DUEL_PAGES is OFF")
elseif(NOT DUEL_NODE)
  set(duel_pages_missing "Node.js is missing")
elseif(NOT EXISTS "${duel_web_dir}/node_modules/esbuild/package.json")
  set(duel_pages_missing "web/node_modules is missing; `npm ci --prefix web` gets it")
endif()

set(DUEL_PAGES_SOURCE "${PROJECT_BINARY_DIR}/generated/web_assets.cc")
if(duel_pages_missing)
  set(DUEL_HAS_PAGES OFF)
  if(DUEL_PAGES STREQUAL "ON")
    message(FATAL_ERROR "The pages cannot be built: ${duel_pages_missing}")
  endif()
  message(STATUS "The pages are not built (${duel_pages_missing}); the server works without them")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/no_web_assets.cc.in" "${DUEL_PAGES_SOURCE}" COPYONLY)
else()
  set(DUEL_HAS_PAGES ON)
  file(GLOB_RECURSE duel_web_files CONFIGURE_DEPENDS "${duel_web_dir}/src/*"
    "${PROJECT_SOURCE_DIR}/docs/*" "${PROJECT_SOURCE_DIR}/bench/*.md"
    "${PROJECT_SOURCE_DIR}/examples/*.py" "${PROJECT_SOURCE_DIR}/web/client/README.md"
    "${PROJECT_SOURCE_DIR}/packaging/image/README.md")
  add_custom_command(
    OUTPUT "${DUEL_PAGES_SOURCE}"
    COMMAND "${DUEL_NODE}" "${duel_web_dir}/build.mjs" "${DUEL_PAGES_SOURCE}"
    DEPENDS ${duel_web_files} "${duel_web_dir}/build.mjs" "${duel_web_dir}/docs_site.mjs"
      "${duel_web_dir}/package-lock.json"
    COMMENT "Bundling the pages"
    VERBATIM)
endif()
# The tests want to know as well.
set(DUEL_HAS_PAGES "${DUEL_HAS_PAGES}" PARENT_SCOPE)
set(DUEL_NODE "${DUEL_NODE}" PARENT_SCOPE)
