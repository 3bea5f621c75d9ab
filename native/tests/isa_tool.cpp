// Reads one encoding per line (hexadecimal dwords) and prints its length and assembly text, or
// "-" when it is no instruction; with --constants also the typed value of every constant source.
// What the decoder tests compare with llvm-mc.
#include <cstring>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "../vgpu/isa/decode.h"

namespace {

void print_constants(const vgpu::Inst& inst) {
  for (const vgpu::Operand& source : inst.src)
    if (source.kind == vgpu::OperandKind::Constant)
      std::cout << '\t' << static_cast<int>(source.dwords) << ':' << std::hex << source.value
                << std::dec;
}

}  // namespace

int main(int argc, char** argv) {
  const bool constants = argc > 1 && std::strcmp(argv[1], "--constants") == 0;
  std::ios::sync_with_stdio(false);
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream fields(line);
    std::vector<uint32_t> words;
    for (uint32_t word; fields >> std::hex >> word;) words.push_back(word);
    words.shrink_to_fit();  // exactly as long as the input: a sanitizer sees any overrun
    vgpu::Inst inst;
    if (vgpu::decode(words.data(), words.size(), inst)) {
      std::cout << static_cast<int>(inst.bytes) << ' ' << vgpu::disassemble(inst);
      if (constants) print_constants(inst);
      std::cout << '\n';
    } else {
      std::cout << "-\n";
    }
  }
  return 0;
}
