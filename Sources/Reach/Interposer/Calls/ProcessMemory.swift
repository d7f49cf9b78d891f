import CInterposer
import I2C

/// The memory of a client, for the time of one call.
final class ProcessMemory: I2CCallerMemory {
  private let listener: Listener
  private let call: Call

  init(of call: Call, _ listener: Listener) {
    self.call = call
    self.listener = listener
  }

  /// Whether the call still waits: the thread could have been killed, and its number be another's.
  var isWaiting: Bool { listener.waits(call.id) }

  func read(
    _ address: UInt64, count: Int, into bytes: inout MutableSpan<UInt8>, at offset: Int
  ) -> Bool {
    guard count > 0 else { return true }
    precondition(offset + count <= bytes.count, "the buffer is too short")
    let done = bytes.withUnsafeMutableBytes {
      interposer_read(call.thread, address, $0.baseAddress?.advanced(by: offset), count)
    }
    return done == count
  }

  func write(_ bytes: Span<UInt8>, to address: UInt64) -> Bool {
    guard bytes.count > 0 else { return true }
    let count = bytes.count
    let done = bytes.withUnsafeBytes {
      interposer_write(call.thread, address, $0.baseAddress, count)
    }
    return done == count
  }

  /// Writes bytes to an address; whether all of them could be written.
  func write(_ bytes: [UInt8], to address: UInt64) -> Bool { write(bytes.span, to: address) }

  /// Reads some bytes, or `nil` where they cannot be read.
  func bytes(_ address: UInt64, count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var span = bytes.mutableSpan
    return read(address, count: count, into: &span, at: 0) ? bytes : nil
  }

  /// Reads a 64-bit word.
  func word(_ address: UInt64) -> UInt64? {
    bytes(address, count: 8)?.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Reads the text of a path up to its end, or `nil` where it cannot be read.
  func path(_ address: UInt64) -> [UInt8]? {
    let page: UInt64 = 4096
    var text: [UInt8] = []
    while text.count < 4096 {
      let start = address &+ UInt64(text.count)
      // A path may end just before a page that is not there.
      let count = Int(min(page - start % page, UInt64(text.isEmpty ? 256 : 4096)))
      let old = text.count
      text += repeatElement(0, count: count)
      var span = text.mutableSpan
      guard read(start, count: count, into: &span, at: old) else { return nil }
      if let end = text[old...].firstIndex(of: 0) { return Array(text[..<end]) }
    }
    return nil
  }
}
