#include "lib/reducer/all_reduce_cost_probe.h"

#include <algorithm>
#include <vector>

#include "lib/base/status_macros.h"
#include "lib/collectives/piecewise_alpha_beta.h"
#include "lib/communicator/all_reduce_probe.h"

namespace lockstep {
namespace {

constexpr uint64_t kProbedBytes[] = {64 << 10, 1 << 20, 16 << 20};
constexpr double kConfidence = 0.95;  // level of confidence intervals that are not used here

}  // namespace

absl::StatusOr<AllReduceSeconds> MeasureAllReduceCost(Communicator& communicator, c10::Device device) {
  std::vector<TimedSize> times;
  for (const uint64_t size_bytes : kProbedBytes) {
    ProbeOptions options;
    options.size_bytes = size_bytes;
    ASSIGN_OR_RETURN(std::vector<double> seconds, ProbeAllReduce(communicator, device, options));
    std::nth_element(seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2), seconds.end());
    times.push_back({static_cast<double>(size_bytes), seconds[seconds.size() / 2]});
  }
  ASSIGN_OR_RETURN(const PiecewiseAlphaBeta fit, FitPiecewiseAlphaBeta(times, /*max_pieces=*/1, kConfidence));
  return AllReduceSeconds{fit.pieces[0].alpha_seconds, fit.pieces[0].beta_seconds_per_byte};
}

}  // namespace lockstep
