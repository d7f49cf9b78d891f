public import I2C

/// How an adapter that users really meet behaves: what it can do, its limits, and the errno that it gives.
public struct Personality: Sendable {
  /// Its name in a rig.
  public let name: String
  /// What it is.
  public let summary: String
  /// What `I2C_FUNCS` answers.
  public let functionality: I2CFunctionality
  /// Its limits.
  public let quirks: I2CQuirks
  /// Its errno for each failure.
  public let errnoPolicy: ErrnoPolicy
  /// The longest clock stretch that it bears, in nanoseconds.
  public let stretchLimit: UInt64
  /// Where this is from.
  public let source: String

  init(
    _ name: String, _ summary: String, functionality: I2CFunctionality = .standard,
    quirks: I2CQuirks = .none, errnoPolicy: ErrnoPolicy, stretchLimit: UInt64 = 1_000_000_000,
    source: String
  ) {
    self.name = name
    self.summary = summary
    self.functionality = functionality
    self.quirks = quirks
    self.errnoPolicy = errnoPolicy
    self.stretchLimit = stretchLimit
    self.source = source
  }

  /// Other names of a personality, for boards that have the same adapter.
  public static let aliases: [String: String] = [
    "raspberry-pi-zero": "raspberry-pi", "raspberry-pi-2": "raspberry-pi",
    "raspberry-pi-3": "raspberry-pi", "raspberry-pi-4": "raspberry-pi",
  ]

  /// The personality of a name, or `nil`.
  public init?(named name: String) {
    let name = Personality.aliases[name] ?? name
    guard let found = Personality.all.first(where: { $0.name == name }) else { return nil }
    self = found
  }
}
