#include "duel/server/paced_stream.h"

#include <algorithm>
#include <utility>

namespace duel {

bool is_too_slow(const ReadingPace& pace, std::size_t taken, std::chrono::nanoseconds waited) {
  if (waited <= pace.patience) return false;
  const std::chrono::duration<double> seconds = waited - pace.patience;
  return static_cast<double>(taken) < seconds.count() * static_cast<double>(pace.bytes_per_second);
}

bool PacedStream::write(std::string_view text) {
  constexpr std::size_t kPiece = 65'536;
  while (!text.empty()) {
    const std::size_t part = std::min(text.size(), kPiece - held_.size());
    held_ += text.substr(0, part);
    text.remove_prefix(part);
    if (held_.size() == kPiece && !flush()) return false;
  }
  return !stream_->closed();
}

void PacedStream::finish() {
  if (flush()) stream_->finish();
}

bool PacedStream::flush() {
  while (stream_->buffered() > stream_->capacity() / 2 && !stream_->closed()) {
    const std::size_t buffered = stream_->buffered();
    if (is_too_slow(pace_, sent_ - std::min(sent_, buffered), waited_)) return false;
    const auto begun = world_.now();
    world_.pause(std::chrono::milliseconds(1));
    waited_ += world_.now() - begun;
  }
  sent_ += held_.size();
  return stream_->write(std::exchange(held_, {}));
}

}  // namespace duel
