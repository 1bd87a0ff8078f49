#include "duel/log/record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/places.h"
#include "tests/support/temporary_directory.h"

namespace duel {
namespace {

std::string described(const std::vector<FieldFact>& fields) {
  std::vector<std::string> texts;
  for (const FieldFact& field : fields) {
    std::vector<std::string> remarks;
    if (!field.words.empty()) {
      remarks.push_back(fmt::format("`{}`", fmt::join(field.words, "`, `")));
    }
    if (!field.members.empty()) remarks.push_back(described(field.members));
    if (!field.doc.empty()) remarks.emplace_back(field.doc);
    std::string text = fmt::format("`{}`", field.name);
    if (!remarks.empty()) text += fmt::format(" ({})", fmt::join(remarks, "; "));
    texts.push_back(field.required ? text : "[" + text + "]");
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

TEST(Record, the_documents_have_every_field_of_every_record) {
  const std::string page = content_of(source_dir() + "/docs/logs-and-certificates.md");
  for (const RecordFact& record : record_facts()) {
    const std::string row =
        fmt::format("| `{}` | {} | {} |\n", record.name, record.doc, described(record.fields));
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
}

}  // namespace
}  // namespace duel
