// `portcullis completion SHELL`: a script that completes commands, flags and file names.
//
// Idea: main.cc knows the commands and their flags; the scripts are made of nothing else, so they never lag
// behind. Tested by tests/cli/usage.txt.
#include <cstdio>

#include "cli/commands.h"
#include "cli/output.h"

namespace portcullis {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out.append(out.empty() ? "" : " ").append(word);
  return out;
}

std::string bash(const std::vector<CommandWords>& commands) {
  std::string out =
      "_portcullis() {\n"
      "  local word=\"${COMP_WORDS[COMP_CWORD]}\" flags\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"";
  std::vector<std::string> names;
  for (const CommandWords& c : commands) names.push_back(c.name);
  out += joined(names) +
         "\" -- \"$word\"))\n"
         "    return\n"
         "  fi\n"
         "  case \"${COMP_WORDS[1]}\" in\n";
  for (const CommandWords& c : commands) out += "    " + c.name + ") flags=\"" + joined(c.flags) + "\" ;;\n";
  return out +
         "  esac\n"
         "  if [[ \"$word\" == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$flags\" -- \"$word\"))\n"
         "  else\n"
         "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F _portcullis portcullis\n";
}

std::string fish(const std::vector<CommandWords>& commands) {
  std::string out;
  for (const CommandWords& c : commands) {
    out += "complete -c portcullis -n __fish_use_subcommand -f -a " + c.name + " -d '" + c.about + "'\n";
    for (const std::string& flag : c.flags) {
      bool is_long = flag.starts_with("--");
      out += "complete -c portcullis -n '__fish_seen_subcommand_from " + c.name + "' " +
             (is_long ? "-l " : "-s ") + flag.substr(is_long ? 2 : 1) + "\n";
    }
  }
  return out;
}

}  // namespace

int completion(const std::string& shell, const std::vector<CommandWords>& commands) {
  std::string out = shell == "fish" ? fish(commands) : bash(commands);
  if (shell == "zsh") out = "autoload -U +X bashcompinit && bashcompinit\n" + out;
  put(out);
  return kAdmitted;
}

}  // namespace portcullis
