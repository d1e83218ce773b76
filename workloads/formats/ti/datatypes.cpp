// Sizes of the predefined MPI datatypes under their SMPI 3.32 ids, found by tracing a broadcast of each.

#include <array>

#include "workloads/formats/ti/ti.hpp"

namespace toroid::workloads {

std::uint64_t ti_datatype_size(std::int32_t id) {
  constexpr std::array<std::uint8_t, 60> sizes{
      8, 4, 1, 2, 8, 4, 1, 8, 1, 1,  //  0 DOUBLE INT CHAR SHORT LONG FLOAT BYTE LONG_LONG SIGNED_CHAR UNSIGNED_CHAR
      2, 4, 8, 8, 16, 4, 1, 1, 2,
      4,  // 10 UNSIGNED_SHORT UNSIGNED UNSIGNED_LONG U_LONG_LONG LONG_DOUBLE WCHAR C_BOOL INT8 INT16 INT32
      8, 1, 2, 4, 8, 8, 16, 32, 8, 8,  // 20 INT64 UINT8 UINT16 UINT32 UINT64 C_FLOAT_COMPLEX C_DOUBLE_COMPLEX
                                       // C_LONG_DOUBLE_COMPLEX AINT OFFSET
      8, 16, 16, 8, 8, 8, 16, 16, 4,
      4,  // 30 FLOAT_INT LONG_INT DOUBLE_INT SHORT_INT 2INT 2FLOAT 2DOUBLE 2LONG REAL REAL4
      8, 16, 8, 16, 16, 4, 2, 4, 8,
      16,  // 40 REAL8 REAL16 COMPLEX8 COMPLEX16 COMPLEX32 INTEGER1 INTEGER2 INTEGER4 INTEGER8 INTEGER16
      32, 0, 0, 0, 0, 0, 0, 1, 0, 8};  // 50 LONG_DOUBLE_INT; 57 PACKED; 59 COUNT
  return id >= 0 && static_cast<std::size_t>(id) < sizes.size() ? sizes[static_cast<std::size_t>(id)] : 0;
}

}  // namespace toroid::workloads
