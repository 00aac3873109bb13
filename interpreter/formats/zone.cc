#include "interpreter/formats/zone.h"

#include <absl/time/time.h>
#include <sys/stat.h>

#include <array>
#include <cstdio>
#include <string>

#include "interpreter/formats/number.h"

namespace portcullis {
namespace {

constexpr std::string_view kDatabase = "/usr/share/zoneinfo/";
constexpr size_t kKept = 64;  // zones that a thread keeps; zones with the same slot replace each other
// PATH_MAX minus the longest folder that Go searches, /usr/share/lib/zoneinfo/: the kernel accepts no longer
// path.
constexpr size_t kLongestName = 4095 - 24;

enum class Lookup { Found, Unknown, Directory, NotDirectory, Invalid, TooLong, Malformed };

// Go's error words for opening and reading the file.
std::string_view reason(Lookup l) {
  switch (l) {
    case Lookup::Directory: return "is a directory";
    case Lookup::NotDirectory: return "not a directory";
    case Lookup::Invalid: return "invalid argument";
    case Lookup::TooLong: return "file name too long";
    default: return "malformed time zone information";
  }
}

// Checks whether `path` is a file in the format of the tz database.
Lookup probe(const std::string& path) {
  struct stat st;
  if (::stat(path.c_str(), &st) != 0) {
    return errno == ENOTDIR        ? Lookup::NotDirectory
           : errno == ENAMETOOLONG ? Lookup::TooLong
                                   : Lookup::Unknown;
  }
  if (S_ISDIR(st.st_mode)) return Lookup::Directory;
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return Lookup::Unknown;
  char magic[4] = {};
  size_t n = std::fread(magic, 1, sizeof magic, file);
  std::fclose(file);
  return n == sizeof magic && std::string_view(magic, 4) == "TZif" ? Lookup::Found : Lookup::Malformed;
}

struct Zone {
  std::string name;
  absl::TimeZone zone;
};

Lookup load(std::string_view name, Zone& slot) {
  if (name.find('\0') != name.npos) return Lookup::Invalid;
  if (name.size() > kLongestName) return Lookup::TooLong;
  std::string path(kDatabase);
  path += name;
  Lookup found = probe(path);
  if (found != Lookup::Found) return found;
  // By path, because absl gives "localtime" and TZDIR a meaning of their own.
  absl::TimeZone zone;
  if (!absl::LoadTimeZone(path, &zone)) return Lookup::Malformed;
  slot = {std::string(name), zone};
  return Lookup::Found;
}

bool named_offset(std::string_view name, int64_t seconds, int64_t& offset, TextBuilder& failure) {
  offset = 0;
  if (name.empty() || name == "UTC" || name == "Local") return true;
  if (name.find("..") != name.npos || name[0] == '/' || name[0] == '\\') {
    failure.append("time: invalid location name");
    return false;
  }
  thread_local std::array<Zone, kKept> kept;
  Zone& slot = kept[std::hash<std::string_view>()(name) % kKept];
  if (slot.name != name) {
    Lookup l = load(name, slot);
    if (l == Lookup::Unknown) {
      failure.append("unknown time zone ");
      failure.append(name);
    } else if (l != Lookup::Found) {
      failure.append(reason(l));
    }
    if (l != Lookup::Found) return false;
  }
  offset = slot.zone.At(absl::FromUnixSeconds(seconds)).offset;
  return true;
}

bool take_int(std::string_view text, int64_t& value, TextBuilder& failure) {
  ReadValue<int64_t> n = read_int(text);
  value = n.value;
  if (!n) append_atoi_error(failure, text, n.status);
  return static_cast<bool>(n);
}

}  // namespace

bool zone_offset(std::string_view zone, int64_t seconds, int64_t& offset, TextBuilder& failure) {
  size_t colon = zone.find(':');
  if (colon == zone.npos) return named_offset(zone, seconds, offset, failure);
  int64_t hours, minutes;
  if (!take_int(zone.substr(0, colon), hours, failure) ||
      !take_int(zone.substr(colon + 1), minutes, failure)) {
    return false;
  }
  // Go's arithmetic overflows by wrapping around; unsigned does the same here.
  uint64_t h = static_cast<uint64_t>(hours) * 60, m = static_cast<uint64_t>(minutes);
  int64_t total = static_cast<int64_t>(zone[0] == '-' ? h - m : h + m);
  constexpr uint64_t kMinute = 60'000'000'000;
  double seconds_east = [&] {
    int64_t nanos = static_cast<int64_t>(static_cast<uint64_t>(total) * kMinute);
    return static_cast<double>(nanos / 1'000'000'000) + static_cast<double>(nanos % 1'000'000'000) / 1e9;
  }();
  offset = static_cast<int64_t>(seconds_east);
  return true;
}

}  // namespace portcullis
