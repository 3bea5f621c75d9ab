// Just-in-time linking: options and input kinds.
#pragma once

typedef enum hipJitOption {
  hipJitOptionMaxRegisters = 0, hipJitOptionThreadsPerBlock, hipJitOptionWallTime,
  hipJitOptionInfoLogBuffer, hipJitOptionInfoLogBufferSizeBytes, hipJitOptionErrorLogBuffer,
  hipJitOptionErrorLogBufferSizeBytes, hipJitOptionOptimizationLevel, hipJitOptionTargetFromContext,
  hipJitOptionTarget, hipJitOptionFallbackStrategy, hipJitOptionGenerateDebugInfo,
  hipJitOptionLogVerbose, hipJitOptionGenerateLineInfo, hipJitOptionCacheMode, hipJitOptionSm3xOpt,
  hipJitOptionFastCompile, hipJitOptionGlobalSymbolNames, hipJitOptionGlobalSymbolAddresses,
  hipJitOptionGlobalSymbolCount, hipJitOptionLto, hipJitOptionFtz, hipJitOptionPrecDiv,
  hipJitOptionPrecSqrt, hipJitOptionFma, hipJitOptionPositionIndependentCode,
  hipJitOptionMinCTAPerSM, hipJitOptionMaxThreadsPerBlock, hipJitOptionOverrideDirectiveValues,
  hipJitOptionNumOptions, hipJitOptionIRtoISAOptExt = 0x2710, hipJitOptionIRtoISAOptCountExt
} hipJitOption;

typedef enum hipJitInputType {
  hipJitInputCubin = 0, hipJitInputPtx, hipJitInputFatBinary, hipJitInputObject, hipJitInputLibrary,
  hipJitInputNvvm, hipJitNumLegacyInputTypes, hipJitInputLLVMBitcode = 100,
  hipJitInputLLVMBundledBitcode, hipJitInputLLVMArchivesOfBundledBitcode, hipJitInputSpirv,
  hipJitNumInputTypes = 10
} hipJitInputType;

typedef enum hipJitCacheMode {
  hipJitCacheOptionNone = 0, hipJitCacheOptionCG, hipJitCacheOptionCA
} hipJitCacheMode;

typedef enum hipJitFallback {
  hipJitPreferPTX = 0, hipJitPreferBinary
} hipJitFallback;

typedef enum hipLibraryOption_e {
  hipLibraryHostUniversalFunctionAndDataTable = 0, hipLibraryBinaryIsPreserved
} hipLibraryOption;
