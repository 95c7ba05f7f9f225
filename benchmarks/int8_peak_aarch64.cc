// Loops for 64-bit Arm. Registers v8 to v15 are partly callee-saved, so the clobber lists name all registers that
// change.
#include "benchmarks/int8_peak_probe.h"

namespace lockstep {
namespace {

// The sums are independent and fill the registers; hiding the latency needs fewer. Their values do not matter.
[[gnu::target("arch=armv8.2-a+i8mm")]] void LoopI8mm() {
  for (int i = 0; i < kPeakLoops; ++i) {
    __asm__ volatile(
        "usmmla v2.4s, v0.16b, v1.16b\n\t"
        "usmmla v3.4s, v0.16b, v1.16b\n\t"
        "usmmla v4.4s, v0.16b, v1.16b\n\t"
        "usmmla v5.4s, v0.16b, v1.16b\n\t"
        "usmmla v6.4s, v0.16b, v1.16b\n\t"
        "usmmla v7.4s, v0.16b, v1.16b\n\t"
        "usmmla v8.4s, v0.16b, v1.16b\n\t"
        "usmmla v9.4s, v0.16b, v1.16b\n\t"
        "usmmla v10.4s, v0.16b, v1.16b\n\t"
        "usmmla v11.4s, v0.16b, v1.16b\n\t"
        "usmmla v12.4s, v0.16b, v1.16b\n\t"
        "usmmla v13.4s, v0.16b, v1.16b\n\t"
        "usmmla v14.4s, v0.16b, v1.16b\n\t"
        "usmmla v15.4s, v0.16b, v1.16b\n\t"
        "usmmla v16.4s, v0.16b, v1.16b\n\t"
        "usmmla v17.4s, v0.16b, v1.16b\n\t"
        "usmmla v18.4s, v0.16b, v1.16b\n\t"
        "usmmla v19.4s, v0.16b, v1.16b\n\t"
        "usmmla v20.4s, v0.16b, v1.16b\n\t"
        "usmmla v21.4s, v0.16b, v1.16b\n\t"
        "usmmla v22.4s, v0.16b, v1.16b\n\t"
        "usmmla v23.4s, v0.16b, v1.16b\n\t"
        "usmmla v24.4s, v0.16b, v1.16b\n\t"
        "usmmla v25.4s, v0.16b, v1.16b\n\t"
        "usmmla v26.4s, v0.16b, v1.16b\n\t"
        "usmmla v27.4s, v0.16b, v1.16b\n\t"
        "usmmla v28.4s, v0.16b, v1.16b\n\t"
        "usmmla v29.4s, v0.16b, v1.16b\n\t"
        "usmmla v30.4s, v0.16b, v1.16b\n\t"
        "usmmla v31.4s, v0.16b, v1.16b\n\t"
        :
        :
        : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16",
          "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31");
  }
}

[[gnu::target("arch=armv8.2-a+dotprod")]] void LoopDotProd() {
  for (int i = 0; i < kPeakLoops; ++i) {
    __asm__ volatile(
        "sdot v2.4s, v0.16b, v1.16b\n\t"
        "sdot v3.4s, v0.16b, v1.16b\n\t"
        "sdot v4.4s, v0.16b, v1.16b\n\t"
        "sdot v5.4s, v0.16b, v1.16b\n\t"
        "sdot v6.4s, v0.16b, v1.16b\n\t"
        "sdot v7.4s, v0.16b, v1.16b\n\t"
        "sdot v8.4s, v0.16b, v1.16b\n\t"
        "sdot v9.4s, v0.16b, v1.16b\n\t"
        "sdot v10.4s, v0.16b, v1.16b\n\t"
        "sdot v11.4s, v0.16b, v1.16b\n\t"
        "sdot v12.4s, v0.16b, v1.16b\n\t"
        "sdot v13.4s, v0.16b, v1.16b\n\t"
        "sdot v14.4s, v0.16b, v1.16b\n\t"
        "sdot v15.4s, v0.16b, v1.16b\n\t"
        "sdot v16.4s, v0.16b, v1.16b\n\t"
        "sdot v17.4s, v0.16b, v1.16b\n\t"
        "sdot v18.4s, v0.16b, v1.16b\n\t"
        "sdot v19.4s, v0.16b, v1.16b\n\t"
        "sdot v20.4s, v0.16b, v1.16b\n\t"
        "sdot v21.4s, v0.16b, v1.16b\n\t"
        "sdot v22.4s, v0.16b, v1.16b\n\t"
        "sdot v23.4s, v0.16b, v1.16b\n\t"
        "sdot v24.4s, v0.16b, v1.16b\n\t"
        "sdot v25.4s, v0.16b, v1.16b\n\t"
        "sdot v26.4s, v0.16b, v1.16b\n\t"
        "sdot v27.4s, v0.16b, v1.16b\n\t"
        "sdot v28.4s, v0.16b, v1.16b\n\t"
        "sdot v29.4s, v0.16b, v1.16b\n\t"
        "sdot v30.4s, v0.16b, v1.16b\n\t"
        "sdot v31.4s, v0.16b, v1.16b\n\t"
        :
        :
        : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16",
          "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31");
  }
}

// smlal multiplies int16 and adds to int32; GCC uses it for the portable kernels.
void LoopPortable() {
  for (int i = 0; i < kPeakLoops; ++i) {
    __asm__ volatile(
        "smlal v2.4s, v0.4h, v1.4h\n\t"
        "smlal2 v3.4s, v0.8h, v1.8h\n\t"
        "smlal v4.4s, v0.4h, v1.4h\n\t"
        "smlal2 v5.4s, v0.8h, v1.8h\n\t"
        "smlal v6.4s, v0.4h, v1.4h\n\t"
        "smlal2 v7.4s, v0.8h, v1.8h\n\t"
        "smlal v8.4s, v0.4h, v1.4h\n\t"
        "smlal2 v9.4s, v0.8h, v1.8h\n\t"
        "smlal v10.4s, v0.4h, v1.4h\n\t"
        "smlal2 v11.4s, v0.8h, v1.8h\n\t"
        "smlal v12.4s, v0.4h, v1.4h\n\t"
        "smlal2 v13.4s, v0.8h, v1.8h\n\t"
        "smlal v14.4s, v0.4h, v1.4h\n\t"
        "smlal2 v15.4s, v0.8h, v1.8h\n\t"
        "smlal v16.4s, v0.4h, v1.4h\n\t"
        "smlal2 v17.4s, v0.8h, v1.8h\n\t"
        "smlal v18.4s, v0.4h, v1.4h\n\t"
        "smlal2 v19.4s, v0.8h, v1.8h\n\t"
        "smlal v20.4s, v0.4h, v1.4h\n\t"
        "smlal2 v21.4s, v0.8h, v1.8h\n\t"
        "smlal v22.4s, v0.4h, v1.4h\n\t"
        "smlal2 v23.4s, v0.8h, v1.8h\n\t"
        "smlal v24.4s, v0.4h, v1.4h\n\t"
        "smlal2 v25.4s, v0.8h, v1.8h\n\t"
        "smlal v26.4s, v0.4h, v1.4h\n\t"
        "smlal2 v27.4s, v0.8h, v1.8h\n\t"
        "smlal v28.4s, v0.4h, v1.4h\n\t"
        "smlal2 v29.4s, v0.8h, v1.8h\n\t"
        "smlal v30.4s, v0.4h, v1.4h\n\t"
        "smlal2 v31.4s, v0.8h, v1.8h\n\t"
        :
        :
        : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16",
          "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31");
  }
}

}  // namespace

PeakProbe PeakProbeFor(Isa isa) {
  switch (isa) {
    case Isa::kI8mm:
      return {LoopI8mm, 30 * 4 * 8};
    case Isa::kDotProd:
      return {LoopDotProd, 30 * 4 * 4};
    case Isa::kPortable:
    case Isa::kAvx2:
    case Isa::kAvxVnni:
    case Isa::kAvx512Vnni:
    case Isa::kAmx:
      break;
  }
  return {LoopPortable, 30 * 4};
}

}  // namespace lockstep
