// Parts that the cards of all questions share.
#ifndef LOCKSTEP_LIB_SUMMARY_CARD_PARTS_H_
#define LOCKSTEP_LIB_SUMMARY_CARD_PARTS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/lab_records/lab_records.h"
#include "lib/proto/quantity.pb.h"
#include "lib/proto/report.pb.h"
#include "lib/statistics/spread.h"
#include "lib/summary/verdict_table.h"

namespace lockstep {

inline constexpr size_t kMaxSupport = 2;  // sentences below a headline

// Returns true if a record was given that could answer the question.
bool IsAsked(const LabRecords& lab, absl::string_view question);

// Returns a card with a verdict, a link to the full answer, and the fields from which it was made.
proto::SummaryCard AnsweredCard(absl::string_view question, const CardVerdict& verdict,
                                const std::vector<std::string>& sources);

// Returns a card without an answer. The command is the one of CommandsFor for the data set of `lab`; of several, one
// line that runs all. If the data set excludes the question (WhyNoCommands), the card has no command, and that reason
// instead of `reason`.
proto::SummaryCard UnansweredCard(const LabRecords& lab, absl::string_view question, absl::string_view reason);

void SetHeadline(const std::string& number, const std::string& unit, const std::vector<std::string>& base,
                 proto::SummaryCard& card);

// Sets the text that a page shows when a reader points at the number of the card: "3.962 [3.886, 4.066] times: mean and
// extremes of single epochs". `meaning` says what the ends of the interval are. A number without repeats gets no text.
void SetExact(const Spread& spread, absl::string_view unit, absl::string_view meaning, proto::SummaryCard& card);

// Adds a sentence. The text is dropped if it is empty or the card already has kMaxSupport of them.
void AddSupport(const std::string& text, proto::SummaryCard& card);

// Adds a link before the link to the full answer. Links whose target is not on the page are removed later (arrange.h).
void AddLink(absl::string_view text, absl::string_view target, proto::SummaryCard& card);

// Returns the value and interval of a quantity, which must have a value, divided by `unit` (above 0). It counts as
// repeated if it has an interval.
Spread SpreadIn(const proto::Quantity& quantity, double unit);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SUMMARY_CARD_PARTS_H_
