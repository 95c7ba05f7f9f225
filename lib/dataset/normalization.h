// Normalization of images, and the words of --normalization.
//
// A network must see images normalized as in its training. With any other mean and standard deviation it still runs,
// but its accuracy is wrong without an error. Hence every training records its normalization, checkpoints carry it, and
// tools that read weights without it warn.
#ifndef LOCKSTEP_LIB_DATASET_NORMALIZATION_H_
#define LOCKSTEP_LIB_DATASET_NORMALIZATION_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/repeated_field.h"
#include "lib/dataset/batch_loader.h"
#include "lib/proto/dataset.pb.h"

namespace lockstep {

// Words of --normalization, and the default of training.
//   dataset    mean and image_std of the training split (ChannelStatistics)
//   cifar10    mean .4914 .4822 .4465, std .2023 .1994 .2010: the constants of kuangliu/pytorch-cifar
//   imagenet   mean .485 .456 .406, std .229 .224 .225: the constants of torchvision
//   none       mean 0, std 1: pixels in [0, 1]
//   MEAN/STD   one number or three, as in 0.5/0.5 or 0.5,0.5,0.5/0.2,0.2,0.2; the source is "custom"
inline constexpr char kDatasetNormalization[] = "dataset";

// Source of a normalization that is the data set's because neither a flag nor the weights specify one.
inline constexpr char kAssumedNormalization[] = "assumed";

inline constexpr char kNormalizationWords[] = "dataset, cifar10, imagenet, none or MEAN/STD, such as 0.5/0.5";

// Returns the normalization for `word`; for "dataset" only the source, because its values are the data set's. Returns
// InvalidArgumentError that names the flag if `word` is none of the above, a mean is outside [0, 1], or a standard
// deviation is outside (0, 10].
absl::StatusOr<proto::Normalization> ParseNormalization(absl::string_view word);

// Returns `asked` with its values. If its source is empty or "dataset", the values are those of the training split
// `train`; returns InvalidArgumentError if `train` has no statistics of three channels.
absl::StatusOr<proto::Normalization> CompleteNormalization(const proto::Normalization& asked,
                                                           const proto::DatasetInfo& train);

// Returns a normalization with the values in a network's record, which are not checked.
proto::Normalization RecordedNormalization(const std::string& source,
                                           const google::protobuf::RepeatedField<double>& mean,
                                           const google::protobuf::RepeatedField<double>& std);

// Returns OkStatus if `normalization` has three finite means and three standard deviations above 0, and DataLossError
// otherwise.
absl::Status CheckNormalization(const proto::Normalization& normalization);

// Returns true if both have the same mean and standard deviation, whatever their sources.
bool SameNormalization(const proto::Normalization& a, const proto::Normalization& b);

// Sets the loader's mean and standard deviation. `normalization` must be complete.
void SetNormalization(const proto::Normalization& normalization, LoaderOptions& options);

// Returns "mean 0.491 0.482 0.447, std 0.202 0.199 0.201"; a single number if the three channels have the same value.
std::string NormalizationValues(const proto::Normalization& normalization);

// Returns ", images normalized by mean ..., std ... (cifar10)" for the text of a recipe, and an empty string if
// `normalization` has no values, as in older records.
std::string NormalizationInRecipe(const proto::Normalization& normalization);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DATASET_NORMALIZATION_H_
