# What the tests of execution load: dispatches without HSA or HIP.
add_library(exec_harness SHARED ${CMAKE_CURRENT_LIST_DIR}/exec_harness.cpp)
target_compile_options(exec_harness PRIVATE ${VGPU_WARNINGS})
target_link_libraries(exec_harness PRIVATE vgpu_device)
