// See log.h.
#include "server/log.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cli/messages/visible.h"
#include "grammar/utf8.h"
#include "interpreter/values/json.h"
#include "server/metrics.h"

namespace portcullis::server {
namespace {

constexpr std::string_view kLevels[] = {"debug", "info", "warning", "error"};

// Bytes of one text in a line.
constexpr size_t kMostText = size_t{4} << 10;

// A text, or its beginning and how much is missing. `room` keeps what is made.
std::string_view shortened(std::string_view text, std::string& room) {
  if (text.size() <= kMostText) return text;
  size_t end = kMostText;
  while (end > 0 && (text[end] & 0xc0) == 0x80) end--;  // not within a character
  room = fmt::format("{}... ({} bytes are left out)", text.substr(0, end), text.size() - end);
  return room;
}

// Whether a text needs no quotes in a line of text.
bool is_plain(std::string_view text) {
  if (text.empty()) return false;
  for (char c : text) {
    if (c <= ' ' || c == '"' || c == '=' || c == '\\' || c == 0x7f || (c & 0x80) != 0) return false;
  }
  return true;
}

int open_lines(const std::string& path) {
  struct stat there;
  const bool pipe = ::stat(path.c_str(), &there) == 0 && S_ISFIFO(there.st_mode);
  // A pipe that is opened for writing alone waits for its reader.
  return ::open(path.c_str(), (pipe ? O_RDWR : O_WRONLY) | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
}

}  // namespace

std::string time_text(std::chrono::system_clock::time_point time) {
  using namespace std::chrono;
  auto micros = duration_cast<microseconds>(time.time_since_epoch()).count();
  std::tm parts = fmt::gmtime(static_cast<std::time_t>(micros / 1000000));
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}Z", parts, micros % 1000000);
}

void escape_hidden(std::string& line) {
  auto may_hide = [](unsigned char c) { return c >= 0x7f; };  // JSON has escaped the others
  if (std::ranges::none_of(line, may_hide)) return;
  std::string out;
  for (std::string_view rest = line; !rest.empty();) {
    const utf8::Rune r = utf8::decode(rest);
    if (may_hide(static_cast<unsigned char>(rest[0])) && is_hidden(r.value))
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<uint32_t>(r.value));
    else
      out += rest.substr(0, r.size);
    rest.remove_prefix(r.size);
  }
  line = std::move(out);
}

Log::Log(LogFormat format, LogLevel level)
    : format_(format),
      level_(level),
      writer_([](uint64_t) {},
              [this](uint64_t lines) {
                line(LogLevel::Warning, "lines of the log were lost",
                     {{"count", static_cast<int64_t>(lines)}});
              }) {
  writer_.use(STDERR_FILENO, false);
}

void Log::line(LogLevel level, std::string_view message, std::span<const LogField> fields) {
  if (level < level_) return;
  std::string out, room;
  message = shortened(message, room);
  std::string_view name = kLevels[static_cast<size_t>(level)];
  std::string time = time_text(std::chrono::system_clock::now());
  if (format_ == LogFormat::Json) {
    JsonWriter w(out);
    w.begin_object();
    w.member("ts", time);
    w.member("level", name);
    w.member("msg", message);
    for (const LogField& f : fields) {
      if (const auto* text = std::get_if<std::string_view>(&f.value))
        w.member(f.name, shortened(*text, room));
      if (const auto* number = std::get_if<int64_t>(&f.value)) w.member(f.name, *number);
      if (const auto* truth = std::get_if<bool>(&f.value)) w.member(f.name, *truth);
    }
    w.end_object();
  } else {
    out = time + " " + std::string(name) + " " + quote_json(message);
    for (const LogField& f : fields) {
      out.append(" ").append(f.name).append("=");
      if (const auto* given = std::get_if<std::string_view>(&f.value)) {
        const std::string_view text = shortened(*given, room);
        out += is_plain(text) ? std::string(text) : quote_json(text);
      }
      if (const auto* number = std::get_if<int64_t>(&f.value)) out += std::to_string(*number);
      if (const auto* truth = std::get_if<bool>(&f.value)) out += *truth ? "true" : "false";
    }
  }
  escape_hidden(out);
  out += '\n';
  writer_.write(out);
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

AuditLog::AuditLog(std::string path, Log& log, Metrics& metrics) : path_(std::move(path)) {
  if (!wanted()) return;
  writer_ = std::make_unique<LineWriter>([&metrics](uint64_t lines) { metrics.audit_lost(lines); },
                                         [&log](uint64_t lines) {
                                           log.line(LogLevel::Warning, "lines of the audit log were lost",
                                                    {{"count", static_cast<int64_t>(lines)}});
                                         });
}

bool AuditLog::open(std::string& error) {
  if (!wanted()) return true;
  const bool output = path_ == "-";
  const int file = output ? STDOUT_FILENO : open_lines(path_);
  if (file < 0) return error = std::strerror(errno), false;
  writer_->use(file, !output);
  return true;
}

}  // namespace portcullis::server
