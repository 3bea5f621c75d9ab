# What the tests of the decoder and of the matrix instructions run.
add_executable(isa_tool ${CMAKE_CURRENT_LIST_DIR}/isa_tool.cpp)
target_compile_options(isa_tool PRIVATE ${VGPU_WARNINGS})
target_link_libraries(isa_tool PRIVATE vgpu_isa)

add_library(matrix_harness SHARED ${CMAKE_CURRENT_LIST_DIR}/matrix_harness.cpp)
target_compile_options(matrix_harness PRIVATE ${VGPU_WARNINGS})
target_link_libraries(matrix_harness PRIVATE vgpu_exec)
