#include "lib/comm/comm_model.h"

#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/audit/audit.h"
#include "lib/audit/published_tables.h"
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

// Everything that was read.
struct Inputs {
  std::optional<ScaleRecords> scale;
  std::optional<SweepRecords> sweep;
  std::vector<PublishedFile> published;
};

absl::Status CheckOptions(const CommModelOptions& options) {
  if (options.scale_path.empty() && options.audit_paths.empty()) {
    return absl::InvalidArgumentError(
        "nothing to explain; give --input=scale.rec, or --audit=data/published/seed_001.textproto, or both");
  }
  if (!(options.link_gigabytes_per_second >= 0) || std::isinf(options.link_gigabytes_per_second)) {
    return absl::InvalidArgumentError(absl::StrCat("--link_gigabytes_per_second=", options.link_gigabytes_per_second,
                                                   " is not a bandwidth; expected a number above 0"));
  }
  if (options.scale_path.empty() && (!options.sweep_path.empty() || options.link_gigabytes_per_second > 0)) {
    return absl::InvalidArgumentError("--sweep and --link_gigabytes_per_second belong to a scale record; give --input");
  }
  return absl::OkStatus();
}

absl::StatusOr<Inputs> ReadInputs(const CommModelOptions& options) {
  Inputs inputs;
  if (!options.scale_path.empty()) {
    ASSIGN_OR_RETURN(inputs.scale, ReadRecordFile<proto::ScaleFile>(options.scale_path));
  }
  if (!options.sweep_path.empty()) {
    ASSIGN_OR_RETURN(inputs.sweep, ReadRecordFile<proto::SweepFile>(options.sweep_path));
  }
  for (const std::string& path : options.audit_paths) {
    ASSIGN_OR_RETURN(PublishedFile file, ReadPublishedTables(path));
    inputs.published.push_back(std::move(file));
  }
  return inputs;
}

proto::Header MakeCommModelHeader(const CommModelOptions& options, const Inputs& inputs) {
  HeaderOptions header;
  header.schema = proto::CommModelFile::descriptor()->full_name();
  if (inputs.scale.has_value()) {
    header.inputs.push_back(inputs.scale->input);
  }
  if (inputs.sweep.has_value()) {
    header.inputs.push_back(inputs.sweep->input);
  }
  for (const PublishedFile& file : inputs.published) {
    header.inputs.push_back(file.input);
  }
  header.result_flags = {{"link_gigabytes_per_second", absl::StrCat(options.link_gigabytes_per_second)}};
  return MakeHeader(header);
}

absl::Status AppendScaling(const CommModelOptions& options, const Inputs& inputs,
                           std::vector<proto::CommModelRecord>& records) {
  ASSIGN_OR_RETURN(const proto::CommModelSpec spec,
                   MakeCommModelSpec(*inputs.scale, options.link_gigabytes_per_second * 1e9));
  *records.emplace_back().mutable_spec() = spec;
  ASSIGN_OR_RETURN(std::vector<proto::ScalingRow> rows,
                   ExplainScaling(*inputs.scale, inputs.sweep.has_value() ? &*inputs.sweep : nullptr, spec));
  for (proto::ScalingRow& row : rows) {
    *records.emplace_back().mutable_scaling() = std::move(row);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<proto::CommModelRecord>> RunCommModel(const CommModelOptions& options) {
  RETURN_IF_ERROR(CheckOptions(options));
  ASSIGN_OR_RETURN(const Inputs inputs, ReadInputs(options));
  const proto::Header header = MakeCommModelHeader(options, inputs);
  if (!options.force && IsCached(options.output_path, header)) {
    ASSIGN_OR_RETURN(auto cached, ReadRecordFile<proto::CommModelFile>(options.output_path));
    return std::move(cached.records);
  }
  std::vector<proto::CommModelRecord> records;
  if (inputs.scale.has_value()) {
    RETURN_IF_ERROR(AppendScaling(options, inputs, records));
  }
  for (const PublishedFile& file : inputs.published) {
    for (proto::AuditTable& table : Audit(file.tables)) {
      *records.emplace_back().mutable_audit() = std::move(table);
    }
  }
  RETURN_IF_ERROR(WriteRecordFile(options.output_path, header, records));
  return records;
}

}  // namespace lockstep
