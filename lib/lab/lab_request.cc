#include "lib/lab/lab_request.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "lib/networks/int8_shape.h"
#include "lib/networks/networks.h"

namespace lockstep {
namespace {

constexpr uint32_t kGpuImages = 50000;      // number of training images of CIFAR-10
constexpr uint32_t kLeNetImages = 2048;     // LeNet-5: 0.25 s per epoch on one core
constexpr uint32_t kResNetCpuImages = 256;  // ResNet-18: 8 s per epoch on one core
constexpr double kGpuMinutes = 8;
constexpr double kCpuMinutes = 3;

}  // namespace

bool InputIsRecord(const LabRequest& request) { return absl::EndsWith(request.input, ".rec"); }

bool FitsImages(const std::string& model, const LabFacts& facts) {
  const absl::StatusOr<NetworkChoice> choice = ParseModel(model);
  return choice.ok() && std::min(facts.height, facts.width) >= choice->network->min_size;
}

std::string ShapeText(const LabFacts& facts) { return ClassesAndPixels(facts.classes, facts.height, facts.width); }

std::string SmallModel(const LabFacts& facts) { return FitsImages("lenet5", facts) ? "lenet5" : "resnet18"; }

std::string ModelOf(const LabRequest& request, const LabFacts& facts) {
  return !request.model.empty() ? request.model : facts.gpus > 0 ? "resnet18" : SmallModel(facts);
}

uint32_t SyntheticImages(const LabRequest& request, const LabFacts& facts) {
  if (request.images > 0) {
    return request.images;
  }
  return facts.gpus > 0 ? kGpuImages : ModelOf(request, facts) == "resnet18" ? kResNetCpuImages : kLeNetImages;
}

uint32_t SyntheticTestImages(uint32_t train_images) { return std::max<uint32_t>(1, train_images / 4); }

double BudgetSeconds(const LabRequest& request, const LabFacts& facts) {
  const double minutes = request.minutes > 0 ? request.minutes : facts.gpus > 0 ? kGpuMinutes : kCpuMinutes;
  return 60 * minutes;
}

std::vector<uint32_t> RanksOf(const LabFacts& facts) {
  std::vector<uint32_t> ranks = {1};
  for (const uint32_t n : {2, 4, 8}) {
    if (n <= (facts.gpus > 0 ? facts.gpus : 2)) {
      ranks.push_back(n);
    }
  }
  return ranks;
}

}  // namespace lockstep
