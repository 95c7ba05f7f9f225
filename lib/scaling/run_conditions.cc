#include "lib/scaling/run_conditions.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/text_format.h"

namespace lockstep {
namespace {

// Clears switches that are off: a record may store such a switch, an older record lacks the field, and both mean the
// same.
void ClearWhatIsOff(proto::TrainingSpec& training) {
  for (int i = 0; i < proto::TrainingSpec::descriptor()->field_count(); ++i) {
    const google::protobuf::FieldDescriptor* const field = proto::TrainingSpec::descriptor()->field(i);
    if (field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_BOOL &&
        !training.GetReflection()->GetBool(training, field)) {
      training.GetReflection()->ClearField(&training, field);
    }
  }
}

// Returns the settings that must be equal for two epoch times to be comparable. Seed, warm-up and repeats do not change
// the meaning of a time. Nor does the evaluation, which is in no epoch's time. Nor do the CPU's threads if the device
// is a GPU, because LibTorch then computes on the GPU only.
proto::TrainingSpec Comparable(const proto::TrainingSpec& training) {
  proto::TrainingSpec comparable = training;
  comparable.clear_seed();
  comparable.clear_warmup_epochs();
  comparable.clear_repeats();
  comparable.clear_evaluation();
  comparable.clear_evaluate_mirrored();
  ClearWhatIsOff(comparable);
  if (training.step() == proto::STEP_KIND_UNSPECIFIED) {
    comparable.set_step(proto::AUTOGRAD);  // the default that sweep.proto documents
  }
  if (training.device() == proto::CUDA) {
    comparable.clear_threads();
  }
  return comparable;
}

std::string DeviceName(const proto::Header& header) { return header.device_size() > 0 ? header.device(0).name() : ""; }

// Returns the value of a field as its flag takes it: "bf16", "60,80". An unset field has its default.
std::string ValueText(const proto::TrainingSpec& training, const google::protobuf::FieldDescriptor* field) {
  const google::protobuf::Reflection* const reflection = proto::TrainingSpec::GetReflection();
  if (field->message_type() != nullptr) {
    return reflection->HasField(training, field) ? reflection->GetMessage(training, field).ShortDebugString() : "none";
  }
  if (field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_STRING) {
    const std::string text = reflection->GetString(training, field);
    return text.empty() ? "none" : text;
  }
  const int count = field->is_repeated() ? reflection->FieldSize(training, field) : 1;
  std::vector<std::string> values(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    google::protobuf::TextFormat::PrintFieldValueToString(training, field, field->is_repeated() ? i : -1,
                                                          &values[static_cast<size_t>(i)]);
  }
  const std::string text = absl::StrJoin(values, ",");
  if (field->enum_type() != nullptr) {
    return absl::EndsWith(text, "_UNSPECIFIED") ? "unset" : absl::AsciiStrToLower(text);
  }
  return text.empty() ? "none" : text;
}

void AddSettings(const proto::TrainingSpec& expected, const proto::TrainingSpec& found,
                 std::vector<std::string>& differences) {
  const size_t before = differences.size();
  const std::vector<TrainingSetting> then = ComparableSettings(expected), now = ComparableSettings(found);
  for (size_t i = 0; i < now.size(); ++i) {
    if (now[i].value != then[i].value) {
      differences.push_back(absl::StrCat(now[i].name, " ", now[i].value, " instead of ", then[i].value));
    }
  }
  if (differences.size() == before &&
      Comparable(expected).SerializeAsString() != Comparable(found).SerializeAsString()) {
    differences.push_back("settings that this version does not know");  // fields of a newer version
  }
}

}  // namespace

std::vector<TrainingSetting> ComparableSettings(const proto::TrainingSpec& training) {
  const proto::TrainingSpec comparable = Comparable(training);
  std::vector<TrainingSetting> settings;
  for (int i = 0; i < proto::TrainingSpec::descriptor()->field_count(); ++i) {
    const google::protobuf::FieldDescriptor* const field = proto::TrainingSpec::descriptor()->field(i);
    settings.push_back({field->name(), ValueText(comparable, field)});
  }
  return settings;
}

std::vector<std::string> ConditionDifferences(const RunConditions& expected, const RunConditions& found) {
  std::vector<std::string> differences;
  if (expected.model->training_images() != found.model->training_images()) {
    differences.push_back(absl::StrCat(found.model->training_images(), " training images instead of ",
                                       expected.model->training_images()));
  }
  if (DeviceName(*expected.header) != DeviceName(*found.header)) {
    differences.push_back(
        absl::StrCat("device '", DeviceName(*found.header), "' instead of '", DeviceName(*expected.header), "'"));
  }
  AddSettings(*expected.training, *found.training, differences);
  return differences;
}

std::string WhyConditionsDiffer(const RunConditions& expected, const RunConditions& found) {
  std::vector<std::string> differences = ConditionDifferences(expected, found);
  const size_t shown = std::min(differences.size(), kMaxShownDifferences), more = differences.size() - shown;
  differences.resize(shown);
  return absl::StrCat(absl::StrJoin(differences, ", "), more == 0 ? "" : absl::StrCat(", and ", more, " more"));
}

std::string ConditionsKey(const RunConditions& run) {
  const std::string device = DeviceName(*run.header);
  return absl::StrCat(run.model->training_images(), " ", device.size(), " ", device,
                      Comparable(*run.training).SerializeAsString());
}

}  // namespace lockstep
