#include "lib/comm_model/inputs.h"

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "lib/base/log_line.h"
#include "lib/base/memory_file.h"
#include "lib/base/status_macros.h"
#include "lib/collectives/benchmark_points.h"
#include "lib/collectives/collective_times.h"
#include "lib/prediction/inter_host_link.h"
#include "lib/proto/scale.pb.h"
#include "lib/proto/sweep.pb.h"
#include "lib/record/input_text.h"
#include "lib/record/run_files.h"
#include "lib/record/value_ranges.h"
#include "lib/scaling/join_records.h"

namespace lockstep {
namespace {

// A field of 0 counts as unset, because 0 is not a valid value of any of the fields.
void FillAcceptance(double median, double worst, proto::Acceptance& acceptance) {
  if (acceptance.median_error() == 0) {
    acceptance.set_median_error(median);
  }
  if (acceptance.worst_error() == 0) {
    acceptance.set_worst_error(worst);
  }
  if (acceptance.min_degrees_of_freedom() == 0) {
    acceptance.set_min_degrees_of_freedom(1);
  }
}

bool IsFraction(double value) { return value > 0 && value < 1; }
bool IsError(double value) { return value > 0 && std::isfinite(value); }

template <typename Message>
absl::Status ReadTextMessage(const std::string& path, Message& message, std::vector<proto::Input>& files) {
  ASSIGN_OR_RETURN(const InputText input, ReadInputText(path));
  RETURN_IF_ERROR(ParseTextMessage(input.text, path, message));
  files.push_back(input.input);
  return absl::OkStatus();
}

// FailedPrecondition: the record is of an experiment. comm_model explains only times over ranks x batches.
absl::Status CheckHasTimes(const std::string& path, const ScaleRecords& scale) {
  const proto::ScaleSpec* const spec = FindSpec(scale);
  if (spec != nullptr && spec->experiment() != proto::EXPERIMENT_UNSPECIFIED) {
    return absl::FailedPreconditionError(absl::StrCat(
        path, ": the rows of an experiment (scale_run --experiment), which differ in how they are trained; ",
        "expected times of ranks x batches; use report for an experiment"));
  }
  return absl::OkStatus();
}

// Reads the scale records and joins them.
absl::Status ReadScale(const std::vector<std::string>& paths, CommModelInputs& inputs) {
  std::vector<ScaleRecords> records;
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(ScaleRecords scale, ReadRecordFile<proto::ScaleFile>(path));
    RETURN_IF_ERROR(CheckValueRanges(path, scale.records));
    RETURN_IF_ERROR(CheckHasTimes(path, scale));
    inputs.files.push_back(scale.input);
    records.push_back(std::move(scale));
  }
  if (records.empty()) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(JoinedScale joined, JoinScaleRecords(std::move(records)));
  if (!joined.repeated.empty()) {
    LogLine(absl::StrCat("comm_model: points of several records of --input: ", absl::StrJoin(joined.repeated, "; ")));
  }
  inputs.scale = std::move(joined.scale);
  return absl::OkStatus();
}

absl::Status ReadRecords(const CommModelOptions& options, CommModelInputs& inputs) {
  RETURN_IF_ERROR(ReadScale(options.scale_paths, inputs));
  if (!options.sweep_path.empty()) {
    ASSIGN_OR_RETURN(inputs.sweep, ReadRecordFile<proto::SweepFile>(options.sweep_path));
    RETURN_IF_ERROR(CheckValueRanges(options.sweep_path, inputs.sweep->records));
    inputs.files.push_back(inputs.sweep->input);
  }
  if (!options.score_path.empty()) {
    ASSIGN_OR_RETURN(inputs.scored, ReadRecordFile<proto::CommModelFile>(options.score_path));
    RETURN_IF_ERROR(CheckValueRanges(options.score_path, inputs.scored->records));
    inputs.files.push_back(inputs.scored->input);
  }
  return absl::OkStatus();
}

absl::Status ReadTables(const std::vector<std::string>& paths, std::vector<PublishedFile>& tables,
                        std::vector<proto::Input>& files) {
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(PublishedFile file, ReadPublishedTables(path));
    files.push_back(file.input);
    tables.push_back(std::move(file));
  }
  return absl::OkStatus();
}

// `path` may be a pipe, which can be read only once, so the reader gets a copy of the text that was read.
absl::StatusOr<std::vector<AllReducePoint>> RecordedPoints(const InputText& input, const std::string& path) {
  ASSIGN_OR_RETURN(const std::unique_ptr<MemoryFile> copy, MemoryFile::Create("all_reduce"));
  RETURN_IF_ERROR(copy->Append(input.text));
  DeclareInput(copy->path());
  absl::StatusOr<CollectiveTimesFile> file = ReadCollectiveTimes(copy->path());
  if (!file.ok()) {
    return absl::Status(file.status().code(), absl::StrReplaceAll(file.status().message(), {{copy->path(), path}}));
  }
  file->input = input.input;
  return AllReducePointsOf(*file);
}

absl::StatusOr<AllReduceFile> ReadAllReduce(const std::string& path, std::vector<proto::Input>& files) {
  ASSIGN_OR_RETURN(const InputText input, ReadInputText(path));
  const bool record = IsRecordFile(input.text), ours = record || IsGoogleBenchmark(input.text);
  ASSIGN_OR_RETURN(std::vector<AllReducePoint> points, record ? RecordedPoints(input, path)
                                                       : ours ? ParseAllReduceBenchmark(input.text, path)
                                                              : ParseNcclTests(input.text, path));
  files.push_back(input.input);
  return AllReduceFile{absl::StrCat(ours ? "our benchmark, " : "nccl-tests, ", path), std::move(points)};
}

absl::Status ReadAllReduces(const CommModelOptions& options, CommModelInputs& inputs) {
  for (const std::string& path : options.all_reduce_paths) {
    ASSIGN_OR_RETURN(inputs.all_reduces.emplace_back(), ReadAllReduce(path, inputs.files));
  }
  return absl::OkStatus();
}

// Reads the cluster of --what_if.
absl::Status ReadCluster(const WhatIfOptions& options, CommModelInputs& inputs) {
  if (!options.cluster_path.empty()) {
    RETURN_IF_ERROR(ReadTextMessage(options.cluster_path, inputs.cluster, inputs.files));
  }
  inputs.cluster.MergeFrom(options.cluster);
  if (options.inter_host_all_reduce_path.empty()) {
    return absl::OkStatus();
  }
  if (inputs.cluster.has_inter_host() || inputs.cluster.has_inter_host_flat()) {
    return absl::InvalidArgumentError(absl::StrCat("--inter_host_all_reduce=", options.inter_host_all_reduce_path,
                                                   ": the link between hosts is also given by flags or in --cluster; ",
                                                   "give one of both"));
  }
  ASSIGN_OR_RETURN(const AllReduceFile file, ReadAllReduce(options.inter_host_all_reduce_path, inputs.files));
  ASSIGN_OR_RETURN(const InterHostLinks links, FitInterHostLinks(file.points, file.source));
  *inputs.cluster.mutable_inter_host() = links.inter_host;
  if (links.flat.has_value()) {
    *inputs.cluster.mutable_inter_host_flat() = *links.flat;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<proto::ModelSpec> WithDefaults(proto::ModelSpec spec) {
  if (spec.confidence() == 0) {
    spec.set_confidence(0.95);
  }
  if (spec.run_to_run_fraction() == 0) {
    spec.set_run_to_run_fraction(0.005);
  }
  if (spec.min_gain() == 0) {
    spec.set_min_gain(1.1);
  }
  FillAcceptance(0.05, 0.2, *spec.mutable_all_reduce());
  if (spec.all_reduce().scored_from_bytes() == 0) {
    spec.mutable_all_reduce()->set_scored_from_bytes(65536);
  }
  FillAcceptance(0.05, 0.25, *spec.mutable_step_time());
  const bool errors = IsError(spec.all_reduce().median_error()) && IsError(spec.all_reduce().worst_error()) &&
                      IsError(spec.step_time().median_error()) && IsError(spec.step_time().worst_error()) &&
                      spec.all_reduce().scored_from_bytes() > 0 &&
                      spec.all_reduce().scored_from_bytes() <= kMaxMessageBytes;
  if (!IsFraction(spec.confidence()) || !IsFraction(spec.run_to_run_fraction()) || !errors || !(spec.min_gain() >= 1) ||
      std::isinf(spec.min_gain())) {
    return absl::DataLossError(absl::StrCat(
        "expected confidence and run_to_run_fraction between 0 and 1, errors above 0 and a min_gain of at least "
        "1, found ",
        spec.ShortDebugString()));
  }
  return spec;
}

absl::StatusOr<CommModelInputs> ReadCommModelInputs(const CommModelOptions& options) {
  CommModelInputs inputs;
  RETURN_IF_ERROR(ReadRecords(options, inputs));
  RETURN_IF_ERROR(ReadTables(options.times_paths, inputs.times, inputs.files));
  RETURN_IF_ERROR(ReadTables(options.audit_paths, inputs.audited, inputs.files));
  RETURN_IF_ERROR(ReadAllReduces(options, inputs));
  if (!options.model_spec_path.empty()) {
    RETURN_IF_ERROR(ReadTextMessage(options.model_spec_path, inputs.model_spec, inputs.files));
  }
  const absl::StatusOr<proto::ModelSpec> filled = WithDefaults(inputs.model_spec);
  if (!filled.ok()) {
    return absl::DataLossError(absl::StrCat(options.model_spec_path, ": ", filled.status().message()));
  }
  inputs.model_spec = *filled;
  RETURN_IF_ERROR(ReadCluster(options.what_if, inputs));
  return inputs;
}

}  // namespace lockstep
