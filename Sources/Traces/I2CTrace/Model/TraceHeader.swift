public import I2C

/// What the first line of a trace says.
public struct TraceHeader: Hashable, Sendable {
  /// One bus of a trace.
  public struct Bus: Hashable, Sendable {
    /// N in /dev/i2c-N.
    public var number: Int
    /// The bus frequency in Hz; 0 where nobody knows.
    public var frequency: UInt64
    /// What its adapter could do.
    public var functionality: I2CFunctionality
    /// The limits of its adapter.
    public var quirks: I2CQuirks

    /// Creates a bus.
    public init(
      number: Int, frequency: UInt64 = 0, functionality: I2CFunctionality = .standard,
      quirks: I2CQuirks = .none
    ) {
      self.number = number
      self.frequency = frequency
      self.functionality = functionality
      self.quirks = quirks
    }
  }

  /// What made the trace.
  public var generator: String
  /// Whose time it has: `virtual`, `real`, or ``noClock``.
  public var clock: String
  /// The seed of the run, if it had one.
  public var seed: UInt64?
  /// The moment of time 0 in UTC (`2013-01-01T06:00:00Z`), if it is known.
  public var start: String?
  /// The SHA-256 of the rig file in hexadecimal, if it was one.
  public var rigDigest: String?
  /// The buses.
  public var buses: [Bus]
  /// Where it comes from, what was captured and what derived.
  public var note: String?

  /// The clock of a trace whose times nobody recorded: they only keep the order.
  public static let noClock = "none"

  /// Whether the times are those at which things happened.
  public var hasTimes: Bool { clock != Self.noClock }

  /// The version of the format.
  public static let version = 1

  /// Creates a header.
  public init(
    generator: String, clock: String, seed: UInt64? = nil, start: String? = nil,
    rigDigest: String? = nil, buses: [Bus], note: String? = nil
  ) {
    self.generator = generator
    self.clock = clock
    self.seed = seed
    self.start = start
    self.rigDigest = rigDigest
    self.buses = buses
    self.note = note
  }
}
