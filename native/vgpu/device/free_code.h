// Which instructions of a kernel's code object are free because of where they are.
#pragma once

#include <memory>
#include <string>

#include "exec/code/code.h"
#include "model/ideal/free_places.h"

namespace vgpu {

// Null where none was asked for, or is there. Says once of a place that the code does not have it.
std::unique_ptr<model::FreeCode> free_code_of(const CodeRange& code, const std::string& kernel);

}  // namespace vgpu
