// DS, FLAT, GLOBAL, SCRATCH, MUBUF, MTBUF.
#include "isa/decode/formats.h"
#include "isa/decode/operand.h"
#include "isa/decode/rows.h"

namespace vgpu {
namespace isa {
namespace {

// A vector register field, absent when the row gives it no dwords.
bool vector_field(unsigned dwords, unsigned index, bool acc, Operand& operand) {
  return dwords == 0 || decode_vector(dwords, index, acc, operand);
}

}  // namespace

bool decode_ds(const Code& code, Inst& inst) {
  const uint32_t low = code.words[0];
  const DsRow* row = ds_row(bits(low, 24, 17));
  if (row == nullptr || code.available < 2) return false;
  const uint32_t high = code.words[1];
  inst.op = row->op;
  inst.format = Format::DS;
  inst.bytes = 8;
  inst.offset = static_cast<int32_t>(bits(low, 15, 0));
  inst.gds = row->offset == DsOffset::GWS;
  const bool acc = bits(low, 25, 25) != 0, gds_bit = bits(low, 16, 16) != 0;
  const unsigned addr = bits(high, 7, 0), data0 = bits(high, 15, 8);
  const unsigned data1 = bits(high, 23, 16), vdst = bits(high, 31, 24);
  // Fields that the instruction does not have are zero; only GWS has the gds bit.
  if ((!row->addr && addr) || (!row->data0 && data0) || (!row->data1 && data1)) return false;
  if ((!row->dst && vdst) || (inst.gds && !gds_bit)) return false;
  if (row->offset == DsOffset::NO_GDS && gds_bit) return false;
  if (row->offset == DsOffset::NO_OFFSET && (inst.offset || acc || gds_bit)) return false;
  const bool acc_addr = acc && inst.gds;  // GWS data travels in addr
  if (acc_addr && !row->addr) return false;
  return vector_field(row->dst, vdst, acc, inst.dst) &&
         vector_field(row->addr, addr, acc_addr, inst.src[0]) &&
         vector_field(row->data0, data0, acc, inst.src[1]) &&
         vector_field(row->data1, data1, acc, inst.src[2]);
}

namespace {

constexpr unsigned kNoSaddr = 0x7f;

// Chooses the address operands: FLAT a 64-bit vaddr; GLOBAL that, or saddr plus a 32-bit vaddr;
// SCRATCH any of vaddr and saddr, with bit 13 telling whether vaddr is there.
bool flat_address(Format format, uint32_t low, uint32_t high, Inst& inst) {
  const unsigned addr = bits(high, 7, 0), saddr = bits(high, 22, 16);
  const bool bit13 = bits(low, 13, 13) != 0, has_saddr = saddr != kNoSaddr;
  switch (format) {
    case Format::FLAT: return saddr == 0 && !bit13 && decode_vector(2, addr, false, inst.src[0]);
    case Format::GLOBAL:
      return !bit13 && decode_vector(has_saddr ? 1 : 2, addr, false, inst.src[0]) &&
             (!has_saddr || decode_scalar(2, saddr, inst.src[2]));
    default:
      return (!bit13 || decode_vector(1, addr, false, inst.src[0])) &&
             (!has_saddr || decode_scalar(1, saddr, inst.src[2]));
  }
}

}  // namespace

bool decode_flat(const Code& code, Inst& inst) {
  const uint32_t low = code.words[0];
  const unsigned opcode = bits(low, 24, 18), segment = bits(low, 15, 14);
  constexpr Format kFormats[] = {Format::FLAT, Format::SCRATCH, Format::GLOBAL};
  const FlatRow* row = segment == 0   ? flat_row(opcode)
                       : segment == 1 ? scratch_row(opcode)
                       : segment == 2 ? global_row(opcode)
                                      : nullptr;
  if (row == nullptr || code.available < 2) return false;
  const uint32_t high = code.words[1];
  inst.op = row->op;
  inst.format = kFormats[segment];
  inst.bytes = 8;
  inst.offset = segment == 0 ? static_cast<int32_t>(bits(low, 11, 0))
                             : static_cast<int32_t>(bits(low, 12, 0) << 19) >> 19;
  inst.sc0 = bits(low, 16, 16) != 0;
  inst.nt = bits(low, 17, 17) != 0;
  inst.sc1 = bits(low, 25, 25) != 0;
  inst.lds = row->access == Access::LDS;
  const bool acc = bits(high, 23, 23) != 0;
  if (inst.lds && acc) return false;
  const bool returns = row->access != Access::ATOMIC || inst.sc0;
  return flat_address(inst.format, low, high, inst) &&
         vector_field(returns ? row->dst : 0, bits(high, 31, 24), acc, inst.dst) &&
         vector_field(row->data, bits(high, 15, 8), acc, inst.src[1]);
}

namespace {

// vaddr carries the index, the offset, both (index first) or nothing.
bool buffer_address(uint32_t high, Inst& inst) {
  const unsigned dwords = static_cast<unsigned>(inst.offen) + static_cast<unsigned>(inst.idxen);
  const OperandType soffset = types::sgpr(1, ConstantType::B32);
  return vector_field(dwords, bits(high, 7, 0), false, inst.src[0]) &&
         decode_scalar(4, bits(high, 20, 16) * 4, inst.src[2]) &&
         decode_source(soffset, bits(high, 31, 24), nullptr, inst.src[3]);
}

bool buffer_data(const BufferRow& row, unsigned index, bool acc, Inst& inst) {
  switch (row.access) {
    case Access::LOAD: return inst.lds || decode_vector(row.data, index, acc, inst.dst);
    case Access::STORE: return decode_vector(row.data, index, acc, inst.src[1]);
    case Access::ATOMIC: {
      if (!decode_vector(row.data, index, acc, inst.src[1])) return false;
      // The value before the operation comes back; compare-and-swap has two inputs per result.
      const bool two_inputs =
          row.op == Op::buffer_atomic_cmpswap || row.op == Op::buffer_atomic_cmpswap_x2;
      const unsigned returned = two_inputs ? row.data / 2u : row.data;
      return !inst.sc0 || decode_vector(returned, index, acc, inst.dst);
    }
    default: return true;
  }
}

void buffer_offset(uint32_t low, Inst& inst) {
  inst.bytes = 8;
  inst.offset = static_cast<int32_t>(bits(low, 11, 0));
  inst.offen = bits(low, 12, 12) != 0;
  inst.idxen = bits(low, 13, 13) != 0;
  inst.sc0 = bits(low, 14, 14) != 0;
}

}  // namespace

bool decode_mubuf(const Code& code, Inst& inst) {
  const uint32_t low = code.words[0];
  const BufferRow* row = mubuf_row(bits(low, 24, 18));
  if (row == nullptr || code.available < 2) return false;
  const uint32_t high = code.words[1];
  inst.op = row->op;
  inst.format = Format::MUBUF;
  buffer_offset(low, inst);
  inst.sc1 = bits(low, 15, 15) != 0;
  inst.lds = bits(low, 16, 16) != 0;
  inst.nt = bits(low, 17, 17) != 0;
  const bool acc = bits(high, 23, 23) != 0;
  if (inst.lds && (!row->lds || acc)) return false;
  const bool addressed = inst.offen || inst.idxen;
  if (row->access == Access::CACHE || row->access == Access::CACHE_ALL) {
    inst.nt = false;
    return !addressed && !acc && (row->access == Access::CACHE || (!inst.sc0 && !inst.sc1));
  }
  if (row->access == Access::LDS && (!inst.lds || addressed)) return false;
  return buffer_address(high, inst) && buffer_data(*row, bits(high, 15, 8), acc, inst);
}

bool decode_mtbuf(const Code& code, Inst& inst) {
  const uint32_t low = code.words[0];
  const BufferRow* row = mtbuf_row(bits(low, 18, 15));
  if (row == nullptr || code.available < 2) return false;
  const uint32_t high = code.words[1];
  inst.op = row->op;
  inst.format = Format::MTBUF;
  buffer_offset(low, inst);
  inst.dfmt = static_cast<uint8_t>(bits(low, 22, 19));
  inst.nfmt = static_cast<uint8_t>(bits(low, 25, 23));
  inst.sc1 = bits(high, 21, 21) != 0;
  inst.nt = bits(high, 22, 22) != 0;
  return buffer_address(high, inst) &&
         buffer_data(*row, bits(high, 15, 8), bits(high, 23, 23) != 0, inst);
}

}  // namespace isa
}  // namespace vgpu
