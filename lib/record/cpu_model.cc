#include "lib/record/cpu_model.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace lockstep {
namespace {

struct ArmCore {
  uint32_t implementer, part;  // MIDR_EL1, bits 31:24 and 15:4
  const char* name;
};

// Cores of servers, workstations, developer boards and laptops. Sources: Linux, arch/arm64/include/asm/cputype.h, and
// util-linux, sys-utils/lscpu-arm.c.
constexpr ArmCore kArmCores[] = {
    {0x41, 0xd03, "Arm Cortex-A53"},
    {0x41, 0xd05, "Arm Cortex-A55"},
    {0x41, 0xd07, "Arm Cortex-A57"},
    {0x41, 0xd08, "Arm Cortex-A72"},
    {0x41, 0xd09, "Arm Cortex-A73"},
    {0x41, 0xd0a, "Arm Cortex-A75"},
    {0x41, 0xd0b, "Arm Cortex-A76"},
    {0x41, 0xd0c, "Arm Neoverse N1"},
    {0x41, 0xd0d, "Arm Cortex-A77"},
    {0x41, 0xd40, "Arm Neoverse V1"},
    {0x41, 0xd41, "Arm Cortex-A78"},
    {0x41, 0xd42, "Arm Cortex-A78AE"},
    {0x41, 0xd44, "Arm Cortex-X1"},
    {0x41, 0xd46, "Arm Cortex-A510"},
    {0x41, 0xd47, "Arm Cortex-A710"},
    {0x41, 0xd48, "Arm Cortex-X2"},
    {0x41, 0xd49, "Arm Neoverse N2"},
    {0x41, 0xd4b, "Arm Cortex-A78C"},
    {0x41, 0xd4d, "Arm Cortex-A715"},
    {0x41, 0xd4e, "Arm Cortex-X3"},
    {0x41, 0xd4f, "Arm Neoverse V2"},
    {0x41, 0xd80, "Arm Cortex-A520"},
    {0x41, 0xd81, "Arm Cortex-A720"},
    {0x41, 0xd82, "Arm Cortex-X4"},
    {0x41, 0xd83, "Arm Neoverse V3AE"},
    {0x41, 0xd84, "Arm Neoverse V3"},
    {0x41, 0xd85, "Arm Cortex-X925"},
    {0x41, 0xd87, "Arm Cortex-A725"},
    {0x41, 0xd8e, "Arm Neoverse N3"},
    {0x43, 0x0a1, "Cavium ThunderX"},
    {0x43, 0x0af, "Cavium ThunderX2"},
    {0x46, 0x001, "Fujitsu A64FX"},
    {0x48, 0xd01, "HiSilicon TaiShan v110"},
    {0x4e, 0x004, "NVIDIA Carmel"},
    {0x51, 0x001, "Qualcomm Oryon"},
    {0x61, 0x022, "Apple M1 Icestorm"},
    {0x61, 0x023, "Apple M1 Firestorm"},
    {0x6d, 0xd49, "Microsoft Azure Cobalt 100"},
    {0xc0, 0xac3, "Ampere-1"},
    {0xc0, 0xac4, "Ampere-1A"},
};

std::string ArmName(uint32_t implementer, uint32_t part) {
  for (const ArmCore& core : kArmCores) {
    if (core.implementer == implementer && core.part == part) {
      return core.name;
    }
  }
  return absl::StrFormat("Arm CPU, implementer 0x%02x, part 0x%03x", implementer, part);
}

}  // namespace

std::string CpuModel(absl::string_view cpuinfo) {
  std::vector<std::string> arm_cores;
  uint32_t implementer = 0;
  for (const absl::string_view line : absl::StrSplit(cpuinfo, '\n')) {
    const std::pair<absl::string_view, absl::string_view> field = absl::StrSplit(line, absl::MaxSplits(':', 1));
    const absl::string_view key = absl::StripAsciiWhitespace(field.first);
    const absl::string_view value = absl::StripAsciiWhitespace(field.second);
    uint32_t number = 0;
    if (key == "model name" && !absl::StartsWith(value, "ARMv")) {  // Linux prints "ARMv..." to 32-bit processes
      return std::string(value);
    }
    if (key == "CPU implementer" && absl::SimpleHexAtoi(value, &number)) {
      implementer = number;
    } else if (key == "CPU part" && absl::SimpleHexAtoi(value, &number)) {
      std::string name = ArmName(implementer, number);
      if (std::find(arm_cores.begin(), arm_cores.end(), name) == arm_cores.end()) {
        arm_cores.push_back(std::move(name));
      }
    }
  }
  return arm_cores.empty() ? "unknown" : absl::StrJoin(arm_cores, ", ");
}

}  // namespace lockstep
