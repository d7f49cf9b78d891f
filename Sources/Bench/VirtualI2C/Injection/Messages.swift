import I2C

/// The messages of a transfer, and where the bytes of each lie among those written or read.
struct Messages {
  let segments: [I2CSegment]
  let offsets: [Int]

  /// Lays out the messages; `nil` where they are malformed.
  init?(_ segments: Span<I2CSegment>, _ writing: Int, _ reading: Int) {
    var (all, offsets): ([I2CSegment], [Int]) = ([], [])
    var (written, received) = (0, 0)
    for index in segments.indices {
      let segment = segments[index]
      guard segment.count >= 0 else { return nil }
      all.append(segment)
      switch segment.direction {
      case .write:
        offsets.append(written)
        written += segment.count
      case .read:
        offsets.append(received)
        received += segment.count
      }
    }
    guard !all.isEmpty, written <= writing, received <= reading else { return nil }
    (self.segments, self.offsets) = (all, offsets)
  }

  /// Where the bytes of a message lie.
  private func bytes(of index: Int) -> Range<Int> {
    offsets[index]..<offsets[index] + segments[index].count
  }

  /// Some messages as a transfer of their own, with the first bytes of the one after them.
  ///
  /// - Returns: the messages, what they write, and where what they read belongs.
  func part(
    _ range: Range<Int>, upTo count: Int, _ writing: Span<UInt8>
  ) -> (segments: [I2CSegment], writing: [UInt8], reading: [Int]) {
    var (chosen, written, read): ([I2CSegment], [UInt8], [Int]) = ([], [], [])
    for index in range {
      chosen.append(segments[index])
      switch segments[index].direction {
      case .write: for offset in bytes(of: index) { written.append(writing[offset]) }
      case .read: read += bytes(of: index)
      }
    }
    if count > 0 {
      var cut = segments[range.upperBound]
      cut.count = count
      chosen.append(cut)
      for offset in bytes(of: range.upperBound).prefix(count) { written.append(writing[offset]) }
    }
    return (chosen, written, read)
  }

  /// Lets all bytes that a message reads be alike.
  func fill(_ index: Int, with value: UInt8, _ reading: inout MutableSpan<UInt8>) {
    guard segments[index].direction == .read else { return }
    for offset in bytes(of: index) { reading[offset] = value }
  }

  /// Spoils what a message has read, as far as an effect does.
  func spoil(_ index: Int, by effect: WireEffect, _ reading: inout MutableSpan<UInt8>) {
    guard segments[index].direction == .read else { return }
    for (byte, offset) in bytes(of: index).enumerated() {
      reading[offset] = effect.spoilt(reading[offset], at: byte)
    }
  }
}
