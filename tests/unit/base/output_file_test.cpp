// Files that are whole or not there.
#include "kinegrad/base/output_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "kinegrad/base/error.hpp"
#include "support/temporary_file.hpp"

namespace kinegrad {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFile;
using testing::HasSubstr;

void put(const TemporaryFile& file, const std::string& text) {
  std::ofstream(file.path(), std::ios::binary) << text;
}

TEST(OutputFile, TakesItsPlaceWhenItIsWhole) {
  const TemporaryFile file("output_whole");
  put(file, "old");
  fs::permissions(file.path(), fs::perms::owner_read | fs::perms::owner_write);
  {
    OutputFile output(file.path());
    output.write("new, ");
    EXPECT_EQ(file.text(), "old");
    EXPECT_TRUE(fs::exists(unfinished_path(file.path())));
    output.write("and whole");
    EXPECT_EQ(output.keep(), "");
    EXPECT_EQ(file.text(), "new, and whole");
  }
  EXPECT_EQ(file.text(), "new, and whole");
  EXPECT_FALSE(fs::exists(unfinished_path(file.path())));
  EXPECT_EQ(fs::status(file.path()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(OutputFile, IsGoneIfItIsNotKept) {
  const TemporaryFile file("output_dropped");
  put(file, "old");
  { OutputFile(file.path()).write("new"); }
  EXPECT_EQ(file.text(), "old");
  EXPECT_FALSE(fs::exists(unfinished_path(file.path())));
}

/// What a killed process left behind is in nobody's way.
TEST(OutputFile, BeginsAnewOverWhatWasLeftUnfinished) {
  const TemporaryFile file("output_left"), left("output_left.unfinished");
  put(left, "a long text that nobody finished");
  OutputFile output(file.path());
  output.write("new");
  EXPECT_EQ(output.keep(), "");
  EXPECT_EQ(file.text(), "new");
}

TEST(OutputFile, TwoAtOnceAreRefused) {
  const TemporaryFile file("output_twice");
  OutputFile first(file.path());
  first.write("first");
  try {
    const OutputFile second(file.path());
    ADD_FAILURE() << "the second was let in";
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr(file.path() + ": another process is writing it"));
  }
  EXPECT_EQ(first.keep(), "");
  EXPECT_EQ(file.text(), "first");
  OutputFile third(file.path());
  EXPECT_EQ(third.keep(), "");
}

TEST(OutputFile, FollowsLinks) {
  const TemporaryFile file("output_target"), link("output_link");
  fs::create_symlink(fs::path(file.path()).filename(), link.path());
  EXPECT_EQ(resolved_path(link.path()), resolved_path(file.path())) << "there is no file yet";
  OutputFile output(link.path());
  output.write("text");
  EXPECT_EQ(output.keep(), "");
  EXPECT_EQ(file.text(), "text");
  EXPECT_TRUE(fs::is_symlink(link.path()));
}

TEST(OutputFile, FullDevicesAreNamed) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  OutputFile output("/dev/full");
  output.write("text");
  EXPECT_THAT(output.keep(), HasSubstr("cannot write /dev/full: No space left on device"));
}

TEST(OutputFile, WhatCannotBeWrittenIsRefusedAtOnce) {
  EXPECT_THROW(OutputFile("/nowhere/at/all"), InvalidArgument);
  EXPECT_THROW(OutputFile{fs::temp_directory_path().string()}, InvalidArgument);
}

}  // namespace
}  // namespace kinegrad
