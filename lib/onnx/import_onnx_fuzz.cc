// Imports any ONNX model. It must be either rejected, or give a network that runs, that can be exported, and that is
// the same after a second import, in the QOperator form and in the QDQ form.
#include "absl/status/statusor.h"
#include "lib/dataset/dataset.h"
#include "lib/int8/quantized_record.h"
#include "lib/onnx/equal_networks_testing.h"
#include "lib/onnx/export_onnx.h"
#include "lib/onnx/import_onnx.h"
#include "lib/onnx/onnx_file.h"
#include "lib/onnx/qdq_form_testing.h"
#include "lib/testing/fuzz.h"
#include "lib/testing/proto_mutator.h"

FUZZ_PROTO_MUTATOR(onnx::ModelProto)

namespace {

// Limit of multiply-accumulates per image: the plain loops need well under a second for it.
constexpr uint64_t kMaxMacs = 1'000'000;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;           // NOLINT(build/namespaces)
  using namespace lockstep::testing;  // NOLINT(build/namespaces)
  const absl::StatusOr<onnx::ModelProto> model = ParseOnnx(std::string(Bytes(data, size)), "model.onnx");
  if (!model.ok()) {
    CheckUserError(model.status());
    return 0;
  }
  absl::StatusOr<proto::QuantizedNetwork> record = ImportOnnx(*model);
  if (!record.ok()) {
    CheckUserError(record.status());
    return 0;
  }
  const absl::StatusOr<IntegerNetwork> network = ToIntegerNetwork(*record);
  FUZZ_CHECK(network.ok());
  if (CountMacs(network->Shapes()) <= kMaxMacs) {
    const std::vector<int8_t> image(kImageBytes, 17);
    FUZZ_CHECK(RunInteger(*network, image.data()).size() == network->layers.back().shape.out_channels);
  }
  const absl::StatusOr<onnx::ModelProto> exported = ExportOnnx(*record, {.all_tensors = true});
  if (!exported.ok()) {  // two tensors of the same name
    CheckUserError(exported.status());
    return 0;
  }
  record->clear_onnx_form();
  for (const onnx::ModelProto& form : {*exported, AsQdq(*exported)}) {
    absl::StatusOr<proto::QuantizedNetwork> again = ImportOnnx(form);
    FUZZ_CHECK(again.ok());
    again->clear_onnx_form();
    FUZZ_CHECK(record->SerializeAsString() == again->SerializeAsString());
    FUZZ_CHECK(Difference(*network, *ToIntegerNetwork(*again)).empty());
  }
  return 0;
}
