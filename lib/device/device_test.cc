#include "lib/device/device.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <torch/cuda.h>

#include <new>
#include <stdexcept>

#include "lib/device/compute_threads.h"
#include "lib/device/nvidia_driver.h"
#include "lib/device/torch_status.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(DeviceTest, ResolvesTheFlag) {
  EXPECT_EQ(*ResolveDevice("cpu"), c10::Device(c10::kCPU));
  EXPECT_EQ(ResolveDevice("auto")->is_cuda(), torch::cuda::is_available());
  EXPECT_THAT(ResolveDevice("tpu"), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("auto, cpu or cuda")));
}

TEST(DeviceTest, AGpuThatIsNotThereIsUnavailable) {
  EXPECT_THAT(ResolveDevice("cuda", 99), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("")));
  if (!torch::cuda::is_available()) {
    EXPECT_THAT(ResolveDevice("cuda"), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("--device=cpu")));
  }
}

TEST(DeviceTest, DescribesTheCpu) {
  const c10::Device cpu(c10::kCPU);
  const auto description = DescribeDevice(cpu);
  ASSERT_THAT(description, IsOk());
  EXPECT_FALSE(description->name().empty());
  EXPECT_GT(description->memory_bytes(), uint64_t{1} << 28);
  EXPECT_EQ(ReadDeviceState(cpu).absent_reason(), "device is a CPU");
  EXPECT_THAT(LoadedLibraries(cpu).libtorch(), ::testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
  EXPECT_EQ(LoadedLibraries(cpu).cuda(), "");
}

TEST(DeviceTest, NamesWhatHoldsTheClocksBack) {
  EXPECT_THAT(ThrottleReasonNames(0), IsEmpty());
  EXPECT_THAT(ThrottleReasonNames(0x1), IsEmpty());  // idle
  EXPECT_THAT(ThrottleReasonNames(0x4 | 0x40), ElementsAre("sw_power_cap", "hw_thermal_slowdown"));
  EXPECT_THAT(ThrottleReasonNames(0x1 | 0x80 | 0x200 | 0x10000),
              ElementsAre("hw_power_brake_slowdown", "bit 0x200", "bit 0x10000"));
}

TEST(DeviceTest, HeatAndPowerSupplySlowAGpuDown) {
  std::vector<std::string> slowdowns;
  for (const std::string& reason : ThrottleReasonNames(0x3ff)) {
    if (IsSlowdown(reason)) {
      slowdowns.push_back(reason);
    }
  }
  EXPECT_THAT(slowdowns,
              ElementsAre("hw_slowdown", "sw_thermal_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown"));
}

TEST(DeviceTest, Bf16WantsTensorCoresThatHaveIt) {
  GpuFacts turing;
  turing.name = "Tesla T4";
  turing.compute_capability = "7.5";
  EXPECT_THAT(CheckGpuPrecision(turing, proto::BF16),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       ::testing::AllOf(HasSubstr("Tesla T4"), HasSubstr("7.5"), HasSubstr("--precision=fp32"))));
  EXPECT_THAT(CheckGpuPrecision(turing, proto::TF32), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("TF32")));
  EXPECT_THAT(CheckGpuPrecision(turing, proto::FP32), IsOk());
  for (const char* later : {"8.0", "9.0", "12.0", ""}) {
    turing.compute_capability = later;
    EXPECT_THAT(CheckGpuPrecision(turing, proto::BF16), IsOk()) << later;
  }
  EXPECT_THAT(CheckPrecision(c10::Device(c10::kCPU), proto::BF16), IsOk());
}

TEST(DeviceTest, CountsTheGpusOtherProcesses) {
  EXPECT_THAT(CountOtherGpuProcesses(c10::Device(c10::kCPU)),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("CPU")));
  if (torch::cuda::is_available()) {
    const at::Tensor held = at::ones({1}, c10::Device(c10::kCUDA, 0));  // makes this process use the GPU
    const auto others = CountOtherGpuProcesses(c10::Device(c10::kCUDA, 0));
    EXPECT_TRUE(others.ok() || absl::IsUnavailable(others.status())) << others.status();
  }
}

TEST(DeviceTest, TheDriverReportsWhetherGpusShareMemory) {
  const absl::Status more = CheckGpusShareMemory(1000);
  EXPECT_THAT(more,
              StatusIs(absl::StatusCode::kUnavailable, AnyOf(HasSubstr("no NVIDIA driver"), HasSubstr("no GPU"))));
  if (torch::cuda::is_available()) {
    EXPECT_FALSE(absl::IsUnavailable(CheckGpusShareMemory(static_cast<uint32_t>(torch::cuda::device_count()))));
  }
}

TEST(DeviceTest, AReaderReadsAgain) {
  const auto read = DeviceStateReader(c10::Device(c10::kCPU));
  EXPECT_EQ(read().absent_reason(), "device is a CPU");
  EXPECT_EQ(read().absent_reason(), "device is a CPU");
}

TEST(DeviceTest, DescribesTheGpu) {
  if (!torch::cuda::is_available()) {
    GTEST_SKIP() << "no GPU";
  }
  const c10::Device gpu(c10::kCUDA, 0);
  const auto description = DescribeDevice(gpu);
  ASSERT_THAT(description, IsOk());
  EXPECT_FALSE(description->name().empty());
  EXPECT_THAT(description->compute_capability(), ::testing::MatchesRegex("[0-9]+\\.[0-9]+"));
  EXPECT_EQ(description->uuid_sha256().size(), 64);
  EXPECT_FALSE(LoadedLibraries(gpu).cuda().empty());
  const proto::DeviceState state = ReadDeviceState(gpu);
  EXPECT_TRUE(!state.absent_reason().empty() || state.sm_clock_mhz() > 0);
  ResetPeakMemory(gpu);
  const at::Tensor held = at::empty({1 << 20}, gpu);
  EXPECT_GE(PeakMemoryBytes(gpu), uint64_t{4} << 20);
  SynchronizeDevice(gpu);
}

TEST(DeviceTest, PeakMemoryOfTheCpuSeesWhatWasTouchedAndIsReset) {
  const c10::Device cpu(c10::kCPU);
  constexpr uint64_t kBytes = uint64_t{64} << 20;
  ResetPeakMemory(cpu);
  const uint64_t before = PeakMemoryBytes(cpu);
  at::ones({static_cast<int64_t>(kBytes / 4)}, at::kFloat);
  // The kernel counts resident pages in batches of up to 64 per thread (mm/memory.c): within 1 MiB.
  EXPECT_GE(PeakMemoryBytes(cpu) + (1 << 20), before + kBytes);
  ResetPeakMemory(cpu);
  EXPECT_LT(PeakMemoryBytes(cpu), before + kBytes);
}

TEST(DeviceTest, SetsNumericsOrRefuses) {
  Numerics numerics;
  numerics.threads = 1;
  ASSERT_THAT(SetNumerics(numerics), IsOk());
  EXPECT_EQ(ComputeThreads(), 1);
  numerics.precision = proto::BF16;
  EXPECT_THAT(SetNumerics(numerics), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("BF16")));
}

TEST(TorchStatusTest, DistinguishesMemoryFromOtherErrors) {
  const auto thrown = [](const std::function<void()>& body) {
    return CatchTorchErrors("a step", [&]() {
      body();
      return absl::OkStatus();
    });
  };
  EXPECT_THAT(thrown([] {}), IsOk());
  EXPECT_THAT(thrown([] { throw std::bad_alloc(); }),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("a step: memory")));
  // No address space holds this many bytes, so LibTorch's CPU allocator refuses them.
  EXPECT_THAT(thrown([] { at::empty({int64_t{1} << 55}); }),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("memory")));
  EXPECT_THAT(thrown([] { at::ones({2}).add_(at::ones({3})); }),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("size of tensor")));
  EXPECT_THAT(thrown([] { throw std::runtime_error("CUDA error: out of memory"); }),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("CUDA")));
  EXPECT_THAT(thrown([] { throw 1; }), StatusIs(absl::StatusCode::kInternal, HasSubstr("unknown")));
}

}  // namespace
}  // namespace lockstep
