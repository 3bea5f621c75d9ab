// The functions of hip/hiprtc.h.
#include <hip/hiprtc.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "rtc/child.h"
#include "rtc/link_state.h"
#include "rtc/program.h"

using vgpu::rtc::LinkState;
using vgpu::rtc::Program;

namespace {

Program* program_of(hiprtcProgram handle) { return reinterpret_cast<Program*>(handle); }
LinkState* link_of(hiprtcLinkState handle) { return reinterpret_cast<LinkState*>(handle); }

hiprtcResult copy_size(hiprtcProgram handle, const std::string& (Program::*part)() const,
                       size_t zero, size_t* size) {
  if (!size) return HIPRTC_ERROR_INVALID_INPUT;
  if (!handle) return HIPRTC_ERROR_INVALID_PROGRAM;
  *size = (program_of(handle)->*part)().size() + zero;
  return HIPRTC_SUCCESS;
}

hiprtcResult copy_data(hiprtcProgram handle, const std::string& (Program::*part)() const,
                       size_t zero, char* to) {
  if (!to) return HIPRTC_ERROR_INVALID_INPUT;
  if (!handle) return HIPRTC_ERROR_INVALID_PROGRAM;
  const std::string& from = (program_of(handle)->*part)();
  std::memcpy(to, from.c_str(), from.size() + zero);
  return HIPRTC_SUCCESS;
}

constexpr size_t kText = 1, kBinary = 0;  // a text is copied with the zero at its end

}  // namespace

extern "C" {

const char* hiprtcGetErrorString(hiprtcResult result) {
#define HIPRTC_NAMED(name) \
  case name: return #name
  switch (result) {
    HIPRTC_NAMED(HIPRTC_SUCCESS);
    HIPRTC_NAMED(HIPRTC_ERROR_OUT_OF_MEMORY);
    HIPRTC_NAMED(HIPRTC_ERROR_PROGRAM_CREATION_FAILURE);
    HIPRTC_NAMED(HIPRTC_ERROR_INVALID_INPUT);
    HIPRTC_NAMED(HIPRTC_ERROR_INVALID_PROGRAM);
    HIPRTC_NAMED(HIPRTC_ERROR_INVALID_OPTION);
    HIPRTC_NAMED(HIPRTC_ERROR_COMPILATION);
    HIPRTC_NAMED(HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE);
    HIPRTC_NAMED(HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
    HIPRTC_NAMED(HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
    HIPRTC_NAMED(HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
    HIPRTC_NAMED(HIPRTC_ERROR_INTERNAL_ERROR);
    HIPRTC_NAMED(HIPRTC_ERROR_LINKING);
  }
#undef HIPRTC_NAMED
  return "Invalid HIPRTC error code";
}

hiprtcResult hiprtcVersion(int* major, int* minor) {
  if (!major || !minor) return HIPRTC_ERROR_INVALID_INPUT;
  *major = 9;  // what ROCm's library says, whatever its own version
  *minor = 0;
  return HIPRTC_SUCCESS;
}

hiprtcResult hiprtcCreateProgram(hiprtcProgram* prog, const char* src, const char* name,
                                 int numHeaders, const char* const* headers,
                                 const char* const* includeNames) {
  if (!prog) return HIPRTC_ERROR_INVALID_PROGRAM;
  if (!src || numHeaders < 0 || (numHeaders && (!headers || !includeNames)))
    return HIPRTC_ERROR_INVALID_INPUT;
  auto made = std::make_unique<Program>(src, name ? name : "");
  for (int i = 0; i < numHeaders; ++i)
    if (!headers[i] || !includeNames[i] || !made->add_header(includeNames[i], headers[i]))
      return HIPRTC_ERROR_INVALID_INPUT;
  *prog = reinterpret_cast<hiprtcProgram>(made.release());
  return HIPRTC_SUCCESS;
}

hiprtcResult hiprtcDestroyProgram(hiprtcProgram* prog) {
  if (!prog) return HIPRTC_ERROR_INVALID_INPUT;
  delete program_of(*prog);
  *prog = nullptr;
  return HIPRTC_SUCCESS;
}

hiprtcResult hiprtcCompileProgram(hiprtcProgram prog, int numOptions, const char* const* options) {
  if (!prog) return HIPRTC_ERROR_INVALID_PROGRAM;
  if (numOptions < 0 || (numOptions && !options)) return HIPRTC_ERROR_INVALID_INPUT;
  return program_of(prog)->compile({options, options + numOptions});
}

hiprtcResult hiprtcAddNameExpression(hiprtcProgram prog, const char* name_expression) {
  if (!name_expression) return HIPRTC_ERROR_INVALID_INPUT;
  if (!prog) return HIPRTC_ERROR_INVALID_PROGRAM;
  return program_of(prog)->add_expression(name_expression);
}

hiprtcResult hiprtcGetLoweredName(hiprtcProgram prog, const char* name_expression,
                                  const char** lowered_name) {
  if (!name_expression || !lowered_name) return HIPRTC_ERROR_INVALID_INPUT;
  if (!prog) return HIPRTC_ERROR_INVALID_PROGRAM;
  return program_of(prog)->lowered_name(name_expression, lowered_name);
}

hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram prog, size_t* logSizeRet) {
  return copy_size(prog, &Program::log, kText, logSizeRet);
}

hiprtcResult hiprtcGetProgramLog(hiprtcProgram prog, char* log) {
  return copy_data(prog, &Program::log, kText, log);
}

hiprtcResult hiprtcGetCodeSize(hiprtcProgram prog, size_t* codeSizeRet) {
  return copy_size(prog, &Program::code, kBinary, codeSizeRet);
}

hiprtcResult hiprtcGetCode(hiprtcProgram prog, char* code) {
  return copy_data(prog, &Program::code, kBinary, code);
}

hiprtcResult hiprtcGetBitcodeSize(hiprtcProgram prog, size_t* bitcode_size) {
  if (prog && program_of(prog)->bitcode().empty()) return HIPRTC_ERROR_INVALID_PROGRAM;
  return copy_size(prog, &Program::bitcode, kBinary, bitcode_size);
}

hiprtcResult hiprtcGetBitcode(hiprtcProgram prog, char* bitcode) {
  if (prog && program_of(prog)->bitcode().empty()) return HIPRTC_ERROR_INVALID_PROGRAM;
  return copy_data(prog, &Program::bitcode, kBinary, bitcode);
}

hiprtcResult hiprtcLinkCreate(unsigned int num_options, hiprtcJIT_option* option_ptr,
                              void** option_vals_pptr, hiprtcLinkState* hip_link_state_ptr) {
  if (!hip_link_state_ptr || (num_options && (!option_ptr || !option_vals_pptr)))
    return HIPRTC_ERROR_INVALID_INPUT;
  *hip_link_state_ptr = reinterpret_cast<hiprtcLinkState>(new LinkState);
  return HIPRTC_SUCCESS;
}

hiprtcResult hiprtcLinkAddFile(hiprtcLinkState hip_link_state, hiprtcJITInputType input_type,
                               const char* file_path, unsigned int, hiprtcJIT_option*, void**) {
  if (!hip_link_state || !file_path) return HIPRTC_ERROR_INVALID_INPUT;
  if (!std::filesystem::is_regular_file(file_path)) return HIPRTC_ERROR_PROGRAM_CREATION_FAILURE;
  return link_of(hip_link_state)->add(input_type, vgpu::rtc::read_file(file_path));
}

hiprtcResult hiprtcLinkAddData(hiprtcLinkState hip_link_state, hiprtcJITInputType input_type,
                               void* image, size_t image_size, const char*, unsigned int,
                               hiprtcJIT_option*, void**) {
  if (!hip_link_state || !image) return HIPRTC_ERROR_INVALID_INPUT;
  std::string data(static_cast<const char*>(image), image_size);
  return link_of(hip_link_state)->add(input_type, std::move(data));
}

hiprtcResult hiprtcLinkComplete(hiprtcLinkState hip_link_state, void** bin_out, size_t* size_out) {
  if (!hip_link_state || !bin_out || !size_out) return HIPRTC_ERROR_INVALID_INPUT;
  const hiprtcResult result = link_of(hip_link_state)->complete();
  if (result != HIPRTC_SUCCESS) return result;
  std::string& code = link_of(hip_link_state)->code();
  *bin_out = code.data();
  *size_out = code.size();
  return HIPRTC_SUCCESS;
}

hiprtcResult hiprtcLinkDestroy(hiprtcLinkState hip_link_state) {
  if (!hip_link_state) return HIPRTC_ERROR_INVALID_INPUT;
  delete link_of(hip_link_state);
  return HIPRTC_SUCCESS;
}

}  // extern "C"
