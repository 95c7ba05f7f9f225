#include "lib/wording/describe.h"

#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/dataset/augmentation_spec.h"
#include "lib/dataset/normalization.h"
#include "lib/networks/optimizers.h"
#include "lib/scaling/point_settings.h"
#include "lib/scaling/virtual_hosts_text.h"
#include "lib/statistics/unit.h"
#include "lib/wording/cell.h"

namespace lockstep {
namespace {

std::string OrUnknown(absl::string_view text) { return std::string(text.empty() ? "unknown" : text); }

std::string DescribeSchedule(const proto::TrainingSpec& training) {
  std::string text;
  switch (training.schedule()) {
    case proto::MULTISTEP:
      text = absl::StrCat(" times ", training.lr_gamma(), " with epochs ",
                          absl::StrJoin(training.lr_milestones(), ", "), " (from 0)");
      break;
    case proto::COSINE:
      text = ", decaying by half a cosine, epoch by epoch";
      break;
    case proto::ONE_CYCLE:
      text = " at the peak of one cycle";
      break;
    case proto::LINEAR:
      text = ", decaying linearly to 0, step by step";
      break;
    default:
      break;
  }
  if (training.lr_warmup_epochs() > 0 || training.lr_warmup_share() > 0) {
    absl::StrAppend(&text, " after a warm-up of ",
                    training.lr_warmup_share() > 0 ? absl::StrCat(100 * training.lr_warmup_share(), " % of the steps")
                                                   : CountOf(training.lr_warmup_epochs(), "epoch"));
    if (training.lr_warmup_start() > 0) {
      absl::StrAppend(&text, " from ", training.lr_warmup_start());
    }
  }
  return text;
}

}  // namespace

std::string DescribeDevices(const proto::Header& header) {
  std::vector<std::pair<std::string, int>> names;  // names in order of first appearance
  for (const proto::Device& device : header.device()) {
    if (names.empty() || names.back().first != device.name()) {
      names.emplace_back(device.name(), 0);
    }
    ++names.back().second;
  }
  if (names.empty()) {
    return OrUnknown(header.host().cpu_model());
  }
  return absl::StrJoin(names, ", ", [](std::string* out, const std::pair<std::string, int>& name) {
    absl::StrAppend(out, name.second == 1 ? "" : absl::StrCat(name.second, " x "), OrUnknown(name.first));
  });
}

std::string DescribeHost(const proto::Host& host) {
  return absl::StrCat(
      OrUnknown(host.cpu_model()), ", ", CountOf(host.cpu_cores(), "core"), ", ",
      NumberWithUnit(absl::StrFormat("%.1f", static_cast<double>(host.memory_bytes()) / kGibibytes.size), kGibibytes),
      ", ", OrUnknown(host.kernel()));
}

std::string DescribeLibraries(const proto::Libraries& libraries) {
  std::vector<std::string> parts;
  for (const auto& [name, version] : {std::pair<absl::string_view, absl::string_view>{"LibTorch", libraries.libtorch()},
                                      {"CUDA", libraries.cuda()},
                                      {"cuDNN", libraries.cudnn()},
                                      {"NCCL", libraries.nccl()}}) {
    if (!version.empty()) {
      parts.push_back(absl::StrCat(name, " ", version));
    }
  }
  return parts.empty() ? "none" : absl::StrJoin(parts, ", ");
}

std::string DescribeBuild(const proto::Build& build) {
  return absl::StrCat(OrUnknown(build.version()), ", commit ", ShortDigest(build.git_commit()),
                      build.git_dirty() ? " with uncommitted changes" : "", ", ", OrUnknown(build.compilation_mode()));
}

std::string DescribePrecision(proto::Precision precision) {
  switch (precision) {
    case proto::FP32:
      return "fp32 (TF32 off)";
    case proto::TF32:
      return "TF32";
    case proto::BF16:
      return "bf16";
    default:
      return "precision unknown";
  }
}

std::string DescribeRecipe(const proto::TrainingSpec& training) {
  const std::string momentum =
      HasMomentum(training.optimizer()) ? absl::StrCat(", momentum ", training.momentum()) : "";
  return absl::StrCat(OptimizerTitle(training.optimizer()), ", learning rate ", training.learning_rate(),
                      DescribeSchedule(training), momentum, ", weight decay ", training.weight_decay(),
                      AugmentationInRecipe(training), NormalizationInRecipe(training.normalization()), ", seed ",
                      training.seed(), training.evaluate_mirrored() ? ", test accuracy also with mirror images" : "",
                      training.evaluation() == proto::FUSED
                          ? absl::StrCat(", evaluated by the fused step in ", DescribePrecision(training.precision()))
                          : "",
                      training.init_sha256().empty() ? "" : ", starting from weights of a file with the SHA-256 ",
                      training.init_sha256().empty() ? "" : ShortDigest(training.init_sha256()));
}

std::string DescribeWay(const proto::TrainingSpec& training) {
  const bool fused = training.step() == proto::FUSED;
  std::vector<std::string> parts;
  if (training.precision() != proto::FP32) {
    parts.push_back(DescribePrecision(training.precision()));
  }
  for (const auto& [is_so, what] : {std::pair<bool, const char*>{fused, "fused step"},
                                    {training.channels_last() && !fused, "NHWC"},
                                    {training.cuda_graph() && !fused, "CUDA graph"}}) {
    if (is_so) {
      parts.push_back(what);
    }
  }
  return absl::StrJoin(parts, ", ");
}

std::string DescribeTiming(const proto::TrainingSpec& training) {
  return absl::StrCat(
      DescribePrecision(training.precision()), ", ", training.channels_last() ? "NHWC" : "NCHW",
      training.step() == proto::FUSED ? ", fused step" : "", training.cuda_graph() ? ", CUDA graph" : "", ", ",
      training.resident_images() ? "data set on the device" : CountOf(training.loader_workers(), "loader worker"),
      training.device() == proto::CPU ? absl::StrCat(", ", CountOf(training.threads(), "thread")) : "",
      training.deterministic() ? ", deterministic" : "", ", ", FormatCount(training.warmup_epochs()), " warm-up and ",
      CountOf(training.repeats(), "timed epoch"), training.drop_last() ? ", the epoch's tail dropped" : "");
}

std::string DescribeInputFormat(proto::InputFormat format) {
  switch (format) {
    case proto::SYNTHETIC:
      return "synthetic";
    case proto::BINARY:
      return "CIFAR-10's binary version";
    case proto::PYTHON:
      return "CIFAR-10's Python version";
    case proto::IMAGE_FOLDERS:
      return "image folders";
    case proto::CIFAR100_BINARY:
      return "CIFAR-100's binary version";
    case proto::CIFAR100_PYTHON:
      return "CIFAR-100's Python version";
    default:
      return "unknown";
  }
}

std::string DescribeOutcome(proto::Outcome outcome) {
  switch (outcome) {
    case proto::COMPLETED:
      return "completed";
    case proto::OUT_OF_MEMORY:
      return "out of memory";
    case proto::EXCEEDS_DATASET:
      return "larger than the data set, not run";
    case proto::KILLED:
      return "killed";
    case proto::FAILED:
      return "failed";
    default:
      return "unknown";
  }
}

std::string DescribeReduction(proto::Reduction reduction) {
  switch (reduction) {
    case proto::PLAIN:
      return "plain";
    case proto::ALL_REDUCE:
      return "through the reducer";
    case proto::ABLATED:
      return "reducer without all-reduces";
    case proto::STAR:
      return "DataParallel";
    default:
      return "unknown";
  }
}

std::string DescribeScaleMode(const proto::ScaleSpec& spec) {
  const absl::string_view backend =
      spec.reducer() == "hierarchical"         ? " by copies between the GPUs of a host and over NCCL between hosts"
      : IsByPeers(spec.reducer())              ? " by copies between GPUs"
      : spec.backend() == proto::NCCL          ? " over NCCL"
      : spec.backend() == proto::GLOO          ? " over Gloo"
      : spec.backend() == proto::SHARED_MEMORY ? " through shared memory"
      : spec.backend() == proto::HIERARCHICAL  ? " through shared memory within hosts and over Gloo between hosts"
                                               : "";
  const std::string hosts = VirtualHostsText(spec);
  const std::string& why_gloo = spec.backend_reason();
  const std::string sender = absl::StrCat(backend, why_gloo.empty() ? "" : absl::StrCat(" (", why_gloo, ")"),
                                          hosts.empty() ? "" : ", ", hosts);
  const absl::string_view batch =
      spec.batch_mode() == proto::GLOBAL ? "the global batch fixed" : "the batch per device fixed";
  if (spec.experiment() != proto::EXPERIMENT_UNSPECIFIED) {
    return absl::StrCat("DDP", sender, ", experiment ",
                        absl::AsciiStrToLower(proto::Experiment_Name(spec.experiment())), ", global batches of ",
                        absl::StrJoin(spec.batch_size(), ", "), ", ", CountOf(spec.seeds(), "seed"), " a row");
  }
  if (spec.mode() == proto::DP) {
    return absl::StrCat("DataParallel, one process with a thread for each device, ", batch);
  }
  return absl::StrCat(spec.mode() == proto::DDP ? "DDP" : "mode unknown", sender, ", ", batch,
                      spec.overlap() ? ", all-reduces overlapped with backward" : ", all-reduces after backward");
}

std::string ShortDigest(absl::string_view digest) { return OrUnknown(digest.substr(0, 12)); }

}  // namespace lockstep
