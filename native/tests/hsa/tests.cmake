# What the tests of the HSA runtime run: one program with all cases, and two tools to load.
get_filename_component(HSA_TESTS ${CMAKE_CURRENT_LIST_DIR} ABSOLUTE)

add_executable(hsa_tests
  ${HSA_TESTS}/main.cpp ${HSA_TESTS}/agents.cpp ${HSA_TESTS}/memory.cpp ${HSA_TESTS}/signals.cpp
  ${HSA_TESTS}/queues.cpp ${HSA_TESTS}/vmem.cpp ${HSA_TESTS}/kernels.cpp ${HSA_TESTS}/access.cpp
  ${HSA_TESTS}/tools.cpp ${HSA_TESTS}/captured.cpp ${HSA_TESTS}/calendar.cpp)
target_link_libraries(hsa_tests PRIVATE hsa-runtime64 Threads::Threads)

foreach(tool hsa_tool_library hsa_profiler_tool_library)
  add_library(${tool} MODULE ${HSA_TESTS}/${tool}.cpp)
  target_include_directories(${tool} PRIVATE ${HSA_TESTS}/../../include)
endforeach()

foreach(target hsa_tests hsa_tool_library hsa_profiler_tool_library)
  target_compile_options(${target} PRIVATE ${VGPU_WARNINGS})
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
endforeach()
