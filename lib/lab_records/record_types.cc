#include "lib/lab_records/record_types.h"

#include "lib/proto/collective_times.pb.h"
#include "lib/proto/comm_model.pb.h"
#include "lib/proto/dataset.pb.h"
#include "lib/proto/quantized.pb.h"
#include "lib/proto/report.pb.h"
#include "lib/proto/scale.pb.h"
#include "lib/proto/sweep.pb.h"
#include "lib/proto/training_state.pb.h"

namespace lockstep {

const std::vector<const google::protobuf::Descriptor*>& FileTypes() {
  static const auto* types = new std::vector<const google::protobuf::Descriptor*>(
      {proto::DatasetFile::descriptor(), proto::SweepFile::descriptor(), proto::ScaleFile::descriptor(),
       proto::CommModelFile::descriptor(), proto::QuantizedFile::descriptor(), proto::ReportFile::descriptor(),
       proto::TrainingStateFile::descriptor(), proto::CollectiveTimesFile::descriptor()});
  return *types;
}

const google::protobuf::Descriptor* RecordTypeOf(absl::string_view schema) {
  for (const google::protobuf::Descriptor* file : FileTypes()) {
    if (file->full_name() == schema) {
      return file->FindFieldByName("record")->message_type();
    }
  }
  return nullptr;
}

std::unique_ptr<google::protobuf::Message> NewMessage(const google::protobuf::Descriptor& type) {
  return std::unique_ptr<google::protobuf::Message>(
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(&type)->New());
}

}  // namespace lockstep
