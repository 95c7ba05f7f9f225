// Runs comm_model's computation and all its output formats on any scale record, sweep record, published times and
// flags. A quantity must have either a finite value with a provenance, or a reason for its absence.
#include <cmath>

#include "absl/status/statusor.h"
#include "lib/comm_model/comm_model.h"
#include "lib/comm_model/output_format.h"
#include "lib/published/published_check.h"
#include "lib/record/framed_records_testing.h"
#include "lib/record/record_reader.h"
#include "lib/testing/fuzz.h"
#include "lib/testing/fuzz_lab.pb.h"
#include "lib/testing/proto_mutator.h"

FUZZ_PROTO_MUTATOR(lockstep::testing::FuzzLab)

namespace lockstep::testing {
namespace {

// Longer lists exercise no other code.
constexpr int kMaxOfAList = 3;

template <typename File>
auto Read(const File& file) {
  const MemoryFile in_memory(FramedRecords(file));
  return ReadRecordFile<File>(in_memory.path());
}

void CheckQuantity(const std::string& name, const proto::Quantity& quantity) {
  const bool finite =
      std::isfinite(quantity.value()) && std::isfinite(quantity.low()) && std::isfinite(quantity.high());
  const bool ordered = !quantity.has_low() || !quantity.has_high() || quantity.low() <= quantity.high();
  if (!finite || !ordered || quantity.has_value() != quantity.absent_reason().empty()) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), quantity.ShortDebugString().c_str());
  }
  FUZZ_CHECK(finite && ordered);
  FUZZ_CHECK(quantity.has_value() == quantity.absent_reason().empty());
  FUZZ_CHECK(!quantity.has_value() || quantity.provenance() != proto::PROVENANCE_UNSPECIFIED);
}

// Checks the quantities of `message` and of its submessages at any depth.
void CheckQuantities(const google::protobuf::Message& message) {
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const google::protobuf::FieldDescriptor* field : fields) {
    if (field->message_type() == nullptr) {
      continue;
    }
    const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      const google::protobuf::Message& part = field->is_repeated() ? reflection.GetRepeatedMessage(message, field, i)
                                                                   : reflection.GetMessage(message, field);
      if (part.GetDescriptor() == proto::Quantity::descriptor()) {
        CheckQuantity(field->name(), static_cast<const proto::Quantity&>(part));
      } else {
        CheckQuantities(part);
      }
    }
  }
}

std::vector<uint32_t> FirstOf(const google::protobuf::RepeatedField<uint32_t>& list) {
  return {list.begin(), list.begin() + std::min(list.size(), kMaxOfAList)};
}

CommModelOptions OptionsOf(const FuzzLab& lab) {
  CommModelOptions options;
  options.scale_paths = {"scale.rec"};
  options.nominal_link_gigabytes_per_second = lab.link_gigabytes_per_second();
  options.fit_ranks = lab.fit_ranks();
  options.predict_ranks = FirstOf(lab.predict_ranks());
  options.predict_batches = FirstOf(lab.predict_batch());
  options.what_if.devices = FirstOf(lab.what_if());
  options.what_if.batches = FirstOf(lab.what_if_batch());
  options.what_if.cluster = lab.cluster();
  if (lab.bucket_mib() >= 1) {
    options.what_if.bucket_mib = {lab.bucket_mib()};
  }
  return options;
}

void AddTimes(const FuzzLab& lab, CommModelInputs& inputs) {
  for (const proto::PublishedTables& tables : lab.times()) {
    if (CheckPublishedTables(tables).ok()) {
      inputs.times.push_back({tables, {}, {}});
    }
  }
}

void CheckFormats(const CommModelRun& run) {
  for (const OutputFormat format :
       {OutputFormat::kText, OutputFormat::kCsv, OutputFormat::kJson, OutputFormat::kExtraP}) {
    const absl::StatusOr<std::string> text = FormatRun(format, run);
    if (!text.ok()) {
      CheckUserError(text.status());
    } else {
      FUZZ_CHECK(!text->empty());
    }
  }
}

void CheckModel(const CommModelOptions& options, CommModelInputs& inputs) {
  absl::StatusOr<std::vector<proto::CommModelRecord>> records = MakeCommModelRecords(options, inputs);
  if (!records.ok()) {
    return CheckUserError(records.status());
  }
  for (size_t i = 1; i < records->size(); ++i) {  // the first record is the spec, which contains the caller's numbers
    CheckQuantities((*records)[i]);
  }
  CheckFormats({*std::move(records), inputs.scale});
}

}  // namespace
}  // namespace lockstep::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;           // NOLINT(build/namespaces)
  using namespace lockstep::testing;  // NOLINT(build/namespaces)
  FuzzLab lab;
  if (!lab.ParseFromArray(data, static_cast<int>(size)) || lab.scale().empty()) {
    return 0;
  }
  const CommModelOptions options = OptionsOf(lab);
  const absl::StatusOr<proto::ModelSpec> spec = WithDefaults(lab.model_spec());
  if (!CheckCommModelOptions(options).ok() || !spec.ok()) {
    return 0;
  }
  CommModelInputs inputs;
  auto scale = Read(lab.scale(0));
  FUZZ_CHECK(scale.ok());
  inputs.scale = *std::move(scale);
  inputs.model_spec = *spec;
  inputs.cluster = lab.cluster();
  AddTimes(lab, inputs);
  CheckModel(options, inputs);
  if (!lab.sweep().empty()) {
    auto sweep = Read(lab.sweep(0));
    FUZZ_CHECK(sweep.ok());
    inputs.sweep = *std::move(sweep);
    CheckModel(options, inputs);
  }
  return 0;
}
