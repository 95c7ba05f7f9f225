#include "lib/audit/traffic_inputs.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace lockstep {
namespace {

TrafficInputs CommunicationColumn(const Source& communication) {
  return {absl::StrCat("T_comm of ", communication.name),
          [&communication](const TablePlace& place) -> std::optional<Recomputed> {
            const Cell* cell = communication.At(place.devices, place.batch);
            if (cell == nullptr) {
              return std::nullopt;
            }
            return Recomputed{cell->Exact(), cell->printed.value, {cell}, cell->Slack()};
          },
          {},
          {},
          {}};
}

// Returns inputs for a document that prints times and bandwidths, but not every communication time.
TrafficInputs CommunicationFromTimes(const Source& times) {
  return {absl::StrCat("T_comm = T_N - T_1/N, times of ", times.name),
          [&times](const TablePlace& place) -> std::optional<Recomputed> {
            const Cell *t_n = times.At(place.devices, place.batch), *t_1 = times.At(1, place.batch);
            if (t_n == nullptr || t_1 == nullptr) {
              return std::nullopt;
            }
            const double value = t_n->Exact() - t_1->Exact() / place.devices;
            return Recomputed{value, value, {t_n, t_1}, t_n->Slack() + t_1->Slack() / place.devices};
          },
          {},
          {},
          {}};
}

// Returns true if the document prints no communication time for some number of `quantity` in `table`.
bool LacksCommunication(const Document& document, proto::PublishedQuantity quantity, int table,
                        const Sources& communications) {
  const std::vector<const Cell*>& cells = document.CellsOf(table);
  return std::any_of(cells.begin(), cells.end(), [&](const Cell* cell) {
    return cell->value->quantity() == quantity &&
           std::none_of(communications.begin(), communications.end(), [&](const Source& communication) {
             return communication.At(cell->value->devices(), cell->value->batch()) != nullptr;
           });
  });
}

}  // namespace

std::vector<SharedInputs> AllTrafficInputs(const Document& document, proto::PublishedQuantity quantity, int table) {
  std::vector<TrafficInputs> all;
  const Sources communications = document.SourcesFor({proto::COMMUNICATION_SECONDS}, table);
  for (const Source& communication : communications) {
    all.push_back(CommunicationColumn(communication));
  }
  if (LacksCommunication(document, quantity, table, communications)) {
    for (const Source& times : document.Times(table)) {
      all.push_back(CommunicationFromTimes(times));
    }
  }
  std::vector<SharedInputs> shared;
  for (TrafficInputs& inputs : all) {
    inputs.elements = document.SourcesFor({proto::TRAFFIC_ELEMENTS}, table);
    inputs.gigabytes = document.SourcesFor({proto::TRAFFIC_GIGABYTES}, table);
    inputs.megabytes = document.SourcesFor({proto::TRAFFIC_MEGABYTES, proto::TRAFFIC_MEBIBYTES}, table);
    shared.push_back(std::make_shared<const TrafficInputs>(std::move(inputs)));
  }
  return shared;
}

void AddFactor(const Choice& choice, Convention& convention) {
  if (!choice.text.empty()) {
    absl::StrAppend(&convention.text, convention.text.empty() ? "" : " * ", choice.text);
  }
  AddChoice(choice, convention);
}

void AddChoice(const Choice& choice, Convention& convention) {
  convention.departures += choice.departures;
  convention.contradictions += choice.contradicts;
  convention.flags.insert(convention.flags.end(), choice.flags.begin(), choice.flags.end());
}

}  // namespace lockstep
