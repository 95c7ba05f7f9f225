#include "lib/int8_cpu/isa.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace lockstep {
namespace {

constexpr Isa kIsas[] = {Isa::kPortable, Isa::kAvx2,    Isa::kAvxVnni, Isa::kAvx512Vnni,
                         Isa::kAmx,      Isa::kDotProd, Isa::kI8mm};

}  // namespace

absl::string_view IsaName(Isa isa) {
  switch (isa) {
    case Isa::kPortable:
      return "portable";
    case Isa::kAvx2:
      return "avx2";
    case Isa::kAvxVnni:
      return "avxvnni";
    case Isa::kAvx512Vnni:
      return "avx512vnni";
    case Isa::kAmx:
      return "amx";
    case Isa::kDotProd:
      return "dotprod";
    case Isa::kI8mm:
      return "i8mm";
  }
  return "";
}

absl::StatusOr<Isa> ParseIsa(absl::string_view name) {
  for (const Isa isa : kIsas) {
    if (name == IsaName(isa)) {
      return isa;
    }
  }
  const auto append_name = [](std::string* out, Isa isa) { absl::StrAppend(out, IsaName(isa)); };
  return absl::InvalidArgumentError(
      absl::StrCat("unknown instruction set '", name, "', expected ", absl::StrJoin(kIsas, ", ", append_name)));
}

std::vector<Isa> SupportedIsas() {
  std::vector<Isa> supported;
  for (const Isa isa : kIsas) {
    if (IsSupported(isa)) {
      supported.push_back(isa);
    }
  }
  return supported;
}

Isa BestIsa() { return SupportedIsas().back(); }

}  // namespace lockstep
