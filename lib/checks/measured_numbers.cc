#include "lib/checks/measured_numbers.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "lib/base/utf8.h"
#include "lib/proto/quantity.pb.h"
#include "lib/proto/scale.pb.h"
#include "lib/proto/sweep.pb.h"
#include "lib/published/printed_value.h"
#include "lib/published/published_unit.h"

namespace lockstep {
namespace {

constexpr size_t kMaxTextBytes = 40;  // limit of texts that a student may have written

// Quantity that a clock gives. `level` orders the quantities of one run: a number can have been computed from numbers
// of a lower level.
struct Clock {
  int level;
  const char* name;
};

// Returns no value for a quantity that is not measured by a clock.
std::optional<Clock> ClockOf(proto::PublishedQuantity quantity) {
  switch (quantity) {
    case proto::EPOCH_SECONDS:
      return Clock{0, "epoch time"};
    case proto::STEP_SECONDS:
      return Clock{0, "epoch time without data loading"};
    case proto::ITERATION_SECONDS:
      return Clock{1, "step time"};
    case proto::ITEMS_PER_SECOND:
      return Clock{2, "rate"};
    case proto::ITEMS_PER_SECOND_PER_DEVICE:
      return Clock{3, "rate per device"};
    case proto::COMPUTE_SECONDS:
      return Clock{4, "compute time"};
    case proto::COMMUNICATION_SECONDS:
      return Clock{4, "communication time"};
    case proto::BANDWIDTH_GIGABYTES_PER_SECOND:
      return Clock{5, "bandwidth"};
    default:
      return std::nullopt;
  }
}

// Returns the unit of the last digit that may be significant. Zeros at the end of a whole number may be rounding:
// 12000 has the unit 1000.
double SignificantUnit(const std::string& digits, const PrintedNumber& number) {
  double unit = number.unit;
  while (!absl::StrContains(digits, ".") && unit < number.value && std::fmod(number.value, 10 * unit) == 0) {
    unit *= 10;
  }
  return unit;
}

std::string PlaceOf(const proto::PublishedValue& value, const Clock& clock) {
  return absl::StrCat(clock.name, " of ", value.devices(), value.devices() == 1 ? " device" : " devices",
                      value.batch() > 0 ? absl::StrCat(", batch ", value.batch()) : "",
                      value.epoch() > 0 ? absl::StrCat(", epoch ", value.epoch()) : "");
}

std::string TextOf(const proto::PublishedValue& value) {
  const std::string digits(FirstBytes(PrintedText(value), kMaxTextBytes));
  return IsRate(value.quantity()) || value.unit_seconds() > 0 ? digits
                                                              : absl::StrCat(digits, " ", UnitOf(value.quantity()));
}

// Adds the times of one point; `where` names the point.
template <typename Point>
void AddTimes(const Point& point, const std::string& where, std::vector<MeasuredNumber>& numbers) {
  constexpr double kClockSeconds = 1e-9;  // resolution of the clocks of a record
  const google::protobuf::Reflection& reflection = *point.GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection.ListFields(point, &fields);
  for (const google::protobuf::FieldDescriptor* const field : fields) {
    if (field->is_repeated() || field->message_type() != proto::Samples::descriptor()) {
      continue;
    }
    const std::string field_name(field->name());
    const std::string name = absl::StrReplaceAll(absl::StripSuffix(field_name, "_seconds"), {{"_", " "}});
    for (const double seconds : static_cast<const proto::Samples&>(reflection.GetMessage(point, field)).value()) {
      if (seconds > 0) {
        numbers.push_back(
            {absl::StrCat(name, " time of ", where), "", absl::StrFormat("%.9g s", seconds), seconds, kClockSeconds});
      }
    }
  }
}

}  // namespace

std::vector<MeasuredNumber> MeasuredInTables(const proto::PublishedTables& document) {
  std::map<std::pair<uint32_t, uint64_t>, int> lowest;  // lowest level of the numbers of (devices, batch)
  for (const proto::PublishedTable& table : document.table()) {
    for (const proto::PublishedValue& value : table.value()) {
      if (const std::optional<Clock> clock = ClockOf(value.quantity()); clock.has_value()) {
        int& level = lowest.try_emplace({value.devices(), value.batch()}, clock->level).first->second;
        level = std::min(level, clock->level);
      }
    }
  }
  std::vector<MeasuredNumber> numbers;
  for (const proto::PublishedTable& table : document.table()) {
    for (const proto::PublishedValue& value : table.value()) {
      const std::optional<Clock> clock = ClockOf(value.quantity());
      const absl::StatusOr<PrintedNumber> number = PrintedNumberOf(value);
      if (!clock.has_value() || value.restated() || !number.ok() || number->value <= 0) {
        continue;
      }
      if (clock->level == 0 || value.read_off() || clock->level == lowest.at({value.devices(), value.batch()})) {
        numbers.push_back({PlaceOf(value, *clock), table.name(), TextOf(value), number->value,
                           SignificantUnit(value.as_printed(), *number)});
      }
    }
  }
  return numbers;
}

std::vector<MeasuredNumber> MeasuredInRecords(const LabRecords& lab) {
  std::vector<MeasuredNumber> numbers;
  for (const LabSweep& sweep : lab.sweeps) {
    for (const proto::SweepPoint& point : sweep.points) {
      if (!point.epoch().empty()) {
        AddTimes(point, absl::StrCat("batch ", point.batch_size()), numbers);
      }
    }
  }
  for (const LabScale& scale : lab.scales) {
    for (const proto::ScalePoint& point : scale.points) {
      if (!point.epoch().empty()) {
        AddTimes(point,
                 absl::StrCat(point.ranks(), " x ", point.batch_per_device(), ", ",
                              proto::Reduction_Name(point.reduction())),
                 numbers);
      }
    }
  }
  return numbers;
}

void KeepMeasuredNumbers(const std::string& file, std::vector<MeasuredNumber> numbers, ClassStudent& student) {
  size_t kept = 0;
  for (const auto& [other, measured] : student.measured) {
    kept += measured.size();
  }
  numbers.resize(std::min({numbers.size(), kMaxMeasuredPerFile, kMaxMeasuredPerStudent - kept}));
  if (!numbers.empty()) {
    student.measured.emplace(file, std::move(numbers));
  }
}

}  // namespace lockstep
