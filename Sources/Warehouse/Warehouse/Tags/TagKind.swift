/// A kind of tag: how it is recognised, and what its services mean.
public struct TagKind: Sendable {
  /// What rigs and records call it.
  public let name: String
  /// What stands in its model number (2A24).
  public let modelNumber: String
  /// Who makes it.
  public let maker: String
  /// What its scan response calls it.
  public let advertisedName: String
  /// The service of temperature and humidity.
  public let humidity: TagChannel
  /// The service of pressure; `nil` where its bytes cannot be read without more.
  public let pressure: TagChannel?
  /// Services that only this kind has: how it is told apart where nobody reads the model number.
  public let ownServices: [UInt16]

  /// The channels, in the order of their services.
  public var channels: [TagChannel] { [humidity] + (pressure.map { [$0] } ?? []) }

  /// The channel whose data stand in a characteristic.
  public func channel(data: UInt16) -> TagChannel? { channels.first { $0.data == data } }
}
