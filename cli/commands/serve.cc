// `portcullis serve`: becomes portcullis-server, which has the libraries of a server (server/main.cc).
//
// Idea: the command line stays small. The program is found beside this one, or on PATH. Tested by
// tests/server/lifecycle.py.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/commands.h"
#include "cli/messages/messages.h"

namespace portcullis {

int serve(std::vector<std::string> arguments) {
  constexpr const char* kProgram = "portcullis-server";
  std::error_code error;
  std::filesystem::path beside =
      std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / kProgram;
  std::vector<char*> words = {const_cast<char*>("portcullis serve")};  // what its help calls it
  for (std::string& word : arguments) words.push_back(word.data());
  words.push_back(nullptr);
  ::execv(beside.c_str(), words.data());
  ::execvp(kProgram, words.data());
  say(Severity::Error, kProgram, {}, std::string("it cannot be started: ") + std::strerror(errno), {},
      "it is a program beside this one, which is built where Boost 1.81, OpenSSL and prometheus-cpp are "
      "installed");
  return kNoVerdict;
}

}  // namespace portcullis
