# What the tests of the model load. Everything that the model needs must be in the rooms below it:
# this library holds all of it and links to nothing of exec.
add_library(model_harness SHARED ${CMAKE_CURRENT_LIST_DIR}/model_harness.cpp)
target_compile_options(model_harness PRIVATE ${VGPU_WARNINGS})
target_link_libraries(model_harness PRIVATE
  -Wl,--whole-archive vgpu_model -Wl,--no-whole-archive vgpu_isa vgpu_memory vgpu_host)
target_link_options(model_harness PRIVATE -Wl,-z,defs)
