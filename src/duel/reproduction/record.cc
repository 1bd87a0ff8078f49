#include "duel/reproduction/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "duel/core/json.h"
#include "duel/core/rng.h"
#include "duel/core/whole_file.h"

namespace duel {
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

double number_of(const Json& value) { return value.is_null() ? kUndefined : value.get<double>(); }

Json json_of(const Finding& finding) {
  return {{"claim", finding.claim},
          {"published", finding.published},
          {"source", finding.source},
          {"ours", finding.ours},
          {"mean", finite_or_null(finding.value.mean)},
          {"se", finite_or_null(finding.value.se)},
          {"trials", finding.value.trials},
          {"tolerance", finding.tolerance},
          {"verdict", to_string(finding.verdict)},
          {"note", finding.note}};
}

Result<Finding> finding_of(const Json& json) {
  Finding finding;
  finding.claim = json.at("claim").get<std::string>();
  finding.published = json.at("published").get<std::string>();
  finding.source = json.at("source").get<std::string>();
  finding.ours = json.at("ours").get<std::string>();
  finding.value = {number_of(json.at("mean")), number_of(json.at("se")),
                   json.at("trials").get<std::uint64_t>()};
  finding.tolerance = json.at("tolerance").get<std::string>();
  DUEL_ASSIGN(finding.verdict, parse_verdict(json.at("verdict").get<std::string>()));
  finding.note = json.at("note").get<std::string>();
  return finding;
}

}  // namespace

ReproductionSettings settings_of(const ReproductionFacts& facts, const ReproductionContext& context,
                                 std::string version) {
  ReproductionSettings settings{context.quick, context.seed, std::move(version), {}};
  if (facts.uses_matrices) {
    for (const GivenMatrix& given : context.matrices) {
      settings.inputs.push_back(given.name + " " + digest_of(*given.matrix));
    }
  }
  if (facts.uses_data) {
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
  ReproductionRecord record;
  record.name = facts.name;
  record.paper = facts.paper;
  record.what = facts.what;
  record.description = facts.description;
  record.settings = std::move(settings);
  record.seconds = seconds;
  record.findings = reproduction.findings;
  for (Finding& finding : record.findings) {
    if (record.settings.quick && finding.verdict == FindingVerdict::fail) {
      finding.verdict = FindingVerdict::unclear;
    }
  }
  record.remarks = reproduction.remarks;
  for (const TidyTable& table : reproduction.tables) record.tables.push_back(table.name() + ".csv");
  for (const Figure& figure : reproduction.figures) {
    record.figures.push_back({figure.name, figure.caption});
  }
  return record;
}

std::string to_json(const ReproductionRecord& record) {
  Json json = {{"name", record.name},
               {"paper", record.paper},
               {"what", record.what},
               {"description", record.description},
               {"settings",
                {{"quick", record.settings.quick},
                 {"seed", record.settings.seed},
                 {"version", record.settings.version},
                 {"inputs", record.settings.inputs}}},
               {"seconds", record.seconds},
               {"passed", record.passed()}};
  json["findings"] = Json::array();
  for (const Finding& finding : record.findings) json["findings"].push_back(json_of(finding));
  json["remarks"] = record.remarks;
  json["tables"] = record.tables;
  json["figures"] = Json::array();
  for (const auto& figure : record.figures) {
    json["figures"].push_back({{"name", figure.name}, {"caption", figure.caption}});
  }
  return json.dump_pretty();
}

Result<ReproductionRecord> parse_record(std::string_view text, const std::string& source) {
  try {
    const auto parsed = Json::parse(text);
    if (!parsed) throw JsonError("it is not JSON");
    const Json& json = *parsed;
    ReproductionRecord record;
    record.name = json.at("name").get<std::string>();
    record.paper = json.at("paper").get<std::string>();
    record.what = json.at("what").get<std::string>();
    record.description = json.at("description").get<std::string>();
    const Json& settings = json.at("settings");
    record.settings = {settings.at("quick").get<bool>(), settings.at("seed").get<std::uint64_t>(),
                       settings.at("version").get<std::string>(),
                       settings.at("inputs").get<std::vector<std::string>>()};
    record.seconds = json.at("seconds").get<double>();
    for (const Json& item : json.at("findings").items()) {
      auto finding = finding_of(item);
      if (!finding.ok()) {
        Error error = finding.error();
        error.where = source;
        return error;
      }
      record.findings.push_back(*std::move(finding));
    }
    record.remarks = json.at("remarks").get<std::vector<std::string>>();
    record.tables = json.at("tables").get<std::vector<std::string>>();
    for (const Json& item : json.at("figures").items()) {
      record.figures.push_back(
          {item.at("name").get<std::string>(), item.at("caption").get<std::string>()});
    }
    return record;
  } catch (const JsonError& exception) {
    return Error::invalid_data(
        fmt::format("these are not the findings of a reproduction: {}", exception.what()), source,
        "run the reproduction again, which writes them anew");
  }
}

}  // namespace duel
