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

template <>
struct Described<ReproductionSettings> {
  static constexpr FieldList fields{required("quick", &ReproductionSettings::quick),
                                    required("seed", &ReproductionSettings::seed),
                                    required("version", &ReproductionSettings::version),
                                    required("inputs", &ReproductionSettings::inputs)};
};

template <>
struct Described<ReproductionRecord::Picture> {
  static constexpr FieldList fields{required("name", &ReproductionRecord::Picture::name),
                                    required("caption", &ReproductionRecord::Picture::caption)};
};

template <>
struct Described<ReproductionRecord> {
  static constexpr FieldList fields{required("name", &ReproductionRecord::name),
                                    required("paper", &ReproductionRecord::paper),
                                    required("what", &ReproductionRecord::what),
                                    required("description", &ReproductionRecord::description),
                                    required("settings", &ReproductionRecord::settings),
                                    required("seconds", &ReproductionRecord::seconds),
                                    required("findings", &ReproductionRecord::findings),
                                    required("remarks", &ReproductionRecord::remarks),
                                    required("tables", &ReproductionRecord::tables),
                                    required("figures", &ReproductionRecord::figures)};
};

namespace {

constexpr std::size_t kMostBytes = std::size_t{2} << 30;

// Tells contents apart; no more is asked of it.
std::string digest_of(std::string_view content) {
  return fmt::format("{:016x}", hash_text(content));
}

std::string digest_of(const PreferenceMatrix& matrix) {
  std::string content;
  for (Arm i = 0; i < matrix.num_arms(); ++i) {
    content += matrix.arm_name(i);
    for (const double p : matrix.row(i)) content += fmt::format(",{}", p);
    content += '\n';
  }
  return digest_of(content);
}

// Of nothing where the file cannot be read, which the reproduction itself reports.
std::string digest_of_file(const std::string& path) {
  const auto content = read_whole_file(path, kMostBytes);
  return digest_of(content.ok() ? std::string_view(*content) : std::string_view());
}

}  // namespace

ReproductionSettings settings_of(const ReproductionFacts& facts, const ReproductionContext& context,
                                 std::string version) {
  ReproductionSettings settings{context.quick, context.seed, std::move(version), {}};
  if (facts.uses_matrices()) {
    for (const GivenMatrix& given : context.matrices) {
      settings.inputs.push_back(given.name + " " + digest_of(*given.matrix));
    }
  }
  if (facts.uses_data()) {
    for (const std::string& path : context.data) {
      settings.inputs.push_back(std::filesystem::path(path).filename().string() + " " +
                                digest_of_file(path));
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
                            reproduction.remarks,
                            {},
                            {}};
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
