# What CMake's own HIP language (enable_language(HIP)) links and passes by itself.
get_filename_component(HIP_LANG_PREFIX_DIR "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET hip-lang::device)
  set(hip_lang_flags "--rocm-path=${HIP_LANG_PREFIX_DIR}" -mcode-object-version=5
    -mprintf-kind=hostcall)
  string(REPLACE ";" "$<SEMICOLON>" hip_lang_flags "${hip_lang_flags}")
  add_library(hip-lang::amdhip64 SHARED IMPORTED)
  set_target_properties(hip-lang::amdhip64 PROPERTIES
    IMPORTED_LOCATION "${HIP_LANG_PREFIX_DIR}/lib/libamdhip64.so")
  add_library(hip-lang::device INTERFACE IMPORTED)
  set_target_properties(hip-lang::device PROPERTIES
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${HIP_LANG_PREFIX_DIR}/include"
    INTERFACE_COMPILE_OPTIONS "$<$<COMPILE_LANGUAGE:HIP>:${hip_lang_flags}>"
    INTERFACE_LINK_OPTIONS "LINKER:-rpath,${HIP_LANG_PREFIX_DIR}/lib"
    INTERFACE_LINK_LIBRARIES hip-lang::amdhip64)
endif()
set(_CMAKE_HIP_DEVICE_RUNTIME_TARGET hip-lang::device)
