// `portcullis completion SHELL`: a script that completes commands, flags, their values and file names.
//
// Idea: main.cc knows the commands, their flags and the values of these; the scripts are made from this
// alone, so they are always complete. Bash's arrays hold words as typed, so quotes and backslashes are
// removed before a comparison; the shell quotes what it inserts. Limits: names of files with line breaks are
// not completed. Tested by tests/completion.py.

#include "cli/commands.h"
#include "cli/messages/output.h"

namespace portcullis {
namespace {

std::string joined(const std::vector<std::string>& words, std::string_view by = " ") {
  std::string out;
  for (const std::string& word : words) out.append(out.empty() ? "" : by).append(word);
  return out;
}

std::vector<std::string> names_of(const std::vector<CommandWords>& commands) {
  std::vector<std::string> names;
  for (const CommandWords& c : commands) names.push_back(c.name);
  return names;
}

std::vector<std::string> flags_of(const CommandWords& command) {
  std::vector<std::string> out;
  for (const OptionWords& o : command.options) out.insert(out.end(), o.names.begin(), o.names.end());
  return out;
}

// The patterns by which a script identifies an option: "review -o"|"review --output"
std::string patterns(const CommandWords& command, const OptionWords& option) {
  std::vector<std::string> out;
  for (const std::string& name : option.names) out.push_back("\"" + command.name + " " + name + "\"");
  return joined(out, "|");
}

// The commands after the patterns of an option in the script for bash.
std::string bash_values(const OptionWords& option) {
  if (option.files) return "files=1";
  if (option.values.empty()) return "return";  // the values are unknown
  std::string set = "values=\"" + joined(option.values) + "\"";
  return option.value_optional ? "[ -n \"$equals\" ] && " + set : set;
}

std::string bash(const std::vector<CommandWords>& commands) {
  std::string out =
      "_portcullis_add() {\n"
      "  local line\n"
      "  while IFS= read -r line; do COMPREPLY+=(\"$line\"); done < <(compgen \"$@\")\n"
      "}\n"
      "_portcullis() {\n"
      "  local word=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
      "  local command=\"${COMP_WORDS[1]}\" equals= prefix= flags= arguments= values= files=\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    compopt +o filenames 2> /dev/null\n"
      "    _portcullis_add -W \"" +
      joined(names_of(commands)) +
      "\" -- \"$word\"\n"
      "    return\n"
      "  fi\n"
      "  if [ \"$word\" = = ]; then\n"
      "    word= equals=1\n"
      "  elif [ \"$before\" = = ] && [ \"$COMP_CWORD\" -gt 2 ]; then\n"
      "    before=\"${COMP_WORDS[COMP_CWORD-2]}\" equals=1\n"
      "  else\n"
      "    case \"$word\" in --*=*) before=\"${word%%=*}\" prefix=\"${word%%=*}=\" word=\"${word#*=}\" "
      "equals=1 ;; esac\n"
      "  fi\n"
      "  case \"$command\" in\n";
  for (const CommandWords& c : commands) {
    out += "    " + c.name + ") flags=\"" + joined(flags_of(c)) + "\"";
    if (!c.arguments.empty()) out += " arguments=\"" + joined(c.arguments) + "\"";
    if (c.files) out += " arguments=.";
    out += " ;;\n";
  }
  out +=
      "  esac\n"
      "  case \"$command $before\" in\n";
  for (const CommandWords& c : commands) {
    for (const OptionWords& o : c.options) {
      if (!o.takes_value) continue;
      out += "    " + patterns(c, o) + ") " + bash_values(o) + " ;;\n";
    }
  }
  return out +
         "  esac\n"
         "  if [ -z \"$values$files\" ]; then\n"
         "    case \"$word\" in\n"
         "      -*) values=\"$flags\" ;;\n"
         "      *) if [ \"$arguments\" = . ]; then files=1; else values=\"$arguments\"; fi ;;\n"
         "    esac\n"
         "  fi\n"
         "  if [ -n \"$files\" ]; then\n"
         "    word=\"${word//\\\\/}\"\n"
         "    word=\"${word#[\\\"\\']}\"\n"
         "    _portcullis_add -f -P \"$prefix\" -- \"$word\"\n"
         "  else\n"
         "    compopt +o filenames 2> /dev/null\n"
         "    _portcullis_add -W \"$values\" -P \"$prefix\" -- \"$word\"\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F _portcullis portcullis\n";
}

// The commands after the patterns of an option in the script for zsh.
std::string zsh_values(const OptionWords& option) {
  if (option.files) return "_files; return";
  if (option.values.empty()) return "return";
  std::string offer = "compadd -- " + joined(option.values) + "; return";
  return option.value_optional ? "if [[ -n $equals ]]; then " + offer + "; fi" : offer;
}

std::string zsh(const std::vector<CommandWords>& commands) {
  std::string out =
      "_portcullis() {\n"
      "  local word=\"$words[CURRENT]\" before=\"$words[CURRENT-1]\" equals=\n"
      "  if (( CURRENT == 2 )); then\n"
      "    compadd -- " +
      joined(names_of(commands)) +
      "\n"
      "    return\n"
      "  fi\n"
      "  if [[ $word == --*=* ]]; then\n"
      "    before=\"${word%%=*}\" equals=1\n"
      "    compset -P '*='\n"
      "  fi\n"
      "  case \"$words[2] $before\" in\n";
  for (const CommandWords& c : commands) {
    for (const OptionWords& o : c.options) {
      if (o.takes_value) out += "    " + patterns(c, o) + ") " + zsh_values(o) + " ;;\n";
    }
  }
  out +=
      "  esac\n"
      "  case \"$words[2]\" in\n";
  for (const CommandWords& c : commands) {
    std::string arguments = c.files               ? "_files"
                            : c.arguments.empty() ? "return"
                                                  : "compadd -- " + joined(c.arguments);
    out += "    " + c.name + ") if [[ $word == -* ]]; then compadd -- " + joined(flags_of(c)) + "; else " +
           arguments + "; fi ;;\n";
  }
  return out +
         "  esac\n"
         "}\n"
         "(( $+functions[compdef] )) || { autoload -U compinit && compinit; }\n"
         "compdef _portcullis portcullis\n";
}

// A text in the single quotes of fish.
std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string fish_option(const OptionWords& option) {
  std::string out;
  for (const std::string& name : option.names) {
    bool is_long = name.starts_with("--");
    out += (is_long ? " -l " : " -s ") + name.substr(is_long ? 2 : 1);
  }
  if (option.files) {
    out += " -r -F";
  } else if (option.takes_value && !option.value_optional) {
    out += " -x";
  }
  if (!option.values.empty()) out += " -a " + fish_quoted(joined(option.values));
  return out + " -d " + fish_quoted(option.about);
}

std::string fish(const std::vector<CommandWords>& commands) {
  std::string out = "complete -c portcullis -f\n";
  for (const CommandWords& c : commands) {
    out +=
        "complete -c portcullis -n __fish_use_subcommand -a " + c.name + " -d " + fish_quoted(c.about) + "\n";
    std::string inside = "complete -c portcullis -n 'contains -- " + c.name + " (commandline -opc)[2]'";
    if (c.files) out += inside + " -F\n";
    if (!c.arguments.empty()) out += inside + " -a " + fish_quoted(joined(c.arguments)) + "\n";
    for (const OptionWords& o : c.options) out += inside + fish_option(o) + "\n";
  }
  return out;
}

}  // namespace

int completion(const std::string& shell, const std::vector<CommandWords>& commands) {
  put(shell == "fish" ? fish(commands) : shell == "zsh" ? zsh(commands) : bash(commands));
  return kAdmitted;
}

}  // namespace portcullis
