#include "duel/reproduction/record.h"

#include <filesystem>

#include "duel/core/described_json.h"
#include "duel/core/rng.h"
#include "duel/core/whole_file.h"

namespace duel {

template <>
struct Described<Finding> {
  static constexpr FieldList fields{
      required("claim", &Finding::claim),
      required("published", &Finding::published),
      required("source", &Finding::source),
      required("ours", &Finding::ours),
      required("mean", MemberOf{&Finding::value, &Measured::mean}),
      required("se", MemberOf{&Finding::value, &Measured::se}),
      required("trials", MemberOf{&Finding::value, &Measured::trials}),
      required("tolerance", &Finding::tolerance),
      required("verdict", &Finding::verdict),
      required("note", &Finding::note)};
};

namespace {

// A name with a digest that tells contents apart.
std::string input_text(const std::string& name, std::string_view content) {
  return fmt::format("{} {:016x}", name, hash_text(content));
}

std::string text_of(const PreferenceMatrix& matrix) {
  std::string text;
  for (Arm i = 0; i < matrix.num_arms(); ++i) {
    text += fmt::format("{},{}\n", matrix.arm_name(i), fmt::join(matrix.row(i), ","));
  }
  return text;
}

}  // namespace

ReproductionSettings settings_of(const ReproductionFacts& facts, const ReproductionContext& context,
                                 std::string version) {
  ReproductionSettings settings{context.quick, context.seed, std::move(version), {}};
  if (facts.uses_matrices()) {
    for (const auto& [name, matrix] : context.matrices) {
      settings.inputs.push_back(input_text(name, text_of(*matrix)));
    }
  }
  if (facts.uses_data()) {
    for (const std::filesystem::path path : context.data) {
      // A file that cannot be read counts as empty here: the reproduction itself reports it.
      const auto content = read_whole_file(path, std::size_t{2} << 30);
      settings.inputs.push_back(
          input_text(path.filename().string(), content.ok() ? std::string_view(*content) : ""));
    }
  }
  return settings;
}

bool ReproductionRecord::passed() const {
  return std::none_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.verdict == FindingVerdict::fail;
  });
}

ReproductionRecord record_of(const ReproductionFacts& facts, ReproductionSettings settings,
                             const Reproduction& reproduction, double seconds) {
  ReproductionRecord record{facts.name,
                            facts.paper,
                            facts.what,
                            facts.description,
                            std::move(settings),
                            seconds,
                            reproduction.findings,
                            reproduction.remarks};
  for (Finding& finding : record.findings) {
    if (record.settings.quick && finding.verdict == FindingVerdict::fail) {
      finding.verdict = FindingVerdict::unclear;
    }
  }
  for (const TidyTable& table : reproduction.tables) record.tables.push_back(table.name() + ".csv");
  for (const Figure& figure : reproduction.figures) {
    record.figures.push_back({figure.name, figure.caption});
  }
  return record;
}

std::string to_json(const ReproductionRecord& record) {
  Json json = Json::object();
  const Json described = described_json(record);
  for (const auto& [name, value] : described.members()) {
    json[name] = value;
    if (name == "seconds") json["passed"] = record.passed();  // before the long lists
  }
  return json.dump_pretty();
}

Result<ReproductionRecord> parse_record(std::string_view text, const std::string& source) {
  const auto json = Json::parse(text);
  ReproductionRecord record;
  DescribedReader reader(UnknownFields::ignored);
  if (json) {
    reader.read(*json, "", record);
    if (reader.errors().empty()) return record;
  }
  return Error::invalid_data(
      fmt::format(
          "these are not the findings of a reproduction: {}",
          json ? reader.errors()[0].pointer + " " + reader.errors()[0].message : "it is not JSON"),
      source, "run the reproduction again, which writes them anew");
}

}  // namespace duel
