// The conventions under which people compute speed-ups, splits and bandwidths: the right ones and the wrong ones.
//
// A convention is a formula with its inputs chosen: which table the one-device time comes from, whether bytes or
// elements are counted, whether iterations are, what a gigabyte is. The wrong ones carry a flag that names the slip;
// the list is that of five published hand-ins and of the public answers to the same lab.
#ifndef LOCKSTEP_LIB_AUDIT_CONVENTIONS_H_
#define LOCKSTEP_LIB_AUDIT_CONVENTIONS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/audit/document.h"

namespace lockstep {

// One number recomputed.
struct Recomputed {
  double exact = 0;         // from intermediates with all their digits
  double from_printed = 0;  // from intermediates as the document prints them; equal to `exact` when there are none
  std::vector<const Cell*> inputs;
  double slack = 0;                     // how far `exact` may be off, since its inputs were rounded for print
  std::vector<std::string> flags = {};  // what is wrong at this place, beyond the convention's own flags
};

struct Convention {
  std::string text;  // "T_1/T_N, times of Q2"
  // How far from the plainest reading of what the document says of itself; 0 is the plainest.
  int departures = 0;
  // How many of the document's own statements it goes against: its parameter count, its gigabyte, its kind of batch.
  int contradictions = 0;
  std::vector<std::string> flags;  // what is wrong with it, by short name (lib/audit/flags.h)
  std::string note;                // a sentence on what it means; may be empty
  // The value for a number at this place; nothing when an input is not in the document, or would be divided by itself.
  std::function<std::optional<Recomputed>(const TablePlace&)> evaluate;
};

// The declared base case of a speed-up.
struct DeclaredBase {
  uint32_t devices = 1;
  uint64_t batch = 0;  // 0: the same as the number's own
  bool operator<(const DeclaredBase& other) const {
    return std::make_pair(devices, batch) < std::make_pair(other.devices, other.batch);
  }
};

// All conventions for numbers of `quantity` printed in table `table`, the plainest first among equals. `context` names
// the column of rates that they are labelled with, if any. Empty for quantities that are not computed (times, losses,
// accuracies). The document must outlive what is returned.
std::vector<Convention> ConventionsFor(const Document& document, proto::PublishedQuantity quantity, int table,
                                       const DeclaredBase& base, absl::string_view context);

// How far from every plain reading it is that a part of a formula belongs to another number of devices.
inline constexpr int kOfOtherDevicesDepartures = 4;

// Marks what was made of numbers of `devices` as out of place wherever other devices are meant.
void MarkOtherDevices(uint32_t devices, const TablePlace& place, Recomputed& recomputed);

// "T_1 of Q1, T_N of Q2", or "times of Q2" when both are the same.
std::string SourceText(const std::string& base, const std::string& base_name, const std::string& n,
                       const std::string& n_name);

// The columns of rates and iteration times that numbers of `table` can be made of: its own, else all.
Sources RateSources(const Document& document, int table, absl::string_view context = "");

// Flags a convention made of `source` when `context` names another of `sources`.
void MarkOtherColumn(const Sources& sources, const Source& source, absl::string_view context, Convention& convention);

// The parts of ConventionsFor.
std::vector<Convention> SpeedupConventions(const Document& document, proto::PublishedQuantity quantity, int table,
                                           const DeclaredBase& base, absl::string_view context);
std::vector<Convention> RateSpeedups(const Document& document, int table, const DeclaredBase& base,
                                     absl::string_view context);
std::vector<Convention> RateConventions(const Document& document, proto::PublishedQuantity quantity, int table,
                                        absl::string_view context);
std::vector<Convention> EfficiencyConventions(const Document& document, int table, const DeclaredBase& base,
                                              absl::string_view context);
std::vector<Convention> SplitConventions(const Document& document, proto::PublishedQuantity quantity, int table);
std::vector<Convention> TrafficConventions(const Document& document, proto::PublishedQuantity quantity, int table);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_CONVENTIONS_H_
