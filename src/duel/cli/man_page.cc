#include <algorithm>
#include <cctype>

#include "duel/cli/help.h"
#include "duel/version_info.h"

namespace duel::cli {
namespace {

// Text as roff reads it: a backslash and a hyphen have names, and a line that begins with a dot or
// a quote would be an order.
std::string escaped(const std::string& text) {
  std::string out;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    begins = c == '\n';
  }
  return out;
}

// `duel serve` -> `duel-serve`
std::string page_name(const Command& command) {
  std::string name = command.path();
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string tagged(const std::string& tag, const std::string& text) {
  return fmt::format(".TP\n\\fB{}\\fR\n{}\n", escaped(tag), escaped(text));
}

std::string options_of(const Command& command, bool arguments) {
  std::string text;
  for (const Option& option : command.options) {
    if (option.is_argument() != arguments) continue;
    std::string tag = spelled_option(option);
    tag.erase(0, tag.find_first_not_of(' '));
    text += tagged(tag, option.doc);
  }
  return text;
}

std::string examples_of(const Command& command) {
  std::string text = command.footer;
  // The heading says it.
  for (const std::string_view word : {"Examples:\n", "Example:\n"}) {
    if (text.starts_with(word)) text.erase(0, word.size());
  }
  return text.empty() ? "" : fmt::format(".nf\n{}\n.fi\n", escaped(text));
}

std::string section(const std::string& heading, const std::string& text) {
  return text.empty() ? "" : fmt::format(".SH {}\n{}", heading, text);
}

// A command below the page's own: `duel matrix show` on the page of `duel matrix`.
std::string below(const Command& command) {
  std::string text = fmt::format(".SH \"{}\"\n{}\n.PP\n{}\n", escaped(command.path()),
                                 escaped(command.about), escaped(usage_line(command)));
  text += options_of(command, true) + options_of(command, false);
  if (!command.footer.empty()) text += ".PP\n" + examples_of(command);
  for (const Command& further : command.commands) text += below(further);
  return text;
}

std::string man_page(const Command& command) {
  const std::string name = page_name(command);
  std::string upper = name;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  std::string summary = first_sentence(command.about);
  if (summary.ends_with('.')) summary.pop_back();
  std::string page = fmt::format(".TH {} 1 \"\" \"duel {}\" \"Duel\"\n", escaped(upper), kVersion);
  page += section("NAME", fmt::format("{} \\- {}\n", escaped(name), escaped(summary)));
  page += section("SYNOPSIS", escaped(usage_line(command)) + "\n");
  page += section("DESCRIPTION", escaped(command.about) + "\n");
  page += section("ARGUMENTS", options_of(command, true));
  page += section("OPTIONS", options_of(command, false));
  const bool is_program = command.path() == command.name;
  if (is_program) {
    std::string list;
    for (const Command& one : command.commands) {
      list += tagged(page_name(one) + "(1)", first_sentence(one.about));
    }
    page += section("COMMANDS", list);
  } else {
    for (const Command& one : command.commands) page += below(one);
  }
  page += section("EXAMPLES", examples_of(command));
  page +=
      section("\"EXIT STATUS\"",
              tagged("0", "Done.") + tagged("1", "Failure.") + tagged("2", "Wrong usage.") +
                  tagged("3", "It ran correctly, and there is no winner yet.") +
                  tagged("4", "A health check failed.") +
                  tagged("5", "What was verified does not match.") + tagged("130", "Interrupted."));
  if (!is_program) page += section("\"SEE ALSO\"", "\\fBduel\\fR(1)\n");
  return page;
}

}  // namespace

Status write_man_pages(const Command& program, const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    return Error::io("the directory cannot be created: " + error.message(), directory.string());
  }
  const auto write = [&](const Command& command) {
    return write_file_atomically((directory / (page_name(command) + ".1")).string(),
                                 man_page(command));
  };
  DUEL_RETURN_IF_ERROR(write(program));
  for (const Command& command : program.commands) DUEL_RETURN_IF_ERROR(write(command));
  return Done{};
}

}  // namespace duel::cli
