// hipLibrary_t and hipKernel_t: modules and functions under newer names.
#include "hip/core/api.h"

extern "C" {

hipError_t hipLibraryLoadData(hipLibrary_t* library, const void* code, hipJitOption**, void**,
                              unsigned, hipLibraryOption**, void**, unsigned) {
  HIP_API(hipLibraryLoadData, library, code);
  HIP_RETURN(hipModuleLoadData(reinterpret_cast<hipModule_t*>(library), code));
}

hipError_t hipLibraryLoadFromFile(hipLibrary_t* library, const char* fileName, hipJitOption**,
                                  void**, unsigned, hipLibraryOption**, void**, unsigned) {
  HIP_API(hipLibraryLoadFromFile, library, fileName);
  HIP_RETURN(hipModuleLoad(reinterpret_cast<hipModule_t*>(library), fileName));
}

hipError_t hipLibraryUnload(hipLibrary_t library) {
  HIP_API(hipLibraryUnload, library);
  HIP_RETURN(hipModuleUnload(reinterpret_cast<hipModule_t>(library)));
}

hipError_t hipLibraryGetKernel(hipKernel_t* pKernel, hipLibrary_t library, const char* name) {
  HIP_API(hipLibraryGetKernel, pKernel, library, name);
  HIP_RETURN(hipModuleGetFunction(reinterpret_cast<hipFunction_t*>(pKernel),
                                  reinterpret_cast<hipModule_t>(library), name));
}

hipError_t hipLibraryGetKernelCount(unsigned* count, hipLibrary_t library) {
  HIP_API(hipLibraryGetKernelCount, count, library);
  HIP_RETURN(hipModuleGetFunctionCount(count, reinterpret_cast<hipModule_t>(library)));
}

}  // extern "C"
