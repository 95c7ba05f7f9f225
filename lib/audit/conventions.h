// Conventions by which people compute speed-ups, splits and bandwidths: the right ones and the wrong ones.
//
// A convention is a formula with chosen inputs: the table of the one-device time, bytes or elements, iterations counted
// or not, the size of a gigabyte. A wrong convention carries a flag that names the slip. The wrong conventions were
// found in five published hand-ins and in the public answers to the same lab.
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
  double exact = 0;         // value from intermediates with all digits
  double from_printed = 0;  // value from intermediates as the document prints them; `exact` if there are none
  std::vector<const Cell*> inputs;
  double slack = 0;                     // largest error of `exact`, because its inputs were rounded for print
  std::vector<std::string> flags = {};  // errors at this place, in addition to the convention's own flags
};

struct Convention {
  std::string text;  // "T_1/T_N, times of Q2"
  // Distance from the plainest reading of the document's statements; 0 is the plainest.
  int departures = 0;
  // Number of statements of the document that are contradicted: its parameter count, its gigabyte, its kind of batch.
  int contradictions = 0;
  std::vector<std::string> flags;  // errors of the convention, by short name (lib/audit/flags.h)
  std::string note;                // sentence that explains the convention; may be empty
  // Returns the value for a number at this place; nothing if an input is not in the document, or would be divided by
  // itself.
  std::function<std::optional<Recomputed>(const TablePlace&)> evaluate;
  // Formula without its inputs and without choices that do not matter, such as how the last step of an epoch counts.
  // Empty: the text up to its first comma.
  std::string meaning = {};
  uint64_t batch = 0;  // batch of the inputs for numbers that name no batch (column_batch.h); 0: that of the number
};

// Returns the meaning of a convention, which is never empty. Conventions with one meaning and the same flags are not
// ambiguous.
std::string MeaningOf(const Convention& convention);

// Declared base case of a speed-up.
struct DeclaredBase {
  uint32_t devices = 1;
  uint64_t batch = 0;  // 0: same batch as the number itself
  bool operator<(const DeclaredBase& other) const {
    return std::make_pair(devices, batch) < std::make_pair(other.devices, other.batch);
  }
};

// Returns all conventions for numbers of `quantity` in table `table`, those with the fewest departures first. `context`
// is the column of rates that the numbers are labelled with, or empty. Returns no conventions for quantities that are
// not computed (times, losses, accuracies). The document must outlive the result.
std::vector<Convention> ConventionsFor(const Document& document, proto::PublishedQuantity quantity, int table,
                                       const DeclaredBase& base, absl::string_view context);

// Departures of a formula in which a part belongs to another number of devices: far from every plain reading.
inline constexpr int kOfOtherDevicesDepartures = 4;

// Departures of a formula that is less plain than any formula with one slip, also than values that are no bandwidth
// (traffic_conventions.cc). Formulas that are less plain than another one do not count as tried for the other one, so
// that such a formula weakens no evidence of a single slip.
inline constexpr int kLateDepartures = 8;

// Additional departures of a formula with two slips.
inline constexpr int kSecondSlipDepartures = kLateDepartures;

// Returns true if the one slip is the unit: GB in place of GiB, MB in place of MiB, or the reverse.
bool IsUnitSlip(const std::vector<std::string>& flags);

// Flags a value that was computed from numbers of `devices` if `place` has another number of devices.
void MarkOtherDevices(uint32_t devices, const TablePlace& place, Recomputed& recomputed);

// Returns "T_1 of Q1, T_N of Q2", or "times of Q2" if the two sources are the same.
std::string SourceText(const std::string& base, const std::string& base_name, const std::string& n,
                       const std::string& n_name);

// Returns the columns of rates and iteration times from which numbers of `table` can be computed: its own columns, else
// all.
Sources RateSources(const Document& document, int table, absl::string_view context = "");

// Flags a convention computed from `source` if `context` names another column of `sources`.
void MarkOtherColumn(const Sources& sources, const Source& source, absl::string_view context, Convention& convention);

// Parts of ConventionsFor.
std::vector<Convention> SpeedupConventions(const Document& document, proto::PublishedQuantity quantity, int table,
                                           const DeclaredBase& base, absl::string_view context);
// Returns speed-ups from the times of `table`, one of which lost a digit.
std::vector<Convention> LostDigitSpeedups(const Document& document, int table, const DeclaredBase& base,
                                          absl::string_view context);
std::vector<Convention> RateSpeedups(const Document& document, int table, const DeclaredBase& base,
                                     absl::string_view context);
std::vector<Convention> RateConventions(const Document& document, proto::PublishedQuantity quantity, int table,
                                        absl::string_view context);
// Returns a rate of one device times a printed speed-up, at places for which `plain` computes the rate, too.
std::vector<Convention> RatesOfSpeedups(const Document& document, int table, const Convention& plain,
                                        absl::string_view context);
std::vector<Convention> EfficiencyConventions(const Document& document, int table, const DeclaredBase& base,
                                              absl::string_view context);
// Returns the printed speed-ups themselves, however they were obtained, as inputs of other formulas.
std::vector<Convention> PrintedSpeedups(const Sources& speedups, absl::string_view context);
std::vector<Convention> SerialConventions(const Document& document, proto::PublishedQuantity quantity, int table,
                                          const DeclaredBase& base, absl::string_view context);
std::vector<Convention> SplitConventions(const Document& document, proto::PublishedQuantity quantity, int table);
// Returns the sums of the phases that `table` prints with this context; nothing unless SaysThatPhasesSum.
std::vector<Convention> PhaseConventions(const Document& document, proto::PublishedQuantity quantity, int table,
                                         absl::string_view context);
// Returns rates, speed-ups and times of an epoch under linear scaling.
std::vector<Convention> IdealConventions(const Document& document, proto::PublishedQuantity quantity, int table,
                                         const DeclaredBase& base, absl::string_view context);
std::vector<Convention> RunTimeConventions(const Document& document, int table, absl::string_view context);
std::vector<Convention> IterationConventions(const Document& document);
std::vector<Convention> IterationTimeConventions(const Document& document, int table, absl::string_view context);
std::vector<Convention> EnergyConventions(const Document& document, proto::PublishedQuantity quantity, int table,
                                          const DeclaredBase& base, absl::string_view context);
std::vector<Convention> LearningRateConventions(const Document& document, int table, const DeclaredBase& base,
                                                absl::string_view context);
std::vector<Convention> ShareConventions(const Document& document, proto::PublishedQuantity quantity, int table,
                                         absl::string_view context);
std::vector<Convention> TrafficConventions(const Document& document, proto::PublishedQuantity quantity, int table);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_CONVENTIONS_H_
