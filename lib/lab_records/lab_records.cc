#include "lib/lab_records/lab_records.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/path.h"
#include "lib/base/status_macros.h"
#include "lib/record/record_reader.h"
#include "lib/record/value_ranges.h"
#include "lib/scaling/link_limit.h"

namespace lockstep {
namespace {

// Keeps one more record of a kind, or counts it.
template <typename Message>
void Keep(Message& message, std::vector<Message>& kept, RecordSource& source) {
  if (kept.size() < kMaxOfAKind) {
    kept.push_back(std::move(message));
  } else {
    ++source.left_out;
  }
}

// Reads all records. `take` moves out of each what it needs, so that only one other record is in memory at a time.
template <typename Record, typename Take>
absl::Status ReadAll(RecordReader& reader, RecordSource& source, Take take) {
  source.header = reader.header();
  ValueRanges ranges;
  while (true) {
    Record record;
    ASSIGN_OR_RETURN(const bool more, reader.Next(record));
    if (!more) {
      break;
    }
    RETURN_IF_ERROR(AtRecord(reader.path(), reader.record_count() - 1, ranges.Check(record)));
    take(record);
  }
  source.trailer = reader.trailer();
  ASSIGN_OR_RETURN(source.input, reader.input());
  return absl::OkStatus();
}

absl::StatusOr<LabDataset> ReadDatasetRecords(RecordReader& reader) {
  LabDataset file;
  RETURN_IF_ERROR(ReadAll<proto::DatasetRecord>(reader, file, [&file](proto::DatasetRecord& record) {
    if (record.has_info()) {
      Keep(*record.mutable_info(), file.info, file);
    }
  }));
  return file;
}

absl::StatusOr<LabSweep> ReadSweepRecords(RecordReader& reader) {
  LabSweep file;
  RETURN_IF_ERROR(ReadAll<proto::SweepRecord>(reader, file, [&file](proto::SweepRecord& record) {
    if (record.has_spec()) {
      file.spec = std::move(*record.mutable_spec());
    } else if (record.has_point()) {
      Keep(*record.mutable_point(), file.points, file);
    } else if (record.has_checkpoint()) {
      Keep(*record.mutable_checkpoint(), file.checkpoints, file);
    } else if (record.has_end()) {
      file.end = std::move(*record.mutable_end());
    }
  }));
  return file;
}

absl::StatusOr<LabScale> ReadScaleRecords(RecordReader& reader) {
  LabScale file;
  RETURN_IF_ERROR(ReadAll<proto::ScaleRecord>(reader, file, [&file](proto::ScaleRecord& record) {
    if (record.has_spec()) {
      file.spec = std::move(*record.mutable_spec());
    } else if (record.has_point()) {
      Keep(*record.mutable_point(), file.points, file);
    }
  }));
  return file;
}

void Take(proto::CommModelRecord& record, LabCommModel& file) {
  switch (record.kind_case()) {
    case proto::CommModelRecord::kSpec:
      file.spec = std::move(*record.mutable_spec());
      break;
    case proto::CommModelRecord::kScaling:
      AddScalingRow(std::move(*record.mutable_scaling()), file);
      break;
    case proto::CommModelRecord::kStar:
      Keep(*record.mutable_star(), file.stars, file);
      break;
    case proto::CommModelRecord::kAllReduceFit:
      Keep(*record.mutable_all_reduce_fit(), file.all_reduce_fits, file);
      break;
    case proto::CommModelRecord::kPublishedTime:
      Keep(*record.mutable_published_time(), file.published_times, file);
      break;
    case proto::CommModelRecord::kStepTime:
      Keep(*record.mutable_step_time(), file.step_times, file);
      break;
    case proto::CommModelRecord::kLaw:
      Keep(*record.mutable_law(), file.laws, file);
      break;
    case proto::CommModelRecord::kPrediction:
      Keep(*record.mutable_prediction(), file.predictions, file);
      break;
    case proto::CommModelRecord::kWhatIf:
      Keep(*record.mutable_what_if(), file.what_ifs, file);
      break;
    case proto::CommModelRecord::kAudit:
      Keep(*record.mutable_audit(), file.audits, file);
      break;
    default:
      break;
  }
}

absl::StatusOr<LabCommModel> ReadCommModelRecords(RecordReader& reader) {
  LabCommModel file;
  RETURN_IF_ERROR(
      ReadAll<proto::CommModelRecord>(reader, file, [&file](proto::CommModelRecord& record) { Take(record, file); }));
  return file;
}

absl::StatusOr<LabQuantized> ReadQuantizedRecords(RecordReader& reader) {
  LabQuantized file;
  RETURN_IF_ERROR(ReadAll<proto::QuantizedRecord>(reader, file, [&file](proto::QuantizedRecord& record) {
    if (record.has_spec()) {
      file.spec = std::move(*record.mutable_spec());
    } else if (record.has_network()) {
      Keep(*record.mutable_network(), file.networks, file);
    }
  }));
  return file;
}

// Reads the file with `read` and appends it to the files of its kind.
template <typename Records>
absl::Status ReadInto(RecordReader& reader, absl::StatusOr<Records> (*read)(RecordReader&),
                      std::vector<Records>& kind) {
  ASSIGN_OR_RETURN(Records records, read(reader));
  records.changed = reader.changed_records();
  kind.push_back(std::move(records));
  return absl::OkStatus();
}

absl::Status ReadFrom(RecordReader& reader, LabRecords& lab) {
  const std::string& path = reader.path();
  const std::string& schema = reader.header().schema();
  if (schema == proto::DatasetFile::descriptor()->full_name()) {
    return ReadInto(reader, &ReadDatasetRecords, lab.datasets);
  }
  if (schema == proto::SweepFile::descriptor()->full_name()) {
    return ReadInto(reader, &ReadSweepRecords, lab.sweeps);
  }
  if (schema == proto::ScaleFile::descriptor()->full_name()) {
    return ReadInto(reader, &ReadScaleRecords, lab.scales);
  }
  if (schema == proto::CommModelFile::descriptor()->full_name()) {
    return ReadInto(reader, &ReadCommModelRecords, lab.comm_models);
  }
  if (schema == proto::QuantizedFile::descriptor()->full_name()) {
    return ReadInto(reader, &ReadQuantizedRecords, lab.quantized);
  }
  return absl::FailedPreconditionError(
      absl::StrCat(path,
                   ": a report is made from records of cifar_prep, train_sweep, scale_run, comm_model and quantize, "
                   "not from a ",
                   schema, "; give those"));
}

absl::Status ReadOne(const std::string& path, LabRecords& lab) {
  ASSIGN_OR_RETURN(const std::unique_ptr<RecordReader> reader,
                   RecordReader::OpenInput(path, "", BytesOfJson::kMayBeLeftOut));
  return ReadFrom(*reader, lab);
}

absl::Status CheckEachGivenOnce(const LabRecords& lab) {
  const std::vector<const RecordSource*> sources = lab.Sources();
  for (size_t i = 0; i < sources.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (sources[i]->input.sha256() == sources[j]->input.sha256()) {
        return absl::InvalidArgumentError(absl::StrCat("--input: ", sources[j]->input.path(), " and ",
                                                       sources[i]->input.path(),
                                                       " hold the same bytes; give each record once"));
      }
    }
  }
  return absl::OkStatus();
}

template <typename Records>
void AppendSources(const std::vector<Records>& kind, std::vector<const RecordSource*>& sources) {
  for (const Records& records : kind) {
    sources.push_back(&records);
  }
}

}  // namespace

void AddScalingRow(proto::ScalingRow row, LabCommModel& file) {
  for (const std::string& sentence : BandwidthsAboveLink(row)) {
    if (file.above_link.size() < kMaxOfAKind) {
      file.above_link.push_back(
          absl::StrCat(row.ranks(), " ranks, batch ", row.batch_per_device(), " per device: ", sentence));
    }
  }
  FillBusyBandwidth(row);
  BlankAboveLink(row);
  Keep(row, file.rows, file);
}

bool MadeFrom(const RecordSource& source, const RecordSource& input) {
  const auto& inputs = source.header.input();
  return std::any_of(inputs.begin(), inputs.end(),
                     [&](const proto::Input& one) { return one.sha256() == input.input.sha256(); });
}

std::string RecordSource::name() const {
  const std::string& path = input.path();
  return path == "-" ? "standard input" : FileNameOf(path);
}

std::vector<const RecordSource*> LabRecords::Sources() const {
  std::vector<const RecordSource*> sources;
  AppendSources(datasets, sources);
  AppendSources(sweeps, sources);
  AppendSources(scales, sources);
  AppendSources(comm_models, sources);
  AppendSources(quantized, sources);
  return sources;
}

absl::StatusOr<LabRecords> ReadLabRecords(const std::vector<std::string>& paths) {
  if (paths.empty()) {
    return absl::InvalidArgumentError("--input is missing; name the records, e.g. --input=sweep.rec,scale.rec");
  }
  LabRecords lab;
  bool stdin_taken = false;
  for (const std::string& path : paths) {
    if (path == "-" && stdin_taken) {
      return absl::InvalidArgumentError("--input: standard input (-) is given twice; it can be read once");
    }
    stdin_taken = stdin_taken || path == "-";
    RETURN_IF_ERROR(ReadOne(path, lab));
  }
  RETURN_IF_ERROR(CheckEachGivenOnce(lab));
  return lab;
}

absl::Status AddLabRecord(const std::string& path, std::string bytes, LabRecords& lab) {
  ASSIGN_OR_RETURN(const std::unique_ptr<RecordReader> reader, RecordReader::OpenBytes(path, std::move(bytes)));
  return ReadFrom(*reader, lab);
}

}  // namespace lockstep
