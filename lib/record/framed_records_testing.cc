#include "lib/record/framed_records_testing.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "lib/proto/header.pb.h"
#include "lib/record/record_format.h"
#include "lib/record/schema.h"

namespace lockstep::testing {
namespace {

using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;

void Append(const Message& record, std::string& bytes) {
  const std::string payload = record.SerializeAsString();
  absl::StrAppend(&bytes, FrameHead(payload.size()), payload, FrameTail(payload));
}

// Returns the header of the first record, or an empty header.
proto::Header HeaderOf(const Message& file, const FieldDescriptor* records) {
  proto::AnyRecord first;
  if (file.GetReflection()->FieldSize(file, records) > 0) {
    first.ParseFromString(file.GetReflection()->GetRepeatedMessage(file, records, 0).SerializeAsString());
  }
  return first.header();
}

bool IsFrameOfFile(const Message& record) {
  const auto* type = record.GetDescriptor();
  return record.GetReflection()->HasField(record, type->FindFieldByName("header")) ||
         record.GetReflection()->HasField(record, type->FindFieldByName("trailer"));
}

}  // namespace

std::string FramedRecords(const Message& file) {
  const FieldDescriptor* records = file.GetDescriptor()->FindFieldByName("record");
  proto::AnyRecord first;
  *first.mutable_header() = HeaderOf(file, records);
  first.mutable_header()->set_schema(file.GetDescriptor()->full_name());
  first.mutable_header()->set_schema_version(FindSchema(file.GetDescriptor()->full_name())->version);
  std::string bytes;
  Append(first, bytes);
  uint64_t count = 1;
  for (int i = 0; i < file.GetReflection()->FieldSize(file, records); ++i) {
    const Message& record = file.GetReflection()->GetRepeatedMessage(file, records, i);
    if (!IsFrameOfFile(record)) {
      Append(record, bytes);
      ++count;
    }
  }
  proto::AnyRecord last;
  last.mutable_trailer()->set_record_count(count);
  Append(last, bytes);
  return bytes;
}

}  // namespace lockstep::testing
