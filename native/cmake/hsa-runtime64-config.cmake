# find_package(hsa-runtime64): the HSA runtime, for programs that call it directly.
get_filename_component(hsa_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(hsa-runtime64_FOUND TRUE)
set(hsa-runtime64_INCLUDE_DIR "${hsa_prefix}/include")
set(hsa-runtime64_LIBRARIES hsa-runtime64::hsa-runtime64)
if(NOT TARGET hsa-runtime64::hsa-runtime64)
  add_library(hsa-runtime64::hsa-runtime64 SHARED IMPORTED)
  set_target_properties(hsa-runtime64::hsa-runtime64 PROPERTIES
    IMPORTED_LOCATION "${hsa_prefix}/lib/libhsa-runtime64.so"
    INTERFACE_INCLUDE_DIRECTORIES "${hsa_prefix}/include"
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${hsa_prefix}/include")
endif()
unset(hsa_prefix)
