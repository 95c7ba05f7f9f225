#include "lib/checks/student_figures.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "lib/base/utf8.h"
#include "lib/checks/measured_numbers.h"
#include "lib/checks/repeat_chance.h"
#include "lib/checks/table_rules.h"
#include "lib/published/printed_value.h"
#include "lib/record/digest.h"
#include "lib/scaling/point_settings.h"
#include "lib/statistics/spread.h"
#include "lib/summary/summary.h"

namespace lockstep {
namespace {

std::string DeviceOf(const proto::Header& header) {
  return header.device_size() > 0 ? header.device(0).name() : header.host().cpu_model();
}

void AddSeconds(const std::string& point, double seconds, ClassStudent& student) {
  constexpr size_t kMaxNameBytes = 200;  // limit for names, which a student may have written
  if (seconds > 0) {
    student.times.emplace(FirstBytes(point, kMaxNameBytes), seconds);
  }
}

void AddTime(const std::string& point, const proto::Samples& samples, ClassStudent& student) {
  if (const std::optional<Spread> spread = SpreadOf(samples); spread.has_value()) {
    AddSeconds(point, spread->mean, student);
  }
}

// Adds a digest for each point that trained. Points that did not may be equal by chance: all ran out of memory.
template <typename Records>
void AddDigests(const Records& records, ClassStudent& student) {
  for (const auto& point : records.points) {
    if (!point.epoch().empty()) {
      student.digests[records.input.path()].push_back(Sha256Hex(point.SerializeAsString()));
    }
  }
}

void NoteEpoch(double seconds, ClassStudent& student) {
  if (seconds > 0) {
    student.fastest_epoch = std::min(seconds, student.fastest_epoch.value_or(seconds));
  }
}

void NoteEpoch(const proto::Samples& samples, ClassStudent& student) {
  if (const std::optional<Spread> spread = SpreadOf(samples); spread.has_value()) {
    NoteEpoch(spread->mean, student);
  }
}

void NoteSpeedup(double speedup, uint64_t devices, ClassStudent& student) {
  if (devices > 1 && (!student.best_speedup.has_value() || speedup > student.best_speedup->value)) {
    student.best_speedup = {speedup, devices};
  }
}

void NoteRecords(const LabRecords& lab, ClassStudent& student) {
  for (const LabSweep& sweep : lab.sweeps) {
    for (const proto::SweepPoint& point : sweep.points) {
      NoteEpoch(point.epoch_seconds(), student);
    }
  }
  for (const LabScale& scale : lab.scales) {
    for (const proto::ScalePoint& point : scale.points) {
      if (point.ranks() == 1) {
        NoteEpoch(point.epoch_seconds(), student);
      }
    }
  }
  for (const LabCommModel& model : lab.comm_models) {
    for (const proto::ScalingRow& row : model.rows) {
      if (row.epoch_speedup().has_value()) {
        NoteSpeedup(row.epoch_speedup().value(), row.ranks(), student);
        student.speedups_above_devices += row.ranks() > 1 && row.epoch_speedup().value() > row.ranks() ? 1 : 0;
      }
    }
  }
}

bool IsTime(proto::PublishedQuantity quantity) {
  return quantity == proto::EPOCH_SECONDS || quantity == proto::STEP_SECONDS || quantity == proto::ITERATION_SECONDS ||
         quantity == proto::COMPUTE_SECONDS || quantity == proto::COMMUNICATION_SECONDS;
}

// One printed number of a student's tables, and the name of its place without the table.
struct Printed {
  const proto::PublishedTable* table;
  const proto::PublishedValue* value;
  double number;
  std::string place;
  bool is_refuted;  // a rule that fails refutes the number
};

// Returns the numbers of the tables themselves: no lines of a log, no repetition of a number.
std::vector<Printed> PrintedNumbers(const std::vector<proto::PublishedTables>& documents,
                                    const std::vector<proto::PublishedValue>& refuted) {
  std::set<std::string> refuted_bytes;
  for (const proto::PublishedValue& value : refuted) {
    refuted_bytes.insert(value.SerializeAsString());
  }
  std::vector<Printed> all;
  for (const proto::PublishedTables& document : documents) {
    for (const proto::PublishedTable& table : document.table()) {
      for (const proto::PublishedValue& value : table.value()) {
        const absl::StatusOr<PrintedNumber> number = PrintedNumberOf(value);
        if (number.ok() && value.epoch() == 0 && !value.restated()) {
          all.push_back(
              {&table, &value, number->value,
               absl::StrCat("printed ", absl::AsciiStrToLower(proto::PublishedQuantity_Name(value.quantity())), ", ",
                            value.devices(), value.devices() == 1 ? " device" : " devices", ", batch ", value.batch(),
                            value.context().empty() ? "" : ", ", value.context()),
               refuted_bytes.count(value.SerializeAsString()) > 0});
        }
      }
    }
  }
  return all;
}

void NotePrinted(const Printed& printed, std::set<uint64_t>& one_device_batches, std::set<std::string>& answered,
                 ClassStudent& student) {
  const proto::PublishedValue& value = *printed.value;
  student.speedups_above_devices += value.quantity() == proto::SPEEDUP && IsSpeedupAboveDevices(value) ? 1 : 0;
  const bool is_epoch = value.quantity() == proto::EPOCH_SECONDS || value.quantity() == proto::STEP_SECONDS;
  if (is_epoch && value.devices() == 1) {
    NoteEpoch(printed.is_refuted ? 0 : printed.number, student);
    one_device_batches.insert(value.batch());
  } else if (value.quantity() == proto::SPEEDUP && value.devices() > 1) {
    answered.insert("Q2");
    if (!printed.is_refuted && value.base_devices() <= 1 &&
        (value.base_batch() == 0 || value.base_batch() == value.batch())) {
      NoteSpeedup(printed.number, value.devices(), student);
    }
  } else if (value.quantity() == proto::COMMUNICATION_SECONDS && value.devices() > 1) {
    answered.insert("Q3");
  }
}

void NoteTables(const std::vector<Printed>& numbers, std::set<std::string>& answered, ClassStudent& student) {
  std::map<std::string, int> places;
  std::set<uint64_t> one_device_batches;
  for (const Printed& printed : numbers) {
    NotePrinted(printed, one_device_batches, answered, student);
    places[printed.place] += IsTime(printed.value->quantity()) ? 1 : 0;
  }
  if (one_device_batches.size() > 1) {
    answered.insert("Q1");
  }
  for (const Printed& printed : numbers) {
    if (IsTime(printed.value->quantity())) {
      AddSeconds(places[printed.place] > 1 ? absl::StrCat(printed.place, ", ", printed.table->name()) : printed.place,
                 printed.number, student);
    }
  }
}

}  // namespace

void AddRecordTimes(const LabRecords& lab, ClassStudent& student) {
  for (const LabSweep& sweep : lab.sweeps) {
    AddDigests(sweep, student);
    for (const proto::SweepPoint& point : sweep.points) {
      AddTime(absl::StrCat(sweep.spec.training().model(), ", ", sweep.spec.preset(), " preset, batch ",
                           point.batch_size(), " on ", DeviceOf(sweep.header)),
              point.epoch_seconds(), student);
    }
  }
  for (const LabScale& scale : lab.scales) {
    AddDigests(scale, student);
    for (const proto::ScalePoint& point : scale.points) {
      AddTime(absl::StrCat(scale.spec.training().model(), ", ", SettingsText(SettingsOf(scale.spec, point)), ", ",
                           point.ranks(), " x ", point.batch_per_device(), ", ",
                           proto::Reduction_Name(point.reduction()), " on ", DeviceOf(scale.header)),
              point.epoch_seconds(), student);
    }
  }
}

namespace {

// Returns true if two students who measured on their own would hardly print all numbers of the one table of `alone`
// alike. Only measured numbers count: speed-ups of one decimal are equal in many honest tables.
bool ProvesACopy(const proto::PublishedTables& alone) {
  // Largest probability of equal tables. A class of 100 has 4,950 pairs of students.
  constexpr double kMaxChance = 1e-6;
  double chance = 1;
  for (const MeasuredNumber& number : MeasuredInTables(alone)) {
    chance *= std::clamp(number.unit / number.value / kRepeatWidth, kMinRepeatChance, 1.0);
  }
  return chance <= kMaxChance;
}

}  // namespace

std::vector<std::string> TableDigests(const proto::PublishedTables& document) {
  std::vector<std::string> digests;
  proto::PublishedTables alone;  // the document's statements with one of its tables at a time
  *alone.mutable_claims() = document.claims();
  *alone.mutable_facts() = document.facts();
  alone.add_table();
  for (const proto::PublishedTable& table : document.table()) {
    *alone.mutable_table(0) = table;
    std::set<std::string> numbers;
    for (const proto::PublishedValue& value : table.value()) {
      numbers.insert(absl::StrCat(value.quantity(), " ", value.devices(), " ", value.batch(), " ", value.epoch(), " ",
                                  PrintedText(value)));
    }
    if (ProvesACopy(alone)) {
      digests.push_back(Sha256Hex(absl::StrJoin(numbers, "\n")));
    }
  }
  return digests;
}

namespace {

// Returns why a student has no best speed-up. `is_printed`: the tables have speed-ups.
std::string NoSpeedupReason(const LabRecords& lab, bool is_printed) {
  if (is_printed) {
    return "every printed speed-up breaks a rule or has another base than one device";
  }
  if (!lab.comm_models.empty()) {
    return "the record of comm_model has no speed-up of several devices";
  }
  return lab.scales.empty() ? "no speed-up in the files" : "a record of scale_run without one of comm_model";
}

}  // namespace

void AddFigures(const LabRecords& lab, const std::vector<proto::PublishedTables>& tables,
                const std::vector<proto::PublishedValue>& refuted, ClassStudent& student) {
  std::set<std::string> by_tables;
  NoteRecords(lab, student);
  NoteTables(PrintedNumbers(tables, refuted), by_tables, student);
  if (!student.best_speedup.has_value()) {
    student.no_speedup_reason = NoSpeedupReason(lab, by_tables.count("Q2") > 0);
  }
  for (const proto::SummaryCard& card : QuestionCards(lab)) {  // all questions, in the lab's order
    if (card.state() == proto::ANSWERED || by_tables.count(card.question()) > 0) {
      student.answered.push_back(card.question());
    } else if (card.state() == proto::PARTLY) {
      student.partly.push_back(card.question());
      student.partly_reasons.push_back(card.verdict());
    }
  }
}

}  // namespace lockstep
