#include "benchmarks/gpu_collective_rank.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "benchmarks/collective_rows.h"
#include "benchmarks/collective_terms.h"
#include "benchmarks/gpu_collective_backends.h"
#include "benchmarks/gpu_collective_cases.h"
#include "benchmarks/measure_collective.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

GpuBackendsOptions OptionsOf(const CollectiveTask& task) {
  GpuBackendsOptions options;
  options.bf16 = task.type == "bf16";
  options.max_bytes = task.max_bytes;
  options.crossovers = task.crossovers;
  options.sums = std::find(task.collectives.begin(), task.collectives.end(), "all_reduce") != task.collectives.end();
  return options;
}

// Returns the row of a case; it has times if `timed`.
CollectiveRow RowOf(const CollectiveCase& made, CollectiveMeasurement measured, bool timed) {
  CollectiveRow row;
  row.collective = made.collective;
  row.way = made.way;
  row.size_bytes = made.size_bytes;
  row.moved_bytes = made.moved_bytes;
  row.bus_factor = made.bus_factor;
  row.wrong = static_cast<uint64_t>(measured.wrong);
  if (timed) {
    row.eager_seconds = measured.eager_seconds;
    row.replays = std::move(measured.replays);
  }
  return row;
}

}  // namespace

absl::StatusOr<std::string> MeasureCollectives(RankContext& context) {
  ASSIGN_OR_RETURN(const CollectiveTask task, ParsePayload(context.payload));
  const GpuBackendsOptions options = OptionsOf(task);
  if (MaxTerm(options.bf16 ? TermType::kBfloat16 : TermType::kFloat, context.size) == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("sums over ", context.size, " ranks are not exact in ", task.type, ", so they cannot be checked"));
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<GpuBackends> backends, GpuBackends::Open(context, options));
  ASSIGN_OR_RETURN(const std::unique_ptr<CollectiveTimer> timer, CollectiveTimer::Make(context, *backends));
  CollectiveRows rows;
  rows.hosts = static_cast<uint32_t>(backends->hosts().hosts());
  rows.left_out = backends->left_out();
  ASSIGN_OR_RETURN(rows.link_bytes_per_second, timer->LinkRate(task.max_bytes));
  for (const std::string& collective : task.collectives) {
    for (const CollectiveCase& made : CasesOf(*backends, collective, task.max_bytes)) {
      ASSIGN_OR_RETURN(CollectiveMeasurement measured, timer->Measure(made));
      rows.rows.push_back(RowOf(made, std::move(measured), made.timed == context.rank));
    }
  }
  RETURN_IF_ERROR(backends->nccl().Barrier());  // no rank still receives when the communicators are aborted
  return TextOf(rows);
}

}  // namespace lockstep
