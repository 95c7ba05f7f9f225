// Choice of the normalization for a network that was trained elsewhere or earlier.
#ifndef LOCKSTEP_LIB_QUANTIZE_CHOOSE_NORMALIZATION_H_
#define LOCKSTEP_LIB_QUANTIZE_CHOOSE_NORMALIZATION_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "lib/proto/dataset.pb.h"

namespace lockstep {

// Value of --normalization that selects the file's own normalization.
inline constexpr char kAutoNormalization[] = "auto";

struct ChosenNormalization {
  proto::Normalization normalization;  // complete
  std::string warning;                 // empty: the values are certain
};

// Chooses the normalization for the network of the file `path`, in this order:
//   - the flag's, if `flag` is not "auto"; with a warning if the file has another one;
//   - `own`, the normalization in the file;
//   - that of the data set, with source "assumed" and a warning that names the flag.
// Errors as ParseNormalization and CompleteNormalization (InvalidArgumentError).
absl::StatusOr<ChosenNormalization> ChooseNormalization(const std::string& path, const std::string& flag,
                                                        const std::optional<proto::Normalization>& own,
                                                        const proto::DatasetInfo& train);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_QUANTIZE_CHOOSE_NORMALIZATION_H_
