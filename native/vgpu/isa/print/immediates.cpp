// Immediates that assembly writes as names: counters, messages, hardware registers, formats.
#include "isa/decode/formats.h"
#include "isa/print/print.h"

namespace vgpu {
namespace isa {
namespace {

std::string call(const std::string& name, const std::string& arguments) {
  return name + "(" + arguments + ")";
}

constexpr unsigned kGs = 2, kGsDone = 3, kSysmsg = 15;

const char* message_name(unsigned id) {
  static const char* const kNames[] = {nullptr,
                                       "MSG_INTERRUPT",
                                       "MSG_GS",
                                       "MSG_GS_DONE",
                                       "MSG_SAVEWAVE",
                                       "MSG_STALL_WAVE_GEN",
                                       "MSG_HALT_WAVES",
                                       "MSG_ORDERED_PS_DONE",
                                       "MSG_EARLY_PRIM_DEALLOC",
                                       "MSG_GS_ALLOC_REQ",
                                       "MSG_GET_DOORBELL"};
  return id == kSysmsg ? "MSG_SYSMSG" : id <= 10 ? kNames[id] : nullptr;
}

// Null when the message has no such operation.
const char* operation_name(unsigned id, unsigned operation) {
  static const char* const kGsOperations[] = {"GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT",
                                              "GS_OP_EMIT_CUT"};
  static const char* const kSystem[] = {nullptr, "SYSMSG_OP_ECC_ERR_INTERRUPT", "SYSMSG_OP_REG_RD",
                                        nullptr, "SYSMSG_OP_TTRACE_PC"};
  if (id == kSysmsg) return operation <= 4 ? kSystem[operation] : nullptr;
  if (operation > 3 || (id == kGs && operation == 0)) return nullptr;
  return kGsOperations[operation];
}

}  // namespace

std::string waitcnt_text(unsigned immediate) {
  struct Counter {
    const char* name;
    unsigned value, all;  // `all` means: do not wait
  };
  const Counter counters[] = {{"vmcnt", bits(immediate, 3, 0) | bits(immediate, 15, 14) << 4, 63},
                              {"expcnt", bits(immediate, 6, 4), 7},
                              {"lgkmcnt", bits(immediate, 11, 8), 15}};
  bool waits = false;
  for (const Counter& counter : counters) waits |= counter.value != counter.all;
  std::string text;
  for (const Counter& counter : counters) {
    if (waits && counter.value == counter.all) continue;
    if (!text.empty()) text += ' ';
    text += call(counter.name, std::to_string(counter.value));
  }
  return text;
}

std::string sendmsg_text(unsigned immediate) {
  const unsigned id = bits(immediate, 3, 0), operation = bits(immediate, 6, 4);
  const unsigned stream = bits(immediate, 9, 8);
  const char* name = message_name(id);
  if (id == kGs || id == kGsDone || id == kSysmsg) {
    const char* what = operation_name(id, operation);
    const bool has_stream = id != kSysmsg && operation != 0;
    if (what != nullptr && (has_stream || stream == 0)) {
      const std::string arguments = std::string(name) + ", " + what;
      return call("sendmsg", has_stream ? arguments + ", " + std::to_string(stream) : arguments);
    }
  } else if (name != nullptr && operation == 0 && stream == 0) {
    return call("sendmsg", name);
  }
  if ((id | operation << 4 | stream << 8) != immediate) return std::to_string(immediate);
  return call("sendmsg", std::to_string(id) + ", " + std::to_string(operation) + ", " +
                             std::to_string(stream));
}

std::string hwreg_text(unsigned immediate) {
  static const char* const kNames[] = {nullptr, "MODE",      "STATUS",    "TRAPSTS",
                                       "HW_ID", "GPR_ALLOC", "LDS_ALLOC", "IB_STS"};
  static const char* const kFrom15[] = {"SH_MEM_BASES",
                                        "TBA_LO",
                                        "TBA_HI",
                                        "TMA_LO",
                                        "TMA_HI",
                                        "XCC_ID",
                                        "SQ_PERF_SNAPSHOT_DATA",
                                        "SQ_PERF_SNAPSHOT_DATA1",
                                        "SQ_PERF_SNAPSHOT_PC_LO",
                                        "SQ_PERF_SNAPSHOT_PC_HI"};
  const unsigned id = bits(immediate, 5, 0), offset = bits(immediate, 10, 6);
  const unsigned width = bits(immediate, 15, 11) + 1;
  std::string text = std::to_string(id);
  if (id >= 1 && id <= 7) text = std::string("HW_REG_") + kNames[id];
  if (id >= 15 && id <= 24) text = std::string("HW_REG_") + kFrom15[id - 15];
  if (offset != 0 || width != 32)
    text += ", " + std::to_string(offset) + ", " + std::to_string(width);
  return call("hwreg", text);
}

std::string gpr_idx_text(unsigned immediate) {
  static const char* const kModes[] = {"SRC0", "SRC1", "SRC2", "DST"};
  if (immediate > 15) return hex(immediate);
  std::string modes;
  for (unsigned i = 0; i < 4; ++i) {
    if ((immediate >> i & 1) == 0) continue;
    if (!modes.empty()) modes += ',';
    modes += kModes[i];
  }
  return call("gpr_idx", modes);
}

namespace {

bool power_of_two(unsigned value) { return value != 0 && (value & (value - 1)) == 0; }

// Lane i reads lane ((i & and) | or) ^ xor of its half wave; the common cases have names.
std::string bitmask_swizzle(unsigned offset) {
  const unsigned and_mask = bits(offset, 4, 0), or_mask = bits(offset, 9, 5);
  const unsigned xor_mask = bits(offset, 14, 10);
  if (and_mask == 31 && or_mask == 0 && power_of_two(xor_mask))
    return "SWAP," + std::to_string(xor_mask);
  if (and_mask == 31 && or_mask == 0 && xor_mask != 0 && power_of_two(xor_mask + 1))
    return "REVERSE," + std::to_string(xor_mask + 1);
  const unsigned group = 32 - and_mask;
  if (group > 1 && power_of_two(group) && or_mask < group && xor_mask == 0)
    return "BROADCAST," + std::to_string(group) + "," + std::to_string(or_mask);
  std::string pattern;
  const unsigned of_zero = or_mask ^ xor_mask, of_one = (and_mask | or_mask) ^ xor_mask;
  for (unsigned mask = 16; mask != 0; mask >>= 1) {
    const bool zero = (of_zero & mask) != 0, one = (of_one & mask) != 0;
    pattern += zero == one ? (zero ? '1' : '0') : (zero ? 'i' : 'p');
  }
  return "BITMASK_PERM,\"" + pattern + "\"";
}

}  // namespace

std::string swizzle_text(unsigned offset) {
  if (offset < 0x8000) return call("swizzle", bitmask_swizzle(offset));
  if (offset > 0x80ff) return std::to_string(offset);
  std::string lanes = "QUAD_PERM";
  for (unsigned i = 0; i < 4; ++i) lanes += "," + std::to_string(offset >> 2 * i & 3);
  return call("swizzle", lanes);
}

std::string buffer_format_text(unsigned dfmt, unsigned nfmt) {
  static const char* const kData[] = {"INVALID",     "8",          "16",          "8_8",
                                      "32",          "16_16",      "10_11_11",    "11_11_10",
                                      "10_10_10_2",  "2_10_10_10", "8_8_8_8",     "32_32",
                                      "16_16_16_16", "32_32_32",   "32_32_32_32", "RESERVED_15"};
  static const char* const kNumber[] = {"UNORM", "SNORM", "USCALED",    "SSCALED",
                                        "UINT",  "SINT",  "RESERVED_6", "FLOAT"};
  if (dfmt == 1 && nfmt == 0) return "";
  std::string text = " format:[";
  if (dfmt != 1) text += std::string("BUF_DATA_FORMAT_") + kData[dfmt];
  if (dfmt != 1 && nfmt != 0) text += ',';
  if (nfmt != 0) text += std::string("BUF_NUM_FORMAT_") + kNumber[nfmt];
  return text + "]";
}

}  // namespace isa
}  // namespace vgpu
