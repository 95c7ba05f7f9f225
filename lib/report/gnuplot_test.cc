#include "lib/report/gnuplot.h"

#include <sys/stat.h>

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

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

// Skips when gnuplot is not installed: drawing is optional, the script is not.
#define SKIP_WITHOUT_GNUPLOT()                                \
  if (const auto version = GnuplotVersion(); !version.ok()) { \
    GTEST_SKIP() << version.status().message();               \
  }                                                           \
  static_assert(true, "ends with a semicolon")

TEST(GnuplotTest, AMissingGnuplotIsNotFoundAndSaysHowToInstallIt) {
  const std::string path = std::getenv("PATH") == nullptr ? "/usr/bin:/bin" : std::getenv("PATH");
  setenv("PATH", "/no/such/folder", 1);
  const auto version = GnuplotVersion();
  const auto svg = DrawPlot(Lines());
  setenv("PATH", path.c_str(), 1);
  EXPECT_THAT(version, StatusIs(absl::StatusCode::kNotFound, HasSubstr("apt-get install gnuplot-nox")));
  EXPECT_THAT(svg, StatusIs(absl::StatusCode::kNotFound, HasSubstr("gnuplot")));
}

// A folder whose gnuplot is this shell script.
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
  const auto killed = DrawPlot(Lines());
  const auto version = GnuplotVersion();
  setenv("PATH", (FolderWithGnuplot("kill -11 $$") + ":" + path).c_str(), 1);
  const auto crashed = DrawPlot(Lines());
  setenv("PATH", path.c_str(), 1);
  EXPECT_THAT(killed, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("run it again")));
  EXPECT_THAT(version, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("signal 9")));
  EXPECT_THAT(crashed, StatusIs(absl::StatusCode::kInternal, HasSubstr("so there is no plot")));
}

// A temporary file would outlive a kill -9.
TEST(GnuplotTest, TheScriptIsInNoFolder) {
  SKIP_WITHOUT_GNUPLOT();
  setenv("TMPDIR", "/no/such/folder", 1);
  const auto svg = DrawPlot(Lines());
  unsetenv("TMPDIR");
  EXPECT_THAT(svg, IsOk());
}

TEST(GnuplotTest, HasAVersion) {
  SKIP_WITHOUT_GNUPLOT();
  EXPECT_THAT(*GnuplotVersion(), MatchesRegex("[0-9]+\\.[0-9]+\\..+"));
}

TEST(GnuplotTest, DrawsAnElementThatIsReadAloudAndTakesTheTextsColour) {
  SKIP_WITHOUT_GNUPLOT();
  const auto svg = DrawPlot(Lines());
  ASSERT_THAT(svg, IsOk());
  EXPECT_THAT(*svg, AllOf(StartsWith("<svg"), HasSubstr("role=\"img\""), HasSubstr("<title>T &lt; U</title>"),
                          HasSubstr("<desc>points</desc>"), HasSubstr("currentColor"), HasSubstr("it's")));
  EXPECT_THAT(*svg, AllOf(Not(HasSubstr("\"black\"")), Not(HasSubstr("'black'")), Not(HasSubstr("GNUPLOT")),
                          Not(HasSubstr("'white'"))));
}

TEST(GnuplotTest, IdsBeginWithThePlotsOwn) {
  SKIP_WITHOUT_GNUPLOT();
  const std::string svg = *DrawPlot(Lines());
  for (size_t at = svg.find(" id="); at != std::string::npos; at = svg.find(" id=", at + 1)) {
    EXPECT_EQ(svg.substr(at + 5, 5), "time-") << svg.substr(at, 40);
  }
}

TEST(GnuplotTest, TheSamePlotIsTheSameBytes) {
  SKIP_WITHOUT_GNUPLOT();
  EXPECT_EQ(*DrawPlot(Lines()), *DrawPlot(Lines()));
  EXPECT_EQ(*DrawPlot(Bars("STACKED_BARS")), *DrawPlot(Bars("STACKED_BARS")));
}

TEST(GnuplotTest, OneProcessDrawsSeveralAsItDrawsEachAlone) {
  SKIP_WITHOUT_GNUPLOT();
  const proto::Plot lines = Lines(), bars = Bars("STACKED_BARS");
  const auto drawn = DrawPlots({&lines, &bars, &lines});
  ASSERT_EQ(drawn.size(), 3u);
  EXPECT_EQ(*drawn[0], *DrawPlot(lines));
  EXPECT_EQ(*drawn[1], *DrawPlot(bars));
  EXPECT_EQ(*drawn[2], *drawn[0]);
}

TEST(GnuplotTest, NoPlotsAreNoProcess) { EXPECT_TRUE(DrawPlots({}).empty()); }

// Whichever plot a crash is about, the others are drawn.
TEST(GnuplotTest, WhatOnePlotSpoilsIsDrawnOneByOne) {
  SKIP_WITHOUT_GNUPLOT();
  const std::string path = std::getenv("PATH") == nullptr ? "/usr/bin:/bin" : std::getenv("PATH");
  setenv("PATH",
         (FolderWithGnuplot("grep -q broken \"$1\" && exit 1; exec /usr/bin/gnuplot \"$1\"") + ":" + path).c_str(), 1);
  const proto::Plot lines = Lines();
  proto::Plot broken = lines;
  broken.set_x_label("broken");
  const auto drawn = DrawPlots({&lines, &broken});
  setenv("PATH", path.c_str(), 1);
  EXPECT_THAT(drawn[0], IsOk());
  EXPECT_THAT(drawn[1], StatusIs(absl::StatusCode::kInternal, HasSubstr("so there is no plot")));
}

// More than one process draws.
TEST(GnuplotTest, ManyPlotsComeInTheirOrder) {
  SKIP_WITHOUT_GNUPLOT();
  constexpr size_t kMany = 100;
  std::vector<proto::Plot> plots(kMany, Bars("GROUPED_BARS"));
  std::vector<const proto::Plot*> pointers;
  for (size_t i = 0; i < kMany; ++i) {
    plots[i].set_id(absl::StrCat("plot", i));
    pointers.push_back(&plots[i]);
  }
  const auto drawn = DrawPlots(pointers);
  ASSERT_EQ(drawn.size(), kMany);
  for (const size_t i : {0, 31, 32, 49, 50, 63, 64, 99}) {
    ASSERT_THAT(drawn[i], IsOk()) << i;
    EXPECT_EQ(*drawn[i], *DrawPlots({pointers[i]}).front());
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
    EXPECT_NE(pdf->find("/CreationDate (D:00000000000000Z)"), std::string::npos);
    EXPECT_EQ(pdf->find("/Transparency"), std::string::npos);  // LaTeX warns of two on a page
  }
  EXPECT_NE(*drawn[0], *drawn[1]);
  EXPECT_EQ(*drawn[0], *DrawPdfPlots({&lines})[0]);
}

}  // namespace
}  // namespace lockstep
