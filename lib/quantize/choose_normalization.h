// Which normalization a network gets that was trained elsewhere or earlier: the flag's, its own, or an assumed one.
#ifndef LOCKSTEP_LIB_QUANTIZE_CHOOSE_NORMALIZATION_H_
#define LOCKSTEP_LIB_QUANTIZE_CHOOSE_NORMALIZATION_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "lib/proto/dataset.pb.h"

namespace lockstep {

// Word of --normalization for "as the file says".
inline constexpr char kAutoNormalization[] = "auto";

struct ChosenNormalization {
  proto::Normalization normalization;  // complete
  std::string warning;                 // empty: the values are certain
};

// Chooses for the network of the file `path`:
//   - the flag's, if `flag` is not "auto"; with a warning if the file says otherwise;
//   - `own`, which the file carries;
//   - the data set's, with source "assumed" and a warning that names the flag.
// InvalidArgumentError: as ParseNormalization and CompleteNormalization.
absl::StatusOr<ChosenNormalization> ChooseNormalization(const std::string& path, const std::string& flag,
                                                        const std::optional<proto::Normalization>& own,
                                                        const proto::DatasetInfo& train);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_QUANTIZE_CHOOSE_NORMALIZATION_H_
