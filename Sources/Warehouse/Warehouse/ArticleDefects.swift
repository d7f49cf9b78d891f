import Quantities

/// The decoding errors in the code of the published system on which this one is based, reproduced
/// to demonstrate their effect.
public enum ArticleDecoding {
  /// Decodes a humidity in the same way as the published code (`TagDefect.wrongPart`,
  /// `TagDefect.unmasked`).
  ///
  /// - Parameter bytes: The value of the humidity characteristic, from either kind of tag.
  /// - Returns: The displayed humidity in %; `nil` if the published code would have crashed.
  public static func humidity(_ bytes: [UInt8]) -> Double? {
    let words = words(bytes, behind: [])
    return words.count > 1 ? -6 + 125 * Double(words[1]) / 65536 : nil
  }

  /// Copies words in the same way as the published code, which reads past the end of the data
  /// (`TagDefect.overlong`).
  ///
  /// - Parameters:
  ///   - bytes: The data.
  ///   - behind: The memory after the data; bytes beyond it are read as zeros.
  /// - Returns: One word for each byte of the data.
  public static func words(_ bytes: [UInt8], behind: [UInt8]) -> [UInt16] {
    let memory = bytes + behind
    return bytes.indices.map { index in
      let low = 2 * index < memory.count ? memory[2 * index] : 0
      let high = 2 * index + 1 < memory.count ? memory[2 * index + 1] : 0
      return UInt16(low) | UInt16(high) << 8
    }
  }

  /// Returns a reading as the published code displays it: with the wrong humidity and without
  /// flags; `nil` if the reading contains no humidity.
  public static func reading(_ reading: TagReading) -> TagReading? {
    guard reading.raw.count == 4, reading.quality != .length, let humidity = humidity(reading.raw)
    else { return nil }
    var shown = reading
    shown.quality = []
    shown.values.humidity = humidity
    return shown
  }
}

/// The connection handling of the published code, which stops its scan at the first tag, keeps this
/// single connection and never reconnects (`TagDefect.singleTag`).
public struct ArticleListening: Sendable {
  /// The address of the first tag that sent a notification.
  private var first: String?
  private var isOver = false

  /// Creates the state before any notification.
  public init() {}

  /// Processes a notification.
  ///
  /// - Parameter tag: The address of the tag.
  /// - Returns: `true` if the published code receives the notification.
  public mutating func hears(_ tag: String) -> Bool {
    if first == nil { first = tag }
    return first == tag && !isOver
  }

  /// Processes the loss of a connection.
  ///
  /// - Parameter tag: The address of the tag.
  public mutating func loses(_ tag: String) {
    if first == tag { isOver = true }
  }
}

/// The difference between the alarms of two evaluations of the same air data, namely false alarms
/// and missed alarms.
public struct AlarmDifference: Hashable, Sendable {
  /// The alarms raised only by the evaluation under test.
  public private(set) var falseAlarms: [ZoneAlarm] = []
  /// The alarms raised only by the reference.
  public private(set) var missed: [ZoneAlarm] = []
  /// The number of alarms raised by both evaluations.
  public private(set) var shared = 0

  /// Compares two evaluations.
  ///
  /// Two alarms match if they have the same key and their breaches overlap in time.
  ///
  /// - Parameters:
  ///   - judged: The alarms of the evaluation under test.
  ///   - right: The alarms of the reference.
  ///   - end: The end of the record in nanoseconds since 1970; alarms that are still active are
  ///     taken to end then.
  public init(of judged: [ZoneAlarm], to right: [ZoneAlarm], end: Int64) {
    let rights = Dictionary(grouping: right, by: \.key)
    let judgeds = Dictionary(grouping: judged, by: \.key)
    func overlaps(_ one: ZoneAlarm, _ other: ZoneAlarm) -> Bool {
      one.began <= other.returned ?? end && other.began <= one.returned ?? end
    }
    falseAlarms = judged.filter { alarm in
      !rights[alarm.key, default: []].contains { overlaps($0, alarm) }
    }
    for alarm in right {
      if judgeds[alarm.key, default: []].contains(where: { overlaps($0, alarm) }) {
        shared += 1
      } else {
        missed.append(alarm)
      }
    }
  }
}
