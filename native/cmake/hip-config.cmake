# find_package(hip): the targets that projects link. hip::host calls the runtime from any compiler,
# hip::device compiles its sources as HIP.
get_filename_component(HIP_PACKAGE_PREFIX_DIR "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(hip_FOUND TRUE)
set(hip_VERSION @HIP_VERSION@)
set(hip_INCLUDE_DIR "${HIP_PACKAGE_PREFIX_DIR}/include")
set(hip_INCLUDE_DIRS "${hip_INCLUDE_DIR}")
set(hip_LIB_INSTALL_DIR "${HIP_PACKAGE_PREFIX_DIR}/lib")
set(hip_BIN_INSTALL_DIR "${HIP_PACKAGE_PREFIX_DIR}/bin")
set(hip_HIPCC_EXECUTABLE "${hip_BIN_INSTALL_DIR}/hipcc")
set(hip_HIPCONFIG_EXECUTABLE "${hip_BIN_INSTALL_DIR}/hipconfig")
set(hip_LIBRARIES hip::host hip::device)
set(hip_LIBRARY ${hip_LIBRARIES})
# ROCm gives each of these under both spellings.
foreach(name INCLUDE_DIR INCLUDE_DIRS LIB_INSTALL_DIR BIN_INSTALL_DIR LIBRARIES LIBRARY
        HIPCC_EXECUTABLE HIPCONFIG_EXECUTABLE)
  set(HIP_${name} ${hip_${name}})
endforeach()
set(HIP_PLATFORM amd)
set(HIP_CXX_COMPILER "${CMAKE_CXX_COMPILER}")
set(HIP_CLANG_ROOT "${HIP_PACKAGE_PREFIX_DIR}/llvm")
set(ROCM_PATH "${HIP_PACKAGE_PREFIX_DIR}")
set(HIP_COMPILER clang)
set(HIP_RUNTIME rocclr)

if(NOT TARGET hip::amdhip64)
  add_library(hip::amdhip64 SHARED IMPORTED)
  set_target_properties(hip::amdhip64 PROPERTIES
    IMPORTED_LOCATION "${hip_LIB_INSTALL_DIR}/libamdhip64.so"
    INTERFACE_INCLUDE_DIRECTORIES "${hip_INCLUDE_DIR}"
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${hip_INCLUDE_DIR}"
    INTERFACE_COMPILE_DEFINITIONS "__HIP_PLATFORM_AMD__=1")
  add_library(hip::host INTERFACE IMPORTED)
  set_target_properties(hip::host PROPERTIES INTERFACE_LINK_LIBRARIES hip::amdhip64)

  # The project's targets under either name; else the device's.
  if(NOT GPU_TARGETS AND NOT AMDGPU_TARGETS)
    set(AMDGPU_TARGETS "@GPU_TARGET@" CACHE STRING "The targets that HIP sources are compiled for")
  endif()
  if(NOT GPU_TARGETS)
    set(GPU_TARGETS "${AMDGPU_TARGETS}" CACHE STRING "The targets that HIP sources are compiled for")
  endif()
  set(hip_flags "SHELL:-x hip" "--rocm-path=${HIP_PACKAGE_PREFIX_DIR}"
    -mcode-object-version=5 -mprintf-kind=hostcall)
  set(hip_link_flags --hip-link "--rocm-path=${HIP_PACKAGE_PREFIX_DIR}")
  foreach(target ${GPU_TARGETS})
    # As hipcc does: without a device library for it, a target is left out.
    string(REGEX REPLACE "^gfx([^:]*).*" "\\1" number "${target}")
    if(EXISTS "${HIP_PACKAGE_PREFIX_DIR}/amdgcn/bitcode/oclc_isa_version_${number}.bc")
      list(APPEND hip_flags "--offload-arch=${target}")
      list(APPEND hip_link_flags "--offload-arch=${target}")
    elseif(NOT hip_FIND_QUIETLY)
      message(STATUS "hip: left out ${target}: no device library for it")
    endif()
  endforeach()
  if(NOT "${hip_link_flags}" MATCHES "--offload-arch=")
    message(FATAL_ERROR "hip: there is no device library for ${GPU_TARGETS}\n"
      "next: compile for the virtual device: -DGPU_TARGETS=@GPU_TARGET@")
  endif()
  string(REPLACE ";" "$<SEMICOLON>" hip_flags "${hip_flags}")
  string(REPLACE ";" "$<SEMICOLON>" hip_link_flags "${hip_link_flags}")
  add_library(hip::device INTERFACE IMPORTED)
  set_target_properties(hip::device PROPERTIES
    INTERFACE_LINK_LIBRARIES hip::host
    INTERFACE_COMPILE_OPTIONS "$<$<COMPILE_LANGUAGE:CXX>:${hip_flags}>"
    INTERFACE_LINK_OPTIONS "$<$<LINK_LANG_AND_ID:CXX,Clang>:${hip_link_flags}>")
endif()

include(CMakeFindDependencyMacro)
if(CMAKE_C_COMPILER_LOADED OR CMAKE_CXX_COMPILER_LOADED)
  find_dependency(Threads)
endif()
foreach(package hsa-runtime64 AMDDeviceLibs)
  set(${package}_DIR "${HIP_PACKAGE_PREFIX_DIR}/lib/cmake/${package}")
  find_dependency(${package})
endforeach()
