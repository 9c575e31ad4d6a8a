# ia_gnustep(ret_reason): finds clang and GNUstep, and checks that they build a program together.
#
# Sets in the caller's scope IA_OBJC_CLANG, IA_OBJC_HEADERS (include options, each with its folder after a space)
# and IA_OBJC_LIBS; ret_reason is "" or says what is missing.

set(IA_OBJC_FLAGS -fobjc-runtime=gcc -fblocks -fexceptions -fobjc-exceptions
  -fconstant-string-class=NSConstantString -fno-strict-aliasing -pthread -gdwarf-4
  -DGNUSTEP=1 -DGNUSTEP_BASE_LIBRARY=1 -DGNU_RUNTIME=1 -D_NATIVE_OBJC_EXCEPTIONS=1)

function(ia_gnustep ret_reason)
  set(${ret_reason} "" PARENT_SCOPE)
  find_program(IA_OBJC_CLANG NAMES clang-14 clang clang-19 clang-18 clang-17 clang-16 clang-15)
  find_program(IA_OBJC_GCC NAMES gcc)
  find_path(IA_GNUSTEP_HEADERS Foundation/Foundation.h PATHS /usr/include/GNUstep NO_DEFAULT_PATH)
  find_library(IA_GNUSTEP_BASE gnustep-base)
  foreach(part IN ITEMS IA_OBJC_CLANG IA_OBJC_GCC IA_GNUSTEP_HEADERS IA_GNUSTEP_BASE)
    if(NOT ${part})
      set(${ret_reason} "${part} was not found (script/bootstrap installs it)" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  # The runtime is a part of GCC: its headers and its library lie in GCC's own folders.
  execute_process(COMMAND ${IA_OBJC_GCC} -print-file-name=include OUTPUT_VARIABLE include
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  execute_process(COMMAND ${IA_OBJC_GCC} -print-file-name=libobjc.so OUTPUT_VARIABLE objc
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(headers "-isystem ${CMAKE_CURRENT_SOURCE_DIR}/include/compat"
    "-isystem ${IA_GNUSTEP_HEADERS}" "-idirafter ${include}")
  string(REPLACE " " ";" options "${headers}")
  set(probe "${CMAKE_CURRENT_BINARY_DIR}/probe")
  file(CONFIGURE OUTPUT "${probe}.m" CONTENT
    "#import <Foundation/Foundation.h>\nint main(void) { return [[NSObject class] version]; }\n")
  execute_process(COMMAND ${IA_OBJC_CLANG} ${IA_OBJC_FLAGS} ${options} "${probe}.m"
    "${IA_GNUSTEP_BASE}" "${objc}" -o "${probe}" RESULT_VARIABLE failed ERROR_VARIABLE said)
  if(failed)
    string(SUBSTRING "${said}" 0 300 said)
    set(${ret_reason} "clang and GNUstep do not make a program: ${said}" PARENT_SCOPE)
    return()
  endif()
  set(IA_OBJC_HEADERS ${headers} PARENT_SCOPE)
  set(IA_OBJC_LIBS "${IA_GNUSTEP_BASE}" "${objc}" PARENT_SCOPE)
endfunction()
