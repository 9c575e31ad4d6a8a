# ia_module(NAME DIR folder [UNDER root] [NESTED] SOURCES ... LINK targets ... PRIVATE_LINK ...): a
# static library for one folder under src/, or under another root; NESTED: and for its folders.
#
# Headers are reached as "<folder>/<header>.h". Each module exports an include root of its own that
# holds nothing but links to the headers of its folder, so that a source can include only what its
# target links: a dependency that points up is a build error, not a convention.

add_library(ia_flags INTERFACE)
target_compile_options(ia_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wvla -Wformat=2 -Wundef -Wwrite-strings
  $<$<COMPILE_LANGUAGE:C>:-Wconversion -Wstrict-prototypes -Wmissing-prototypes>
  -fstack-protector-strong -fno-common
  # Debug information names sources from the root of the clone: gdb finds them when it runs there.
  $<$<NOT:$<BOOL:${IA_COVERAGE}>>:-ffile-prefix-map=${CMAKE_SOURCE_DIR}=.>)
target_compile_definitions(ia_flags INTERFACE
  $<$<PLATFORM_ID:Linux>:_GNU_SOURCE> $<$<PLATFORM_ID:Darwin>:_DARWIN_C_SOURCE>
  $<$<BOOL:${IA_TEST_HOOKS}>:IA_TEST_HOOKS=1>)
if(IA_WERROR)
  target_compile_options(ia_flags INTERFACE -Werror)
endif()
if(IA_SANITIZE)
  target_compile_options(ia_flags INTERFACE -fsanitize=${IA_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  target_link_options(ia_flags INTERFACE -fsanitize=${IA_SANITIZE})
endif()
if(IA_FUZZ)
  target_compile_options(ia_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(IA_COVERAGE)
  target_compile_options(ia_flags INTERFACE --coverage)
  target_link_options(ia_flags INTERFACE --coverage)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT IA_SANITIZE)
  # Some compilers come with a level of their own, and a second definition would be a warning.
  target_compile_options(ia_flags INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
  if(NOT APPLE)
    # The one C++ file needs little of its library: as a part of the program that little starts
    # faster (by a third of the whole start) than a shared library that must be found and bound.
    target_link_options(ia_flags INTERFACE -Wl,-z,relro,-z,now -Wl,--as-needed
      -static-libstdc++ -static-libgcc -Wl,--gc-sections)
  endif()
endif()

# ia_include_root(NAME DIR folder UNDER root NESTED flag OUT variable): a folder that holds nothing
# but links to that folder's headers, at the paths by which they are included. The headers of
# folders below it are not among them, unless NESTED is set.
function(ia_include_root name dir under nested out)
  set(root "${CMAKE_BINARY_DIR}/include/${name}")
  set(source "${CMAKE_SOURCE_DIR}/${under}/${dir}")
  if(IS_SYMLINK "${root}/${dir}")
    file(REMOVE "${root}/${dir}")
  endif()
  if(nested)
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${source}" "${source}/*.h")
  else()
    file(GLOB headers CONFIGURE_DEPENDS RELATIVE "${source}" "${source}/*.h")
  endif()
  foreach(header IN LISTS headers)
    get_filename_component(parent "${root}/${dir}/${header}" DIRECTORY)
    file(MAKE_DIRECTORY "${parent}")
    if(NOT EXISTS "${root}/${dir}/${header}")
      file(CREATE_LINK "${source}/${header}" "${root}/${dir}/${header}" SYMBOLIC)
    endif()
  endforeach()
  file(MAKE_DIRECTORY "${root}")
  set(${out} "${root}" PARENT_SCOPE)
endfunction()

function(ia_module name)
  cmake_parse_arguments(ARG "NESTED" "DIR;UNDER" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  if(NOT ARG_UNDER)
    set(ARG_UNDER src)
  endif()
  add_library(ia_${name} STATIC ${ARG_SOURCES})
  set_property(GLOBAL APPEND PROPERTY IA_MODULES ia_${name})
  ia_include_root(${name} ${ARG_DIR} ${ARG_UNDER} ${ARG_NESTED} root)
  target_include_directories(ia_${name} PUBLIC "${root}")
  target_link_libraries(ia_${name} PUBLIC ${ARG_LINK} PRIVATE ia_flags ${ARG_PRIVATE_LINK})
endfunction()

# Where the sources are, for tests: a header, for as a definition in each command it would keep the
# compiler's cache from serving another clone.
set(IA_SOURCE_DIR_H "${CMAKE_BINARY_DIR}/include/source_dir")
file(CONFIGURE OUTPUT "${IA_SOURCE_DIR_H}/source_dir.h" CONTENT
"#define IA_SOURCE_DIR \"${CMAKE_SOURCE_DIR}\"
#define IA_TEST_DATA IA_SOURCE_DIR \"/tests/data\"
" @ONLY)

# ia_test(NAME LABEL unit SOURCES a.c LINK ia_base): a cmocka program run by CTest. Tests are
# compiled without -Wconversion; everything else is as in the product.
function(ia_test name)
  cmake_parse_arguments(ARG "" "LABEL;TIMEOUT" "SOURCES;LINK;DEPENDS;ENV" ${ARGN})
  if(NOT ARG_LABEL)
    set(ARG_LABEL unit)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 600)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} ia_flags ia_testlib)
  target_compile_options(${name} PRIVATE -Wno-conversion)
  target_include_directories(${name} PRIVATE "${IA_SOURCE_DIR_H}")
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${ARG_TIMEOUT}
    SKIP_RETURN_CODE 77 ENVIRONMENT "${ARG_ENV}")
endfunction()

# ia_fuzz(NAME SOURCES a.c LINK ...): with IA_FUZZ a libFuzzer program; otherwise a program that
# replays the committed corpus tests/fuzz/corpus/<name> once, as a test with the label fuzz.
function(ia_fuzz name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  set(target fuzz_${name})
  file(GLOB inputs CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${name}/*")
  if(NOT inputs)
    message(FATAL_ERROR "tests/fuzz/corpus/${name} is missing or empty")
  endif()
  if(IA_FUZZ)
    add_executable(${target} ${ARG_SOURCES})
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  else()
    add_executable(${target} ${ARG_SOURCES} "${CMAKE_SOURCE_DIR}/tests/fuzz/replay.c")
    add_test(NAME ${target} COMMAND ${target} "${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${name}")
    set_tests_properties(${target} PROPERTIES LABELS fuzz TIMEOUT 600)
  endif()
  target_compile_options(${target} PRIVATE -Wno-conversion)
  target_link_libraries(${target} PRIVATE ${ARG_LINK} ia_flags)
endfunction()
