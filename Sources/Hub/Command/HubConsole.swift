import Glibc

/// Standard output and standard error: data, and messages of the program itself.
enum HubConsole {
  /// Says why nothing can be done, and ends the program.
  static func fail(_ message: String, _ status: Int32) -> Never {
    say(message)
    exit(status)
  }

  /// Says something on standard error.
  static let say: @Sendable (String) -> Void = { message in
    let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
    let text = Array(lines.map { "aneroid: \($0)\n" }.joined().utf8)
    _ = Glibc.write(2, text, text.count)
  }

  /// Writes a text to standard output, all of it.
  static let put: @Sendable (String) -> Void = { _ = write(Array($0.utf8)) }

  /// Writes bytes to standard output, all of them.
  ///
  /// - Returns: whether they could be written; `errno` says why not.
  static func write(_ bytes: [UInt8]) -> Bool {
    var start = 0
    while start < bytes.count {
      let count = bytes[start...].withUnsafeBytes { Glibc.write(1, $0.baseAddress, $0.count) }
      if count < 0 && errno != EINTR { return false }
      start += max(0, count)
    }
    return true
  }
}
