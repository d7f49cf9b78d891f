import Warehouse

/// What the published code would have heard of a run, and copied: one tag until its first loss of connection, and as many words as
/// there are bytes.
struct PublishedCode {
  private var listening = ArticleListening()
  /// The addresses of the tags that it would have heard: one, or none.
  private(set) var tags: Set<String> = []
  /// How many readings it would have heard, and when the last, in nanoseconds since the start.
  private(set) var readings = 0
  private(set) var last: Int64?
  /// The longest value that it would have copied in bytes, and how many bytes it would have taken for it.
  private(set) var value = 0, copied = 0
  /// How many bytes in all it would have taken from behind the values.
  private(set) var beyond = 0

  mutating func take(_ reading: TagReading, at time: Int64) {
    // It asks for humidity alone.
    guard ArticleDecoding.reading(reading) != nil, listening.hears(reading.tag) else { return }
    tags.insert(reading.tag)
    readings += 1
    last = time
    let taken = 2 * ArticleDecoding.words(reading.raw, behind: []).count
    beyond += taken - reading.raw.count
    if reading.raw.count > value { (value, copied) = (reading.raw.count, taken) }
  }

  mutating func loses(_ tag: String) { listening.loses(tag) }
}
