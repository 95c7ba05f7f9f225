// The layers that --wanted_drop returned to fp32, in one line.
#ifndef LOCKSTEP_LIB_QUANTIZE_FALLBACK_TEXT_H_
#define LOCKSTEP_LIB_QUANTIZE_FALLBACK_TEXT_H_

#include <string>

#include "lib/proto/quantized.pb.h"

namespace lockstep {

// Returns "2 layers returned to fp32 (conv1, fc): 29 of the study's 30 images correct, fp32 30; 900 of 1000 test
// images", or "0 layers returned to fp32: ..." if int8 throughout is good enough. States whether the drop,
// `wanted_drop` points on the study's images, was reached. AddFallback must have filled `study`.
std::string FallbackText(const proto::LayerStudy& study, double wanted_drop);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_QUANTIZE_FALLBACK_TEXT_H_
