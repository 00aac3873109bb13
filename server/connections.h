// The open connections of the webhook, and the memory of the bodies that they read and send.
//
// Idea: connections are kept in the order in which they began to wait for their client. So if there are too many, the
// one whose client has been silent for longest makes room, and those that have a request are never closed. Those
// without a handshake make room first, if they are more than a few: anybody can open them. Every
// connection has one deadline, which a sweep looks at several times a second: that is cheaper than a timer for each
// step of each request. Thread-safe; a connection is asked to close, and does so in its own strand, which may take long
// if all workers are busy: it is not asked again meanwhile, and more than twice as many connections are not accepted.
// Tested by tests/server/lifecycle.py.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <list>
#include <mutex>
#include <optional>

namespace portcullis::server {

class Connection {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Why { Room, Shutdown, Late };
  virtual ~Connection() = default;
  // Asks it to end, unless it has not looked yet at what it was asked before. Called by any thread, under the lock of
  // Connections.
  void request_close(Why why) {
    if (!asked_[static_cast<size_t>(why)].exchange(true)) post_close(why);
  }

  // When the present step must be over.
  void set_deadline(Clock::time_point time) {
    deadline_.store(time.time_since_epoch().count(), std::memory_order_relaxed);
  }
  void set_no_deadline() {
    deadline_.store(Clock::time_point::max().time_since_epoch().count(), std::memory_order_relaxed);
  }
  bool is_late(Clock::time_point now) const {
    return deadline_.load(std::memory_order_relaxed) < now.time_since_epoch().count();
  }

 protected:
  virtual void post_close(Why why) = 0;
  // It looks now.
  void take_request(Why why) { asked_[static_cast<size_t>(why)] = false; }

 private:
  std::atomic<Clock::rep> deadline_ = Clock::time_point::max().time_since_epoch().count();
  std::array<std::atomic<bool>, 3> asked_{};  // by Why
};

class Connections {
 public:
  enum class State {
    Handshake,
    Waits,    // for its client
    Answered  // has a request, which is being answered
  };
  struct Entry {
    Connection* connection;
    State state = State::Handshake;
  };
  using Handle = std::list<Entry>::iterator;

  // The handle of a new connection, which must give it back before it ends. If there would be more than `most`, the one
  // that has waited for longest is closed; nothing if all have a request, or if those that should end do not.
  std::optional<Handle> add(Connection& connection, size_t most) {
    std::lock_guard lock(mutex_);
    if (all() >= most) {
      auto& from = of(State::Handshake).size() > most / 16 || of(State::Waits).empty() ? of(State::Handshake)
                                                                                       : of(State::Waits);
      if (from.empty() || all() >= 2 * most) return std::nullopt;
      from.front().connection->request_close(Connection::Why::Room);  // it leaves its place a moment later
      from.splice(from.end(), from, from.begin());
    }
    auto& fresh = of(State::Handshake);
    return fresh.insert(fresh.end(), Entry{&connection});
  }
  void remove(Handle handle) {
    std::lock_guard lock(mutex_);
    of(handle->state).erase(handle);
  }
  void set(Handle handle, State state) {
    std::lock_guard lock(mutex_);
    auto& from = of(handle->state);
    auto& to = of(state);
    handle->state = state;
    to.splice(to.end(), from, handle);
  }
  void close_waiting(Connection::Why why) {
    std::lock_guard lock(mutex_);
    for (State state : {State::Handshake, State::Waits}) {
      for (Entry& e : of(state)) e.connection->request_close(why);
    }
  }
  // Asks those whose deadline has passed.
  void sweep(Connection::Clock::time_point now) {
    std::lock_guard lock(mutex_);
    for (auto& list : lists_) {
      for (Entry& e : list) {
        if (e.connection->is_late(now)) e.connection->request_close(Connection::Why::Late);
      }
    }
  }
  size_t size() const {
    std::lock_guard lock(mutex_);
    return all();
  }
  // Those with a request that is not answered.
  size_t answered() const {
    std::lock_guard lock(mutex_);
    return lists_[static_cast<size_t>(State::Answered)].size();
  }

 private:
  std::list<Entry>& of(State state) { return lists_[static_cast<size_t>(state)]; }
  size_t all() const { return lists_[0].size() + lists_[1].size() + lists_[2].size(); }

  mutable std::mutex mutex_;
  std::array<std::list<Entry>, 3> lists_;  // by State
};

// Bytes of one body that is being read or sent, taken from a limit that all share. The first ones are free, so that clients who
// send large bodies and do not end leave others room for what most reviews need.
class BodyReservation {
 public:
  BodyReservation(std::atomic<size_t>& all, size_t most) : all_(all), most_(most) {}
  ~BodyReservation() { all_ -= mine_; }
  BodyReservation(const BodyReservation&) = delete;
  BodyReservation& operator=(const BodyReservation&) = delete;
  // Takes what is missing up to `bytes`; false if there is not as much.
  bool grow_to(size_t bytes) {
    if (bytes <= mine_ + kFree) return true;
    size_t more = bytes - kFree - mine_;
    mine_ += more;
    return (all_ += more) <= most_;
  }

 private:
  static constexpr size_t kFree = size_t{32} << 10;

  std::atomic<size_t>& all_;
  const size_t most_;
  size_t mine_ = 0;
};

}  // namespace portcullis::server
