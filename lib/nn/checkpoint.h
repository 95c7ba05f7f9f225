// Checkpoint of a network: its weights on disk, in the format of torch.save(model.state_dict(), path).
//
// In Python, torch.load(path, weights_only=True) returns the dict of tensors for model.load_state_dict. The file
// contains batch norm's running statistics and counters, but no optimizer state. weights_file.h describes the format;
// load_checkpoint.h reads it, and the files that other programs write.
//
// The archive's first member, archive/lockstep, is a Normalization in protobuf's text format: the one of the training.
// Python ignores this member. It also marks the archive as Lockstep's own; an archive that Python saved again lacks it.
#ifndef LOCKSTEP_LIB_NN_CHECKPOINT_H_
#define LOCKSTEP_LIB_NN_CHECKPOINT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "lib/nn/model.h"
#include "lib/proto/dataset.pb.h"
#include "lib/record/replace_rule.h"

namespace lockstep {

// Maximum size of a checkpoint. The largest network here, resnet18, has 11,173,962 parameters: 44.7 MB.
inline constexpr uint64_t kMaxCheckpointBytes = uint64_t{256} << 20;

inline constexpr char kCheckpointFormat[] = "torch state_dict (zip)";

// Writes a checkpoint. The file at `path` is always complete or unchanged (lib/record/output_file.h, which also lists
// the errors). Returns the SHA-256 of the written bytes as hex, because another file may be at `path` by the time it
// returns. The same weights give the same bytes. `normalization` must be the one of the training, or an empty message
// if it is unknown. `rule` decides whether an existing file may be replaced.
absl::StatusOr<std::string> SaveCheckpoint(const Model& model, const proto::Normalization& normalization,
                                           const std::string& path, const ReplaceRule& rule);

// Returns the rule that recognizes an archive of SaveCheckpoint by its first member; it never allows replacing an
// archive that Python wrote. The record next to a checkpoint shows if both come from the same command
// (lib/record/other_result.h).
ReplaceRule ReplaceCheckpoint();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NN_CHECKPOINT_H_
