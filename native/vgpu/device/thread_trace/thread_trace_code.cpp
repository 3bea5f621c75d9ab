#include "device/thread_trace/thread_trace_code.h"

#include <elf.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "exec/code/code.h"
#include "exec/report/dwarf_reader.h"
#include "exec/report/inlined_calls.h"
#include "exec/report/source_lines.h"
#include "isa/decode.h"
#include "metadata/readable_name.h"

namespace vgpu {
namespace {

struct Function {
  uint64_t begin, end;  // as the ELF counts
  std::string symbol;
};

std::vector<Function> functions_of(const std::vector<uint8_t>& elf) {
  std::vector<Function> functions;
  for (auto [table, names] : {std::pair{".symtab", ".strtab"}, std::pair{".dynsym", ".dynstr"}}) {
    dwarf::Reader symbols = dwarf::section(elf, table);
    const dwarf::Reader strings = dwarf::section(elf, names);
    while (symbols.left() >= sizeof(Elf64_Sym)) {
      const auto symbol = symbols.take<Elf64_Sym>();
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) continue;
      functions.push_back({symbol.st_value, symbol.st_value + symbol.st_size,
                           dwarf::string_at(strings, symbol.st_name)});
    }
    if (!functions.empty()) break;  // the full table has what the dynamic one has
  }
  return functions;
}

// One code object: finds and prints its functions.
class Printer {
 public:
  explicit Printer(std::shared_ptr<CodeRange> code)
      : code_(std::move(code)),
        functions_(functions_of(code_->elf())),
        lines_(code_->elf()),
        calls_(code_->elf(), lines_) {}

  // The function around the address, or one that is just this instruction when there is none, or
  // none whose instructions begin there.
  CodeFunction around(uint64_t pc) const {
    const uint64_t address = pc - code_->base();
    for (const Function& function : functions_) {
      if (address < function.begin || function.end <= address) continue;
      CodeFunction printed = print(function);
      for (const CodeRow& row : printed.rows)
        if (row.address == address) return printed;
    }
    return print({address, address + code_->at(pc).inst.bytes, ""});
  }

 private:
  CodeFunction print(const Function& function) const {
    CodeFunction printed{code_->base(), function.symbol, demangled_name(function.symbol), {}};
    for (uint64_t at = function.begin; at < function.end;) {
      if (!code_->contains(code_->base() + at)) break;
      const Inst& inst = code_->at(code_->base() + at).inst;
      printed.rows.push_back({at, disassemble(inst), source_chain(lines_, calls_, at)});
      at += inst.bytes;
    }
    return printed;
  }

  std::shared_ptr<CodeRange> code_;
  std::vector<Function> functions_;
  SourceLines lines_;
  InlinedCalls calls_;
};

}  // namespace

CodeListing::CodeListing(const std::vector<uint64_t>& program_counters) {
  std::map<uint64_t, std::unique_ptr<Printer>> printers;  // by base
  std::map<uint64_t, CodeFunction> found;                 // by address in memory
  std::set<uint64_t> todo(program_counters.begin(), program_counters.end());
  while (!todo.empty()) {
    const uint64_t pc = *todo.begin();
    const std::shared_ptr<CodeRange> code = find_code(pc);
    CodeFunction printed{pc, "", "", {{0, "(unknown code)", ""}}};
    if (code) {
      auto& printer = printers[code->base()];
      if (!printer) printer = std::make_unique<Printer>(code);
      printed = printer->around(pc);
    }
    for (const CodeRow& row : printed.rows) todo.erase(printed.base + row.address);
    found.emplace(printed.base + printed.rows.front().address, std::move(printed));
  }
  uint32_t number = 0;
  for (auto& [address, function] : found) {
    for (const CodeRow& row : function.rows) rows_.emplace(function.base + row.address, number++);
    functions_.push_back(std::move(function));
  }
}

std::string demangled_name(const std::string& symbol) {
  const std::string name = vrocm::readable_name(symbol);
  return name == symbol ? "" : name;
}

}  // namespace vgpu
