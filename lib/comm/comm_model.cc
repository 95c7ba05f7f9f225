#include "lib/comm/comm_model.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/comm/explain.h"
#include "lib/proto/scale.pb.h"
#include "lib/proto/sweep.pb.h"
#include "lib/record/provenance.h"
#include "lib/record/record_reader.h"
#include "lib/record/record_writer.h"
#include "lib/record/step_cache.h"

namespace lockstep {
namespace {

absl::Status CheckOptions(const CommModelOptions& options) {
  if (options.scale_path.empty()) {
    return absl::InvalidArgumentError("nothing to explain; give --input=scale.rec");
  }
  if (!(options.link_gigabytes_per_second >= 0)) {
    return absl::InvalidArgumentError(absl::StrCat("--link_gigabytes_per_second=", options.link_gigabytes_per_second,
                                                   " is not a bandwidth; expected a number above 0"));
  }
  return absl::OkStatus();
}

proto::Header MakeCommModelHeader(const CommModelOptions& options, std::vector<proto::Input> inputs) {
  HeaderOptions header;
  header.schema = proto::CommModelFile::descriptor()->full_name();
  header.inputs = std::move(inputs);
  header.result_flags = {{"link_gigabytes_per_second", absl::StrCat(options.link_gigabytes_per_second)}};
  return MakeHeader(header);
}

}  // namespace

absl::StatusOr<std::vector<proto::CommModelRecord>> RunCommModel(const CommModelOptions& options) {
  RETURN_IF_ERROR(CheckOptions(options));
  ASSIGN_OR_RETURN(const ScaleRecords scale, ReadRecordFile<proto::ScaleFile>(options.scale_path));
  std::vector<proto::Input> inputs = {scale.input};
  std::optional<SweepRecords> sweep;
  if (!options.sweep_path.empty()) {
    ASSIGN_OR_RETURN(sweep, ReadRecordFile<proto::SweepFile>(options.sweep_path));
    inputs.push_back(sweep->input);
  }
  const proto::Header header = MakeCommModelHeader(options, std::move(inputs));
  if (!options.force && IsCached(options.output_path, header)) {
    ASSIGN_OR_RETURN(auto cached, ReadRecordFile<proto::CommModelFile>(options.output_path));
    return std::move(cached.records);
  }
  std::vector<proto::CommModelRecord> records;
  ASSIGN_OR_RETURN(*records.emplace_back().mutable_spec(),
                   MakeCommModelSpec(scale, options.link_gigabytes_per_second * 1e9));
  ASSIGN_OR_RETURN(std::vector<proto::ScalingRow> rows,
                   ExplainScaling(scale, sweep.has_value() ? &*sweep : nullptr, records[0].spec()));
  for (proto::ScalingRow& row : rows) {
    *records.emplace_back().mutable_scaling() = std::move(row);
  }
  RETURN_IF_ERROR(WriteRecordFile(options.output_path, header, records));
  return records;
}

}  // namespace lockstep
