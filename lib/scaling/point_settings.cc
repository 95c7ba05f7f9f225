#include "lib/scaling/point_settings.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace lockstep {
namespace {

// Returns the first text that is not empty; `before` is the value of older records.
std::string FirstNonEmpty(const std::string& point, const std::string& spec, const char* before) {
  return !point.empty() ? point : !spec.empty() ? spec : before;
}

std::string StepText(const proto::PointSettings& settings) {
  const std::string precision = settings.precision() == proto::BF16   ? "bf16"
                                : settings.precision() == proto::TF32 ? "TF32"
                                                                      : "";
  const std::string step = settings.step() == proto::FUSED ? "fused step" : "";
  const std::string both = absl::StrCat(step, step.empty() || precision.empty() ? "" : ", ", precision);
  return both.empty() ? "" : absl::StrCat(" (", both, ")");
}

}  // namespace

const proto::TrainingSpec& TrainingOf(const proto::ScaleSpec& spec, const proto::ScalePoint& point) {
  return point.has_training() ? point.training() : spec.training();
}

proto::PointSettings SettingsOf(const proto::ScaleSpec& spec, const proto::ScalePoint& point) {
  const proto::TrainingSpec& training = TrainingOf(spec, point);
  proto::PointSettings settings;
  settings.set_mode(point.mode() != proto::SCALE_MODE_UNSPECIFIED ? point.mode() : spec.mode());
  settings.set_preset(FirstNonEmpty(point.preset(), spec.preset(), "lab"));
  settings.set_step(point.step() != proto::STEP_KIND_UNSPECIFIED      ? point.step()
                    : training.step() != proto::STEP_KIND_UNSPECIFIED ? training.step()
                                                                      : proto::AUTOGRAD);
  settings.set_precision(training.precision());
  settings.set_gradient_compression(FirstNonEmpty(point.gradient_compression(), spec.gradient_compression(), "none"));
  settings.set_buffers(FirstNonEmpty(point.buffers(), spec.buffers(), "local"));
  settings.set_reducer(FirstNonEmpty(point.reducer(), spec.reducer(), "own"));
  settings.set_bucket_plan(FirstNonEmpty(point.bucket_plan(), spec.bucket_plan(), "ddp"));
  return settings;
}

bool SameSettings(const proto::PointSettings& a, const proto::PointSettings& b) {
  return SameStep(a, b) && a.mode() == b.mode() && a.gradient_compression() == b.gradient_compression() &&
         a.buffers() == b.buffers() && a.reducer() == b.reducer() && a.bucket_plan() == b.bucket_plan();
}

bool SameStep(const proto::PointSettings& a, const proto::PointSettings& b) {
  return a.preset() == b.preset() && a.step() == b.step() && a.precision() == b.precision();
}

bool IsByPeers(absl::string_view reducer) { return absl::StartsWith(reducer, "peer") || reducer == "hierarchical"; }

bool CanShareUpdate(const proto::TrainingSpec& training) {
  return training.precision() == proto::BF16 && training.clip_norm() == 0 && training.lars() == 0;
}

std::string SettingsText(const proto::PointSettings& settings) {
  std::string text = absl::StrCat(settings.mode() == proto::DDP  ? "DDP"
                                  : settings.mode() == proto::DP ? "DataParallel"
                                                                 : "mode unknown",
                                  ", ", settings.preset(), " preset", StepText(settings));
  if (settings.gradient_compression() != "none") {
    absl::StrAppend(&text, ", gradients sent in ", settings.gradient_compression());
  }
  if (settings.buffers() == "broadcast") {
    absl::StrAppend(&text, ", running statistics broadcast");
  } else if (settings.buffers() != "local") {
    absl::StrAppend(&text, ", ", settings.buffers() == "sync_bn" ? "batch norm over all ranks" : settings.buffers());
  }
  if (settings.reducer() != "own") {
    absl::StrAppend(&text, ", ",
                    settings.reducer() == "c10d"           ? "LibTorch's reducer"
                    : settings.reducer() == "peer"         ? "copies between GPUs"
                    : settings.reducer() == "peer_sharded" ? "copies between GPUs, update shared"
                    : settings.reducer() == "hierarchical" ? "copies between the GPUs of a host, NCCL between hosts"
                                                           : settings.reducer());
  }
  if (settings.bucket_plan() != "ddp") {
    absl::StrAppend(&text, ", ",
                    settings.bucket_plan() == "auto" ? "buckets by measured times" : settings.bucket_plan());
  }
  return text;
}

std::vector<RunSetting> CommunicationSettings(const proto::ScaleSpec& spec) {
  const std::string backend = absl::AsciiStrToLower(proto::Backend_Name(spec.backend()));
  std::vector<RunSetting> settings = {{"backend", backend},
                                      {"overlap", spec.overlap() ? "true" : "false"},
                                      {"bucket_bytes", absl::StrCat(spec.bucket_bytes())},
                                      {"first_bucket_bytes", absl::StrCat(spec.first_bucket_bytes())}};
  for (RunSetting& setting : settings) {
    setting.words = absl::StrCat(setting.name, "=", setting.words);
  }
  return settings;
}

std::vector<SettingsPart> SplitBySettings(const proto::ScaleSpec& spec,
                                          const std::vector<const proto::ScalePoint*>& points) {
  std::vector<SettingsPart> parts;
  for (const proto::ScalePoint* point : points) {
    if (!point->row().empty()) {
      continue;
    }
    const proto::PointSettings settings = SettingsOf(spec, *point);
    auto part = std::find_if(parts.begin(), parts.end(),
                             [&](const SettingsPart& other) { return SameSettings(other.settings, settings); });
    if (part == parts.end()) {
      part = parts.insert(part, {settings, {}});
    }
    part->points.push_back(point);
  }
  return parts;
}

}  // namespace lockstep
