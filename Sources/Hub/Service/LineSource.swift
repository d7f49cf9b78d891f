import Foundation
package import HubCore

/// Readings that come as lines of JSON, as ``NotificationLine`` reads them.
package struct LineSource: NotificationSource {
  private let handle: Int32
  private let tell: @Sendable (String) -> Void

  /// Creates it.
  ///
  /// - Parameters:
  ///   - handle: what is read, such as standard input.
  ///   - tell: is told of lines that are none.
  package init(handle: Int32, tell: @escaping @Sendable (String) -> Void) {
    (self.handle, self.tell) = (handle, tell)
  }

  /// Takes lines until they end; a line that is none is told and passed over.
  package func run(_ take: @escaping @Sendable ([HeardReading]) -> Void) async throws {
    let (handle, tell) = (handle, tell)
    // A thread of its own waits for lines, so that no other work waits with it.
    let (stream, ended) = AsyncStream.makeStream(of: Void.self)
    let thread = Thread {
      var reader = LineReader(handle: handle)
      var number = 0
      while let lines = reader.next() {
        let boot = MachineClocks.system.boot()
        var readings: [HeardReading] = []
        for line in lines {
          number += 1
          do throws(NotificationLineError) {
            readings.append(try NotificationLine.read(line, boot: boot))
          } catch {
            tell("line \(number) is no notification: \(error)")
          }
        }
        take(readings)
      }
      ended.finish()
    }
    thread.start()
    for await _ in stream {}
    try Task.checkCancellation()
  }
}

/// Reads what there is, line by line.
struct LineReader {
  let handle: Int32
  private var rest: [UInt8] = []

  init(handle: Int32) { self.handle = handle }

  /// The lines that have come; `nil` at the end.
  mutating func next() -> [[UInt8]]? {
    var buffer = [UInt8](repeating: 0, count: 65536)
    var count = 0
    repeat { count = read(handle, &buffer, buffer.count) } while count < 0 && errno == EINTR
    guard count > 0 else { return nil }
    rest += buffer[..<count]
    var lines: [[UInt8]] = []
    var start = 0
    while let end = rest[start...].firstIndex(of: 10) {
      if end > start { lines.append(Array(rest[start..<end])) }
      start = end + 1
    }
    rest.removeFirst(start)
    // A line without an end is no line.
    if rest.count > 1 << 20 { rest = [] }
    return lines
  }
}
