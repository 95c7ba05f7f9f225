#include "lib/quantize/choose_normalization.h"

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/dataset/normalization.h"

namespace lockstep {

absl::StatusOr<ChosenNormalization> ChooseNormalization(const std::string& path, const std::string& flag,
                                                        const std::optional<proto::Normalization>& own,
                                                        const proto::DatasetInfo& train) {
  if (flag != kAutoNormalization) {
    ASSIGN_OR_RETURN(const proto::Normalization parsed, ParseNormalization(flag));
    ASSIGN_OR_RETURN(const proto::Normalization asked, CompleteNormalization(parsed, train));
    if (!own || SameNormalization(*own, asked)) {
      return ChosenNormalization{asked, ""};
    }
    return ChosenNormalization{
        asked, absl::StrCat(path, " was trained with ", NormalizationValues(*own), ", and --normalization=", flag, " (",
                            NormalizationValues(asked), ") is used instead; leave the flag out for the file's own")};
  }
  if (own) {
    return ChosenNormalization{*own, ""};
  }
  ASSIGN_OR_RETURN(proto::Normalization assumed, CompleteNormalization({}, train));
  assumed.set_source(kAssumedNormalization);
  std::string warning = absl::StrCat(
      path, " does not contain the normalization of its images; ", NormalizationValues(assumed),
      " of the data set are assumed, and all accuracies are wrong if it was trained with others; give them by ",
      "--normalization=", kNormalizationWords);
  return ChosenNormalization{std::move(assumed), std::move(warning)};
}

}  // namespace lockstep
