#include "duel/judging/arm_list.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "duel/core/digest.h"
#include "duel/log/record.h"
#include "tests/support/temporary_directory.h"

namespace duel {
namespace {

class ArmList : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& content) {
    std::filesystem::create_directories((directory_ / name).parent_path());
    write_content(directory_ / name, content);
    return (directory_ / name).string();
  }
  static std::vector<std::string> ids(const std::vector<ListedArm>& arms) {
    std::vector<std::string> result;
    for (const ListedArm& arm : arms) result.push_back(arm.shown.arm_id);
    return result;
  }
  std::vector<std::string> ids_of(const std::vector<std::string>& items,
                                  const std::string& file = "") {
    return ids(list_arms(items, file).value());
  }
  using Ids = std::vector<std::string>;

  TemporaryDirectory directory_;
};

TEST_F(ArmList, takes_names) {
  EXPECT_EQ(ids_of({"a,b", " c "}), (Ids{"a", "b", "c"}));
  const auto arms = list_arms({"a,b"}, "").value();
  EXPECT_EQ(arms[0].shown.payload, "a");
  EXPECT_EQ(arms[0].shown.path, "");
  EXPECT_EQ(arms[0].sha256, "");
}

TEST_F(ArmList, takes_files_with_their_content_and_its_hash) {
  const std::string path = write("long prompt.txt", "Be brief.\n");
  const auto arms = list_arms({path, write("b.bin", std::string("\0\xff", 2))}, "").value();
  EXPECT_EQ(ids(arms), (Ids{"long-prompt", "b"}));
  EXPECT_EQ(arms[0].shown.path, path);
  EXPECT_EQ(arms[0].shown.payload, "Be brief.\n");
  EXPECT_EQ(arms[0].reference, path);
  EXPECT_EQ(arms[0].sha256, sha256_hex("Be brief.\n"));
  EXPECT_FALSE(arms[1].shown.payload.has_value());  // no text
}

TEST_F(ArmList, takes_globs_in_the_order_of_names_without_directories) {
  write("p/b.txt", "b");
  write("p/a.txt", "a");
  write("p/c.md", "c");
  write("p/sub/d.txt", "d");
  const std::string base = directory_.path().string();
  EXPECT_EQ(ids_of({base + "/p/*.txt"}), (Ids{"a", "b"}));
  EXPECT_EQ(ids_of({base + "/p/*"}), (Ids{"a", "b", "c"}));
  EXPECT_EQ(ids_of({base + "/p/[ab].txt," + base + "/p/c.md"}), (Ids{"a", "b", "c"}));
  EXPECT_EQ(ids_of({base + "/p/a.txt", base + "/p/*.txt"}), (Ids{"a", "b"}));  // once each
}

TEST_F(ArmList, lets_a_literal_name_win_over_a_glob_and_over_a_list) {
  write("[ab].txt", "1");
  write("a.txt", "2");
  write("x,y", "3");
  const std::string base = directory_.path().string();
  EXPECT_EQ(ids_of({base + "/[ab].txt", base + "/x,y"}), (Ids{"ab", "x-y"}));
}

TEST_F(ArmList, makes_ids_unique_and_valid) {
  write("p/a.txt", "");
  write("p/a.md", "");
  write("q/a.md", "");
  write("q/1.txt", "");
  write("q/_é_.txt", "");
  const std::string base = directory_.path().string();
  const Ids found = ids_of({base + "/p/*", base + "/q/*"});
  EXPECT_EQ(found, (Ids{"a.md", "a.txt", "arm-1", "arm", "a.md-2"}));
  for (const std::string& id : found) EXPECT_TRUE(check_id("an arm", id).ok()) << id;
  EXPECT_EQ(id_from_name(std::string(300, 'x')).size(), 88);
}

TEST_F(ArmList, refuses_what_is_not_there_or_has_two_meanings) {
  const auto complaint = [&](const std::string& item) {
    return list_arms({item}, "").error().to_string();
  };
  EXPECT_TRUE(complaint("nowhere/*.txt").starts_with("arms: no file matches 'nowhere/*.txt'"));
  EXPECT_EQ(complaint("nowhere/a.txt"), "arms: there is no file 'nowhere/a.txt'");
  EXPECT_EQ(complaint("a,b,a"), "arms: the arm 'a' is named twice");
  EXPECT_EQ(complaint("a,,b"), "arms: an empty name (such as a,b,c)");
  EXPECT_EQ(complaint("1,2"),
            "arms: '1' cannot name an arm (a judge's answer '1' would have two meanings)");
  EXPECT_EQ(complaint("x,Tie").substr(0, 30), "arms: 'Tie' cannot name an arm");
  const std::string base = directory_.path().string();
  EXPECT_EQ(complaint(base),
            "arms: '" + base + "' is a directory (its files are '" + base + "/*')");
  EXPECT_EQ(list_arms({"a"}, "").error().message, "there is only one arm, 'a'");
  EXPECT_EQ(list_arms({}, "").error().message, "no arms are given");
}

TEST_F(ArmList, takes_features_from_a_file_of_arms) {
  const std::string list = write("arms", "bare\n{\"arm_id\":\"x\",\"features\":[0.5,-2]}\n");
  const auto arms = list_arms({}, list).value();
  EXPECT_TRUE(arms[0].features.empty());
  EXPECT_EQ(entry_of(arms[1]).features, (std::vector<double>{0.5, -2}));
}

TEST_F(ArmList, takes_a_file_of_arms) {
  const std::string file = write("p/a.txt", "A");
  const std::string list = write(
      "arms", "# candidates\n" + file + "\n\nbare\n{\"arm_id\":\"x\",\"payload\":{\"t\":0.2}}\r\n");
  const auto arms = list_arms({}, list).value();
  EXPECT_EQ(ids(arms), (Ids{"a", "bare", "x"}));
  EXPECT_EQ(arms[2].shown.payload->dump(), R"({"t":0.2})");
  EXPECT_EQ(arms[2].reference, list + ":5");
  EXPECT_EQ(arms[2].sha256, sha256_hex(R"({"t":0.2})"));
  const auto complaint = [&](const std::string& text) {
    return list_arms({"q"}, write("bad", text)).error().to_string();
  };
  const std::string bad = (directory_ / "bad").string();
  EXPECT_EQ(complaint("ok\n{\"arm\":\"x\"}\n"),
            bad + ":2: unknown field 'arm' (known: arm_id, payload, features)");
  EXPECT_EQ(complaint("{\"payload\":1}\n"),
            bad + ":1: the field \"arm_id\" is missing or not a text");
  EXPECT_EQ(complaint("{\"arm_id\":\"x\",\"features\":[1,\"2\"]}\n"),
            bad + ":1: the field \"features\" is not a list of numbers");
  EXPECT_TRUE(complaint("{oops\n").starts_with(bad + ":1: this is not a JSON object"));
}

}  // namespace
}  // namespace duel
