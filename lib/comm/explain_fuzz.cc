// Any scale record, with and without a sweep record, through comm_model: its computation, and the text that it prints.
// A quantity has a finite value or a reason why not; nothing in it is called measured that is not.
#include <cmath>

#include "absl/status/statusor.h"
#include "lib/comm/explain.h"
#include "lib/comm_model/summary.h"
#include "lib/record/framed_records.h"
#include "lib/record/record_reader.h"
#include "lib/testing/fuzz.h"
#include "lib/testing/fuzz_lab.pb.h"
#include "lib/testing/proto_mutator.h"

FUZZ_PROTO_MUTATOR(lockstep::testing::FuzzLab)

namespace lockstep::testing {
namespace {

template <typename File>
auto Read(const File& file) {
  const MemoryFile in_memory(FramedRecords(file));
  return ReadRecordFile<File>(in_memory.path());
}

void CheckQuantities(const proto::ScalingRow& row) {
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  row.GetReflection()->ListFields(row, &fields);
  for (const google::protobuf::FieldDescriptor* field : fields) {
    if (field->message_type() != proto::Quantity::descriptor()) {
      continue;
    }
    const auto& quantity = static_cast<const proto::Quantity&>(row.GetReflection()->GetMessage(row, field));
    const bool finite = std::isfinite(quantity.value()) && std::isfinite(quantity.low()) && std::isfinite(quantity.high());
    const bool ordered = !quantity.has_low() || !quantity.has_high() || quantity.low() <= quantity.high();
    if (!finite || !ordered || quantity.has_value() != quantity.absent_reason().empty()) {
      std::fprintf(stderr, "%s: %s\n", field->name().c_str(), quantity.ShortDebugString().c_str());
    }
    FUZZ_CHECK(finite && ordered);
    FUZZ_CHECK(quantity.has_value() == quantity.absent_reason().empty());
    FUZZ_CHECK(!quantity.has_value() || quantity.provenance() != proto::PROVENANCE_UNSPECIFIED);
  }
}

void CheckExplained(const ScaleRecords& scale, const SweepRecords* sweep, double link_bytes_per_second) {
  const absl::StatusOr<proto::CommModelSpec> spec = MakeCommModelSpec(scale, link_bytes_per_second);
  if (!spec.ok()) {
    return CheckUserError(spec.status());
  }
  const absl::StatusOr<std::vector<proto::ScalingRow>> rows = ExplainScaling(scale, sweep, *spec);
  if (!rows.ok()) {
    return CheckUserError(rows.status());
  }
  std::vector<proto::CommModelRecord> records(1);
  *records[0].mutable_spec() = *spec;
  for (const proto::ScalingRow& row : *rows) {
    CheckQuantities(row);
    *records.emplace_back().mutable_scaling() = row;
  }
  FUZZ_CHECK(!SummaryText(records).empty());
}

}  // namespace
}  // namespace lockstep::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep::testing;  // NOLINT(build/namespaces)
  FuzzLab lab;
  if (!lab.ParseFromArray(data, static_cast<int>(size)) || lab.scale().empty()) {
    return 0;
  }
  const auto scale = Read(lab.scale(0));
  FUZZ_CHECK(scale.ok());
  const double link = lab.link_gigabytes_per_second();
  const double link_bytes_per_second = link >= 0 && link <= 1e6 ? link * 1e9 : 0;  // what the tool lets through, and less
  CheckExplained(*scale, nullptr, link_bytes_per_second);
  if (!lab.sweep().empty()) {
    const auto sweep = Read(lab.sweep(0));
    FUZZ_CHECK(sweep.ok());
    CheckExplained(*scale, &*sweep, link_bytes_per_second);
  }
  return 0;
}
