#include "lib/device/shared_gpus_testing.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/device/device.h"

namespace lockstep::testing {
namespace {

std::string RanksPerGpuFor(uint32_t ranks) {
  const uint32_t gpus = std::max(CountRankGpus() / RanksPerGpu(), 1u);
  return absl::StrCat(std::max(RanksPerGpu(), (ranks + gpus - 1) / gpus));
}

}  // namespace

SharedGpus::SharedGpus(uint32_t ranks) : variable_(kRanksPerGpuVariable, RanksPerGpuFor(ranks)) {}

}  // namespace lockstep::testing
