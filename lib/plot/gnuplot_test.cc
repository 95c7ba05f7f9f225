#include "lib/plot/gnuplot.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::FileExists;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::ReadFile;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

proto::Plot PlotOf(const std::string& text) {
  proto::Plot plot;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &plot));
  return plot;
}

proto::Plot Lines() {
  return PlotOf(R"pb(
    kind: LINES
    id: "time"
    title: "T < U"
    description: "points"
    x_label: "batch"
    y_label: "it's"
    x_log: true
    series {
      label: "a'b"
      x: [ 32, 128 ]
      y: [ 4, 2 ]
      y_low: [ 3.5, 2 ]
      y_high: [ 4.5, 2 ]
    }
    series {
      label: "ideal"
      reference: true
      x: [ 32, 128 ]
      y: [ 1, 2 ]
    })pb");
}

proto::Plot Bars(const std::string& kind) {
  const std::string series = "series { label: 'a' x: [0] y: [1.5] } series { label: 'b' x: [0] y: [0.5] }";
  return PlotOf("id: 'split' tick: ['2 x 32'] " + series + " kind: " + kind);
}

absl::StatusOr<std::string> DrawOne(const proto::Plot& plot) { return DrawPdfPlots({&plot}).front(); }

// Skips the test if gnuplot is not installed: drawing is optional, the script is not.
#define SKIP_WITHOUT_GNUPLOT()                                \
  if (const auto version = GnuplotVersion(); !version.ok()) { \
    GTEST_SKIP() << version.status().message();               \
  }                                                           \
  static_assert(true, "ends with a semicolon")

// Returns true if this cairo compresses the objects with the date and the page group, so that no two files are equal.
bool HidesDate(const std::string& pdf) { return pdf.find("/ObjStm") != std::string::npos; }

#define SKIP_WITH_HIDDEN_DATES(pdf)                                                   \
  if (HidesDate(pdf)) {                                                               \
    GTEST_SKIP() << "this cairo compresses the objects with the date and page group"; \
  }                                                                                   \
  static_assert(true, "ends with a semicolon")

TEST(GnuplotTest, AMissingGnuplotIsNotFoundAndReportsHowToInstallIt) {
  const std::string path = std::getenv("PATH") == nullptr ? "/usr/bin:/bin" : std::getenv("PATH");
  setenv("PATH", "/no/such/folder", 1);
  const auto version = GnuplotVersion();
  const auto pdf = DrawOne(Lines());
  setenv("PATH", path.c_str(), 1);
  EXPECT_THAT(version, StatusIs(absl::StatusCode::kNotFound, HasSubstr("apt-get install gnuplot-nox")));
  EXPECT_THAT(pdf, StatusIs(absl::StatusCode::kNotFound, HasSubstr("gnuplot")));
}

// Makes a folder whose gnuplot is this shell script, and returns its path.
std::string FolderWithGnuplot(const std::string& script) {
  const std::string folder = TempPath("bin");
  mkdir(folder.c_str(), 0755);
  WriteFile(folder + "/gnuplot", "#!/bin/sh\n" + script + "\n");
  chmod((folder + "/gnuplot").c_str(), 0755);
  return folder;
}

TEST(GnuplotTest, AKilledGnuplotIsUnavailableAndACrashedOneInternal) {
  const std::string path = std::getenv("PATH") == nullptr ? "/usr/bin:/bin" : std::getenv("PATH");
  setenv("PATH", (FolderWithGnuplot("kill -9 $$") + ":" + path).c_str(), 1);
  const auto killed = DrawOne(Lines());
  const auto version = GnuplotVersion();
  setenv("PATH", (FolderWithGnuplot("kill -11 $$") + ":" + path).c_str(), 1);
  const auto crashed = DrawOne(Lines());
  setenv("PATH", path.c_str(), 1);
  EXPECT_THAT(killed, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("run it again")));
  EXPECT_THAT(version, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("signal 9")));
  EXPECT_THAT(crashed, StatusIs(absl::StatusCode::kInternal, HasSubstr("so there is no plot")));
}

// Makes a folder whose gnuplot appends a line to `starts` at each start with a drawing, and then runs `script`. Asked
// for its version, it prints one.
std::string FolderWithDrawingGnuplot(const std::string& starts, const std::string& script) {
  unlink(starts.c_str());
  return FolderWithGnuplot(absl::StrCat("grep -q 'set terminal' \"$1\" || { echo 5.4.4 > /dev/fd/3; exit; }\n",
                                        "echo start >> ", starts, "\n", script));
}

// Draws the plots with the gnuplot of `folder`.
std::vector<absl::StatusOr<std::string>> DrawWith(const std::string& folder,
                                                  const std::vector<const proto::Plot*>& plots, absl::Duration time) {
  const std::string path = std::getenv("PATH") == nullptr ? "/usr/bin:/bin" : std::getenv("PATH");
  setenv("PATH", absl::StrCat(folder, ":", path).c_str(), 1);
  auto drawn = DrawPdfPlots(plots, MonotonicTime::Now() + time);
  setenv("PATH", path.c_str(), 1);
  return drawn;
}

TEST(GnuplotTest, gnuplot_that_hangs_when_it_draws) {
  const std::string starts = TempPath("starts");
  const proto::Plot lines = Lines();
  const std::vector<const proto::Plot*> plots(15, &lines);
  const auto drawn = DrawWith(FolderWithDrawingGnuplot(starts, "exec sleep 600"), plots, absl::Seconds(1));
  ASSERT_EQ(drawn.size(), 15u);
  for (const auto& plot : drawn) {
    EXPECT_THAT(plot, StatusIs(absl::StatusCode::kDeadlineExceeded, HasSubstr("did not end in time")));
  }
  EXPECT_EQ(ReadFile(starts), "start\n");  // the plots are not split and tried again
}

TEST(GnuplotTest, gnuplot_that_writes_for_ever) {
  const std::string starts = TempPath("starts");
  const proto::Plot lines = Lines();
  const std::vector<const proto::Plot*> plots(15, &lines);
  const auto drawn =
      DrawWith(FolderWithDrawingGnuplot(starts, "exec cat /dev/zero > /dev/fd/3"), plots, absl::Seconds(120));
  for (const auto& plot : drawn) {
    EXPECT_THAT(plot, StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("so there is no plot")));
  }
  EXPECT_EQ(ReadFile(starts), "start\n");
}

TEST(GnuplotTest, ADeadlineThatHasPassedStartsNothing) {
  const std::string starts = TempPath("starts");
  const proto::Plot lines = Lines();
  const auto drawn = DrawWith(FolderWithDrawingGnuplot(starts, "exec sleep 600"), {&lines}, absl::ZeroDuration());
  EXPECT_THAT(drawn[0], StatusIs(absl::StatusCode::kDeadlineExceeded, HasSubstr("so there is no plot")));
  EXPECT_FALSE(FileExists(starts));
}

TEST(GnuplotTest, users_gnuplot_startup_file) {
  SKIP_WITHOUT_GNUPLOT();
  const std::string before = *DrawOne(Lines());
  SKIP_WITH_HIDDEN_DATES(before);
  const std::string home = TempPath("home");
  mkdir(home.c_str(), 0755);
  WriteFile(home + "/.gnuplot", absl::StrCat("system(\"touch ", home, "/ran\")\nset title 'theirs'\n"));
  char here[4096];
  ASSERT_NE(getcwd(here, sizeof(here)), nullptr);
  ASSERT_EQ(chdir(home.c_str()), 0);
  const std::string old_home = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
  setenv("HOME", home.c_str(), 1);
  setenv("GNUTERM", "nonsense", 1);
  const auto drawn = DrawOne(Lines());
  const auto version = GnuplotVersion();
  unsetenv("GNUTERM");
  setenv("HOME", old_home.c_str(), 1);
  ASSERT_EQ(chdir(here), 0);
  ASSERT_THAT(drawn, IsOk());
  EXPECT_EQ(*drawn, before);
  EXPECT_THAT(version, IsOk());
  EXPECT_FALSE(FileExists(home + "/ran"));
}

// A temporary file would remain after a kill -9.
TEST(GnuplotTest, TheScriptIsInNoFolder) {
  SKIP_WITHOUT_GNUPLOT();
  setenv("TMPDIR", "/no/such/folder", 1);
  const auto pdf = DrawOne(Lines());
  unsetenv("TMPDIR");
  EXPECT_THAT(pdf, IsOk());
}

TEST(GnuplotTest, HasAVersion) {
  SKIP_WITHOUT_GNUPLOT();
  EXPECT_THAT(*GnuplotVersion(), MatchesRegex("[0-9]+\\.[0-9]+\\..+"));
}

TEST(GnuplotTest, OneProcessDrawsSeveralAsItDrawsEachAlone) {
  SKIP_WITHOUT_GNUPLOT();
  const proto::Plot lines = Lines(), bars = Bars("STACKED_BARS");
  const auto drawn = DrawPdfPlots({&lines, &bars, &lines});
  ASSERT_EQ(drawn.size(), 3u);
  ASSERT_THAT(drawn[0], IsOk());
  SKIP_WITH_HIDDEN_DATES(*drawn[0]);
  EXPECT_EQ(*drawn[0], *DrawOne(lines));
  EXPECT_EQ(*drawn[1], *DrawOne(bars));
  EXPECT_EQ(*drawn[2], *drawn[0]);
}

TEST(GnuplotTest, NoPlotsAreNoProcess) { EXPECT_TRUE(DrawPdfPlots({}).empty()); }

// Whichever plot crashes gnuplot, the others are drawn.
TEST(GnuplotTest, WhatOnePlotSpoilsIsDrawnOneByOne) {
  SKIP_WITHOUT_GNUPLOT();
  const std::string path = std::getenv("PATH") == nullptr ? "/usr/bin:/bin" : std::getenv("PATH");
  setenv("PATH",
         (FolderWithGnuplot("grep -q broken \"$1\" && exit 1; exec /usr/bin/gnuplot \"$@\"") + ":" + path).c_str(), 1);
  const proto::Plot lines = Lines();
  proto::Plot broken = lines;
  broken.set_x_label("broken");
  const auto drawn = DrawPdfPlots({&lines, &broken});
  setenv("PATH", path.c_str(), 1);
  EXPECT_THAT(drawn[0], IsOk());
  EXPECT_THAT(drawn[1], StatusIs(absl::StatusCode::kInternal, HasSubstr("so there is no plot")));
}

// Several processes draw.
TEST(GnuplotTest, ManyPlotsComeInTheirOrder) {
  SKIP_WITHOUT_GNUPLOT();
  constexpr size_t kMany = 100;
  std::vector<proto::Plot> plots(kMany, Bars("GROUPED_BARS"));
  std::vector<const proto::Plot*> pointers;
  for (size_t i = 0; i < kMany; ++i) {
    plots[i].set_x_label(absl::StrCat("plot ", i));
    pointers.push_back(&plots[i]);
  }
  const auto drawn = DrawPdfPlots(pointers);
  ASSERT_EQ(drawn.size(), kMany);
  ASSERT_THAT(drawn[0], IsOk());
  SKIP_WITH_HIDDEN_DATES(*drawn[0]);
  for (const size_t i : {0, 31, 32, 49, 50, 63, 64, 99}) {
    ASSERT_THAT(drawn[i], IsOk()) << i;
    EXPECT_EQ(*drawn[i], *DrawPdfPlots({pointers[i]}).front());
  }
}

TEST(GnuplotTest, PdfsAreFilesOfTheirOwnWithoutADate) {
  if (const auto version = GnuplotVersion(); !version.ok()) {
    GTEST_SKIP() << version.status().message();
  }
  const proto::Plot lines = Lines(), bars = Bars("STACKED_BARS");
  const auto drawn = DrawPdfPlots({&lines, &bars});
  ASSERT_EQ(drawn.size(), 2u);
  for (const auto& pdf : drawn) {
    ASSERT_THAT(pdf, IsOk());
    EXPECT_EQ(pdf->substr(0, 5), "%PDF-");
    EXPECT_NE(pdf->find("%%EOF"), std::string::npos);
  }
  EXPECT_NE(*drawn[0], *drawn[1]);
  SKIP_WITH_HIDDEN_DATES(*drawn[0]);
  for (const auto& pdf : drawn) {
    EXPECT_NE(pdf->find("/CreationDate (D:00000000000000Z)"), std::string::npos);
    EXPECT_EQ(pdf->find("/Transparency"), std::string::npos);  // LaTeX warns about two on a page
  }
  EXPECT_EQ(*drawn[0], *DrawPdfPlots({&lines})[0]);
}

}  // namespace
}  // namespace lockstep
