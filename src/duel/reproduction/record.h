// findings.json: what a finished reproduction found, with the settings it was run with. The report
// is made of these, and a run over many reproductions passes over those that are there already.
#pragma once

#include "duel/core/described.h"
#include "duel/core/result.h"
#include "duel/reproduction/reproduction.h"

namespace duel {

// Everything that decides the numbers.
struct ReproductionSettings {
  bool quick = false;
  std::uint64_t seed = 0;
  std::string version;
  // "sushi 5f3a..": the name of each matrix and file the reproduction may use, with a digest of its
  // content.
  std::vector<std::string> inputs;

  static constexpr FieldList fields{required("quick", &ReproductionSettings::quick),
                                    required("seed", &ReproductionSettings::seed),
                                    required("version", &ReproductionSettings::version),
                                    required("inputs", &ReproductionSettings::inputs)};
  friend bool operator==(const ReproductionSettings&, const ReproductionSettings&) = default;
};

ReproductionSettings settings_of(const ReproductionFacts& facts, const ReproductionContext& context,
                                 std::string version);

struct ReproductionRecord {
  std::string name;
  std::string paper;
  std::string what;
  std::string description;
  ReproductionSettings settings;
  double seconds = 0;
  std::vector<Finding> findings;
  std::vector<std::string> remarks;
  std::vector<std::string> tables;  // names of files
  struct Picture {
    std::string name;  // of its files, without ending
    std::string caption;
    static constexpr FieldList fields{required("name", &Picture::name),
                                      required("caption", &Picture::caption)};
    friend bool operator==(const Picture&, const Picture&) = default;
  };
  std::vector<Picture> figures;

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

  bool passed() const;  // no finding fails
};

ReproductionRecord record_of(const ReproductionFacts& facts, ReproductionSettings settings,
                             const Reproduction& reproduction, double seconds);

std::string to_json(const ReproductionRecord& record);
// `source` names the text in errors.
Result<ReproductionRecord> parse_record(std::string_view text, const std::string& source);

// docs/reproduction.md: every published number, ours, tolerance, verdict, and the remarks.
std::string report_markdown(std::vector<ReproductionRecord> records);

}  // namespace duel
