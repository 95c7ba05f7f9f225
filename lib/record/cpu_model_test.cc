#include "lib/record/cpu_model.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

// Returns the text that Linux 6 prints for one processor on 64-bit Arm.
std::string ArmProcessor(int number, const char* implementer, const char* part) {
  return absl::StrCat("processor\t: ", number,
                      "\nBogoMIPS\t: 2000.00\nFeatures\t: fp asimd asimddp i8mm\nCPU implementer\t: ", implementer,
                      "\nCPU architecture: 8\nCPU variant\t: 0x0\nCPU part\t: ", part, "\nCPU revision\t: 0\n\n");
}

TEST(CpuModelTest, X8664HasAName) {
  EXPECT_EQ(CpuModel("processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel\t\t: 17\nmodel name\t: AMD EPYC 9654: 96 cores\n"
                     "stepping\t: 1\n\nprocessor\t: 1\nmodel name\t: Other\n"),
            "AMD EPYC 9654: 96 cores");
}

TEST(CpuModelTest, ArmIsNamedByItsNumbers) {
  EXPECT_EQ(CpuModel(ArmProcessor(0, "0x41", "0xd4f") + ArmProcessor(1, "0x41", "0xd4f")), "Arm Neoverse V2");
  EXPECT_EQ(CpuModel(ArmProcessor(0, "0x41", "0xd0c")), "Arm Neoverse N1");
  EXPECT_EQ(CpuModel(ArmProcessor(0, "0x41", "0xd08")), "Arm Cortex-A72");
  EXPECT_EQ(CpuModel(ArmProcessor(0, "0xc0", "0xac3")), "Ampere-1");
}

TEST(CpuModelTest, EachKindOfCoreIsNamedOnce) {
  std::string cpuinfo;
  for (int processor = 0; processor < 20; ++processor) {
    cpuinfo += ArmProcessor(processor, "0x41", processor % 10 < 5 ? "0xd87" : "0xd85");
  }
  EXPECT_EQ(CpuModel(cpuinfo), "Arm Cortex-A725, Arm Cortex-X925");
}

TEST(CpuModelTest, AnUnknownArmCoreIsItsNumbers) {
  EXPECT_EQ(CpuModel(ArmProcessor(0, "0x41", "0xfff")), "Arm CPU, implementer 0x41, part 0xfff");
  EXPECT_EQ(CpuModel(ArmProcessor(0, "0x4f", "0x00a")), "Arm CPU, implementer 0x4f, part 0x00a");
}

// Linux prints a line "model name : ARMv..." to 32-bit processes.
TEST(CpuModelTest, TheArchitecturesNameIsNoModel) {
  EXPECT_EQ(CpuModel("processor\t: 0\nmodel name\t: ARMv8 Processor rev 3 (v8l)\n" + ArmProcessor(0, "0x41", "0xd08")),
            "Arm Cortex-A72");
}

TEST(CpuModelTest, NothingKnownIsUnknown) {
  EXPECT_EQ(CpuModel(""), "unknown");
  EXPECT_EQ(CpuModel("processor\t: 0\nhart\t: 0\nisa\t: rv64imafdc\n"), "unknown");
  EXPECT_EQ(CpuModel("CPU implementer\t: \nCPU part\t: zz\n"), "unknown");
}

}  // namespace
}  // namespace lockstep
