#include "lib/train/training_state.h"

#include <unistd.h>

#include <cstdio>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/base/readable_line.h"
#include "lib/base/status_macros.h"
#include "lib/proto/training_state.pb.h"
#include "lib/record/record_reader.h"
#include "lib/record/record_writer.h"

namespace lockstep {

namespace {

// A reader's advice is to make the file again; who makes this one is a run that has to be told to leave it.
absl::Status Unusable(const std::string& path, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(absl::StripSuffix(status.message(), "; make the file again"),
                                                  "; training cannot go on from "
                                                  "this state: remove ",
                                                  path, " to start it afresh, or use --force"));
}

}  // namespace

absl::StatusOr<std::optional<TrainingState>> ReadTrainingState(const TrainingStateFile& file) {
  if (file.path.empty() || file.afresh || access(file.path.c_str(), F_OK) != 0) {
    return std::nullopt;
  }
  auto opened = ReadRecordFile<proto::TrainingStateFile>(file.path);
  if (!opened.ok()) {
    return Unusable(file.path, opened.status());
  }
  auto& read = *opened;
  if (read.header.cache_key() != file.header.cache_key() || file.header.build().build_id().empty()) {
    std::fprintf(stderr, "%s is of another run (program, flags, data set or machine): training starts afresh\n",
                 ReadableLine(file.path).c_str());
    return std::nullopt;
  }
  TrainingState state;
  for (proto::TrainingStateRecord& record : read.records) {
    if (record.has_progress()) {
      state.point = std::move(*record.mutable_progress()->mutable_point());
    } else {
      state.arrays[record.array().name()] = std::move(*record.mutable_array()->mutable_data());
    }
  }
  return state;
}

absl::Status WriteTrainingState(const TrainingStateFile& file, TrainingState state) {
  std::vector<proto::TrainingStateRecord> records(1);
  *records[0].mutable_progress()->mutable_point() = std::move(state.point);
  for (auto& [name, bytes] : state.arrays) {
    proto::StateArray& array = *records.emplace_back().mutable_array();
    array.set_name(name);
    array.set_data(std::move(bytes));
  }
  const absl::Status status = WriteRecordFile(file.path, file.header, records);
  return absl::IsResourceExhausted(status) ? absl::UnavailableError(status.message()) : status;
}

void RemoveTrainingState(const std::string& path) {
  unlink(path.c_str());
  unlink(absl::StrCat(path, ".part").c_str());
}

}  // namespace lockstep
