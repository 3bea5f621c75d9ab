// Which symbol of a code object an expression of the source names.
#pragma once

#include <string>
#include <vector>

namespace vgpu::rtc {

// To be appended to the source: a variable for each expression that holds its address.
std::string name_probes(const std::vector<std::string>& expressions);

// The symbol whose address each of these variables holds; empty where there is none.
std::vector<std::string> lowered_names(const std::string& code_object, size_t count);

}  // namespace vgpu::rtc
