// A small reader of .debug_info (DWARF 4 and 5) that looks for inlined subroutines only.
#include "exec/report/inlined_calls.h"

#include <algorithm>
#include <map>

#include "exec/report/dwarf_reader.h"

namespace vgpu {
namespace {

using dwarf::Reader;

enum Tag { kInlinedSubroutine = 0x1d };
// clang-format off: numbers of the DWARF standard, a table
enum Name { kStmtList = 0x10, kLowPc = 0x11, kHighPc = 0x12, kRanges = 0x55, kCallFile = 0x58,
            kCallLine = 0x59, kAddrBase = 0x73, kRnglistsBase = 0x74 };
enum Form {
  kAddr = 0x01, kBlock2 = 0x03, kBlock4 = 0x04, kData2 = 0x05, kData4 = 0x06, kData8 = 0x07,
  kString = 0x08, kBlock = 0x09, kBlock1 = 0x0a, kData1 = 0x0b, kFlag = 0x0c, kSdata = 0x0d,
  kStrp = 0x0e, kUdata = 0x0f, kRefAddr = 0x10, kRef1 = 0x11, kRef2 = 0x12, kRef4 = 0x13,
  kRef8 = 0x14, kRefUdata = 0x15, kSecOffset = 0x17, kExprloc = 0x18, kFlagPresent = 0x19,
  kStrx = 0x1a, kAddrx = 0x1b, kData16 = 0x1e, kLineStrp = 0x1f, kRefSig8 = 0x20,
  kImplicitConst = 0x21, kLoclistx = 0x22, kRnglistx = 0x23, kStrx1 = 0x25, kStrx2 = 0x26,
  kStrx3 = 0x27, kStrx4 = 0x28, kAddrx1 = 0x29, kAddrx2 = 0x2a, kAddrx3 = 0x2b, kAddrx4 = 0x2c,
};
enum RangeEntry { kEndOfList = 0, kBaseAddressx, kStartxEndx, kStartxLength, kOffsetPair,
                  kBaseAddress, kStartEnd, kStartLength };
// clang-format on
constexpr uint8_t kCompileUnit = 1;

struct Attribute {
  uint64_t name, form;
  int64_t constant;  // kImplicitConst only
};

struct Abbreviation {
  uint64_t tag = 0;
  bool has_children = false;
  std::vector<Attribute> attributes;
};

using Abbreviations = std::map<uint64_t, Abbreviation>;

Abbreviations read_abbreviations(Reader r) {
  Abbreviations table;
  while (!r.done()) {
    const uint64_t code = r.uleb();
    if (code == 0) break;
    Abbreviation& entry = table[code];
    entry.tag = r.uleb();
    entry.has_children = r.take<uint8_t>() != 0;
    while (!r.done()) {
      Attribute a{r.uleb(), r.uleb(), 0};
      if (a.form == kImplicitConst) a.constant = r.sleb();
      if (a.name == 0 && a.form == 0) break;
      entry.attributes.push_back(a);
    }
  }
  return table;
}

uint64_t take_bytes(Reader& r, unsigned bytes) {
  uint64_t value = 0;
  for (unsigned n = 0; n < bytes; ++n) value |= uint64_t(r.take<uint8_t>()) << (8 * n);
  return value;
}

// The number that the attribute holds, or 0 for one that is something else. A form that is not
// known ends the unit: what follows cannot be found.
uint64_t read_value(Reader& r, const Attribute& a) {
  // clang-format off: forms of one size in one line
  switch (a.form) {
    case kFlagPresent: return 1;
    case kImplicitConst: return uint64_t(a.constant);
    case kData1: case kFlag: case kRef1: case kStrx1: case kAddrx1: return r.take<uint8_t>();
    case kData2: case kRef2: case kStrx2: case kAddrx2: return r.take<uint16_t>();
    case kStrx3: case kAddrx3: return take_bytes(r, 3);
    case kData4: case kStrp: case kRefAddr: case kRef4: case kSecOffset: case kLineStrp:
    case kStrx4: case kAddrx4: return r.take<uint32_t>();
    case kAddr: case kData8: case kRef8: case kRefSig8: return r.take<uint64_t>();
    case kData16: r.skip(16); return 0;
    case kSdata: return uint64_t(r.sleb());
    case kUdata: case kRefUdata: case kStrx: case kAddrx: case kLoclistx: case kRnglistx:
      return r.uleb();
    case kString: r.text(); return 0;
    case kBlock1: r.skip(r.take<uint8_t>()); return 0;
    case kBlock2: r.skip(r.take<uint16_t>()); return 0;
    case kBlock4: r.skip(r.take<uint32_t>()); return 0;
    case kBlock: case kExprloc: r.skip(r.uleb()); return 0;
    default: r.skip(r.left()); return 0;
  }
  // clang-format on
}

bool is_indexed_address(uint64_t form) {
  return form == kAddrx || (form >= kAddrx1 && form <= kAddrx4);
}

struct Sections {
  Reader addresses{nullptr, 0}, ranges{nullptr, 0}, range_lists{nullptr, 0};
};

struct Range {
  uint64_t low, high;
};

// One unit of .debug_info: what its entries need to be understood.
class Unit {
 public:
  Unit(const Sections& sections, const SourceLines& lines, bool version5)
      : sections_(sections), lines_(lines), version5_(version5) {}

  void read(Reader entries, const Abbreviations& abbreviations,
            std::vector<InlinedCalls::Site>& out) {
    uint32_t depth = 0;
    for (bool first = true; !entries.done(); first = false) {
      const uint64_t code = entries.uleb();
      if (code == 0) {
        if (depth == 0) return;
        --depth;
        continue;
      }
      auto known = abbreviations.find(code);
      if (known == abbreviations.end()) return;
      values_.clear();
      for (const Attribute& a : known->second.attributes)
        values_[a.name] = {a.form, read_value(entries, a)};
      if (first) take_bases();
      if (known->second.tag == kInlinedSubroutine) add_sites(depth, out);
      if (known->second.has_children) ++depth;
    }
  }

 private:
  struct Value {
    uint64_t form, number;
  };

  uint64_t number(uint64_t name) const {
    auto found = values_.find(name);
    return found == values_.end() ? 0 : found->second.number;
  }
  void take_bases() {
    line_table_ = number(kStmtList);
    address_base_ = number(kAddrBase);
    range_lists_base_ = number(kRnglistsBase);
    base_address_ = low_pc();
  }
  uint64_t indexed_address(uint64_t index) const {
    Reader r = sections_.addresses;
    r.skip(address_base_ + index * 8);
    return r.take<uint64_t>();
  }
  uint64_t low_pc() const {
    auto found = values_.find(kLowPc);
    if (found == values_.end()) return 0;
    const Value& value = found->second;
    return is_indexed_address(value.form) ? indexed_address(value.number) : value.number;
  }

  void add_sites(uint32_t depth, std::vector<InlinedCalls::Site>& out) const {
    const std::string file = lines_.file(line_table_, number(kCallFile));
    if (file.empty()) return;
    for (const Range& range : ranges())
      if (range.low < range.high)
        out.push_back({range.low, range.high, depth, uint32_t(number(kCallLine)), file});
  }

  std::vector<Range> ranges() const {
    if (values_.count(kRanges)) return version5_ ? range_list() : old_ranges();
    auto high = values_.find(kHighPc);
    if (high == values_.end()) return {};
    const uint64_t low = low_pc();
    if (high->second.form == kAddr) return {{low, high->second.number}};
    if (is_indexed_address(high->second.form)) return {{low, indexed_address(high->second.number)}};
    return {{low, low + high->second.number}};
  }

  std::vector<Range> old_ranges() const {
    Reader r = sections_.ranges;
    r.skip(number(kRanges));
    std::vector<Range> found;
    uint64_t base = base_address_;
    while (!r.done()) {
      const uint64_t low = r.take<uint64_t>(), high = r.take<uint64_t>();
      if (low == 0 && high == 0) break;
      if (low == ~uint64_t(0)) base = high;
      else found.push_back({base + low, base + high});
    }
    return found;
  }

  std::vector<Range> range_list() const {
    const Value& value = values_.at(kRanges);
    uint64_t offset = value.number;
    if (value.form == kRnglistx) {
      Reader table = sections_.range_lists;
      table.skip(range_lists_base_ + 4 * value.number);
      offset = range_lists_base_ + table.take<uint32_t>();
    }
    Reader r = sections_.range_lists;
    r.skip(offset);
    std::vector<Range> found;
    for (uint64_t base = base_address_; !r.done();)
      if (!range_entry(r, base, found)) break;
    return found;
  }

  // False at the end of the list.
  bool range_entry(Reader& r, uint64_t& base, std::vector<Range>& found) const {
    uint64_t low;
    switch (r.take<uint8_t>()) {
      case kBaseAddressx: base = indexed_address(r.uleb()); return true;
      case kBaseAddress: base = r.take<uint64_t>(); return true;
      case kStartxEndx:
        low = indexed_address(r.uleb());
        found.push_back({low, indexed_address(r.uleb())});
        return true;
      case kStartxLength:
        low = indexed_address(r.uleb());
        found.push_back({low, low + r.uleb()});
        return true;
      case kOffsetPair:
        low = base + r.uleb();
        found.push_back({low, base + r.uleb()});
        return true;
      case kStartEnd:
        low = r.take<uint64_t>();
        found.push_back({low, r.take<uint64_t>()});
        return true;
      case kStartLength:
        low = r.take<uint64_t>();
        found.push_back({low, low + r.uleb()});
        return true;
      default: return false;  // kEndOfList, or not known
    }
  }

  const Sections& sections_;
  const SourceLines& lines_;
  bool version5_;
  uint64_t line_table_ = 0, address_base_ = 0, range_lists_base_ = 0, base_address_ = 0;
  std::map<uint64_t, Value> values_;  // of the entry that is being read
};

}  // namespace

InlinedCalls::InlinedCalls(const std::vector<uint8_t>& elf, const SourceLines& lines) {
  Sections sections;
  sections.addresses = dwarf::section(elf, ".debug_addr");
  sections.ranges = dwarf::section(elf, ".debug_ranges");
  sections.range_lists = dwarf::section(elf, ".debug_rnglists");
  const Reader all_abbreviations = dwarf::section(elf, ".debug_abbrev");
  Reader info = dwarf::section(elf, ".debug_info");
  while (info.left() > 4) {
    const uint32_t length = info.take<uint32_t>();
    if (length >= dwarf::kLongestUnit) break;
    Reader unit = info.sub(length);
    const uint16_t version = unit.take<uint16_t>();
    if (version < 4 || version > 5) continue;
    if (version == 5 && unit.take<uint8_t>() != kCompileUnit) continue;
    if (version == 5) unit.skip(1);  // size of an address, which comes later in version 4
    Reader abbreviations = all_abbreviations;
    abbreviations.skip(unit.take<uint32_t>());
    if (version == 4) unit.skip(1);
    Unit(sections, lines, version == 5).read(unit, read_abbreviations(abbreviations), sites_);
  }
}

std::vector<std::string> InlinedCalls::find(uint64_t address) const {
  std::vector<const Site*> around;
  for (const Site& site : sites_)
    if (site.low <= address && address < site.high) around.push_back(&site);
  std::sort(around.begin(), around.end(),
            [](const Site* a, const Site* b) { return a->depth > b->depth; });
  std::vector<std::string> calls;
  for (const Site* site : around) calls.push_back(site->file + ":" + std::to_string(site->line));
  return calls;
}

std::string source_chain(const SourceLines& lines, const InlinedCalls& calls, uint64_t address) {
  std::string chain = lines.find(address);
  if (chain.empty()) return chain;
  for (const std::string& call : calls.find(address)) chain += " -> " + call;
  return chain;
}

}  // namespace vgpu
