// hsa_status_string: one sentence per status code.
#include "hsa/base/api.h"
#include "hsa/base/runtime.h"

namespace vrocm {
namespace {

struct StatusText {
  uint32_t status;
  const char* text;
};

#define STATUS(name, meaning) {name, #name ": " meaning}
constexpr StatusText kTexts[] = {
    STATUS(HSA_STATUS_SUCCESS, "The function has been executed successfully."),
    STATUS(HSA_STATUS_INFO_BREAK, "A callback ended the iteration early."),
    STATUS(HSA_STATUS_ERROR, "A generic error has occurred."),
    STATUS(HSA_STATUS_ERROR_INVALID_ARGUMENT, "An argument does not satisfy a precondition."),
    STATUS(HSA_STATUS_ERROR_INVALID_QUEUE_CREATION, "The requested queue cannot be created."),
    STATUS(HSA_STATUS_ERROR_INVALID_ALLOCATION, "The requested allocation is not valid."),
    STATUS(HSA_STATUS_ERROR_INVALID_AGENT, "The agent is invalid."),
    STATUS(HSA_STATUS_ERROR_INVALID_REGION, "The memory region is invalid."),
    STATUS(HSA_STATUS_ERROR_INVALID_SIGNAL, "The signal is invalid."),
    STATUS(HSA_STATUS_ERROR_INVALID_QUEUE, "The queue is invalid."),
    STATUS(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "The runtime has not enough resources."),
    STATUS(HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, "The AQL packet is malformed."),
    STATUS(HSA_STATUS_ERROR_RESOURCE_FREE, "A resource could not be released."),
    STATUS(HSA_STATUS_ERROR_NOT_INITIALIZED, "hsa_init has not been called."),
    STATUS(HSA_STATUS_ERROR_REFCOUNT_OVERFLOW, "Too many calls of hsa_init."),
    STATUS(HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS, "The arguments do not fit together."),
    STATUS(HSA_STATUS_ERROR_INVALID_INDEX, "The index is invalid."),
    STATUS(HSA_STATUS_ERROR_INVALID_ISA, "The instruction set architecture is invalid."),
    STATUS(HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "The code object is invalid."),
    STATUS(HSA_STATUS_ERROR_INVALID_EXECUTABLE, "The executable is invalid."),
    STATUS(HSA_STATUS_ERROR_FROZEN_EXECUTABLE, "The executable is frozen."),
    STATUS(HSA_STATUS_ERROR_INVALID_SYMBOL_NAME, "There is no symbol with this name."),
    STATUS(HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED, "The variable is already defined."),
    STATUS(HSA_STATUS_ERROR_VARIABLE_UNDEFINED, "The variable is undefined."),
    STATUS(HSA_STATUS_ERROR_EXCEPTION, "An HSAIL operation resulted in a hardware exception."),
    STATUS(HSA_STATUS_ERROR_INVALID_ISA_NAME, "The instruction set name is invalid."),
    STATUS(HSA_STATUS_ERROR_INVALID_CODE_SYMBOL, "The code object symbol is invalid."),
    STATUS(HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL, "The executable symbol is invalid."),
    STATUS(HSA_STATUS_ERROR_INVALID_FILE, "The file descriptor is invalid."),
    STATUS(HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER, "The code object reader is invalid."),
    STATUS(HSA_STATUS_ERROR_INVALID_CACHE, "The cache is invalid."),
    STATUS(HSA_STATUS_ERROR_INVALID_WAVEFRONT, "The wavefront is invalid."),
    STATUS(HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP, "The signal group is invalid."),
    STATUS(HSA_STATUS_ERROR_INVALID_RUNTIME_STATE, "The runtime is not in the required state."),
    STATUS(HSA_STATUS_ERROR_FATAL, "The queue stopped and cannot continue."),
    STATUS(HSA_STATUS_ERROR_INVALID_MEMORY_POOL, "The memory pool is invalid."),
    STATUS(HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION,
           "The agent attempted to access memory beyond the largest legal address."),
    STATUS(HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION, "The agent met an illegal instruction."),
    STATUS(HSA_STATUS_ERROR_MEMORY_FAULT, "The agent accessed memory that is not accessible."),
    STATUS(HSA_STATUS_CU_MASK_REDUCED, "The CU mask was set, with fewer units than asked for."),
    STATUS(HSA_STATUS_ERROR_OUT_OF_REGISTERS, "The kernel needs more registers than there are."),
    STATUS(HSA_STATUS_ERROR_RESOURCE_BUSY, "The resource is in use."),
    STATUS(HSA_STATUS_ERROR_NOT_SUPPORTED, "The request is not supported."),
    STATUS(HSA_EXT_STATUS_ERROR_INVALID_PROGRAM, "The finalizer program is invalid."),
    STATUS(HSA_EXT_STATUS_ERROR_INVALID_MODULE, "The finalizer module is invalid."),
    STATUS(HSA_EXT_STATUS_ERROR_INCOMPATIBLE_MODULE, "The finalizer module does not fit."),
    STATUS(HSA_EXT_STATUS_ERROR_MODULE_ALREADY_INCLUDED, "The module is already included."),
    STATUS(HSA_EXT_STATUS_ERROR_SYMBOL_MISMATCH, "Symbols of the modules do not match."),
    STATUS(HSA_EXT_STATUS_ERROR_FINALIZATION_FAILED, "Finalization failed."),
    STATUS(HSA_EXT_STATUS_ERROR_DIRECTIVE_MISMATCH, "Control directives do not match."),
    STATUS(HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED, "The image format is not supported."),
    STATUS(HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED, "The image size is not supported."),
    STATUS(HSA_EXT_STATUS_ERROR_IMAGE_PITCH_UNSUPPORTED, "The image pitch is not supported."),
    STATUS(HSA_EXT_STATUS_ERROR_SAMPLER_DESCRIPTOR_UNSUPPORTED,
           "The sampler descriptor is not supported."),
};
#undef STATUS

}  // namespace

namespace api {

hsa_status_t hsa_status_string(hsa_status_t status, const char** status_string) {
  VROCM_REQUIRE_ARGUMENT(status_string);
  for (const StatusText& known : kTexts) {
    if (known.status == static_cast<uint32_t>(status)) {
      *status_string = known.text;
      return HSA_STATUS_SUCCESS;
    }
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

}  // namespace api
}  // namespace vrocm
