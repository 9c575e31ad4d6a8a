# finish.cmake: what the staged files of a package need besides: the licenses of what is linked in and, in a Debian package, the
# form that Debian asks for.
file(GLOB_RECURSE ours "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*/LICENSE")
get_filename_component(doc "${ours}" DIRECTORY)

file(STRINGS "${CPACK_IA_SOURCE}/packaging/components.tsv" rows REGEX "\t(archive|header)\t")
foreach(row IN LISTS rows)
  string(REPLACE "\t" ";" row "${row}")
  list(GET row 0 name)
  list(GET row 4 package)
  string(REPLACE "-N-" "-${CPACK_IA_COMPILER}-" package "${package}")
  set(license "${CPACK_IA_LICENSES}/${package}/copyright")
  if(NOT EXISTS "${license}")
    message(FATAL_ERROR "the license of ${name}, which is linked in, is not here: ${license}")
  endif()
  configure_file("${license}" "${doc}/third-party/${name}" COPYONLY)
endforeach()

if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
file(READ "${CPACK_IA_SOURCE}/LICENSE" license)
string(REGEX REPLACE "^MIT License\n\n(Copyright[^\n]*)\n\n" "" text "${license}")
set(copyright "${CMAKE_MATCH_1}")
string(REPLACE "\n\n" "\n.\n" text "${text}")
string(STRIP "${text}" text)
string(REPLACE "\n" "\n " text "${text}")
string(REGEX REPLACE "^Copyright \\(c\\) " "" copyright "${copyright}")
file(WRITE "${doc}/copyright" "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: ios-agent

Files: *
Copyright: ${copyright}
License: Expat

License: Expat
 ${text}
")
file(REMOVE "${doc}/LICENSE")
configure_file("${CPACK_IA_SOURCE}/CHANGELOG.md" "${doc}/NEWS" COPYONLY)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE "${doc}/changelog" "ios-agent (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * NEWS.gz tells the changes of each version.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
file(GLOB pages "${doc}/../../man/man1/*.1")
execute_process(COMMAND gzip -9n "${doc}/NEWS" "${doc}/changelog" ${pages} COMMAND_ERROR_IS_FATAL ANY)
