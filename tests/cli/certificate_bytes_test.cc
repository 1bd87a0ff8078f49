// `duel verify` compares a certificate to the last byte.
#include <gtest/gtest.h>

#include "tests/cli/judged_directory.h"

namespace duel {
namespace {

class CertificateBytes : public JudgedDirectory {
 protected:
  CertificateBytes() {
    script("judge", "winner=a\n" + say_winner());
    const CommandResult result = duel({"--arms", "a,b", "--log", "log"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    text_ = text_of("log.certificate.json");
    EXPECT_TRUE(text_.ends_with("}\n"));
  }
  void expect_mismatch(const std::string& text, const std::string& why) {
    write("changed", text);
    const CommandResult result = verify("log", {"changed"});
    EXPECT_EQ(result.exit_code, 5) << result.out << result.err;
    EXPECT_TRUE(contains(result.out, "MISMATCH changed: " + why)) << result.out;
    const CommandResult json = verify("log", {"changed", "--json"});
    EXPECT_EQ(json.exit_code, 5);
    EXPECT_EQ(Json::parse(json.out)["verified"], false);
  }

  std::string text_;
};

TEST_F(CertificateBytes, as_it_was_written_it_fits) {
  EXPECT_EQ(verify("log", {"log.certificate.json"}).exit_code, 0);
}

// The page checks itself in a browser (web/tests/browser); here, that it holds what it needs for
// that.
TEST_F(CertificateBytes, are_in_a_page_with_the_log_and_the_verifier) {
  const CommandResult result =
      run_duel({"certificate", "log", "-o", "certificate.html"}, {.directory = directory_.path()});
  if (contains(result.err, "built without its pages")) GTEST_SKIP() << result.err;
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::string page = text_of("certificate.html");
  const std::string mark = "<script type=\"application/json\" id=\"data\">";
  const std::size_t begin = page.find(mark);
  ASSERT_NE(begin, std::string::npos);
  const std::size_t from = begin + mark.size();
  const Json data = Json::parse(page.substr(from, page.find("</script>", from) - from));
  EXPECT_EQ(data["certificate"], text_);
  EXPECT_EQ(data["log"], text_of("log"));
  EXPECT_TRUE(contains(page, "node verify.mjs [CERTIFICATE] --log FILE"));
}

TEST_F(CertificateBytes, one_that_is_no_longer_json_does_not) {
  expect_mismatch(text_.substr(0, text_.size() / 2), "the certificate is not a JSON document");
  expect_mismatch("", "the certificate is not a JSON document");
  expect_mismatch("Arm 'a' wins.\n", "the certificate is not a JSON document");
  expect_mismatch(text_ + "}", "the certificate is not a JSON document");
  expect_mismatch("\xff\xfe" + text_, "the certificate is not a JSON document");
}

TEST_F(CertificateBytes, one_with_another_end_of_its_last_line_does_not) {
  const std::string body = text_.substr(0, text_.size() - 1);
  const std::string why = "byte " + std::to_string(text_.size()) + ": the same fields";
  expect_mismatch(body, why);
  expect_mismatch(body + " ", why);
  expect_mismatch(body + "\r\n", why);
  expect_mismatch(text_ + "\n", "byte " + std::to_string(text_.size() + 1));
}

TEST_F(CertificateBytes, one_with_any_other_byte_changed_does_not) {
  for (std::size_t at = 0; at < text_.size(); at += 97) {
    std::string changed = text_;
    changed[at] = changed[at] == 'x' ? 'y' : 'x';
    write("changed", changed);
    EXPECT_EQ(verify("log", {"changed"}).exit_code, 5) << at;
  }
}

}  // namespace
}  // namespace duel
