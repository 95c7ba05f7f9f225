// The work of a report grows in proportion to its records. Time depends on the machine, so the test counts the
// allocations of memory, which are the same in every run: each record, cell and sentence that is looked at allocates.
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/lab_records/lab_records.h"
#include "lib/lab_records/small_records_testing.h"
#include "lib/page/csv.h"
#include "lib/page/html.h"
#include "lib/report/arrange.h"

namespace {

std::atomic<size_t> allocations{0};

void* CountedAllocation(size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) {
    std::abort();
  }
  return memory;
}

}  // namespace

void* operator new(size_t size) { return CountedAllocation(size); }
void* operator new[](size_t size) { return CountedAllocation(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }

namespace lockstep {
namespace {

// Returns copies of the small lab's sweep, scaling run and its comm_model record, each with settings of its own.
LabRecords ManyRecords(size_t count) {
  LabRecords lab;
  for (size_t i = 0; i < count; ++i) {
    const std::string name = absl::StrCat(i % 4 < 2 ? "sweep" : i % 4 == 2 ? "scale" : "model", i / 4, ".rec");
    const auto rename = [&](RecordSource& source) {
      source.input.set_path(name);
      source.input.set_sha256(absl::StrCat("digest of ", name));
    };
    if (i % 4 < 2) {
      LabSweep& sweep = lab.sweeps.emplace_back(testing::SmallSweep());
      rename(sweep);
      sweep.spec.mutable_training()->set_learning_rate(0.1 + static_cast<double>(i) / 1000);
    } else if (i % 4 == 2) {
      LabScale& scale = lab.scales.emplace_back(testing::SmallScale());
      rename(scale);
      scale.spec.mutable_training()->set_learning_rate(0.1 + static_cast<double>(i) / 1000);
    } else {
      LabCommModel& model = lab.comm_models.emplace_back(testing::SmallCommModel());
      rename(model);
      model.header.mutable_input(0)->set_sha256(lab.scales.back().input.sha256());
    }
  }
  return lab;
}

// Returns the allocations of a page without plots and of its tables as CSV.
size_t AllocationsOf(size_t records) {
  const LabRecords lab = ManyRecords(records);
  const size_t before = allocations;
  const ReportPages pages = ArrangePages(lab, PageStyle::kGiven);
  EXPECT_FALSE(RenderHtml("title", pages.page, {}).empty());
  EXPECT_FALSE(RenderCsv(pages.page).empty());
  return allocations - before;
}

TEST(ManyRecordsTest, TwiceTheRecordsAreTwiceTheWork) {
  AllocationsOf(4);  // memory that is allocated once per process
  const size_t half = AllocationsOf(500), whole = AllocationsOf(1000);
  EXPECT_GT(half, 500u * 10);
  EXPECT_LT(static_cast<double>(whole), 2.1 * static_cast<double>(half)) << half << " and " << whole;
}

}  // namespace
}  // namespace lockstep
