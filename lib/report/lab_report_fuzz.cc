// Any records of all kinds together, as the report of a whole lab. A comm_model record is made from its scale record,
// and its header states that.
#include "lib/record/digest.h"
#include "lib/record/framed_records_testing.h"
#include "lib/report/check_report_testing.h"
#include "lib/testing/fuzz.h"
#include "lib/testing/fuzz_lab.pb.h"
#include "lib/testing/proto_mutator.h"

FUZZ_PROTO_MUTATOR(lockstep::testing::FuzzLab)

namespace lockstep::testing {
namespace {

template <typename Files>
void AppendAll(const Files& files, std::vector<std::string>& framed) {
  for (const auto& file : files) {
    framed.push_back(FramedRecords(file));
  }
}

// Makes the i-th scale record the input of the i-th comm_model record.
void LinkToScale(FuzzLab& lab) {
  for (int i = 0; i < std::min(lab.comm_model_size(), lab.scale_size()); ++i) {
    proto::CommModelFile& file = *lab.mutable_comm_model(i);
    proto::CommModelRecord* first = file.record_size() > 0 ? file.mutable_record(0) : file.add_record();
    if (first->has_header() || first->kind_case() == proto::CommModelRecord::KIND_NOT_SET) {
      first->mutable_header()->add_input()->set_sha256(Sha256Hex(FramedRecords(lab.scale(i))));
    }
  }
}

}  // namespace
}  // namespace lockstep::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  lockstep::testing::FuzzLab lab;
  if (!lab.ParseFromArray(data, static_cast<int>(size))) {
    return 0;
  }
  lockstep::testing::LinkToScale(lab);
  std::vector<std::string> files;
  lockstep::testing::AppendAll(lab.dataset(), files);
  lockstep::testing::AppendAll(lab.sweep(), files);
  lockstep::testing::AppendAll(lab.scale(), files);
  lockstep::testing::AppendAll(lab.comm_model(), files);
  lockstep::testing::AppendAll(lab.quantized(), files);
  lockstep::testing::CheckReport(files);
  return 0;
}
