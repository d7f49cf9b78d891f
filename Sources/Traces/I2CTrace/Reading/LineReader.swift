/// Splits chunks of bytes into lines.
package struct LineReader {
  private let source: () throws -> [UInt8]?
  private var bytes: [UInt8] = []
  private var start = 0
  private var end = 0
  private var after = 0
  /// Whether the line ended with a line feed.
  package private(set) var isTerminated = false
  private var number = 0
  private var dropped = 0

  /// Creates a reader of what a source gives, chunk by chunk, until it gives `nil`.
  package init(_ source: @escaping () throws -> [UInt8]?) { self.source = source }

  /// The line, without its end.
  package var line: ArraySlice<UInt8> { bytes[start..<end] }

  /// The number of bytes before the line in the whole input.
  var offset: Int { dropped + start }

  /// Moves to the next line; whether there is one.
  package mutating func next() throws -> Bool {
    start = after
    var search = start
    number += 1
    while true {
      if let feed = bytes[search...].firstIndex(of: 10) {
        end = feed > start && bytes[feed - 1] == 13 ? feed - 1 : feed
        after = feed + 1
        isTerminated = true
        return true
      }
      guard bytes.count - start <= TraceReader.longestLine else {
        throw TraceError(
          line: number, "the line is longer than \(TraceReader.longestLine) bytes")
      }
      // What has been read is dropped before more is fetched.
      bytes.removeFirst(start)
      dropped += start
      search = bytes.count
      start = 0
      guard let chunk = try source() else { break }
      bytes += chunk
    }
    end = bytes.count
    after = end
    isTerminated = false
    return end > start
  }
}
