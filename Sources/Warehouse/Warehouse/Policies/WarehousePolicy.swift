public import Quantities

/// What a hub knows of its warehouse: zones with their limits, tags, and who is told.
public struct WarehousePolicy: Hashable, Sendable {
  /// A part of the warehouse in which the same limits hold.
  public struct Zone: Hashable, Sendable {
    /// What it is called.
    public var name: String
    /// The limits of the air; each cause and level at most once.
    public var rules: [AlarmRule]
    /// The rule of storage that is judged over the whole time; `nil` for none.
    public var storage: StorageRule?

    /// Creates one of its parts.
    public init(_ name: String, rules: [AlarmRule], storage: StorageRule? = nil) {
      (self.name, self.rules, self.storage) = (name, rules, storage)
    }
  }

  /// A tag that the hub expects to hear.
  public struct ExpectedTag: Hashable, Sendable {
    /// Its address, `A4:DA:32:00:00:01`.
    public var address: String
    /// What people call it.
    public var name: String
    /// The name of the zone in which it is.
    public var zone: String
    /// After how many nanoseconds it is to be heard again at the latest: its period, or the hub's round where it rotates.
    public var period: Int64

    /// Creates one of its parts.
    public init(_ address: String, name: String, zone: String, period: Int64) {
      (self.address, self.name, self.zone, self.period) = (address, name, zone, period)
    }
  }

  /// The name of the hub in its records.
  public var hub: String
  /// The zones.
  public var zones: [Zone]
  /// The tags that are expected.
  public var tags: [ExpectedTag]
  /// Who is told.
  public var duty: DutyList
  /// After how many periods without data a tag counts as lost: 3 or more.
  public var missingPeriods = 3.0
  /// How long readings must be unbelievable before that becomes an alarm, in nanoseconds.
  public var faultDelay: Int64 = 0
  /// Below how many percent a battery is told; it is well again 5 percent above.
  public var batteryLimit = 10.0
  /// The longest time for which a zone may be silenced, or an acknowledgement holds, in nanoseconds.
  public var longestSilence: Int64 = 8 * 3_600_000_000_000
  /// By how much a quantity may change in a minute, in °C, % and Pa.
  public var fastest = PerQuantity<Double>(temperature: 20, pressure: 2000, humidity: 60)

  /// Creates one of its parts.
  public init(hub: String, zones: [Zone], tags: [ExpectedTag], duty: DutyList) {
    (self.hub, self.zones, self.tags, self.duty) = (hub, zones, tags, duty)
  }
}
