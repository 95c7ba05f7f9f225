#include "lib/quantize/fallback_text.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace lockstep {

std::string FallbackText(const proto::LayerStudy& study, double wanted_drop) {
  const int layers = study.fallback_size();
  const uint32_t correct = layers == 0 ? study.correct_int8() : study.fallback(layers - 1).correct();
  std::string text = absl::StrCat(layers, layers == 1 ? " layer" : " layers", " returned to fp32");
  if (layers > 0) {
    absl::StrAppend(
        &text, " (",
        absl::StrJoin(study.fallback(), ", ", [](std::string* out, const auto& step) { *out += step.layer(); }), ")");
  }
  absl::StrAppend(&text, ": ", correct, " of the study's ", study.images(), " images correct, fp32 ",
                  study.correct_fp32());
  if (layers > 0) {
    absl::StrAppend(&text, "; ", study.fallback_test_correct(), " of ", study.fallback_test_images(), " test images");
  }
  const bool is_reached = correct >= study.correct_fp32() - wanted_drop / 100 * study.images();
  return absl::StrCat(text, "; a drop of at most ", wanted_drop, " points is ", is_reached ? "reached" : "not reached");
}

}  // namespace lockstep
