// The records of one lab, read for its report: any of the five kinds, in any order. The header identifies the kind.
#ifndef LOCKSTEP_LIB_LAB_RECORDS_LAB_RECORDS_H_
#define LOCKSTEP_LIB_LAB_RECORDS_LAB_RECORDS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/proto/comm_model.pb.h"
#include "lib/proto/dataset.pb.h"
#include "lib/proto/header.pb.h"
#include "lib/proto/quantized.pb.h"
#include "lib/proto/scale.pb.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

// Maximum number of records of one kind that are kept per file. Each is a row of the report, no batch sweep has a
// hundred points, and nobody reads a page with more rows. `report --print` shows all records of the file.
inline constexpr size_t kMaxOfAKind = 1000;

// Data that every record file has.
struct RecordSource {
  proto::Header header;
  proto::Trailer trailer;
  proto::Input input;     // path and digest of the file
  uint64_t changed = 0;   // records of a JSON that differ from what was printed, without the header
  uint64_t left_out = 0;  // checked records that were not kept: those of a kind after its first kMaxOfAKind

  std::string name() const;  // file name without its folder: "sweep.rec"; "standard input" for "-"
};

// Returns true if the run of `source` read the file of `input`: a digest of its inputs is that of the file.
bool MadeFrom(const RecordSource& source, const RecordSource& input);

struct LabDataset : RecordSource {
  std::vector<proto::DatasetInfo> info;  // facts on the splits; their pixels were checked, and are not kept
};

struct LabSweep : RecordSource {
  proto::SweepSpec spec;
  std::vector<proto::SweepPoint> points;
  std::vector<proto::Checkpoint> checkpoints;
  proto::SweepEnd end;
};

struct LabScale : RecordSource {
  proto::ScaleSpec spec;
  std::vector<proto::ScalePoint> points;
};

struct LabCommModel : RecordSource {
  proto::CommModelSpec spec;
  std::vector<proto::ScalingRow> rows;  // rows without bandwidths above the link (lib/scaling/link_limit.h)
  std::vector<std::string> above_link;  // removed bandwidths: "4 ranks, batch 512 per device: bytes / T_comm = ..."
  std::vector<proto::StarRow> stars;
  std::vector<proto::AllReduceFit> all_reduce_fits;
  std::vector<proto::PublishedTime> published_times;
  std::vector<proto::StepTimeModel> step_times;
  std::vector<proto::ScalingLawFit> laws;
  std::vector<proto::Prediction> predictions;
  std::vector<proto::WhatIfRow> what_ifs;
  std::vector<proto::AuditTable> audits;
};

struct LabQuantized : RecordSource {
  proto::QuantizeSpec spec;
  std::vector<proto::QuantizedNetwork> networks;
};

// Records in the order given. A kind may be absent, or occur several times (for example one sweep per network).
struct LabRecords {
  std::vector<LabDataset> datasets;
  std::vector<LabSweep> sweeps;
  std::vector<LabScale> scales;
  std::vector<LabCommModel> comm_models;
  std::vector<LabQuantized> quantized;

  // Returns all of them: datasets, sweeps, scales, comm_models, quantized. The pointers are valid as long as the
  // LabRecords.
  std::vector<const RecordSource*> Sources() const;
};

// Reads the files ("-": standard input, at most once): record files or their JSON (record_json.h). Checks every byte
// and the ranges of the numbers (value_ranges.h). Errors:
// - InvalidArgument: there is no file, or a file is given twice (same digest, or "-" twice).
// - FailedPrecondition: a file is not one of the five kinds, such as a report's own record.
// - Others: those of RecordReader.
absl::StatusOr<LabRecords> ReadLabRecords(const std::vector<std::string>& paths);

// Adds a row of a comm_model record. Bandwidths above the link become absent, and above_link lists them. If an older
// record lacks the bandwidth during the collectives, it is computed.
void AddScalingRow(proto::ScalingRow row, LabCommModel& file);

// Reads the bytes of one record file, or of its JSON, and appends its records to `lab`. `path` is the file's name in
// messages and in the source's input. `lab` may already hold a file of the same digest. Errors are those of
// ReadLabRecords.
absl::Status AddLabRecord(const std::string& path, std::string bytes, LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAB_RECORDS_LAB_RECORDS_H_
