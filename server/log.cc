// See log.h.
#include "server/log.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "interpreter/values/json.h"
#include "server/metrics.h"

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
