// The command line. Only this file, its parts main_*.inc with the options of the commands, and given_words.h use CLI11.
//
// Idea: options fill the structs of commands.h; then one function runs. A usage error exits with kNoVerdict,
// since nothing was decided, and suggests the flag or command that was probably meant. Tested by
// tests/cli.py.
#include <CLI/CLI.hpp>
#ifdef PORTCULLIS_MIMALLOC
#include <mimalloc.h>
#endif

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <span>
#include <sstream>
#include <system_error>

#include "admission/expressions/environment.h"
#include "admission/scalars/spelling.h"
#include "cli/checks/skew.h"
#include "cli/commands.h"
#include "cli/formats/outputs.h"
#include "cli/given_words.h"
#include "cli/messages/messages.h"
#include "cli/messages/output.h"

namespace {

using namespace portcullis;

#include "cli/main_help.inc"
#include "cli/main_reading.inc"

#include "cli/main_common.inc"
#include "cli/main_language.inc"
#include "cli/main_manifests.inc"
#include "cli/main_policies.inc"
#include "cli/main_requests.inc"
#include "cli/main_words.inc"

// Throws for an argument that is the value of a flag which wants an equals sign, and no file: --coverage html.
void refuse_detached(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0 || option->get_expected_min() > 0) continue;
    const std::vector<std::string> values = values_of(*option);
    for (const CLI::Option* arguments : command.get_options()) {
      if (!arguments->get_positional() || arguments->get_type_name() != kFiles) continue;
      for (const std::string& word : arguments->results()) {
        std::error_code error;
        if (std::ranges::count(values, word) > 0 && !std::filesystem::exists(word, error))
          throw CLI::ArgumentMismatch("there is no file " + word + "; did you mean " + option->get_name() +
                                      "=" + word + "?");
      }
    }
  }
}

int usage_error(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  std::vector<std::string> names;
  for (const CommandWords& c : all_words(app)) names.push_back(c.name);
  const CLI::App* command = nullptr;
  if (argc > 1 && std::find(names.begin(), names.end(), argv[1]) != names.end())
    command = app.get_subcommand(argv[1]);
  std::string text = error_text(error);
  if (command == nullptr && argc > 1) {
    bool flag = argv[1][0] == '-';
    text = std::string(flag ? "unknown flag " : "unknown command ") + argv[1];
    text += suggestion(argv[1], flag ? flags_of(app) : names);
  } else if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    std::vector<std::string> extra = command == nullptr ? app.remaining() : command->remaining();
    std::string word = extra.empty() ? "" : extra[0];
    bool flag = word.starts_with("-");
    text = (flag ? "unknown flag " : "unexpected argument ") + word;
    if (flag) text += suggestion(word, flags_of(command == nullptr ? app : *command));
  }
  say(Severity::Error, {}, {}, text);
  std::string see = command == nullptr ? "portcullis help" : "portcullis help " + command->get_name();
  std::fprintf(stderr, "See '%s'.\n", see.c_str());
  return kNoVerdict;
}

// `overview`: the help without a topic (after parsing a command, CLI11 only prints the help of that command).
int help(CLI::App& app, const std::string& topic, const std::string& overview) {
  std::vector<std::string> names;
  for (const CommandWords& c : all_words(app)) names.push_back(c.name);
  if (!topic.empty() && std::find(names.begin(), names.end(), topic) == names.end()) {
    say(Severity::Error, {}, {}, "unknown command " + topic + suggestion(topic, names));
    return kNoVerdict;
  }
  put(topic.empty() ? overview : app.get_subcommand(topic)->help("portcullis"));
  return kAdmitted;
}

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

// Runs a command once its options are parsed.
using Runner = std::function<int()>;

// Adds a command with its options, which live as long as what is returned.
template <class Options, class Run>
Runner add(CLI::App& app, void (*add_options)(CLI::App&, Options&), Run run) {
  auto options = std::make_shared<Options>();
  add_options(app, *options);
  return [options, run] { return run(*options); };
}

// The same for a command that takes files without a flag, too: `files` joins those of `flag`.
template <class Options>
Runner add(CLI::App& app, void (*add_options)(CLI::App&, Options&), std::vector<std::string> Options::* flag,
           int (*run)(const Options&)) {
  return add(app, add_options, [flag, run](Options& options) {
    append(options.*flag, options.files);
    return run(options);
  });
}

// The same for a command that sends requests.
template <class Options>
Runner add_sender(CLI::App& app, const char* name, void (*add_options)(CLI::App&, Options&),
                  int (*run)(const Options&)) {
  return add(app, add_options, [&app, name, run](Options& options) {
    for (const char* flag : {"--as", "--as-group", "--namespace", "--operation", "--subresource", "--old",
                             "--deleted", "--field-manager", "--dry-run", "--grace-period", "--cascade"}) {
      if (app.get_subcommand(name)->count(flag) > 0) options.request_flags.emplace_back(flag);
    }
    append(options.manifests, options.files);
    if (options.strict) {
      options.fail_on_refused = options.fail_on_assumed = options.fail_on_ignored = true;
      options.reading.strict = options.require_known_kinds = true;
    }
    if (options.namespace_name.empty()) options.namespace_name = "default";  // as kubectl
    return run(options);
  });
}

Runner add_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  add_command(app, "completion", "Print a script that completes command lines", kExitOfOutput,
              "  source <(portcullis completion bash)\n"
              "  source <(portcullis completion zsh)\n"
              "  portcullis completion fish | source\n")
      ->add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->type_name("")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  return [&app, shell] { return completion(*shell, all_words(app)); };
}

// The server reads its own command line, so that nothing runs after parsing.
Runner add_serve(CLI::App& app) {
  add_command(app, "serve", "Decide AdmissionReviews over HTTPS, as an admission webhook", kExitOfVerdict,
              "");
  return {};
}

Runner add_version_command(CLI::App& app) {
  add_command(app, "version", "Print the version of this program, and of the Kubernetes it answers for",
              kExitOfOutput, "");
  return version;
}

// The commands before it are its topics. The help without a topic is made now, since CLI11 prints that of the command
// alone once one is parsed.
Runner add_help(CLI::App& app) {
  auto topic = std::make_shared<std::string>();
  CLI::App* helps = add_command(app, "help", "Print help about a command", kExitOfOutput, "");
  std::string topics;
  for (const CLI::App* command : app.get_subcommands({}))
    topics += (topics.empty() ? "" : ",") + command->get_name();
  helps->add_option("command", *topic, "The command")->type_name(":{" + topics + "}");
  return [&app, topic, overview = app.help()] { return help(app, *topic, overview); };
}

struct Command {
  std::string_view name;
  Runner (*add)(CLI::App&);
};

constexpr Command kCommands[] = {
    {"review", [](CLI::App& app) { return add_sender(app, "review", add_review, review); }},
    {"mutate", [](CLI::App& app) { return add_sender(app, "mutate", add_mutate, mutate); }},
    {"who", [](CLI::App& app) { return add_sender(app, "who", add_who, who); }},
    {"test", [](CLI::App& app) { return add(app, add_test, test); }},
    {"check", [](CLI::App& app) { return add(app, add_check, &CheckOptions::policies, check); }},
    {"cost", [](CLI::App& app) { return add(app, add_cost, &CostOptions::policies, cost); }},
    {"skew", [](CLI::App& app) { return add(app, add_skew, &SkewOptions::paths, skew); }},
    {"eval", [](CLI::App& app) { return add(app, add_eval, eval); }},
    {"functions", [](CLI::App& app) { return add(app, add_functions, functions); }},
    {"normalize",
     [](CLI::App& app) { return add(app, add_normalize, &NormalizeOptions::manifests, normalize); }},
    {"disasm", [](CLI::App& app) { return add(app, add_disasm, disasm); }},
    {"manifests", [](CLI::App& app) { return add(app, add_manifests, manifests); }},
    {"completion", add_completion},
    {"serve", add_serve},
    {"version", add_version_command},
    {"help", add_help},
};

// Parses the words behind the program's name, which begin with `chosen` if that is a command.
void parse(CLI::App& app, const Command* chosen, std::span<char*> words) {
  std::vector<std::string> reversed;
  if (chosen == nullptr) {
    reversed.assign(words.rbegin(), words.rend());
    app.parse(std::move(reversed));
    return;
  }
  const CLI::App& command = *app.get_subcommand(std::string(chosen->name));
  reversed = GivenWords(command).reversed({words.begin() + 1, words.end()});
  reversed.emplace_back(chosen->name);
  app.parse(std::move(reversed));
  refuse_detached(command);
}

int run(int argc, char** argv) {
  const std::span<char*> words(argv + std::min(argc, 1), argv + argc);
  CLI::App app{kAbout, "portcullis"};
  app.formatter(std::make_shared<Help>());
  app.require_subcommand(1);
  app.set_version_flag("--version", "", "Print the version and exit");
  app.footer("See 'portcullis help COMMAND' for the options of a command and examples.\n" +
             std::string(kExitOfVerdict));
  const Command* chosen = nullptr;
  for (const Command& c : kCommands) {
    if (!words.empty() && c.name == words[0]) chosen = &c;
  }
  if (chosen != nullptr && chosen->name == "serve") return serve({words.begin() + 1, words.end()});
  if (words.size() == 2 && words[0] == std::string_view("help") && words[1] == std::string_view("serve"))
    return serve({"--help"});
  // Only what the command needs: to add all options takes longer than many commands.
  const bool adds_all = chosen == nullptr || chosen->name == "help" || chosen->name == "completion";
  std::map<std::string_view, Runner> runners;
  for (const Command& c : kCommands) {
    if (adds_all || &c == chosen) runners[c.name] = c.add(app);
  }
  for (CLI::App* command : app.get_subcommands({})) add_colour(command);
  if (words.empty()) {
    std::fputs(app.help().c_str(), stderr);
    return kNoVerdict;
  }
  try {
    parse(app, chosen, words);
  } catch (const CLI::CallForHelp& error) {
    std::ostringstream text;
    app.exit(error, text, text);
    put(text.str());
    return kAdmitted;
  } catch (const CLI::CallForVersion&) {
    return version();
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error, argc, argv);
  }
  return runners.at(app.get_subcommands()[0]->get_name())();
}

// Ends the program, since mimalloc throws nothing, and an exception would end most threads with an abort.
[[noreturn]] void end_without_memory() {
  std::fputs("error: there is not enough memory\n", stderr);
  std::_Exit(kNoVerdict);
}

}  // namespace

int main(int argc, char** argv) {
  std::set_new_handler(end_without_memory);
#ifdef PORTCULLIS_MIMALLOC
  // It asks no handler of C++.
  mi_register_error(
      [](int error, void*) {
        if (error == ENOMEM) end_without_memory();
      },
      nullptr);
  mi_option_set(mi_option_decommit_delay, 0);  // what loading frees goes back before more is taken
#endif
  int status = portcullis::kNoVerdict;
  try {
    status = run(argc, argv);
  } catch (const std::system_error& error) {  // no thread can be started, for example
    portcullis::say(portcullis::Severity::Error, {}, {}, error.what());
  }
  return portcullis::close_output() ? status
                                    : portcullis::kNoVerdict;  // a verdict that was not written is none
}
