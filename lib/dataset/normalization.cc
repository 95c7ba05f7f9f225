#include "lib/dataset/normalization.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/base/nearest_word.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

constexpr char kCustom[] = "custom";
constexpr float kMaxStd = 10;

struct KnownNormalization {
  const char* source;
  std::array<float, 3> mean;
  std::array<float, 3> std;
};
constexpr KnownNormalization kKnown[] = {
    {"cifar10", {0.4914f, 0.4822f, 0.4465f}, {0.2023f, 0.1994f, 0.2010f}},
    {"imagenet", {0.485f, 0.456f, 0.406f}, {0.229f, 0.224f, 0.225f}},
    {"none", {0, 0, 0}, {1, 1, 1}},
};

proto::Normalization Make(const std::string& source, const std::array<float, 3>& mean,
                          const std::array<float, 3>& std) {
  proto::Normalization normalization;
  normalization.set_source(source);
  normalization.mutable_mean()->Add(mean.begin(), mean.end());
  normalization.mutable_std()->Add(std.begin(), std.end());
  return normalization;
}

absl::Status WrongWord(absl::string_view word, absl::string_view reason) {
  const std::string near = NearestWord(std::string(word), {"dataset", "cifar10", "imagenet", "none"});
  return absl::InvalidArgumentError(
      absl::StrCat("--normalization=", word, ": ", reason, "expected ", kNormalizationWords,
                   near.empty() ? "" : absl::StrCat("; did you mean --normalization=", near, "?")));
}

// Reads one number, or three separated by commas. Returns false if `text` is anything else.
bool ReadChannels(absl::string_view text, std::array<float, 3>& channels) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ',');
  if (parts.size() != 1 && parts.size() != channels.size()) {
    return false;
  }
  for (size_t c = 0; c < channels.size(); ++c) {
    if (!absl::SimpleAtof(parts[parts.size() == 1 ? 0 : c], &channels[c]) || !std::isfinite(channels[c])) {
      return false;
    }
  }
  return true;
}

std::string Channels(const google::protobuf::RepeatedField<float>& values) {
  const bool same = std::all_of(values.begin(), values.end(), [&](float value) { return value == values[0]; });
  const auto show = [](std::string* out, float value) { absl::StrAppendFormat(out, "%.3g", value); };
  return same && !values.empty() ? absl::StrFormat("%.3g", values[0]) : absl::StrJoin(values, " ", show);
}

}  // namespace

absl::StatusOr<proto::Normalization> ParseNormalization(absl::string_view word) {
  if (word == kDatasetNormalization) {
    proto::Normalization normalization;
    normalization.set_source(kDatasetNormalization);
    return normalization;
  }
  for (const KnownNormalization& known : kKnown) {
    if (word == known.source) {
      return Make(known.source, known.mean, known.std);
    }
  }
  const std::vector<absl::string_view> halves = absl::StrSplit(word, '/');
  std::array<float, 3> mean, std;
  if (halves.size() != 2 || !ReadChannels(halves[0], mean) || !ReadChannels(halves[1], std)) {
    return WrongWord(word, "");
  }
  for (size_t c = 0; c < mean.size(); ++c) {
    if (mean[c] < 0 || mean[c] > 1) {
      return WrongWord(word, "a mean must be from 0 to 1, in units of full scale (pixel / 255); ");
    }
    if (!std::isnormal(std[c]) || std[c] < 0 || std[c] > kMaxStd) {
      return WrongWord(word, "a standard deviation must be above 0 and at most 10; ");
    }
  }
  return Make(kCustom, mean, std);
}

absl::StatusOr<proto::Normalization> CompleteNormalization(const proto::Normalization& asked,
                                                           const proto::DatasetInfo& train) {
  if (!asked.source().empty() && asked.source() != kDatasetNormalization) {
    return asked;
  }
  LoaderOptions options;
  RETURN_IF_ERROR(NormalizeAsTrained(train, options));
  return Make(kDatasetNormalization, options.mean, options.std);
}

proto::Normalization RecordedNormalization(const std::string& source,
                                           const google::protobuf::RepeatedField<double>& mean,
                                           const google::protobuf::RepeatedField<double>& std) {
  proto::Normalization normalization;
  normalization.set_source(source);
  normalization.mutable_mean()->Add(mean.begin(), mean.end());
  normalization.mutable_std()->Add(std.begin(), std.end());
  return normalization;
}

absl::Status CheckNormalization(const proto::Normalization& normalization) {
  const auto is_valid = [](float std) { return std::isnormal(std) && std > 0; };
  const auto is_finite = [](float mean) { return std::isfinite(mean); };
  if (normalization.mean_size() != 3 || normalization.std_size() != 3 ||
      !std::all_of(normalization.mean().begin(), normalization.mean().end(), is_finite) ||
      !std::all_of(normalization.std().begin(), normalization.std().end(), is_valid)) {
    return absl::DataLossError(absl::StrCat("normalization: expected three finite means and three standard deviations ",
                                            "above 0, found mean ", absl::StrJoin(normalization.mean(), " "), ", std ",
                                            absl::StrJoin(normalization.std(), " ")));
  }
  return absl::OkStatus();
}

bool SameNormalization(const proto::Normalization& a, const proto::Normalization& b) {
  return std::equal(a.mean().begin(), a.mean().end(), b.mean().begin(), b.mean().end()) &&
         std::equal(a.std().begin(), a.std().end(), b.std().begin(), b.std().end());
}

void SetNormalization(const proto::Normalization& normalization, LoaderOptions& options) {
  std::copy_n(normalization.mean().begin(), options.mean.size(), options.mean.begin());
  std::copy_n(normalization.std().begin(), options.std.size(), options.std.begin());
}

std::string NormalizationValues(const proto::Normalization& normalization) {
  return absl::StrCat("mean ", Channels(normalization.mean()), ", std ", Channels(normalization.std()));
}

std::string NormalizationInRecipe(const proto::Normalization& normalization) {
  if (normalization.mean().empty()) {
    return "";
  }
  return absl::StrCat(
      ", images normalized by ", NormalizationValues(normalization), " (",
      normalization.source() == kDatasetNormalization ? "of the training images" : normalization.source(), ")");
}

}  // namespace lockstep
