// A network's weights on disk, as torch.save(model.state_dict(), path) would have written them.
//
// Python: torch.load(path, weights_only=True) gives the dict of tensors; model.load_state_dict takes it. Batch norm's
// running statistics and counters are part of it, optimizer state is not. The format is in state_dict_pickle.h.
//
// The archive's first member, archive/lockstep, which Python does not read, is a Normalization in protobuf's text format:
// the one that the network was trained with. It also marks the archive as Lockstep's own. An archive that Python saved
// again has lost it.
#ifndef LOCKSTEP_LIB_NN_CHECKPOINT_H_
#define LOCKSTEP_LIB_NN_CHECKPOINT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/nn/model.h"
#include "lib/proto/dataset.pb.h"
#include "lib/record/input_text.h"
#include "lib/record/replace_rule.h"

namespace lockstep {

// The largest network here, resnet18_imagenet with 1000 classes, has 46.8 MB.
inline constexpr uint64_t kMaxCheckpointBytes = uint64_t{256} << 20;

inline constexpr char kCheckpointFormat[] = "torch state_dict (zip)";

// Whatever happens, PATH is whole or untouched (lib/record/output_file.h, which says the errors). The same weights give the
// same bytes. Returns the SHA-256 of the bytes that were written, as hex: at PATH there may be another file by now. `rule`
// says whether a file that is there may be replaced. `normalization` is the one that the network was trained with; an
// empty message if it is unknown.
absl::StatusOr<std::string> SaveCheckpoint(const Model& model, const proto::Normalization& normalization,
                                           const std::string& path, const ReplaceRule& rule);

// Returns the rule for an archive that SaveCheckpoint wrote, by its first member. An archive that Python wrote is never
// replaced. Whether a checkpoint is of the same command, the record next to it says (lib/record/other_result.h).
ReplaceRule ReplaceCheckpoint();

// Fills the model, wherever it lives, from a file that SaveCheckpoint or Python's torch.save of a state_dict wrote. Nothing
// is changed unless names, shapes and dtypes all agree. NotFound: no such file. DataLoss: broken, or larger than
// kMaxCheckpointBytes. FailedPrecondition: of another network; says the first difference. Cancelled: a stop signal came.
absl::Status LoadCheckpoint(Model& model, const std::string& path);

// The same in two steps, for who tries several networks on one file.
absl::StatusOr<InputText> ReadCheckpointBytes(const std::string& path);
absl::Status LoadCheckpointBytes(Model& model, const InputText& file);

// Returns the normalization that the network was trained with, and nothing if the archive does not say. DataLossError if
// the archive is broken, or what it says is no normalization.
absl::StatusOr<std::optional<proto::Normalization>> NormalizationInCheckpoint(const InputText& file);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NN_CHECKPOINT_H_
