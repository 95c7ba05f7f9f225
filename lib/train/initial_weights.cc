#include "lib/train/initial_weights.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/dataset/normalization.h"
#include "lib/networks/networks.h"
#include "lib/nn/load_checkpoint.h"
#include "lib/record/recorded_file.h"

namespace lockstep {

absl::StatusOr<InitialWeights> ReadInitialWeights(const std::string& path, const proto::TrainingSpec& training,
                                                  NormalizationFlag flag, Model& model) {
  const auto naming_the_flag = [](const absl::Status& status, absl::string_view remedy = "") {
    return absl::Status(status.code(), absl::StrCat("--init: ", status.message(), remedy));
  };
  const absl::StatusOr<InputText> file = ReadCheckpointBytes(path);
  if (!file.ok()) {
    return naming_the_flag(file.status());
  }
  absl::StatusOr<LoadedWeights> loaded = LoadCheckpointBytes(model, *file);
  if (!loaded.ok()) {
    const absl::StatusOr<LoadedModel> other = LoadFittingModel(ModelWords(), *file);
    return naming_the_flag(loaded.status(), other.ok() ? absl::StrCat("; it fits --model=", other->name) : "");
  }
  InitialWeights weights;
  weights.input = file->input;
  weights.remark = absl::StrCat(path, loaded->remark.empty() ? "" : ": ", loaded->remark);
  weights.warnings = std::move(loaded->warnings);
  if (loaded->normalization && !SameNormalization(*loaded->normalization, training.normalization())) {
    weights.warnings.push_back(absl::StrCat(
        "they were trained on images normalized by ", NormalizationValues(*loaded->normalization),
        ", and this run normalizes by ", NormalizationValues(training.normalization()), " (--normalization)"));
  }
  if (!loaded->normalization && flag == NormalizationFlag::kAbsent) {
    weights.normalization_assumed = true;
    weights.warnings.push_back(absl::StrCat(
        path, " does not contain the normalization of its images; ", NormalizationValues(training.normalization()),
        " is assumed, and the training starts from wrong outputs if the weights were trained with another one; ",
        "give it by --normalization=", kNormalizationWords));
  }
  return weights;
}

absl::Status LoadInitialWeights(const proto::PointOrder& order, Model& model) {
  if (order.init_path().empty()) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const InputText file, ReadCheckpointBytes(order.init_path()));
  RETURN_IF_ERROR(CheckNotReplaced(file.input, order.spec().training().init_sha256()));
  return LoadCheckpointBytes(model, file).status();
}

}  // namespace lockstep
