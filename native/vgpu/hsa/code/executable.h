// Executables: code objects loaded for agents, and the symbols they define.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "hsa/agent/agent.h"
#include "hsa/amd_hsa_kernel_code.h"
#include "hsa/code/code_bytes.h"
#include "hsa/code/elf_image.h"

namespace vrocm {

struct Executable;

struct LoadedSymbol {
  Executable* executable;
  Agent* agent;
  std::string name;
  hsa_symbol_kind_t kind;
  uint64_t address;
  uint64_t bytes;
  bool is_definition = true;  // false: the program defined it elsewhere

  const amd_kernel_descriptor_t& descriptor() const {
    return *reinterpret_cast<const amd_kernel_descriptor_t*>(address);
  }
};

struct LoadedCodeObject {
  uint64_t id;
  Executable* executable;
  Agent* agent;
  CodeBytes code;
  uint64_t load_base;
  size_t load_size;
  int64_t load_delta;
  std::vector<Elf64_Phdr> segments;

  hsa_loaded_code_object_t handle() const { return {reinterpret_cast<uint64_t>(this)}; }
};

struct Executable {
  hsa_profile_t profile;
  hsa_default_float_rounding_mode_t rounding;
  hsa_executable_state_t state = HSA_EXECUTABLE_STATE_UNFROZEN;
  std::vector<std::unique_ptr<LoadedCodeObject>> code_objects;
  std::vector<std::unique_ptr<LoadedSymbol>> symbols;

  ~Executable();
  hsa_executable_t handle() const { return {reinterpret_cast<uint64_t>(this)}; }
  // Null agent: any. Symbols without an agent are the program's own variables.
  LoadedSymbol* find(const std::string& name, const Agent* agent) const;
  void add(LoadedSymbol symbol);
  void drop_symbols_from(size_t first);  // undoes the latest additions

 private:
  std::unordered_multimap<std::string, LoadedSymbol*> by_name_;
};

// Loads one code object into memory of the agent: segments, relocations, symbols. What is wrong
// with a rejected one is written to stderr, because HSA's status codes do not say it.
hsa_status_t load_code_object(Executable& executable, Agent& agent, const CodeBytes& code,
                              LoadedCodeObject** loaded);

// All live executables, under one lock for the duration of the call.
void with_executables(const std::function<void(std::vector<Executable*>&)>& use);
Executable* executable_from_handle(hsa_executable_t handle);

}  // namespace vrocm
