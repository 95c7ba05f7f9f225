// The study of a network's layers (quantize --study_images) in one sentence.
#ifndef LOCKSTEP_LIB_WORDING_STUDY_TEXT_H_
#define LOCKSTEP_LIB_WORDING_STUDY_TEXT_H_

#include <string>

#include "lib/proto/quantized.pb.h"

namespace lockstep {

// Return the layers that cost most accuracy in int8, at most three, in the order in which --wanted_drop returns layers
// to fp32. Both are empty if nothing was studied.
// - StudyText: "the layers that cost most are conv1 and fc: with one of them back in fp32, 74.50 % and 71.00 % of
//   the study's 200 training images are right, 70.00 % with all layers in int8, 75.00 % in fp32".
// - ShortStudyText: "Layers that cost most: conv1, fc."
// If int8 loses no image of the study, they say so, and name the first layer only.
std::string StudyText(const proto::LayerStudy& study);
std::string ShortStudyText(const proto::LayerStudy& study);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_WORDING_STUDY_TEXT_H_
