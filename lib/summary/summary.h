// The summary at the top of a page (proto::Summary): the answers first, each with one number and what it is compared
// with. Tables and full answers follow it on the page.
#ifndef LOCKSTEP_LIB_SUMMARY_SUMMARY_H_
#define LOCKSTEP_LIB_SUMMARY_SUMMARY_H_

#include <vector>

#include "lib/lab_records/lab_records.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

enum class CardsOf {
  kAskedQuestions,  // questions that are answered, or that a given record could answer
  kAllQuestions,
};

// Returns the card of each question of the lab, in its order, with its state and verdict.
std::vector<proto::SummaryCard> QuestionCards(const LabRecords& lab);

// Returns the section "summary", with the warnings of the page, the worst first, and the summary with its cards.
proto::Section SummarySection(const LabRecords& lab, CardsOf cards);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SUMMARY_SUMMARY_H_
