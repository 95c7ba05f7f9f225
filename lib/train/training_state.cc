#include "lib/train/training_state.h"

#include <unistd.h>

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/base/log_line.h"
#include "lib/base/path.h"
#include "lib/base/status_macros.h"
#include "lib/proto/training_state.pb.h"
#include "lib/record/other_result.h"
#include "lib/record/record_reader.h"
#include "lib/record/record_writer.h"

namespace lockstep {

namespace {

// Returns a reader's error with another remedy. A reader suggests making the file again, but a state is made by a
// training run, which must be told to ignore it.
absl::Status Unusable(const std::string& path, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(absl::StripSuffix(status.message(), "; make the file again"),
                                                  "; training cannot resume from this state: remove ", path,
                                                  " to start again, or use --force"));
}

template <typename Records>
absl::StatusOr<TrainingStates> FromRecords(Records& records) {
  TrainingStates states;
  for (proto::TrainingStateRecord& record : records) {
    if (record.has_progress()) {
      TrainingState& state = states.emplace_back();
      state.point = std::move(*record.mutable_progress()->mutable_point());
      state.measured = std::move(*record.mutable_progress()->mutable_measured());
    } else if (states.empty()) {
      return absl::DataLossError("expected a rank's progress before its arrays, found none");
    } else {
      states.back().arrays[record.array().name()] = std::move(*record.mutable_array()->mutable_data());
    }
  }
  return states;
}

std::vector<proto::TrainingStateRecord> ToRecords(TrainingStates states) {
  std::vector<proto::TrainingStateRecord> records;
  for (TrainingState& state : states) {
    proto::TrainingProgress& progress = *records.emplace_back().mutable_progress();
    *progress.mutable_point() = std::move(state.point);
    progress.set_measured(std::move(state.measured));
    for (auto& [name, bytes] : state.arrays) {
      proto::StateArray& array = *records.emplace_back().mutable_array();
      array.set_name(name);
      array.set_data(std::move(bytes));
    }
  }
  return records;
}

}  // namespace

absl::StatusOr<std::optional<TrainingStates>> ReadTrainingState(const TrainingStateFile& file) {
  if (file.path.empty() || file.afresh || access(file.path.c_str(), F_OK) != 0) {
    return std::nullopt;
  }
  auto opened = ReadRecordFile<proto::TrainingStateFile>(file.path);
  if (!opened.ok()) {
    return Unusable(file.path, opened.status());
  }
  auto& read = *opened;
  if (read.header.cache_key() != file.header.cache_key() || file.header.build().build_id().empty()) {
    LogWarning(
        absl::StrCat(file.path, " is from another run (program, flags, data set or machine): training starts again"));
    return std::nullopt;
  }
  absl::StatusOr<TrainingStates> states = FromRecords(read.records);
  if (!states.ok() || states->empty()) {
    return Unusable(file.path, states.ok() ? absl::DataLossError("contains no rank's progress") : states.status());
  }
  return *std::move(states);
}

absl::Status WriteTrainingState(const TrainingStateFile& file, TrainingStates states) {
  const ReplaceRule rule = ReplaceIfForced(ToForce(file.afresh), ReplaceRecordOf(file.header.schema()));
  const absl::Status status = WriteRecordFile(file.path, file.header, ToRecords(std::move(states)), rule);
  return absl::IsResourceExhausted(status) ? absl::UnavailableError(status.message()) : status;
}

std::string PackStates(TrainingStates states) {
  proto::TrainingStateFile file;
  for (proto::TrainingStateRecord& record : ToRecords(std::move(states))) {
    *file.add_record() = std::move(record);
  }
  return file.SerializeAsString();
}

absl::StatusOr<TrainingStates> UnpackStates(const std::string& bytes) {
  proto::TrainingStateFile file;
  if (!file.ParseFromString(bytes)) {
    return absl::DataLossError("the states of a training do not parse");
  }
  return FromRecords(*file.mutable_record());
}

void RemoveTrainingState(const std::string& path) {
  for (const std::string& file : {path, PartPath(path)}) {
    if (BeginsAsRecord(file)) {  // keeps a file that is not a record
      unlink(file.c_str());
    }
  }
}

}  // namespace lockstep
