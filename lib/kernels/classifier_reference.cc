#include "lib/kernels/classifier_reference.h"

#include <algorithm>
#include <cmath>

namespace lockstep {
namespace {

std::vector<double> Pooled(const ClassifierShape& shape, const std::vector<double>& x) {
  std::vector<double> pooled(static_cast<size_t>(shape.images) * shape.channels);
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t image = i / shape.channels / shape.positions;
    pooled[image * shape.channels + i % shape.channels] += x[i] / shape.positions;
  }
  return pooled;
}

std::vector<double> Logits(const ClassifierShape& shape, const std::vector<double>& pooled,
                           const std::vector<double>& weight, const std::vector<double>& bias) {
  std::vector<double> logits;
  for (size_t image = 0; image < shape.images; ++image) {
    for (size_t k = 0; k < shape.classes; ++k) {
      double sum = bias[k];
      for (size_t c = 0; c < shape.channels; ++c) {
        sum += weight[k * shape.channels + c] * pooled[image * shape.channels + c];
      }
      logits.push_back(sum);
    }
  }
  return logits;
}

// Returns the target of class k in the loss.
double Target(uint32_t classes, size_t k, size_t label, double label_smoothing) {
  return (k == label ? 1 - label_smoothing : 0) + label_smoothing / classes;
}

void AddLoss(const double* logits, uint32_t classes, size_t label, double label_smoothing,
             ClassifierReference& result) {
  const double* largest = std::max_element(logits, logits + classes);  // first of equal ones
  double sum = 0;
  for (size_t k = 0; k < classes; ++k) {
    sum += std::exp(logits[k] - *largest);
  }
  for (size_t k = 0; k < classes; ++k) {
    result.probabilities.push_back(std::exp(logits[k] - *largest) / sum);
  }
  double on_target = 0;
  for (size_t k = 0; k < classes; ++k) {
    on_target += Target(classes, k, label, label_smoothing) * (logits[k] - *largest);
  }
  result.losses.push_back(std::log(sum) - on_target);
  result.loss_sum += result.losses.back();
  result.correct += largest == logits + label;
}

void AddGradients(const ClassifierShape& shape, const std::vector<double>& weight, ClassifierReference& result) {
  for (size_t image = 0; image < shape.images; ++image) {
    for (size_t k = 0; k < shape.classes; ++k) {
      const double dlogit = result.dlogits[image * shape.classes + k];
      result.dbias[k] += dlogit;
      for (size_t c = 0; c < shape.channels; ++c) {
        result.dweight[k * shape.channels + c] += dlogit * result.pooled[image * shape.channels + c];
        for (size_t position = 0; position < shape.positions; ++position) {
          result.dx[(image * shape.positions + position) * shape.channels + c] +=
              dlogit * weight[k * shape.channels + c] / shape.positions;
        }
      }
    }
  }
}

}  // namespace

ClassifierReference ReferenceClassifier(const ClassifierShape& shape, const std::vector<double>& x,
                                        const std::vector<double>& weight, const std::vector<double>& bias,
                                        const std::vector<int64_t>& labels, double label_smoothing) {
  ClassifierReference result;
  result.pooled = Pooled(shape, x);
  result.logits = Logits(shape, result.pooled, weight, bias);
  for (size_t image = 0; image < shape.images; ++image) {
    AddLoss(&result.logits[image * shape.classes], shape.classes, labels[image], label_smoothing, result);
  }
  result.dlogits = result.probabilities;
  for (size_t image = 0; image < shape.images; ++image) {
    for (size_t k = 0; k < shape.classes; ++k) {
      result.dlogits[image * shape.classes + k] -= Target(shape.classes, k, labels[image], label_smoothing);
    }
  }
  for (double& dlogit : result.dlogits) {
    dlogit /= shape.images;
  }
  result.dx.resize(x.size());
  result.dweight.resize(weight.size());
  result.dbias.resize(bias.size());
  AddGradients(shape, weight, result);
  return result;
}

}  // namespace lockstep
