// Names shared by export and import. Not for other packages.
#ifndef LOCKSTEP_LIB_ONNX_MODEL_NAMES_H_
#define LOCKSTEP_LIB_ONNX_MODEL_NAMES_H_

namespace lockstep {

inline constexpr char kMicrosoftDomain[] = "com.microsoft";  // domain of operators that ONNX Runtime adds

// Keys of the model's metadata.
inline constexpr char kNetworkKey[] = "network";
inline constexpr char kMeanKey[] = "normalization_mean";  // three numbers, for pixels of full scale 1
inline constexpr char kStdKey[] = "normalization_std";
// Steps of the weights of a last layer that writes sums: real logits are logits * the layer's input scale * these
// steps.
inline constexpr char kLogitsWeightScaleKey[] = "logits_weight_scale";
inline constexpr char kCheckpointKey[] = "checkpoint_sha256";
inline constexpr char kOriginKey[] = "origin";  // onnx_origin.h: a Header (lib/proto/header.proto) as text

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_ONNX_MODEL_NAMES_H_
