/// How a board shows itself over Bluetooth LE: the name by which it is found, and its services.
public struct BoardProfile: Hashable, Sendable {
  /// A service.
  public struct Service: Hashable, Sendable {
    /// Its 16-bit UUID.
    public let uuid: UInt16
    /// What it holds.
    public let characteristics: [Characteristic]
  }

  /// A value of a service.
  public struct Characteristic: Hashable, Sendable {
    /// Its 16-bit UUID.
    public let uuid: UInt16
    /// What may be done with it: 2 read, 8 written.
    public let properties: UInt8
  }

  /// The name in its scan response.
  public let name: String
  /// Its services; the first is the one that it advertises.
  public let services: [Service]

  /// Creates a profile of services and what may be done with each of their values.
  init(_ name: String, _ services: [(UInt16, [(UInt16, UInt8)])]) {
    self.name = name
    self.services = services.map { uuid, held in
      Service(uuid: uuid, characteristics: held.map { Characteristic(uuid: $0, properties: $1) })
    }
  }
}
