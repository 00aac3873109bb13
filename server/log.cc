// See log.h.
#include "server/log.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/messages/destination.h"
#include "interpreter/values/json.h"

namespace portcullis::server {
namespace {

constexpr std::string_view kLevels[] = {"debug", "info", "warning", "error"};

// Whether a text needs no quotes in a line of text.
bool is_plain(std::string_view text) {
  if (text.empty()) return false;
  for (char c : text) {
    if (c <= ' ' || c == '"' || c == '=' || c == '\\' || c == 0x7f || (c & 0x80) != 0) return false;
  }
  return true;
}

}  // namespace

std::string time_text(std::chrono::system_clock::time_point time) {
  using namespace std::chrono;
  auto micros = duration_cast<microseconds>(time.time_since_epoch()).count();
  std::tm parts = fmt::gmtime(static_cast<std::time_t>(micros / 1000000));
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}Z", parts, micros % 1000000);
}

void Log::line(LogLevel level, std::string_view message, std::span<const LogField> fields) {
  if (level < level_) return;
  std::string out;
  std::string_view name = kLevels[static_cast<size_t>(level)];
  std::string time = time_text(std::chrono::system_clock::now());
  if (format_ == LogFormat::Json) {
    JsonWriter w(out);
    w.begin_object();
    w.member("ts", time);
    w.member("level", name);
    w.member("msg", message);
    for (const LogField& f : fields) {
      std::visit([&](const auto& value) { w.member(f.name, value); }, f.value);
    }
    w.end_object();
  } else {
    out = time + " " + std::string(name) + " " + quote_json(message);
    for (const LogField& f : fields) {
      out.append(" ").append(f.name).append("=");
      if (const auto* text = std::get_if<std::string_view>(&f.value))
        out += is_plain(*text) ? std::string(*text) : quote_json(*text);
      if (const auto* number = std::get_if<int64_t>(&f.value)) out += std::to_string(*number);
      if (const auto* truth = std::get_if<bool>(&f.value)) out += *truth ? "true" : "false";
    }
  }
  out += '\n';
  write_all(STDERR_FILENO, out);  // nobody can be told if this fails
}

void Log::failure(std::string_view message, const std::exception& why) noexcept {
  try {
    line(LogLevel::Error, message, {{"error", why.what()}});
  } catch (const std::exception&) {  // nobody can be told
  }
}

bool Sampler::pass(std::chrono::steady_clock::time_point now, uint64_t& left_out) {
  if (most_ == 0) return false;
  std::lock_guard lock(mutex_);
  if (now - second_ >= std::chrono::seconds(1)) {
    second_ = now;
    passed_ = 0;
  }
  if (passed_ == most_) return left_out_++, false;
  passed_++;
  left_out = std::exchange(left_out_, 0);
  return true;
}

AuditLog::~AuditLog() {
  if (file_ > STDERR_FILENO) ::close(file_);
}

bool AuditLog::open(std::string& error) {
  if (!wanted()) return true;
  int file =
      path_ == "-" ? STDOUT_FILENO : ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
  if (file < 0) return error = std::strerror(errno), false;
  std::lock_guard lock(mutex_);
  if (file_ > STDERR_FILENO) ::close(file_);
  file_ = file;
  return true;
}

bool AuditLog::write(std::string_view line) {
  std::lock_guard lock(mutex_);
  return file_ >= 0 && write_all(file_, line);
}

}  // namespace portcullis::server
