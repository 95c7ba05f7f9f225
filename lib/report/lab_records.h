// The records of one lab, read for its report: any of the five kinds, in any order, told apart by their headers.
#ifndef LOCKSTEP_LIB_REPORT_LAB_RECORDS_H_
#define LOCKSTEP_LIB_REPORT_LAB_RECORDS_H_

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

// Records of one kind that are kept of one file, at most. Each is a row of the report. No ladder has a hundred points,
// and nobody reads a page of more rows than this. The record file has them all, and `report --print` shows them.
inline constexpr size_t kMaxOfAKind = 1000;

// What every record file has.
struct RecordSource {
  proto::Header header;
  proto::Trailer trailer;
  proto::Input input;     // the file itself: path and digest
  uint64_t changed = 0;   // records of a JSON that are not as they were printed, the header left out
  uint64_t left_out = 0;  // records that were checked and not kept: those of a kind beyond the first kMaxOfAKind

  std::string name() const;  // the file's name without its folder: "sweep.rec"; "standard input" for "-"
};

struct LabDataset : RecordSource {
  std::vector<proto::DatasetInfo> info;  // the pixels were checked, and not kept
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
  std::vector<proto::ScalingRow> rows;  // without bandwidths above the link (lib/scaling/link_limit.h)
  std::vector<std::string> above_link;  // these: "4 ranks, batch 512 per device: bytes / T_comm = ..."
  std::vector<proto::StarRow> stars;
  std::vector<proto::AllReduceFit> all_reduce_fits;
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

// Each kind may be absent, or there several times (a sweep per network, say). In the order given.
struct LabRecords {
  std::vector<LabDataset> datasets;
  std::vector<LabSweep> sweeps;
  std::vector<LabScale> scales;
  std::vector<LabCommModel> comm_models;
  std::vector<LabQuantized> quantized;

  // All of them: datasets, sweeps, scales, comm_models, quantized. Valid while the LabRecords are.
  std::vector<const RecordSource*> Sources() const;
};

// Reads the files ("-": standard input, at most once), record files or their JSON (record_json.h). Every byte is checked, and what the numbers can be
// (value_ranges.h). InvalidArgument: no file, or one given twice (by its digest). FailedPrecondition: a report's own
// record. Other errors as RecordReader's.
absl::StatusOr<LabRecords> ReadLabRecords(const std::vector<std::string>& paths);

// Takes a row of a comm_model record: bandwidths above the link become absent, and are noted. The bandwidth while collectives
// ran is computed where an older record has none.
void AddScalingRow(proto::ScalingRow row, LabCommModel& file);

// Reads the bytes of one record file, or of its JSON, and appends its records to `lab`. `path` is the file's name in
// messages and in the source's input. `lab` may hold a file of the same digest. Errors as ReadLabRecords'.
absl::Status AddLabRecord(const std::string& path, std::string bytes, LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_LAB_RECORDS_H_
