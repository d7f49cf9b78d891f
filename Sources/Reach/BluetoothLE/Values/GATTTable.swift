/// A GATT service with its characteristics.
public struct GATTService: Hashable, Sendable {
  /// The UUID of the service.
  public var uuid: BLEUUID
  /// The handle of the service's declaration; 0 before the table is served.
  public var handle: UInt16
  /// The characteristics of the service.
  public var characteristics: [GATTCharacteristic]

  /// Creates a service.
  public init(_ uuid: BLEUUID, handle: UInt16 = 0, _ characteristics: [GATTCharacteristic]) {
    self.uuid = uuid
    self.handle = handle
    self.characteristics = characteristics
  }
}

/// A GATT characteristic.
public struct GATTCharacteristic: Hashable, Sendable {
  /// The properties of a characteristic (Core Specification, Vol 3, Part G, 3.3.1.1).
  public struct Properties: OptionSet, Hashable, Sendable {
    /// The properties byte of the declaration.
    public let rawValue: UInt8

    /// Creates a set from the properties byte.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Read.
    public static let read = Properties(rawValue: 0x02)
    /// Write without response.
    public static let writeWithoutResponse = Properties(rawValue: 0x04)
    /// Write with response.
    public static let write = Properties(rawValue: 0x08)
    /// Notify: sent without confirmation.
    public static let notify = Properties(rawValue: 0x10)
    /// Indicate: confirmed by the client.
    public static let indicate = Properties(rawValue: 0x20)
  }

  /// The UUID of the characteristic.
  public var uuid: BLEUUID
  /// The permitted operations.
  public var properties: Properties
  /// A constant value; if `nil`, each read is passed as a request to the program that uses the server.
  public var value: [UInt8]?
  /// The user description, served as descriptor 2901; `nil` for none.
  public var name: String?
  /// The handle of the characteristic's value; 0 before the table is served.
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

  /// `true` if clients can subscribe; it then has a client characteristic configuration descriptor (2902).
  public var canBeSubscribed: Bool { !properties.isDisjoint(with: [.notify, .indicate]) }
}

/// The subscription of a client: the value of the client characteristic configuration descriptor.
public enum BLESubscription: UInt16, Hashable, Sendable, CaseIterable {
  /// Not subscribed.
  case off = 0
  /// Subscribed to notifications.
  case notifications = 1
  /// Subscribed to indications, which the client confirms.
  case indications = 2
}

extension [GATTService] {
  /// Returns the first characteristic that has a UUID and belongs to a service with the UUID `service`, or to any
  /// service if `service` is `nil`.
  public func characteristic(
    _ uuid: BLEUUID, of service: BLEUUID? = nil
  ) -> GATTCharacteristic? {
    lazy.filter { service == nil || $0.uuid == service }.flatMap(\.characteristics)
      .first { $0.uuid == uuid }
  }
}
