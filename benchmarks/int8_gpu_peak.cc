#include "benchmarks/int8_gpu_peak.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "benchmarks/wgmma_peak.h"
#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"
#include "lib/cuda/device_buffer.h"
#include "lib/cuda/graph_timer.h"
#include "lib/cuda/multiprocessors.h"

namespace lockstep {
namespace {

constexpr uint32_t kRounds = 1000;             // about half a millisecond
constexpr uint32_t kSustainedLaunches = 2000;  // about a second

// Checks that the instructions were executed: the sums of two rounds must be twice those of one, and no more of them
// may be zero than by chance.
absl::Status CheckPeakKernel(uint32_t blocks, int32_t* sums, cudaStream_t stream) {
  std::vector<std::vector<int32_t>> found;
  for (const uint32_t rounds : {1u, 2u}) {
    found.emplace_back(blocks * kWgmmaPeakThreads);
    RETURN_IF_ERROR(CudaStatus(LaunchWgmmaPeak(rounds, blocks, sums, stream), "launch wgmma"));
    RETURN_IF_ERROR(CudaStatus(cudaMemcpyAsync(found.back().data(), sums, found.back().size() * sizeof(int32_t),
                                               cudaMemcpyDeviceToHost, stream),
                               "copy sums"));
    RETURN_IF_ERROR(CudaStatus(cudaStreamSynchronize(stream), "run wgmma"));
  }
  if (std::count(found[0].begin(), found[0].end(), 0) > static_cast<int64_t>(found[0].size() / 100)) {
    return absl::AbortedError("peak/isa:wgmma: more than one thread in a hundred added up to 0");
  }
  for (size_t i = 0; i < found[0].size(); ++i) {
    if (static_cast<uint32_t>(found[1][i]) != 2 * static_cast<uint32_t>(found[0][i])) {
      return absl::AbortedError(absl::StrCat("peak/isa:wgmma: thread ", i, " added up ", found[0][i], " in one round, ",
                                             found[1][i], " in two"));
    }
  }
  return absl::OkStatus();
}

// Measures the rate now, in operations per second.
absl::StatusOr<double> MeasureRate(cudaStream_t stream) {
  const uint32_t blocks = HopperMultiprocessors();
  ASSIGN_OR_RETURN(const DeviceBuffer sums, DeviceBuffer::Make(blocks * kWgmmaPeakThreads * sizeof(int32_t)));
  int32_t* const to = static_cast<int32_t*>(sums.data());
  RETURN_IF_ERROR(CheckPeakKernel(blocks, to, stream));
  ASSIGN_OR_RETURN(const double microseconds, MicrosecondsInGraph(stream, [&] {
                     return CudaStatus(LaunchWgmmaPeak(kRounds, blocks, to, stream), "launch wgmma");
                   }));
  return kWgmmaPeakOperations * kRounds * blocks / microseconds * 1e6;
}

}  // namespace

absl::StatusOr<double> HighestWgmmaRate(cudaStream_t stream) {
  static double peak = 0;
  if (HopperMultiprocessors() > 0) {
    ASSIGN_OR_RETURN(const double now, MeasureRate(stream));
    peak = std::max(peak, now);
  }
  return peak;
}

absl::StatusOr<double> SustainedWgmmaRate(cudaStream_t stream) {
  const uint32_t blocks = HopperMultiprocessors();
  ASSIGN_OR_RETURN(const DeviceBuffer sums, DeviceBuffer::Make(blocks * kWgmmaPeakThreads * sizeof(int32_t)));
  absl::Status status;
  const auto start = std::chrono::steady_clock::now();
  for (uint32_t i = 0; i < kSustainedLaunches && status.ok(); ++i) {
    status = CudaStatus(LaunchWgmmaPeak(kRounds, blocks, static_cast<int32_t*>(sums.data()), stream), "launch wgmma");
  }
  status.Update(CudaStatus(cudaStreamSynchronize(stream), "run wgmma"));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  RETURN_IF_ERROR(status);
  return kWgmmaPeakOperations * kRounds * blocks * kSustainedLaunches / seconds;
}

}  // namespace lockstep
