#include "lib/train/step_switches.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"
#include "lib/base/flag_values.h"
#include "lib/fused/resnet_units.h"

namespace lockstep {
namespace {

// Returns the preset "lab": fp32 without TF32, by LibTorch's autograd.
proto::TrainingSpec Lab() {
  proto::TrainingSpec spec;
  spec.set_step(proto::AUTOGRAD);
  spec.set_precision(proto::FP32);
  spec.set_cuda_graph(false);
  return spec;
}

// Returns the preset "fast": bf16 in a CUDA graph, by the fused step if it is written for the model.
proto::TrainingSpec Fast(const std::string& model) {
  proto::TrainingSpec spec;
  spec.set_step(FusedStageBlocks(model).has_value() ? proto::FUSED : proto::AUTOGRAD);
  spec.set_precision(proto::BF16);
  spec.set_cuda_graph(true);
  spec.set_channels_last(true);
  return spec;
}

// Returns the defaults of this kind of step, for settings that neither user nor preset chooses.
proto::TrainingSpec OfKind(const proto::TrainingSpec& chosen) {
  const bool fused = chosen.step() == proto::FUSED;
  proto::TrainingSpec spec;
  spec.set_channels_last(fused);
  spec.set_second_stream(fused);
  spec.set_resident_images(fused || chosen.cuda_graph());
  return spec;
}

// One switch of the step.
struct Switch {
  absl::string_view name;   // name of its field of TrainingSpec, and of its flag
  absl::string_view words;  // words in a plan
  // Precision in which the fused step has this piece, on by default. Unset: a preset or the kind of step decides.
  proto::Precision precision = proto::PRECISION_UNSPECIFIED;
  absl::string_view requires_switch = "";  // name of the switch that this one requires
  absl::string_view why = "";              // "--FLAG=true WHY"
  bool is_own_kernel = false;              // off with --cudnn_convolutions
};

constexpr bool kOwn = true;

constexpr Switch kSwitches[] = {
    {"cuda_graph", "CUDA graph"},
    {"second_stream", "second stream"},
    {"fused_sums", "fused sums", proto::BF16, "", "", kOwn},
    {"fused_batch_norm", "fused batch norm", proto::BF16, "fused_sums", "needs the sums of --fused_sums", kOwn},
    {"own_weight_gradients", "own weight gradients", proto::BF16, "", "", kOwn},
    {"divide_multiprocessors", "divided multiprocessors", proto::BF16, "second_stream",
     "divides the multiprocessors between two streams", kOwn},
    {"own_convolutions", "own convolutions", proto::FP32, "", "", kOwn},
};

// Returns null if TrainingSpec has no such field. That is an error in the table, and every plan crashes on it.
const google::protobuf::FieldDescriptor* FieldOf(absl::string_view name) {
  return proto::TrainingSpec::descriptor()->FindFieldByName(std::string(name));
}

bool IsOn(const proto::TrainingSpec& spec, absl::string_view field) {
  return spec.GetReflection()->GetBool(spec, FieldOf(field));
}

bool IsSet(const proto::TrainingSpec& spec, absl::string_view field) {
  return spec.GetReflection()->HasField(spec, FieldOf(field));
}

bool HasWhatItRequires(const Switch& piece, const proto::TrainingSpec& spec) {
  return piece.requires_switch.empty() || IsOn(spec, piece.requires_switch);
}

bool IsPieceOf(const Switch& piece, const proto::TrainingSpec& spec) {
  return spec.step() == proto::FUSED && spec.precision() == piece.precision;
}

// Chooses the forward pass of evaluations, for a spec that has its step.
void SettleEvaluation(bool fused_by_default, proto::TrainingSpec& spec) {
  if (fused_by_default && spec.evaluation() == proto::STEP_KIND_UNSPECIFIED) {
    spec.set_evaluation(proto::FUSED);
  } else if (!fused_by_default && spec.evaluation() == proto::AUTOGRAD) {
    spec.clear_evaluation();  // same as in older records, which had no choice
  }
}

bool IsAllowed(const Switch& piece, const proto::TrainingSpec& spec) {
  return !piece.is_own_kernel || !spec.cudnn_convolutions();
}

}  // namespace

absl::Status CheckPreset(const std::string& preset) { return CheckFlagWord("preset", preset, {"lab", "fast"}); }

proto::TrainingSpec SettleStep(const std::string& preset, const proto::TrainingSpec& asked) {
  proto::TrainingSpec chosen = preset == "fast" ? Fast(asked.model()) : Lab();
  chosen.MergeFrom(asked);
  proto::TrainingSpec spec = OfKind(chosen);
  spec.MergeFrom(chosen);
  SettleEvaluation(preset == "fast" && spec.step() == proto::FUSED, spec);
  for (const Switch& piece : kSwitches) {
    if (!IsSet(spec, piece.name)) {
      const bool on = IsPieceOf(piece, spec) && HasWhatItRequires(piece, spec) && IsAllowed(piece, spec);
      spec.GetReflection()->SetBool(&spec, FieldOf(piece.name), on);
    }
  }
  if (spec.resident_images()) {
    spec.set_loader_workers(0);  // batches are made on the device
  }
  return spec;
}

absl::Status CheckSwitches(const proto::TrainingSpec& spec) {
  for (const Switch& piece : kSwitches) {
    if (piece.precision != proto::PRECISION_UNSPECIFIED && IsOn(spec, piece.name) && !IsPieceOf(piece, spec)) {
      return absl::InvalidArgumentError(absl::StrCat("--", piece.name, "=true applies to --step=fused in ",
                                                     absl::AsciiStrToLower(proto::Precision_Name(piece.precision)),
                                                     ", found ", proto::StepKind_Name(spec.step()), " in ",
                                                     proto::Precision_Name(spec.precision())));
    }
  }
  if (spec.second_stream() && spec.step() != proto::FUSED) {
    return absl::InvalidArgumentError(
        "--second_stream=true applies to --step=fused; leave it out, or add --step=fused");
  }
  if (spec.evaluation() == proto::FUSED && spec.step() != proto::FUSED) {
    return absl::InvalidArgumentError(
        "--evaluation=fused is the forward pass of --step=fused; leave it out, or add --step=fused");
  }
  if (spec.resident_images() && spec.step() != proto::FUSED && !spec.cuda_graph()) {
    return absl::InvalidArgumentError(
        "--resident_images=true with --step=autograd needs the inputs of a captured step; add --cuda_graph, or "
        "leave it out");
  }
  if (!spec.resident_images() && spec.step() == proto::FUSED) {
    return absl::InvalidArgumentError(
        "--resident_images=false: --step=fused reads the data set from GPU memory; leave it out, or give "
        "--step=autograd");
  }
  for (const Switch& piece : kSwitches) {
    if (IsOn(spec, piece.name) && !IsAllowed(piece, spec)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--", piece.name, "=true needs Lockstep's own kernels, found --cudnn_convolutions=true; leave one out"));
    }
    if (IsOn(spec, piece.name) && !HasWhatItRequires(piece, spec)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", piece.name, "=true ", piece.why, ", found --", piece.requires_switch, "=false"));
    }
  }
  return absl::OkStatus();
}

std::string StepText(const proto::TrainingSpec& spec) {
  std::string text = absl::StrCat("step: ", absl::AsciiStrToLower(proto::StepKind_Name(spec.step())), " in ",
                                  absl::AsciiStrToLower(proto::Precision_Name(spec.precision())),
                                  spec.channels_last() ? ", channels-last" : ", NCHW");
  for (const Switch& piece : kSwitches) {
    if (IsOn(spec, piece.name)) {
      absl::StrAppend(&text, ", ", piece.words);
    }
  }
  if (spec.resident_images() && spec.step() != proto::FUSED) {
    absl::StrAppend(&text, ", data set on the GPU");
  }
  return absl::StrCat(text, spec.evaluation() == proto::FUSED ? "; evaluation by its forward pass" : "");
}

}  // namespace lockstep
