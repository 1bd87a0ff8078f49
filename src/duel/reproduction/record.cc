#include "duel/reproduction/record.h"

#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "duel/core/described_json.h"
#include "duel/core/rng.h"
#include "duel/core/table.h"
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

// --- the report ---------------------------------------------------------------------------------

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

// "2 pass, 1 fail".
std::string counts_text(const std::vector<ReproductionRecord>& records) {
  std::map<FindingVerdict, std::size_t> counts;
  for (const ReproductionRecord& record : records) {
    for (const Finding& finding : record.findings) ++counts[finding.verdict];
  }
  std::vector<std::string> parts;
  for (const auto& [verdict, count] : counts) {
    parts.push_back(fmt::format("{} {}", count, to_word(verdict)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string verdict_text(FindingVerdict verdict) {
  if (verdict == FindingVerdict::pass) return "PASS";
  return verdict == FindingVerdict::fail ? "**FAIL**" : std::string(to_word(verdict));
}

std::string settings_text(const ReproductionRecord& record) {
  return fmt::format("{}, seed {}, version {}, {:.0f} s", record.settings.quick ? "quick" : "full",
                     record.settings.seed, record.settings.version, std::max(1.0, record.seconds));
}

// The files that were given to any of them, once.
std::string inputs_text(const std::vector<ReproductionRecord>& records) {
  std::set<std::string> names;
  for (const ReproductionRecord& record : records) {
    for (const std::string& input : record.settings.inputs) {
      names.insert(input.substr(0, input.rfind(' ')));
    }
  }
  if (names.empty()) return "";
  return fmt::format("Given to those that take matrices or data: {}.\n\n", fmt::join(names, ", "));
}

// What failed, with what is known of the reason.
std::string mismatches(const std::vector<ReproductionRecord>& records) {
  std::string text;
  for (const ReproductionRecord& record : records) {
    for (const Finding& finding : record.findings) {
      if (finding.verdict != FindingVerdict::fail) continue;
      text += fmt::format("- [`{0}`](#{0}), {1}: {2}, where {3} is asked.{4}\n", record.name,
                          finding.claim, finding.ours, finding.tolerance,
                          finding.note.empty() ? "" : " Why: " + finding.note);
    }
  }
  return text.empty() ? "" : "\n## What does not match\n\n" + text;
}

std::string section(const ReproductionRecord& record) {
  std::string text = fmt::format("### `{}`: {}\n\n{} ({}.)\n\n", record.name, record.what,
                                 record.description, settings_text(record));
  Table table("claim,published,source,ours,trials,asked,verdict", Align::left);
  for (const Finding& finding : record.findings) {
    const std::uint64_t trials = finding.value.trials;
    table.row({or_dash(finding.claim), or_dash(finding.published), or_dash(finding.source),
               or_dash(finding.ours), trials == 0 ? Cell("") : Cell(trials),
               or_dash(finding.tolerance), verdict_text(finding.verdict)});
  }
  text += table.to_markdown() + "\n";
  for (const Finding& finding : record.findings) {
    if (finding.note.empty()) continue;
    text += fmt::format("- {}: {}\n", finding.claim, finding.note);
  }
  if (text.back() != '\n' || text[text.size() - 2] != '\n') text += "\n";
  for (const std::string& remark : record.remarks) text += remark + "\n\n";
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

std::string report_markdown(std::vector<ReproductionRecord> records) {
  std::sort(records.begin(), records.end(),
            [](const ReproductionRecord& a, const ReproductionRecord& b) {
              return std::tie(a.paper, a.name) < std::tie(b.paper, b.name);
            });
  std::size_t num_findings = 0;
  for (const ReproductionRecord& record : records) num_findings += record.findings.size();
  std::string text =
      "# What was published and what comes out here\n\n"
      "Written by `duel reproduce report`; each section is one command, `duel reproduce NAME`, "
      "which also writes the tables and figures. Our numbers are mean ± standard error. PASS and "
      "FAIL compare them with the column *asked*; *shown* marks numbers without a tolerance, "
      "*skipped* what needs data that was not given, *unclear* what is outside its tolerance in a "
      "quick run. The column *source* says where a published number is from: *printed* in the "
      "paper, *read from the figure*, *worked out from what is printed*, *released by the "
      "authors*, or *other implementation, re-run*: not published by the authors of the paper, but "
      "given by another program. It names that program and the number of runs.\n\n";
  text += fmt::format("{} reproductions, {} findings: {}.\n\n", records.size(), num_findings,
                      counts_text(records));
  text += inputs_text(records);
  Table table("reproduction,paper,what,findings,", Align::left);
  for (const ReproductionRecord& record : records) {
    table.row({fmt::format("[`{0}`](#{0})", record.name), or_dash(record.paper),
               or_dash(record.what), counts_text({record}), record.passed() ? "PASS" : "**FAIL**"});
  }
  text += table.to_markdown();
  text += mismatches(records);
  std::string paper;
  for (const ReproductionRecord& record : records) {
    if (record.paper != paper) {
      paper = record.paper;
      text += fmt::format("\n## {}\n", paper);
    }
    text += fmt::format("\n<a id=\"{}\"></a>\n\n", record.name) + section(record);
  }
  while (text.size() > 1 && text[text.size() - 2] == '\n') text.pop_back();
  return text;
}

}  // namespace duel
