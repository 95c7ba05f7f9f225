#include "lib/scaling/pool_point.h"

#include <algorithm>

#include "absl/strings/str_join.h"

namespace lockstep {
namespace {

// Appends the values of each Samples of `more`, a point or the phases of DataParallel, to those of `message`.
void AppendSamples(const google::protobuf::Message& more, google::protobuf::Message& message) {
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const google::protobuf::FieldDescriptor* const field = message.GetDescriptor()->field(i);
    if (field->is_repeated() || field->message_type() == nullptr || !reflection.HasField(more, field)) {
      continue;
    }
    const google::protobuf::Message& from = reflection.GetMessage(more, field);
    if (field->message_type() == proto::StarTimes::descriptor()) {
      AppendSamples(from, *reflection.MutableMessage(&message, field));
    } else if (field->message_type() == proto::Samples::descriptor()) {
      const auto& added = static_cast<const proto::Samples&>(from);
      auto& samples = static_cast<proto::Samples&>(*reflection.MutableMessage(&message, field));
      if (samples.value().empty()) {
        samples = added;
      } else {
        samples.mutable_value()->MergeFrom(added.value());
      }
    }
  }
}

}  // namespace

void PoolPoint(const proto::ScalePoint& more, const std::string& more_file, const std::string& first_file,
               proto::ScalePoint& point) {
  if (point.pooled_file().empty()) {
    point.add_pooled_file(first_file);
  }
  point.add_pooled_file(more_file);
  AppendSamples(more, point);
  if (!point.has_probe() && more.has_probe()) {
    *point.mutable_probe() = more.probe();
  } else if (more.has_probe() && point.probe().size_bytes() == more.probe().size_bytes()) {
    point.mutable_probe()->mutable_seconds()->mutable_value()->MergeFrom(more.probe().seconds().value());
  }
}

std::string PooledFiles(const proto::ScalePoint& point) { return absl::StrJoin(point.pooled_file(), " and "); }

bool HasEpochsOf(const proto::ScalePoint& point, const proto::ScalePoint& other) {
  const auto& all = point.epoch_seconds().value();
  const auto& values = other.epoch_seconds().value();
  return !values.empty() && std::search(all.begin(), all.end(), values.begin(), values.end()) != all.end();
}

}  // namespace lockstep
