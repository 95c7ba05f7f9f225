#include "lib/lab/lab_unit.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/path.h"
#include "lib/lab/lab_costs.h"
#include "lib/networks/fused_shape.h"

namespace lockstep {

std::vector<std::string> WithoutForce(std::vector<std::string> command) {
  command.erase(std::remove(command.begin(), command.end(), "--force"), command.end());
  return command;
}

double SecondsOf(const std::vector<LabStep>& steps) {
  double seconds = 0;
  for (const LabStep& step : steps) {
    seconds += step.seconds;
  }
  return seconds;
}

std::string LabRecord(const LabRequest& request, const std::string& name) {
  return JoinPath(request.output, absl::StrCat(name, ".rec"));
}

std::string DatasetRecord(const LabRequest& request) {
  return InputIsRecord(request) ? request.input : LabRecord(request, "dataset");
}

std::string NumberList(const std::vector<uint32_t>& numbers) { return absl::StrJoin(numbers, ","); }

LabStep MakeStep(const LabRequest& request, const std::string& tool, const std::string& input,
                 const std::vector<std::string>& flags, const std::string& name) {
  LabStep step;
  step.command = {tool};
  if (!input.empty()) {
    step.command.push_back(absl::StrCat("--input=", input));
  }
  step.command.insert(step.command.end(), flags.begin(), flags.end());
  step.record = LabRecord(request, name);
  step.command.push_back(absl::StrCat("--output=", step.record));
  if (request.force) {
    step.command.push_back("--force");
  }
  return step;
}

LabStep SyntheticStep(const LabRequest& request, uint32_t images, uint32_t classes, const std::string& name) {
  std::vector<std::string> flags = {"--input_format=synthetic", absl::StrCat("--train_images=", images),
                                    absl::StrCat("--test_images=", SyntheticTestImages(images))};
  if (classes != LabFacts().classes) {
    flags.push_back(absl::StrCat("--classes=", classes));
  }
  return MakeStep(request, "cifar_prep", "", flags, name);
}

bool AsksForFastPreset(const LabRequest& request, const LabFacts& facts) {
  return facts.gpus > 0 && facts.has_bf16 && ModelOf(request, facts) == "resnet18";
}

bool HasFastPreset(const LabRequest& request, const LabFacts& facts) {
  return AsksForFastPreset(request, facts) && IsFusedImageSize(facts.height, facts.width) &&
         facts.classes <= kMaxFusedClasses;
}

double EpochSecondsOn(const LabFacts& facts, const std::string& model, const std::string& preset, uint32_t ranks,
                      uint32_t batch) {
  const double images = static_cast<double>(facts.train_images) / (facts.gpus > 0 ? ranks : 1);
  return EpochSeconds(facts, model, preset, images, batch);
}

}  // namespace lockstep
