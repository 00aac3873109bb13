// The command line. Only this file, its parts main_*.inc with the options of the commands, and given_words.h use CLI11.
//
// Idea: options fill the structs of commands.h; then one function runs. A usage error exits with kNoVerdict,
// since nothing was decided, and suggests the flag or command that was probably meant. Tested by
// tests/cli.py.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iterator>
#include <span>
#include <sstream>

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

// A command: how its options are added, what runs it once they are parsed.
struct Command {
  std::string_view name;
  std::function<void()> add;
  std::function<int()> run;
};

int run(int argc, char** argv) {
  CLI::App app{kAbout, "portcullis"};
  app.formatter(std::make_shared<Help>());
  app.require_subcommand(1);
  app.set_version_flag("--version", "", "Print the version and exit");
  app.footer("See 'portcullis help COMMAND' for the options of a command and examples.\n" +
             std::string(kExitOfVerdict));
  ReviewOptions review_options;
  MutateOptions mutate_options;
  WhoOptions who_options;
  TestOptions test_options;
  CheckOptions check_options;
  CostOptions cost_options;
  SkewOptions skew_options;
  EvalOptions eval_options;
  FunctionsOptions functions_options;
  NormalizeOptions normalize_options;
  DisasmOptions disasm_options;
  ManifestsOptions manifests_options;
  std::string topic, shell, overview;
  auto complete = [&](const char* command, ReviewOptions& options) {
    for (const char* flag : {"--as", "--as-group", "--namespace", "--operation", "--subresource", "--old",
                             "--deleted", "--field-manager", "--dry-run"}) {
      if (app.get_subcommand(command)->count(flag) > 0) options.request_flags.emplace_back(flag);
    }
    append(options.manifests, options.files);
    if (options.strict) {
      options.fail_on_refused = options.fail_on_assumed = options.fail_on_ignored = true;
      options.reading.strict = options.require_known_kinds = true;
    }
    if (options.namespace_name.empty()) options.namespace_name = "default";  // as kubectl
  };
  const Command commands[] = {
      {"review", [&] { add_review(app, review_options); },
       [&] {
         complete("review", review_options);
         return review(review_options);
       }},
      {"mutate", [&] { add_mutate(app, mutate_options); },
       [&] {
         complete("mutate", mutate_options);
         return mutate(mutate_options);
       }},
      {"who", [&] { add_who(app, who_options); },
       [&] {
         complete("who", who_options);
         return who(who_options);
       }},
      {"test", [&] { add_test(app, test_options); }, [&] { return test(test_options); }},
      {"check", [&] { add_check(app, check_options); },
       [&] {
         append(check_options.policies, check_options.files);
         return check(check_options);
       }},
      {"cost", [&] { add_cost(app, cost_options); },
       [&] {
         append(cost_options.policies, cost_options.files);
         return cost(cost_options);
       }},
      {"skew", [&] { add_skew(app, skew_options); },
       [&] {
         append(skew_options.paths, skew_options.files);
         return skew(skew_options);
       }},
      {"eval", [&] { add_eval(app, eval_options); }, [&] { return eval(eval_options); }},
      {"functions", [&] { add_functions(app, functions_options); },
       [&] { return functions(functions_options); }},
      {"normalize", [&] { add_normalize(app, normalize_options); },
       [&] {
         append(normalize_options.manifests, normalize_options.files);
         return normalize(normalize_options);
       }},
      {"disasm", [&] { add_disasm(app, disasm_options); }, [&] { return disasm(disasm_options); }},
      {"manifests", [&] { add_manifests(app, manifests_options); },
       [&] { return manifests(manifests_options); }},
      {"completion",
       [&] {
         add_command(app, "completion", "A script that completes command lines", kExitOfOutput,
                     "  source <(portcullis completion bash)\n"
                     "  source <(portcullis completion zsh)\n"
                     "  portcullis completion fish | source\n")
             ->add_option("shell", shell, "bash, zsh or fish")
             ->required()
             ->type_name("")
             ->check(CLI::IsMember({"bash", "zsh", "fish"}));
       },
       [&] { return completion(shell, all_words(app)); }},
      // The server reads its own command line.
      {"serve",
       [&] {
         add_command(app, "serve", "Decide AdmissionReviews over HTTPS, as an admission webhook",
                     kExitOfVerdict, "");
       },
       [&] { return serve({argv + 2, argv + argc}); }},
      {"version",
       [&] {
         add_command(app, "version", "The version of this program and of the Kubernetes it answers for",
                     kExitOfOutput, "");
       },
       version},
      {"help",
       [&] {
         CLI::App* helps = add_command(app, "help", "Help about a command", kExitOfOutput, "");
         std::string topics;
         for (const CLI::App* command : app.get_subcommands({}))
           topics += (topics.empty() ? "" : ",") + command->get_name();
         helps->add_option("command", topic, "The command")->type_name(":{" + topics + "}");
       },
       [&] { return help(app, topic, overview); }},
  };
  const Command* chosen = nullptr;
  for (const Command& c : commands) {
    if (argc > 1 && c.name == argv[1]) chosen = &c;
  }
  // Only what the command needs: to add all options takes longer than many commands.
  const bool shows_all = chosen == nullptr || chosen->name == "help" || chosen->name == "completion";
  for (const Command& c : commands) {
    if (shows_all || &c == chosen) c.add();
  }
  for (CLI::App* command : app.get_subcommands({})) add_colour(command);
  if (shows_all) overview = app.help();
  if (chosen != nullptr && chosen->name == "serve") return chosen->run();
  if (argc == 3 && argv[1] == std::string_view("help") && argv[2] == std::string_view("serve"))
    return serve({"--help"});
  if (argc == 1) {
    std::fputs(overview.c_str(), stderr);
    return kNoVerdict;
  }
  try {
    std::vector<std::string> words(argv + 1, argv + argc);
    if (chosen != nullptr) {
      words = GivenWords(*app.get_subcommand(std::string(chosen->name))).reversed({argv + 2, argv + argc});
      words.emplace_back(chosen->name);
    } else {
      std::reverse(words.begin(), words.end());
    }
    app.parse(std::move(words));
    if (chosen != nullptr) refuse_detached(*app.get_subcommand(std::string(chosen->name)));
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
  const std::string given = app.get_subcommands()[0]->get_name();
  return std::find_if(std::begin(commands), std::end(commands),
                      [&](const Command& c) { return c.name == given; })
      ->run();
}

}  // namespace

int main(int argc, char** argv) {
  int status = run(argc, argv);
  return portcullis::close_output() ? status
                                    : portcullis::kNoVerdict;  // a verdict that was not written is none
}
