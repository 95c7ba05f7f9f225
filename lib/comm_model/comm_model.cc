#include "lib/comm_model/comm_model.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/audit/audit.h"
#include "lib/base/log_line.h"
#include "lib/base/peak_memory.h"
#include "lib/base/print_text.h"
#include "lib/base/readable_line.h"
#include "lib/base/status_macros.h"
#include "lib/base/stopwatch.h"
#include "lib/comm_model/explain_number.h"
#include "lib/comm_model/inputs.h"
#include "lib/comm_model/model_records.h"
#include "lib/comm_model/verdict.h"
#include "lib/prediction/predict.h"
#include "lib/record/provenance.h"
#include "lib/record/readable_text.h"
#include "lib/record/record_reader.h"
#include "lib/record/record_writer.h"
#include "lib/record/run_files.h"
#include "lib/record/run_stage.h"
#include "lib/record/step_cache.h"
#include "lib/record/value_ranges.h"
#include "lib/scaling/explain.h"
#include "lib/scaling/scale_parts.h"
#include "lib/scaling/star_rows.h"
#include "lib/statistics/unit.h"

namespace lockstep {
namespace {

using Records = std::vector<proto::CommModelRecord>;

proto::Header MakeCommModelHeader(const CommModelOptions& options, const CommModelInputs& inputs) {
  HeaderOptions header;
  header.schema = proto::CommModelFile::descriptor()->full_name();
  header.inputs = inputs.files;
  header.result_flags = ResultFlags(options);
  return MakeHeader(header);
}

absl::StatusOr<proto::CommModelSpec> MakeSpec(const CommModelOptions& options, const CommModelInputs& inputs) {
  proto::CommModelSpec spec;
  if (inputs.scale.has_value()) {
    ASSIGN_OR_RETURN(
        spec, MakeCommModelSpec(*inputs.scale, options.nominal_link_gigabytes_per_second * kGigabytesPerSecond.size));
  }
  *spec.mutable_model_spec() = inputs.model_spec;
  if (!options.what_if.devices.empty()) {
    *spec.mutable_cluster() = inputs.cluster;
  }
  return spec;
}

// Appends the rows of one way to train, with the overlap model's numbers next to the measured ones.
absl::Status AppendRows(const CommModelInputs& inputs, const ScaleRecords& part, const proto::CommModelSpec& spec,
                        const std::vector<AllReduceCurve>& curves, Records& records) {
  const SweepRecords* const sweep = inputs.sweep.has_value() ? &*inputs.sweep : nullptr;
  ASSIGN_OR_RETURN(std::vector<proto::ScalingRow> rows, ExplainScaling(part, sweep, spec));
  ASSIGN_OR_RETURN(const ScalingTimes times, TimesOfRecords(part, sweep, inputs.model_spec.run_to_run_fraction()));
  FillModelledExposed(times, curves, inputs.model_spec.confidence(), rows);
  for (proto::ScalingRow& row : rows) {
    *records.emplace_back().mutable_scaling() = std::move(row);
  }
  for (proto::StarRow& row : ExplainStar(part, spec)) {
    *records.emplace_back().mutable_star() = std::move(row);
  }
  return absl::OkStatus();
}

absl::Status AppendScaling(const CommModelInputs& inputs, const proto::CommModelSpec& spec,
                           const std::vector<AllReduceCurve>& curves, Records& records) {
  ASSIGN_OR_RETURN(const std::vector<ScaleRecords> parts, SplitScaleRecords(*inputs.scale));
  for (const ScaleRecords& part : parts) {
    RETURN_IF_ERROR(AppendRows(inputs, part, spec, curves, records));
  }
  return absl::OkStatus();
}

// FailedPrecondition: a prediction is asked for, but all points are DataParallel's. Only all-reduce times are
// predicted.
absl::Status CheckCanPredict(const CommModelOptions& options, const CommModelInputs& inputs) {
  const bool asked = options.fit_ranks > 0 || !options.predict_ranks.empty() || !options.what_if.devices.empty() ||
                     inputs.scored.has_value();
  if (!asked || !inputs.scale.has_value()) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::vector<ScaleRecords> parts, SplitScaleRecords(*inputs.scale));
  const bool all_reduces = std::any_of(parts.begin(), parts.end(),
                                       [](const ScaleRecords& part) { return FindSpec(part)->mode() != proto::DP; });
  return all_reduces ? absl::OkStatus()
                     : absl::FailedPreconditionError(
                           absl::StrCat(inputs.scale->input.path(),
                                        ": times of DataParallel (scale_run --mode=dp) alone; predictions start ",
                                        "from times of --mode=ddp"));
}

// Appends the times of published tables, step-time models of the points that --fit_ranks does not hide, as the
// predictions use them, and laws of all points.
absl::Status AppendCurves(const CommModelOptions& options, const CommModelInputs& inputs,
                          const std::vector<ScalingTimes>& all, Records& records) {
  for (proto::PublishedTime& time : DescribePublishedTimes(all, inputs.model_spec.confidence())) {
    *records.emplace_back().mutable_published_time() = std::move(time);
  }
  std::vector<ScalingTimes> shown = all;
  for (ScalingTimes& times : shown) {
    times = options.fit_ranks > 0 ? UpTo(times, options.fit_ranks) : times;
  }
  for (proto::StepTimeModel& model : DescribeStepTimes(shown, inputs.model_spec)) {
    *records.emplace_back().mutable_step_time() = std::move(model);
  }
  ASSIGN_OR_RETURN(std::vector<proto::ScalingLawFit> laws, FitLaws(all, inputs.model_spec.confidence()));
  for (proto::ScalingLawFit& law : laws) {
    *records.emplace_back().mutable_law() = std::move(law);
  }
  return absl::OkStatus();
}

absl::Status AppendPredictions(const CommModelOptions& options, const CommModelInputs& inputs,
                               const std::vector<ScalingTimes>& all, const std::vector<AllReduceCurve>& curves,
                               Records& records) {
  ASSIGN_OR_RETURN(std::vector<proto::Prediction> scores, ScoreEarlier(inputs, all));
  for (proto::Prediction& score : scores) {
    *records.emplace_back().mutable_prediction() = std::move(score);
  }
  for (proto::Prediction& prediction : MakePredictions(options, inputs, all, curves)) {
    *records.emplace_back().mutable_prediction() = std::move(prediction);
  }
  ASSIGN_OR_RETURN(std::vector<proto::WhatIfRow> rows, MakeWhatIfRows(options, inputs, all, curves));
  for (proto::WhatIfRow& row : rows) {
    *records.emplace_back().mutable_what_if() = std::move(row);
  }
  return absl::OkStatus();
}

// Reads the output into `records` if it holds this result. Returns false if it does not, or if a value is out of range:
// the checksums are right then, but this program did not write the file.
bool ReadCached(const std::string& path, const proto::Header& header, Records& records) {
  if (!IsCached(path, header)) {
    return false;
  }
  auto cached = ReadRecordFile<proto::CommModelFile>(path);
  // the file has not been replaced since
  const bool is_same = cached.ok() && cached->header.cache_key() == header.cache_key();
  if (!is_same || !CheckValueRanges(path, cached->records).ok()) {
    return false;
  }
  records = std::move(cached->records);
  return true;
}

// Makes the records and writes them.
absl::Status WriteRecords(const CommModelOptions& options, const CommModelInputs& inputs, const proto::Header& header,
                          RecordWriter& writer, Records& records) {
  ASSIGN_OR_RETURN(records, MakeCommModelRecords(options, inputs));
  for (proto::CommModelRecord& record : records) {
    MakeTextReadable(record);  // a source is the name of a file as given, in any bytes
  }
  RETURN_IF_ERROR(writer.Begin(header));
  RETURN_IF_ERROR(AppendAndFinish(records, writer));
  if (options.output_path != "-") {
    LogLine(absl::StrCat("comm_model: wrote ", options.output_path, ": ", VerdictText(records)));
  }
  return absl::OkStatus();
}

// A dry run makes the whole computation; a full run takes hardly longer, because writing is fast.
std::string PlanText(const CommModelOptions& options, const Records& records, double seconds) {
  return absl::StrFormat("comm_model: %s; %d records in %.2g s with %d MB of memory\ndry run: %s not written\n",
                         ReadableLine(VerdictText(records)), records.size(), seconds, PeakResidentBytes() / 1'000'000,
                         ReadableLine(options.output_path));
}

}  // namespace

absl::StatusOr<Records> MakeCommModelRecords(const CommModelOptions& options, const CommModelInputs& inputs) {
  Records records;
  ASSIGN_OR_RETURN(*records.emplace_back().mutable_spec(), MakeSpec(options, inputs));
  ASSIGN_OR_RETURN(const std::vector<ScalingTimes> all, AllTimes(inputs));
  RETURN_IF_ERROR(CheckCanPredict(options, inputs));
  ASSIGN_OR_RETURN(FittedAllReduces fitted, FitAllReduces(inputs));
  if (inputs.scale.has_value()) {
    RETURN_IF_ERROR(AppendScaling(inputs, records[0].spec(), fitted.curves, records));
  }
  for (proto::AllReduceFit& fit : fitted.fits) {
    *records.emplace_back().mutable_all_reduce_fit() = std::move(fit);
  }
  RETURN_IF_ERROR(AppendCurves(options, inputs, all, records));
  RETURN_IF_ERROR(AppendPredictions(options, inputs, all, fitted.curves, records));
  for (const PublishedFile& file : inputs.audited) {
    absl::StatusOr<std::vector<proto::AuditTable>> audited = Audit(file.tables);
    if (!audited.ok()) {
      return absl::Status(audited.status().code(),
                          absl::StrCat("--audit=", file.input.path(), ": ", audited.status().message()));
    }
    for (proto::AuditTable& table : *audited) {
      *records.emplace_back().mutable_audit() = std::move(table);
    }
  }
  return records;
}

absl::StatusOr<CommModelRun> RunCommModel(const CommModelOptions& options) {
  const Stopwatch watch;
  RETURN_IF_ERROR(CheckCommModelOptions(options));
  RETURN_IF_ERROR(DeclareRunFiles({InputPaths(options), {{"--output", options.output_path, ""}}}));
  ASSIGN_OR_RETURN(CommModelInputs inputs, ReadCommModelInputs(options));
  std::string derivation;
  if (!options.explain.empty()) {
    ASSIGN_OR_RETURN(derivation, ExplainNumber(inputs.audited, options.explain));
  }
  Records records;
  StageRun run;
  run.output.record = options.output_path;
  run.output.force = options.force;
  run.dry_run = options.dry_run;
  run.print_plan = [&]() -> absl::Status {
    ASSIGN_OR_RETURN(records, MakeCommModelRecords(options, inputs));
    return PrintToStderr(PlanText(options, records, watch.Seconds()));
  };
  run.make_header = [&] { return MakeCommModelHeader(options, inputs); };
  run.is_cached = [&](const proto::Header& header) { return ReadCached(options.output_path, header, records); };
  run.write = [&](const proto::Header& header, StageOutput& output) {
    return WriteRecords(options, inputs, header, *output.writer, records);
  };
  RETURN_IF_ERROR(RunStage(run));
  return CommModelRun{std::move(records), std::move(inputs.scale), std::move(derivation)};
}

}  // namespace lockstep
