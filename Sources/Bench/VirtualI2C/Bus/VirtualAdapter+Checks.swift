import I2C

extension VirtualAdapter {
  /// Refuses, before anything reaches the wire, what is malformed or beyond the adapter.
  func check(_ segments: Span<I2CSegment>, writing: Int, reading: Int) throws(I2CError) {
    guard !segments.isEmpty else { throw refusal(.invalid, message: 0) }
    var (toWrite, toRead) = (0, 0)
    for index in segments.indices {
      let segment = segments[index]
      guard segment.count >= 0 else { throw refusal(.invalid, message: index) }
      switch segment.direction {
      case .write: toWrite += segment.count
      case .read: toRead += segment.count
      }
      try checkAddress(of: segment, message: index)
    }
    guard toWrite <= writing, toRead <= reading else { throw refusal(.invalid, message: 0) }
    if let message = quirks.violation(in: segments) {
      throw refusal(.unsupported, message: message)
    }
  }

  private func checkAddress(of segment: I2CSegment, message: Int) throws(I2CError) {
    if segment.flags.contains(.tenBit) {
      guard functionality.contains(.tenBitAddresses) else {
        throw refusal(.unsupported, message: message)
      }
    } else if !segment.address.isSevenBit {
      throw refusal(.invalid, message: message)
    }
    guard segment.flags.isSubset(of: .tenBit) else {
      throw refusal(.unsupported, message: message)
    }
  }

  private func refusal(_ kind: I2CError.Kind, message: Int) -> I2CError {
    I2CError(kind, message: message, errno: errnoPolicy.errno(for: kind))
  }
}
