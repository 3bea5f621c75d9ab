# find_package(amd_comgr): the distribution's library, because the virtual ROCm has none.
find_library(AMD_COMGR_LIBRARY amd_comgr)
find_path(AMD_COMGR_INCLUDE_DIR amd_comgr/amd_comgr.h)
if(AMD_COMGR_LIBRARY AND AMD_COMGR_INCLUDE_DIR)
  set(amd_comgr_FOUND TRUE)
  set(amd_comgr_LIBRARIES amd_comgr)
  if(NOT TARGET amd_comgr)
    add_library(amd_comgr SHARED IMPORTED)
    set_target_properties(amd_comgr PROPERTIES
      IMPORTED_LOCATION "${AMD_COMGR_LIBRARY}"
      INTERFACE_INCLUDE_DIRECTORIES "${AMD_COMGR_INCLUDE_DIR}")
  endif()
else()
  set(amd_comgr_FOUND FALSE)
  set(amd_comgr_NOT_FOUND_MESSAGE "the virtual ROCm has no libamd_comgr, and this system has none \
either; on Debian and Ubuntu: apt-get install libamd-comgr-dev")
endif()
