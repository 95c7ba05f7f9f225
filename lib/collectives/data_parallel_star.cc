#include "lib/collectives/data_parallel_star.h"

namespace lockstep {

StarCost DataParallelStarCost(const DataParallelStep& step, const LinkCost& link) {
  const double others = step.ranks - 1.0;
  const double their_share = others / step.ranks;
  constexpr int kPhases = 5;  // replicate, scatter, gather, scatter of the outputs' gradients, reduce
  StarCost cost;
  cost.sent_bytes =
      others * (step.parameter_bytes + step.buffer_bytes) + their_share * (step.input_bytes + step.output_bytes);
  cost.received_bytes = others * step.parameter_bytes + their_share * step.output_bytes;
  cost.busy_seconds =
      kPhases * others * link.alpha_seconds + (cost.sent_bytes + cost.received_bytes) * link.beta_seconds_per_byte;
  return cost;
}

}  // namespace lockstep
