// The ways to train that one run holds side by side: lists of words for what makes points differ, and their product.
// Knows nothing of LibTorch.
#ifndef LOCKSTEP_LIB_DIST_POINT_VARIANTS_H_
#define LOCKSTEP_LIB_DIST_POINT_VARIANTS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "google/protobuf/message.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

// What may have several words: mode, preset, gradient_compression, buffers, reducer, bucket_plan. Each is a flag, a
// field of ScaleSpec, and a field of ScalePoint.
const std::vector<std::string>& VariantKeys();

// Sets the field `key`: the first word in its own place, several in spec.several, too. InvalidArgument names the flag: a
// word twice, or none of an enum.
absl::Status SetWords(const std::string& key, const std::vector<std::string>& words, proto::ScaleSpec& spec);

// Every combination of spec.several, the first key slowest, each with one word a key and no `several`. The spec itself
// where there are no lists.
std::vector<proto::ScaleSpec> VariantsOf(const proto::ScaleSpec& spec);

// Gives the spec the point's words.
void SetVariant(const proto::ScalePoint& point, proto::ScaleSpec& spec);

// "--mode=ddp --preset=fast": what a spec or a point has of the keys in `several`. Empty where there are no lists.
std::string VariantText(const proto::ScaleSpec& several, const google::protobuf::Message& message);

// All that makes points differ, and nothing that was measured: a point of a record and a planned one are the same point
// when their keys are equal.
std::string PointKey(const proto::ScalePoint& point);

// Whether both are PLAIN, on one device, and trained alike: what their reducers would be makes no difference.
bool AreSameBase(const proto::ScalePoint& a, const proto::ScalePoint& b);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_POINT_VARIANTS_H_
