#include "duel/judging/arm_list.h"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "duel/core/digest.h"
#include "duel/core/json.h"
#include "duel/core/numbers.h"
#include "duel/core/text_lines.h"
#include "duel/core/whole_file.h"
#include "duel/judging/judge_question.h"
#include "duel/judging/printable.h"

namespace duel {
namespace {

namespace fs = std::filesystem;

// Longer files are given to the judge by their path alone.
constexpr std::size_t kMostBytesOfPayload = std::size_t{1} << 20;
constexpr std::size_t kMostBytesOfId = 100;

bool is_glob(const std::string& item) { return item.find_first_of("*?[") != std::string::npos; }

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool is_directory(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

Status check_name(const std::string& id, const std::string& where) {
  if (const Status status = check_id("arm", id); !status.ok()) {
    Error error = status.error();
    error.where = where;
    return error;
  }
  if (is_answer_word(id)) {
    return Error::invalid_argument(
        fmt::format("'{}' cannot name an arm", id), where,
        fmt::format("a judge's answer '{}' would have two meanings", id));
  }
  return Done{};
}

class Drafts {
 public:
  // `where` is for messages.
  Status add_item(const std::string& text, const std::string& where, bool splits) {
    const std::string item(trimmed(text));
    if (item.empty()) {
      return Error::invalid_argument("an empty name", where, "such as a,b,c");
    }
    if (is_directory(item)) {
      return Error::invalid_argument(
          fmt::format("'{}' is a directory", item), where,
          fmt::format("its files are '{}'", (fs::path(item) / "*").string()));
    }
    if (exists(item)) return add_file(item);
    if (splits && item.find(',') != std::string::npos) {
      for (std::size_t begin = 0; begin <= item.size();) {
        const std::size_t end = std::min(item.find(',', begin), item.size());
        DUEL_RETURN_IF_ERROR(add_item(item.substr(begin, end - begin), where, false));
        begin = end + 1;
      }
      return Done{};
    }
    return is_glob(item) ? add_glob(item, where) : add_name(item, where);
  }

  Status add_json(std::string_view line, const std::string& where) {
    const auto parsed = Json::parse(line, {.numbers_as_written = true});
    if (!parsed || !parsed->is_object()) {
      return Error::invalid_data("this is not a JSON object", where,
                                 R"(such as {"arm_id":"b","payload":"text"})");
    }
    const Json& json = *parsed;
    for (const auto& [name, value] : json.members()) {
      if (name != "arm_id" && name != "payload" && name != "features") {
        return Error::invalid_data(fmt::format("unknown field {}", excerpt(name)), where,
                                   "known: arm_id, payload, features");
      }
    }
    if (!json.contains("arm_id") || !json["arm_id"].is_string()) {
      return Error::invalid_data("the field \"arm_id\" is missing or not a text", where);
    }
    const std::string id = json["arm_id"].get<std::string>();
    DUEL_RETURN_IF_ERROR(check_name(id, where));
    const Json& payload = json.contains("payload") ? json["payload"] : json["arm_id"];
    // Logs have the hash of the plain numbers: another spelling of one is no other arm.
    const std::string sha256 = sha256_hex(payload.with_plain_numbers().dump());
    arms_.push_back({{id, "", payload}, where, sha256});
    if (!json.contains("features")) return Done{};
    return read_features(json["features"], where, arms_.back().features);
  }

  static Status read_features(const Json& listed, const std::string& where,
                              std::vector<double>& features) {
    const auto is_number = [](const Json& value) { return value.is_number(); };
    if (!listed.is_array() || !std::ranges::all_of(listed.items(), is_number)) {
      return Error::invalid_data("the field \"features\" is not a list of numbers", where);
    }
    for (const Json& value : listed.items()) features.push_back(value.get<double>());
    return Done{};
  }

  Result<std::vector<ListedArm>> finished() {
    std::set<std::string> taken;
    std::map<std::string, std::size_t> stems;
    for (const ListedArm& arm : arms_) {
      const std::string& id = arm.shown.arm_id;
      if (id.empty()) {
        ++stems[id_from_name(fs::path(arm.shown.path).stem().string())];
      } else if (!taken.insert(id).second) {
        return Error::invalid_argument(fmt::format("the arm '{}' is named twice", id))
            .in_field("arms");
      }
    }
    for (ListedArm& arm : arms_) {
      if (!arm.shown.arm_id.empty()) continue;
      const fs::path path(arm.shown.path);
      std::string id = id_from_name(path.stem().string());
      // a.txt and a.md are told apart by their whole names.
      if (stems[id] > 1) id = id_from_name(path.filename().string());
      const std::string base = id;
      for (std::uint64_t n = 2; !taken.insert(id).second; ++n) id = fmt::format("{}-{}", base, n);
      arm.shown.arm_id = id;
    }
    return std::move(arms_);
  }

 private:
  Status add_file(const std::string& path) {
    std::error_code failed;
    fs::path canonical = fs::canonical(path, failed);
    if (!files_.insert(failed ? fs::path(path) : std::move(canonical)).second) return Done{};
    DUEL_ASSIGN(const std::string content, read_whole_file(path, kMostBytesOfFile));
    const bool is_payload = content.size() <= kMostBytesOfPayload && is_text(content);
    arms_.push_back({{"", path, is_payload ? std::optional<Json>(content) : std::nullopt},
                     path,
                     sha256_hex(content)});
    return Done{};
  }

  Status add_glob(const std::string& pattern, const std::string& where) {
    glob_t found{};
    const int code = ::glob(pattern.c_str(), 0, nullptr, &found);
    std::vector<std::string> files;
    for (std::size_t i = 0; code == 0 && i < found.gl_pathc; ++i) {
      if (!is_directory(found.gl_pathv[i])) files.emplace_back(found.gl_pathv[i]);
    }
    ::globfree(&found);
    if (code != 0 && code != GLOB_NOMATCH) {
      return Error::io(fmt::format("'{}' cannot be looked up", pattern), where);
    }
    if (files.empty()) {
      return Error::not_found(
          fmt::format("no file matches '{}'", pattern), where,
          "in quotes, the shell passes it to duel; paths are relative to the working directory");
    }
    std::sort(files.begin(), files.end());
    for (const std::string& file : files) DUEL_RETURN_IF_ERROR(add_file(file));
    return Done{};
  }

  Status add_name(const std::string& name, const std::string& where) {
    if (name.find('/') != std::string::npos || fs::path(name).has_extension()) {
      if (!check_id("arm", name).ok()) {
        return Error::not_found(fmt::format("there is no file '{}'", name), where);
      }
    }
    DUEL_RETURN_IF_ERROR(check_name(name, where));
    arms_.push_back({{name, "", Json(name)}, "", ""});
    return Done{};
  }

  std::vector<ListedArm> arms_;  // without an id: it is made from the file's name at the end
  std::set<fs::path> files_;
};

}  // namespace

Result<std::vector<ListedArm>> list_arms(const std::vector<std::string>& items,
                                         const std::string& list_file) {
  Drafts drafts;
  for (const std::string& item : items) {
    DUEL_RETURN_IF_ERROR(in_field("arms", drafts.add_item(item, "", true)));
  }
  if (!list_file.empty()) {
    DUEL_ASSIGN(TextLines lines, TextLines::open(list_file));
    while (true) {
      DUEL_ASSIGN(const auto next, lines.next());
      if (!next) break;
      const std::string_view line = trimmed(*next);
      if (line.empty() || line.front() == '#') continue;
      DUEL_RETURN_IF_ERROR(line.front() == '{'
                               ? drafts.add_json(line, lines.here())
                               : drafts.add_item(std::string(line), lines.here(), false));
    }
  }
  DUEL_ASSIGN(std::vector<ListedArm> arms, drafts.finished());
  if (arms.size() < 2) {
    return Error::invalid_argument(
               arms.empty() ? "no arms are given"
                            : fmt::format("there is only one arm, '{}'", arms[0].shown.arm_id))
        .with_hint("a duel needs two; such as `arms` 'prompts/*.txt' or `arms` a,b,c")
        .in_field("arms");
  }
  return arms;
}

ArmEntry entry_of(const ListedArm& arm) {
  return {.id = arm.shown.arm_id,
          .payload = arm.reference,
          .sha256 = arm.sha256,
          .content = arm.content,
          .features = arm.features};
}

Result<std::vector<ListedArm>> list_joining_arms(const std::vector<std::string>& items) {
  Drafts drafts;
  for (const std::string& item : items) {
    DUEL_RETURN_IF_ERROR(in_field("add_arm", drafts.add_item(item, "", true)));
  }
  return drafts.finished();
}

std::string id_from_name(const std::string& name) {
  std::string id;
  for (const unsigned char c : name) {
    const bool allowed = std::isalnum(c) != 0 || c == '.' || c == '_' || c == ':' || c == '-';
    if (allowed) {
      id += static_cast<char>(c);
    } else if (!id.empty() && id.back() != '-') {
      id += '-';
    }
  }
  while (!id.empty() && id.back() == '-') id.pop_back();
  id.erase(0, std::min(id.size(), id.find_first_not_of(".:_-")));
  // Room for a number that makes it unique.
  id.resize(std::min(id.size(), kMostBytesOfId - 12));
  if (id.empty()) return "arm";
  return is_answer_word(id) ? "arm-" + id : id;
}

}  // namespace duel
