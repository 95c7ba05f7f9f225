#include "lib/wording/small_experiments.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"

namespace lockstep {
namespace {

constexpr uint32_t kRanks = 2;

double LeNetRow(double images, uint32_t batch) {
  return kCpuPointSeconds + kExperimentEpochs * kCpuLeNet.Seconds(images, std::max<uint32_t>(1, batch / kRanks));
}

}  // namespace

std::string SmallLargeBatchRows(uint32_t base, uint32_t large) {
  std::string rows = absl::StrCat(base, ";", large);
  for (const char* remedy : kSmallRemedies) {
    absl::StrAppend(&rows, ";", large, ", ", remedy);
  }
  return rows;
}

double SmallLargeBatchSeconds(double images, uint32_t base, uint32_t large) {
  return kSmallSeeds * (LeNetRow(images, base) + (1 + std::size(kSmallRemedies)) * LeNetRow(images, large));
}

double SmallSamplerSeconds(double images, uint32_t batch) { return kSmallSeeds * 2 * LeNetRow(images, batch); }

// An evaluation takes half as long as training, like in lib/lab.
double SmallSentSeconds() {
  return kFewRowCount * kSmallSeeds *
         (kCpuPointSeconds + kFewEpochs * kCpuResNet.Seconds(kFewImages, kFewPerRank) +
          kCpuResNet.Seconds(kFewTestImages, kFewPerRank) / 2);
}

}  // namespace lockstep
