# find_package(hiprtc): kernels compiled at run time.
get_filename_component(hiprtc_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(hiprtc_FOUND TRUE)
set(hiprtc_VERSION @HIP_VERSION@)
set(hiprtc_INCLUDE_DIR "${hiprtc_prefix}/include")
set(hiprtc_LIB_INSTALL_DIR "${hiprtc_prefix}/lib")
set(hiprtc_BIN_INSTALL_DIR "${hiprtc_prefix}/bin")
set(hiprtc_LIBRARIES hiprtc::hiprtc)
if(NOT TARGET hiprtc::hiprtc)
  add_library(hiprtc::hiprtc SHARED IMPORTED)
  set_target_properties(hiprtc::hiprtc PROPERTIES
    IMPORTED_LOCATION "${hiprtc_prefix}/lib/libhiprtc.so"
    INTERFACE_INCLUDE_DIRECTORIES "${hiprtc_prefix}/include"
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${hiprtc_prefix}/include"
    INTERFACE_COMPILE_DEFINITIONS "__HIP_PLATFORM_AMD__=1")
endif()
unset(hiprtc_prefix)
