#include "lib/record/value_ranges.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace lockstep {
namespace {

using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;
using ::google::protobuf::Reflection;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Valid range of a number, ends included.
struct Range {
  double low;
  double high;
};

constexpr Range kAnyFinite = {std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max()};
constexpr Range kNotNegative = {0, std::numeric_limits<double>::max()};
constexpr Range kFraction = {0, 1};
constexpr Range kFromOne = {1, std::numeric_limits<double>::max()};

struct FieldRule {
  absl::string_view message;  // name without the package
  absl::string_view field;
  Range range;
};

// Ranges of fields whose range does not follow from the end of their name.
constexpr FieldRule kRules[] = {
    {"SweepPoint", "batch_size", kFromOne},
    {"BatchProbe", "batch_size", kFromOne},
    {"CollectiveTimes", "ranks", kFromOne},
    {"AllReduceCrossovers", "ranks", kFromOne},
    {"ScalePoint", "ranks", kFromOne},
    {"ScalePoint", "batch_per_device", kFromOne},
    {"ScalingRow", "ranks", kFromOne},
    {"ScalingRow", "batch_per_device", kFromOne},
    {"StarRow", "ranks", kFromOne},
    {"StarRow", "batch_per_device", kFromOne},
    {"Prediction", "ranks", kFromOne},
    {"Prediction", "batch_per_device", kFromOne},
    {"WhatIfRow", "devices", kFromOne},
    {"WhatIfRow", "batch_per_device", kFromOne},
    {"StepTimePoint", "batch", kFromOne},
    {"ScalePoint", "exposed_seconds", kAnyFinite},  // the last all-reduce may end before backward does
    {"StepSpread", "mean_seconds", kAnyFinite},     // same reason, also for the next rows
    {"StepSpread", "min_seconds", kAnyFinite},
    {"StepSpread", "p50_seconds", kAnyFinite},
    {"StepSpread", "p90_seconds", kAnyFinite},
    {"StepSpread", "p99_seconds", kAnyFinite},
    {"StepSpread", "max_seconds", kAnyFinite},
    {"StepTrace", "exposed_seconds", kAnyFinite},
    {"StepMeans", "exposed_seconds", kAnyFinite},
    {"StepMeans", "update_seconds", kAnyFinite},   // FUSED: time left after the last sum
    {"Bucket", "mean_ready_seconds", kAnyFinite},  // difference of two clocks, of which one may start late
    {"Bucket", "mean_done_seconds", kAnyFinite},
    {"AllReduceFitPoint", "fitted_seconds", kAnyFinite},  // value of a fitted line below its first point
    {"AllReduceFitPoint", "left_out_seconds", kAnyFinite},
    {"StepTimePoint", "left_out_step_seconds", kAnyFinite},
    {"ScaleSpec", "timeout_seconds", {0, kInfinity}},
    {"TrainingSpec", "lr_warmup_start", kNotNegative},
    {"TrainingSpec", "lr_warmup_share", kFraction},
};

// Numbers that may have any value: loss and sums of diverging training are measured as NaN, the error of a model may be
// unbounded, and published numbers are judged by the audit.
struct Field {
  absl::string_view message;
  absl::string_view field;
};
constexpr Field kUnchecked[] = {{"EpochResult", "mean_loss"},  {"SumCheck", "max_abs_error"},
                                {"SumCheck", "tolerance"},     {"SumCheck", "max_error_over_tolerance"},
                                {"CommModelRecord", "audit"},  {"LeaveOneOut", "median_error"},
                                {"LeaveOneOut", "worst_error"}};

// Rule that one count must not be larger than another count of the same message.
struct AtMost {
  const char* message;
  const char* part;
  const char* whole;
};
constexpr AtMost kParts[] = {
    {"AccuracyStep", "correct", "images"},
    {"AccuracyStep", "flips_to_wrong", "images"},
    {"AccuracyStep", "flips_to_right", "images"},
    {"AccuracyStep", "argmax_ties", "images"},
    {"FineTuning", "different_logits", "compared_logits"},
    {"SweepPoint", "tail_batch", "batch_size"},
    {"ScalePoint", "padded_images", "images_per_epoch"},
};

template <typename Rule>
bool IsOf(const Rule& rule, const FieldDescriptor& field) {
  return rule.field == field.name() && rule.message == field.containing_type()->name();
}

bool IsUnchecked(const FieldDescriptor& field) {
  return std::any_of(std::begin(kUnchecked), std::end(kUnchecked),
                     [&field](const Field& unchecked) { return IsOf(unchecked, field); });
}

// Position of a number in a record. Converted to text only for an error message.
struct Place {
  const Place* outer;  // enclosing field; null: the record
  const FieldDescriptor* field;
  int index;  // index in a repeated field; -1: not repeated

  // Returns, for example, "point.epoch_seconds.value[2]".
  std::string Words() const {
    return absl::StrCat(outer == nullptr ? "" : absl::StrCat(outer->Words(), "."), field->name(),
                        index < 0 ? "" : absl::StrCat("[", index, "]"));
  }
};

// Returns the range from kRules, otherwise from the end of the name: "epoch_seconds" holds seconds, either one number
// or Samples.
Range RangeOf(const FieldDescriptor& field) {
  const std::string& name = field.name();
  for (const FieldRule& rule : kRules) {
    if (IsOf(rule, field)) {
      return rule.range;
    }
  }
  for (const char* end : {"accuracy", "_fraction"}) {
    if (absl::EndsWith(name, end)) {
      return kFraction;
    }
  }
  for (const char* end : {"seconds", "_bytes", "_per_second", "_watts", "_mhz", "_scale", "learning_rate"}) {
    if (absl::EndsWith(name, end)) {
      return kNotNegative;
    }
  }
  return kAnyFinite;
}

std::string Expected(const Range& range) {
  if (range.low == kAnyFinite.low) {
    return "a finite number";
  }
  return range.high < kAnyFinite.high ? absl::StrCat(range.low, " to ", range.high)
                                      : absl::StrCat("a finite number from ", range.low, " on");
}

absl::Status CheckNumber(double value, const Range& range, const Place& place) {
  return value >= range.low && value <= range.high
             ? absl::OkStatus()
             : absl::DataLossError(absl::StrCat(place.Words(), " is ", value, "; expected ", Expected(range)));
}

bool IsNumber(const FieldDescriptor& field) {
  return field.cpp_type() != FieldDescriptor::CPPTYPE_STRING && field.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE &&
         field.cpp_type() != FieldDescriptor::CPPTYPE_ENUM && field.cpp_type() != FieldDescriptor::CPPTYPE_BOOL;
}

// Returns the i-th number of a repeated field, or the number of another field (i = -1).
double Number(const Message& message, const FieldDescriptor& field, int i) {
  const Reflection& values = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return i < 0 ? values.GetDouble(message, &field) : values.GetRepeatedDouble(message, &field, i);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return i < 0 ? values.GetFloat(message, &field) : values.GetRepeatedFloat(message, &field, i);
    case FieldDescriptor::CPPTYPE_UINT32:
      return i < 0 ? values.GetUInt32(message, &field) : values.GetRepeatedUInt32(message, &field, i);
    case FieldDescriptor::CPPTYPE_INT32:
      return i < 0 ? values.GetInt32(message, &field) : values.GetRepeatedInt32(message, &field, i);
    case FieldDescriptor::CPPTYPE_UINT64:
      return static_cast<double>(i < 0 ? values.GetUInt64(message, &field)
                                       : values.GetRepeatedUInt64(message, &field, i));
    default:
      return static_cast<double>(i < 0 ? values.GetInt64(message, &field)
                                       : values.GetRepeatedInt64(message, &field, i));
  }
}

// Returns the value of the field `name`; 0 if the message has no such field.
uint64_t Count(const Message& message, const char* name) {
  const FieldDescriptor* field = message.GetDescriptor()->FindFieldByName(name);
  return field == nullptr ? 0 : static_cast<uint64_t>(Number(message, *field, -1));
}

absl::Status CheckParts(const Message& message, const Place* place) {
  for (const AtMost& rule : kParts) {
    if (message.GetDescriptor()->name() != rule.message) {
      continue;
    }
    const uint64_t part = Count(message, rule.part);
    const uint64_t whole = Count(message, rule.whole);
    if (part > whole) {
      return absl::DataLossError(absl::StrCat(place->Words(), ".", rule.part, " is ", part, "; expected at most ",
                                              whole, ", the value of ", rule.whole));
    }
  }
  return absl::OkStatus();
}

// Returns true if a field must be checked: a number without presence always, because in proto3 an unset number is 0 and
// 0 may be out of range; other fields if they are set.
bool IsThere(const Message& message, const FieldDescriptor& field) {
  return !field.is_repeated() &&
         (IsNumber(field) ? !field.has_presence() || message.GetReflection()->HasField(message, &field)
                          : message.GetReflection()->HasField(message, &field));
}

absl::Status CheckMessage(const Message& message, const Range* samples, const Place* place);

// Checks the numbers and messages of one field. A Quantity may be any finite number, because it may be derived by a
// subtraction, and its interval may be infinite. Samples are measured and have the range of the field that holds them.
absl::Status CheckField(const Message& message, const FieldDescriptor& field, const Range* samples,
                        const Place* outer) {
  const Reflection& values = *message.GetReflection();
  const Range range = samples != nullptr ? *samples : RangeOf(field);
  const int count = field.is_repeated() ? values.FieldSize(message, &field) : IsThere(message, field) ? 1 : 0;
  for (int i = 0; i < count; ++i) {
    const Place place = {outer, &field, field.is_repeated() ? i : -1};
    if (IsNumber(field)) {
      RETURN_IF_ERROR(CheckNumber(Number(message, field, place.index), range, place));
    } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      const Message& inner =
          field.is_repeated() ? values.GetRepeatedMessage(message, &field, i) : values.GetMessage(message, &field);
      const bool is_samples = inner.GetDescriptor()->name() == "Samples";
      RETURN_IF_ERROR(CheckMessage(inner, is_samples ? &range : nullptr, &place));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckInterval(const Message& quantity, const Place* place) {
  for (const char* end : {"low", "high"}) {
    const FieldDescriptor& field = *quantity.GetDescriptor()->FindFieldByName(end);
    const double value = Number(quantity, field, -1);
    if (IsThere(quantity, field) && std::isnan(value)) {
      return absl::DataLossError(absl::StrCat(place->Words(), ".", end, " is ", value, "; expected a number"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckMessage(const Message& message, const Range* samples, const Place* place) {
  const bool is_quantity = message.GetDescriptor()->name() == "Quantity";
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor& field = *message.GetDescriptor()->field(i);
    const bool is_end = is_quantity && (field.name() == "low" || field.name() == "high");
    if (!is_end && !IsUnchecked(field)) {
      RETURN_IF_ERROR(CheckField(message, field, samples, place));
    }
  }
  return is_quantity ? CheckInterval(message, place) : CheckParts(message, place);
}

absl::Status CheckCount(uint64_t count, uint64_t limit, const std::string& what, const char* whose) {
  return limit == 0 || count <= limit ? absl::OkStatus()
                                      : absl::DataLossError(absl::StrCat(what, " is ", count, "; expected at most ",
                                                                         limit, ", the data set's ", whose, " images"));
}

// Returns the message in a record's oneof and stores the field's name in `name`; null if there is no such message.
const Message* Inner(const Message& record, std::string& name) {
  std::vector<const FieldDescriptor*> fields;
  record.GetReflection()->ListFields(record, &fields);
  if (fields.size() != 1 || fields[0]->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE || fields[0]->is_repeated()) {
    return nullptr;
  }
  name = fields[0]->name();
  return &record.GetReflection()->GetMessage(record, fields[0]);
}

}  // namespace

absl::Status ValueRanges::Check(const Message& record) {
  std::string name;
  const Message* const inner = Inner(record, name);
  if (inner == nullptr) {
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(CheckMessage(record, nullptr, nullptr));
  const FieldDescriptor* model = inner->GetDescriptor()->FindFieldByName("model");
  if (model != nullptr && model->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
    const Message& facts = inner->GetReflection()->GetMessage(*inner, model);
    training_images_ = std::max(training_images_, Count(facts, "training_images"));
  }
  if (inner->GetDescriptor()->name() == "QuantizeSpec") {
    test_images_ = Count(*inner, "test_images");
  }
  // Images that are seen twice, so that all ranks have equally many, are counted as padding.
  RETURN_IF_ERROR(CheckCount(Count(*inner, "images_per_epoch") - Count(*inner, "padded_images"), training_images_,
                             absl::StrCat(name, ".images_per_epoch"), "training"));
  const FieldDescriptor* steps = inner->GetDescriptor()->FindFieldByName("step");
  for (int i = 0; steps != nullptr && steps->is_repeated() && i < inner->GetReflection()->FieldSize(*inner, steps);
       ++i) {
    RETURN_IF_ERROR(CheckCount(Count(inner->GetReflection()->GetRepeatedMessage(*inner, steps, i), "images"),
                               test_images_, absl::StrCat(name, ".step[", i, "].images"), "test"));
  }
  return absl::OkStatus();
}

absl::Status AtRecord(const std::string& path, uint64_t number, const absl::Status& status) {
  return status.ok() ? status
                     : absl::Status(status.code(), absl::StrCat(path, ": record ", number, ": ", status.message(),
                                                                "; make the file again"));
}

}  // namespace lockstep
