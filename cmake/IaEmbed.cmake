# ia_embed(TARGET target NAME symbol_table BASE dir [WEB] FILES a b ...): compiles files into the target
# as one table, `const struct ia_embedded <NAME>[]`, terminated by a NULL name. Names are the
# paths relative to BASE. WEB: see embed.cmake.
function(ia_embed)
  cmake_parse_arguments(ARG "WEB" "TARGET;NAME;BASE" "FILES" ${ARGN})
  set(out "${CMAKE_CURRENT_BINARY_DIR}/embed_${ARG_NAME}.c")
  add_custom_command(OUTPUT "${out}"
    COMMAND ${CMAKE_COMMAND} "-DOUT=${out}" "-DNAME=${ARG_NAME}" "-DBASE=${ARG_BASE}"
            "-DFILES=${ARG_FILES}" -DWEB=${ARG_WEB} -P "${CMAKE_SOURCE_DIR}/cmake/embed.cmake"
    DEPENDS ${ARG_FILES} "${CMAKE_SOURCE_DIR}/cmake/embed.cmake" VERBATIM)
  target_sources(${ARG_TARGET} PRIVATE "${out}")
endfunction()
