# Package.cmake: what `cpack` makes of an installation: a Debian package and a tarball. script/package
# calls it with everything pinned that the bytes depend on.
set(CPACK_PACKAGE_NAME "${PROJECT_NAME}")
set(CPACK_PACKAGE_VENDOR "The ios-agent authors")
set(CPACK_PACKAGE_CONTACT "The ios-agent authors <ios-agent@invalid.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "run goals on iOS apps with Claude and prove the result")
set(CPACK_PACKAGE_DESCRIPTION
  "ios-agent gives Claude eyes and hands on iOS apps. It carries out a goal
in plain words, one step at a time, on a simulator or a device, and its
verdict comes with proof. A simulated iPhone and a brain that follows
literal steps are built in, so it runs without a Mac and without a key.")
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_SOURCE_DIR}/packaging/finish.cmake")
set(CPACK_IA_SOURCE "${CMAKE_SOURCE_DIR}")
set(CPACK_IA_LICENSES "/usr/share/doc")
string(REGEX MATCH "^[0-9]+" CPACK_IA_COMPILER "${CMAKE_CXX_COMPILER_VERSION}")

string(TOLOWER "${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}" ia_target)
set(CPACK_ARCHIVE_FILE_NAME "${PROJECT_NAME}-${PROJECT_VERSION}-${ia_target}")
set(CPACK_PACKAGE_FILE_NAME "${CPACK_ARCHIVE_FILE_NAME}")

# The linker does not name what the program opens when a command needs it.
set(ia_needed ca-certificates libfontconfig1 tzdata)
set(ia_optional)
file(STRINGS packaging/components.tsv ia_rows REGEX "^[^#]")
foreach(row IN LISTS ia_rows)
  string(REPLACE "\t" ";" row "${row}")
  list(GET row 2 how)
  list(GET row 4 package)
  list(APPEND ia_${how} "${package}")
endforeach()
list(JOIN ia_needed ", " CPACK_DEBIAN_PACKAGE_DEPENDS)
list(JOIN ia_optional ", " CPACK_DEBIAN_PACKAGE_RECOMMENDS)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_NAME "${PROJECT_NAME}")
include(CPack)
