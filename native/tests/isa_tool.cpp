// Reads one encoding per line (hexadecimal dwords) and prints its length and assembly text, or
// "-" when it is no instruction. What the decoder tests compare with llvm-mc.
#include <cinttypes>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "decode.h"

int main() {
  std::ios::sync_with_stdio(false);
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream fields(line);
    std::vector<uint32_t> words;  // exactly as long as the input: a sanitizer sees any overrun
    for (uint32_t word; fields >> std::hex >> word;) words.push_back(word);
    words.shrink_to_fit();
    vgpu::Inst inst;
    if (vgpu::decode(words.data(), words.size(), inst))
      std::cout << static_cast<int>(inst.bytes) << ' ' << vgpu::disassemble(inst) << '\n';
    else
      std::cout << "-\n";
  }
  return 0;
}
