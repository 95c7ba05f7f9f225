#include "lib/audit/column_batch.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/audit/chance.h"
#include "lib/audit/hit.h"

namespace lockstep {
namespace {

bool AreOf(int table, const Recomputed& recomputed) {
  return std::all_of(recomputed.inputs.begin(), recomputed.inputs.end(),
                     [&](const Cell* input) { return input->table == table; });
}

// Returns true if a formula without departures computes one of `cells` from numbers of its own table.
bool HasPlainInputs(const std::vector<Convention>& conventions, const std::vector<Cell*>& cells) {
  return std::any_of(conventions.begin(), conventions.end(), [&](const Convention& convention) {
    return convention.departures == 0 && std::any_of(cells.begin(), cells.end(), [&](const Cell* cell) {
             const std::optional<Recomputed> value = ValueFor(convention, *cell);
             return value.has_value() && AreOf(cell->table, *value);
           });
  });
}

// Returns the same formula for numbers that name no batch, with inputs of `batch` from `table`.
Convention WithBatch(const Convention& plain, uint64_t batch, int table) {
  Convention convention = plain;
  absl::StrAppend(&convention.text, ", batch ", batch);
  convention.meaning = absl::StrCat(MeaningOf(plain), ", batch ", batch);
  convention.departures += kLateDepartures;
  convention.batch = batch;
  convention.evaluate = [evaluate = plain.evaluate, batch, table](const TablePlace& place) {
    std::optional<Recomputed> recomputed = evaluate({place.devices, batch});
    return recomputed.has_value() && AreOf(table, *recomputed) ? std::move(recomputed) : std::nullopt;
  };
  return convention;
}

std::vector<Trial> OfBatch(uint64_t batch, const std::vector<Trial>& trials) {
  std::vector<Trial> of_batch;
  std::copy_if(trials.begin(), trials.end(), std::back_inserter(of_batch),
               [&](const Trial& trial) { return trial.convention->batch == batch; });
  return of_batch;
}

// Trials of one batch, and what they explain.
struct Candidates {
  std::vector<Trial> trials;
  size_t explained = 0;               // number of cells that the batch gives
  std::optional<Trial> plainest;      // plainest convention that is believed for the column
  const Convention* alone = nullptr;  // convention that gives a single number of the column

  bool IsBetterThan(const Candidates& other) const {
    if (explained != other.explained || !plainest.has_value() || !other.plainest.has_value()) {
      return explained > other.explained ||
             (explained == other.explained && plainest.has_value() && !other.plainest.has_value());
    }
    return IsPlainer(*plainest, *other.plainest);
  }
  bool MakesTheNumbersOf(const Candidates& other) const {
    return plainest.has_value() && other.plainest.has_value() && plainest->fingerprint == other.plainest->fingerprint;
  }
};

Candidates CandidatesOf(uint64_t batch, const std::vector<Trial>& trials, const std::vector<Cell*>& cells) {
  Candidates of_batch;
  of_batch.trials = OfBatch(batch, trials);
  std::vector<const Trial*> believed = BestSupported(of_batch.trials, cells.size());
  if (believed.empty()) {
    believed = WithinRounding(of_batch.trials, cells.size());
  }
  if (!believed.empty()) {
    of_batch.plainest = *believed[0];
  }
  of_batch.explained = std::count_if(cells.begin(), cells.end(), [&](const Cell* cell) {
    if (!HitsOfColumn(believed, *cell).empty()) {
      return true;
    }
    const std::optional<PlainHit> alone = PlainestHitOfBatch(batch, trials, *cell);
    if (!alone.has_value() || alone->chance >= kSearchLevel) {
      return false;
    }
    of_batch.alone = of_batch.alone == nullptr ? alone->hit.trial->convention : of_batch.alone;
    return true;
  });
  return of_batch;
}

}  // namespace

std::set<uint64_t> BatchesOf(const Document& document, int table) {
  std::set<uint64_t> batches;
  for (const Cell* cell : document.CellsOf(table)) {
    if (cell->value->batch() > 0) {
      batches.insert(cell->value->batch());
    }
  }
  return batches;
}

std::set<uint64_t> BatchesOf(const std::vector<Trial>& trials) {
  std::set<uint64_t> batches;
  for (const Trial& trial : trials) {
    if (trial.of_size > 0) {
      batches.insert(trial.convention->batch);
    }
  }
  return batches;
}

void AddBatches(const Document& document, int table, const std::vector<Cell*>& cells,
                std::vector<Convention>& conventions) {
  if (HasPlainInputs(conventions, cells)) {
    return;
  }
  std::set<uint64_t> batches = BatchesOf(document, table);
  while (batches.size() > kMaxBatchesTried) {
    batches.erase(std::prev(batches.end()));
  }
  const size_t plain = conventions.size();
  for (const uint64_t batch : batches) {
    for (size_t i = 0; i < plain; ++i) {
      if (conventions[i].departures < kLateDepartures) {
        conventions.push_back(WithBatch(conventions[i], batch, table));
      }
    }
  }
}

ColumnBatch ChooseBatch(std::vector<Trial> trials, const std::vector<Cell*>& cells) {
  const std::set<uint64_t> batches = BatchesOf(trials);
  if (batches.size() < 2) {
    return {std::move(trials)};
  }
  std::vector<Candidates> best;
  for (const uint64_t batch : batches) {
    Candidates of_batch = CandidatesOf(batch, trials, cells);
    if (!best.empty() && of_batch.IsBetterThan(best[0])) {
      best.clear();
    }
    const bool is_worse = !best.empty() && best[0].IsBetterThan(of_batch);
    if (of_batch.explained > 0 && !is_worse && std::none_of(best.begin(), best.end(), [&](const Candidates& other) {
          return of_batch.MakesTheNumbersOf(other);
        })) {
      best.push_back(std::move(of_batch));
    }
  }
  if (best.empty()) {
    return {std::move(trials)};
  }
  ColumnBatch chosen = {{}, best[0].plainest.has_value() ? nullptr : best[0].alone};
  for (const Candidates& of_batch : best) {
    chosen.trials.insert(chosen.trials.end(), of_batch.trials.begin(), of_batch.trials.end());
  }
  std::stable_sort(chosen.trials.begin(), chosen.trials.end(), IsPlainer);
  return chosen;
}

}  // namespace lockstep
