# What the tests of the vector instructions load, and their and the memory
# instructions' speed measurement (not run by tests).
add_library(vector_harness SHARED ${CMAKE_CURRENT_LIST_DIR}/vector_harness.cpp)
target_compile_options(vector_harness PRIVATE ${VGPU_WARNINGS})
target_link_libraries(vector_harness PRIVATE vgpu_exec)

foreach(benchmark vector_benchmark memory_benchmark)
  add_executable(${benchmark} EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/${benchmark}.cpp)
  target_compile_options(${benchmark} PRIVATE ${VGPU_WARNINGS} -O3)
  target_link_libraries(${benchmark} PRIVATE vgpu_exec)
endforeach()
