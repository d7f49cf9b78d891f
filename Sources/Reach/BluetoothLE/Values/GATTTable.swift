/// A service of a device: what it is, and its characteristics.
public struct GATTService: Hashable, Sendable {
  /// What it is.
  public var uuid: BLEUUID
  /// Where it begins in the table of a server; 0 in a table that is not served yet.
  public var handle: UInt16
  /// What it holds.
  public var characteristics: [GATTCharacteristic]

  /// Creates a service.
  public init(_ uuid: BLEUUID, handle: UInt16 = 0, _ characteristics: [GATTCharacteristic]) {
    self.uuid = uuid
    self.handle = handle
    self.characteristics = characteristics
  }
}

/// A value of a service.
public struct GATTCharacteristic: Hashable, Sendable {
  /// What may be done with a value, as its declaration says it (Core Specification, Vol 3, Part G, 3.3.1.1).
  public struct Properties: OptionSet, Hashable, Sendable {
    /// The byte of the declaration.
    public let rawValue: UInt8

    /// Creates a set of its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It can be read.
    public static let read = Properties(rawValue: 0x02)
    /// It can be written without an answer.
    public static let writeWithoutResponse = Properties(rawValue: 0x04)
    /// It can be written.
    public static let write = Properties(rawValue: 0x08)
    /// It tells of itself without waiting for an answer.
    public static let notify = Properties(rawValue: 0x10)
    /// It tells of itself and waits for an answer.
    public static let indicate = Properties(rawValue: 0x20)
  }

  /// What it is.
  public var uuid: BLEUUID
  /// What may be done with it.
  public var properties: Properties
  /// A value that never changes; where it is `nil` whoever serves the table is asked.
  public var value: [UInt8]?
  /// What it is in words, in a descriptor of its own (2901); none where it is `nil`.
  public var name: String?
  /// Where its value lies in the table of a server; 0 in a table that is not served yet.
  public var handle: UInt16

  /// Creates a characteristic.
  public init(
    _ uuid: BLEUUID, _ properties: Properties, value: [UInt8]? = nil, name: String? = nil,
    handle: UInt16 = 0
  ) {
    self.uuid = uuid
    self.properties = properties
    self.value = value
    self.name = name
    self.handle = handle
  }

  /// Whether a client can ask to be told of it: it then has a configuration descriptor (2902).
  public var canBeSubscribed: Bool { !properties.isDisjoint(with: [.notify, .indicate]) }
}

/// Whether a client is told of changes, the value of a configuration descriptor.
public enum BLESubscription: UInt16, Hashable, Sendable, CaseIterable {
  /// It is not.
  case off = 0
  /// It is, without answering.
  case notifications = 1
  /// It is, and answers each.
  case indications = 2
}

extension [GATTService] {
  /// The first characteristic with an identifier, in the first service with another or in any.
  public func characteristic(
    _ uuid: BLEUUID, of service: BLEUUID? = nil
  ) -> GATTCharacteristic? {
    lazy.filter { service == nil || $0.uuid == service }.flatMap(\.characteristics)
      .first { $0.uuid == uuid }
  }
}
