#include "lib/kernels/convolution_engines.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

// Counts of the configurations examined, for the message if no engine is left.
struct Tally {
  int configurations = 0;
  int forbidden = 0;  // configurations excluded by their notes
  int too_large = 0;  // configurations whose workspace is too large
  size_t min_workspace = 0;
  absl::Status last_error;  // error of a heuristic, or of a configuration that cuDNN lists but does not support
};

absl::StatusOr<std::vector<CudnnDescriptor>> AskHeuristics(const CudnnDescriptor& graph, cudnnBackendHeurMode_t mode) {
  ASSIGN_OR_RETURN(CudnnDescriptor heuristics, CudnnDescriptor::Make(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR));
  RETURN_IF_ERROR(heuristics.Set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph));
  RETURN_IF_ERROR(heuristics.Set(CUDNN_ATTR_ENGINEHEUR_MODE, mode));
  RETURN_IF_ERROR(heuristics.Finalize());
  return heuristics.GetDescriptors(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, -1);
}

absl::StatusOr<std::string> NameOf(const CudnnDescriptor& config, const CudnnDescriptor& engine,
                                   const std::vector<cudnnBackendNumericalNote_t>& notes) {
  ASSIGN_OR_RETURN(const int64_t number, engine.GetInt(CUDNN_ATTR_ENGINE_GLOBAL_INDEX));
  ASSIGN_OR_RETURN(const std::vector<CudnnDescriptor> knobs,
                   config.GetDescriptors(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR,
                                         CUDNN_KNOB_TYPE_COUNTS));
  std::string name = absl::StrCat("engine ", number, " knobs");
  for (const CudnnDescriptor& knob : knobs) {
    ASSIGN_OR_RETURN(const cudnnBackendKnobType_t type, knob.GetKnobType());
    ASSIGN_OR_RETURN(const int64_t value, knob.GetInt(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE));
    absl::StrAppend(&name, " ", static_cast<int>(type), "=", value);
  }
  absl::StrAppend(&name, " notes");
  for (const cudnnBackendNumericalNote_t note : notes) {
    absl::StrAppend(&name, " ", static_cast<int>(note));
  }
  return name;
}

// Adds `config` to `found` unless the rules exclude it. Returns cuDNN's errors.
absl::Status Consider(cudnnHandle_t handle, CudnnDescriptor config, const ConvolutionEngineRules& rules,
                      std::set<std::string>& seen, Tally& tally, std::vector<ConvolutionEngine>& found) {
  ++tally.configurations;
  ASSIGN_OR_RETURN(const std::vector<CudnnDescriptor> engines,
                   config.GetDescriptors(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR, 1));
  if (engines.empty()) {
    return absl::InternalError("cuDNN: an engine configuration without an engine");
  }
  ASSIGN_OR_RETURN(const std::vector<cudnnBackendNumericalNote_t> notes, engines[0].GetNotes());
  if (!NotesAllowed(notes, rules)) {
    ++tally.forbidden;
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(std::string name, NameOf(config, engines[0], notes));
  if (!seen.insert(name).second) {
    return absl::OkStatus();
  }
  ConvolutionEngine engine;
  engine.config = std::move(config);
  engine.name = std::move(name);
  ASSIGN_OR_RETURN(engine.plan, CudnnDescriptor::Make(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR));
  RETURN_IF_ERROR(engine.plan.Set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, handle));
  RETURN_IF_ERROR(engine.plan.Set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, engine.config));
  RETURN_IF_ERROR(engine.plan.Finalize());
  ASSIGN_OR_RETURN(const int64_t workspace, engine.plan.GetInt(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE));
  engine.workspace_bytes = static_cast<size_t>(std::max<int64_t>(workspace, 0));
  if (engine.workspace_bytes > rules.max_workspace_bytes) {
    tally.min_workspace =
        tally.too_large++ == 0 ? engine.workspace_bytes : std::min(tally.min_workspace, engine.workspace_bytes);
    return absl::OkStatus();
  }
  found.push_back(std::move(engine));
  return absl::OkStatus();
}

absl::Status NoEngine(const ConvolutionEngineRules& rules, const Tally& tally) {
  std::string text =
      absl::StrCat("expected an engine of cuDNN ", cudnnGetVersion(), ", found none among ", tally.configurations,
                   " configurations: ", tally.forbidden, " of another numerical kind, ", tally.too_large,
                   " with more workspace than ", rules.max_workspace_bytes, " bytes");
  if (tally.too_large > 0) {
    absl::StrAppend(&text, " (the least needs ", tally.min_workspace, ")");
  }
  if (!tally.last_error.ok()) {
    absl::StrAppend(&text, ", the others refused, the last one with: ", tally.last_error.message());
  }
  return absl::UnimplementedError(text);
}

}  // namespace

bool NotesAllowed(const std::vector<cudnnBackendNumericalNote_t>& notes, const ConvolutionEngineRules& rules) {
  return std::none_of(notes.begin(), notes.end(), [&](cudnnBackendNumericalNote_t note) {
    switch (note) {
      case CUDNN_NUMERICAL_NOTE_TENSOR_CORE:
        return rules.type == ConvolutionType::kFp32;
      case CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS:
      case CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION:
      case CUDNN_NUMERICAL_NOTE_FFT:
      case CUDNN_NUMERICAL_NOTE_WINOGRAD:
      case CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_4x4:
      case CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_6x6:
      case CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13:
        return true;
      case CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC:
        return rules.deterministic;
      default:
        return false;
    }
  });
}

absl::StatusOr<std::vector<ConvolutionEngine>> FindConvolutionEngines(cudnnHandle_t handle,
                                                                      const CudnnDescriptor& graph,
                                                                      const ConvolutionEngineRules& rules) {
  std::vector<ConvolutionEngine> found;
  std::set<std::string> seen;
  Tally tally;
  for (const cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_B, CUDNN_HEUR_MODE_FALLBACK}) {
    if (mode == CUDNN_HEUR_MODE_FALLBACK && !found.empty()) {
      break;  // the fallback list contains engines that work, not fast ones
    }
    absl::StatusOr<std::vector<CudnnDescriptor>> configs = AskHeuristics(graph, mode);
    if (!configs.ok()) {
      tally.last_error = configs.status();
      continue;
    }
    for (CudnnDescriptor& config : *configs) {
      if (found.size() >= rules.limit) {
        break;
      }
      const absl::Status considered = Consider(handle, std::move(config), rules, seen, tally, found);
      tally.last_error = considered.ok() ? tally.last_error : considered;
    }
    if (found.size() >= rules.limit) {
      return found;
    }
  }
  if (found.empty()) {
    return NoEngine(rules, tally);
  }
  return found;
}

}  // namespace lockstep
