// Interface between classifier.cu and the kernels for more than kClassifierBlockClasses classes. Arguments and results
// are those of ClassifierTrain, ClassifierEvaluate and ClassifierParameters. The shape must be supported, and `launch`
// must be PlanClassifier(shape).
#ifndef LOCKSTEP_LIB_KERNELS_CLASSIFIER_TILES_H_
#define LOCKSTEP_LIB_KERNELS_CLASSIFIER_TILES_H_

#include <cuda_runtime.h>

#include "lib/kernels/classifier.h"

namespace lockstep {
namespace classifier {

template <typename T>
cudaError_t TrainInTiles(const ClassifierShape& shape, const ClassifierLaunch& launch, const ClassifierInput<T>& input,
                         const ClassifierOutput<T>& output, void* workspace, cudaStream_t stream);

template <typename T>
cudaError_t ParametersInTiles(const ClassifierShape& shape, const ClassifierLaunch& launch,
                              const ClassifierOutput<T>& output, void* workspace, cudaStream_t stream);

// Computes the forward pass without the sum of the losses. Of `output`, logits and the number of correct predictions
// are written.
template <typename T>
cudaError_t EvaluateInTiles(const ClassifierShape& shape, const ClassifierLaunch& launch,
                            const ClassifierInput<T>& input, const ClassifierOutput<T>& output, void* workspace,
                            cudaStream_t stream);

}  // namespace classifier
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CLASSIFIER_TILES_H_
