// Ways to train that one run compares (variants): lists of words for the settings in which points differ, and their
// product. Does not depend on LibTorch.
#ifndef LOCKSTEP_LIB_SCALE_RUN_POINT_VARIANTS_H_
#define LOCKSTEP_LIB_SCALE_RUN_POINT_VARIANTS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "google/protobuf/message.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

// Returns the settings that may have several words: mode, preset, gradient_compression, buffers, reducer, bucket_plan.
// Each is a flag, a field of ScaleSpec, and a field of ScalePoint.
const std::vector<std::string>& VariantKeys();

// Sets the field `key` to the first word. If there are several words, also adds them to spec.several. InvalidArgument,
// with the flag's name: a word occurs twice, or is not a word of the field's enum.
absl::Status SetWords(const std::string& key, const std::vector<std::string>& words, proto::ScaleSpec& spec);

// Returns every combination of spec.several, the first key varying slowest, each with one word per key and an empty
// `several`. Returns the spec itself if there are no lists.
std::vector<proto::ScaleSpec> VariantsOf(const proto::ScaleSpec& spec);

// Sets the words of `spec` to those of the point.
void SetVariant(const proto::ScalePoint& point, proto::ScaleSpec& spec);

// Returns the words that a spec or a point has for the keys in `several`: "--mode=ddp --preset=fast". Empty if there
// are no lists.
std::string VariantText(const proto::ScaleSpec& several, const google::protobuf::Message& message);

// Returns everything in which points differ, without measurements. A recorded point and a planned point are the same
// point if their keys are equal.
std::string PointKey(const proto::ScalePoint& point);

// Returns true if both points are PLAIN, on one device, and trained in the same way; reducer settings do not matter
// then.
bool AreSameBase(const proto::ScalePoint& a, const proto::ScalePoint& b);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALE_RUN_POINT_VARIANTS_H_
