/// What is wrong with a reading of a tag: flags, none of which is set in a good one.
///
/// The sources of the rules are the tag's own documents (a sensor that is off leaves zeros) and common practice for the
/// rest: a relative humidity above 100 %, and a change faster than the air of a store can change.
public struct TagQuality: OptionSet, Hashable, Sendable {
  /// The flags as bits.
  public let rawValue: UInt8

  /// Creates one of its parts.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// All bytes are zero: the sensor is switched off, or has not measured yet.
  public static let off = TagQuality(rawValue: 1 << 0)
  /// All bits are set: nobody answered the tag on its own bus.
  public static let silent = TagQuality(rawValue: 1 << 1)
  /// The value has another length than the document says, such as the raw bytes of early firmware.
  public static let length = TagQuality(rawValue: 1 << 2)
  /// A value that the air cannot have, such as a relative humidity above 100 % or below 0 %.
  public static let range = TagQuality(rawValue: 1 << 3)
  /// It changed faster since the last good reading than the policy allows.
  public static let rate = TagQuality(rawValue: 1 << 4)

  /// Each flag with its name in records.
  static let names: [(flag: TagQuality, name: String)] = [
    (.off, "off"), (.silent, "silent"), (.length, "length"), (.range, "range"), (.rate, "rate"),
  ]

  /// The names of the flags that are set, in a fixed order; none of a good reading.
  public var names: [String] { Self.names.filter { contains($0.flag) }.map(\.name) }

  /// The flags of some names; `nil` where one of them is none.
  public init?(names: [String]) {
    self = []
    for name in names {
      guard let known = Self.names.first(where: { $0.name == name }) else { return nil }
      insert(known.flag)
    }
  }
}
