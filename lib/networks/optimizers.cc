#include "lib/networks/optimizers.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/networks/networks.h"

namespace lockstep {

bool HasMomentum(proto::OptimizerKind optimizer) {
  return optimizer == proto::OPTIMIZER_KIND_UNSPECIFIED || optimizer == proto::SGD || optimizer == proto::NESTEROV;
}

double DefaultLearningRate(proto::OptimizerKind optimizer, absl::string_view model) {
  switch (optimizer) {
    case proto::ADAM:
    case proto::ADAMW:
      return 1e-3;
    case proto::ADAGRAD:
    case proto::RMSPROP:
      return 1e-2;
    case proto::ADADELTA:
      return 1;
    default:
      return DefaultLearningRate(model);
  }
}

absl::Status CheckOptimizer(const proto::TrainingSpec& spec) {
  if (spec.optimizer() == proto::NESTEROV && spec.momentum() == 0) {
    return absl::InvalidArgumentError(
        "--optimizer=nesterov with --momentum=0: expected a momentum above 0; leave --momentum out, or use "
        "--optimizer=sgd");
  }
  const bool plain = spec.optimizer() == proto::OPTIMIZER_KIND_UNSPECIFIED || spec.optimizer() == proto::SGD;
  return spec.lars() == 0 || plain
             ? absl::OkStatus()
             : absl::InvalidArgumentError(absl::StrCat("--lars is a rule for SGD, not for --optimizer=",
                                                       OptimizerWord(spec.optimizer()), "; leave one of them out"));
}

std::string OptimizerTitle(proto::OptimizerKind optimizer) {
  switch (optimizer) {
    case proto::NESTEROV:
      return "SGD with Nesterov momentum";
    case proto::ADAM:
      return "Adam";
    case proto::ADAMW:
      return "AdamW";
    case proto::ADAGRAD:
      return "Adagrad";
    case proto::ADADELTA:
      return "Adadelta";
    case proto::RMSPROP:
      return "RMSprop";
    default:
      return "SGD";
  }
}

std::string OptimizerWord(proto::OptimizerKind optimizer) {
  return absl::AsciiStrToLower(
      proto::OptimizerKind_Name(optimizer == proto::OPTIMIZER_KIND_UNSPECIFIED ? proto::SGD : optimizer));
}

}  // namespace lockstep
