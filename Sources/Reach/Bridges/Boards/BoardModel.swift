public import I2C

/// A kind of board that connects a program to the sensors on the board's I2C bus.
///
/// All code of a board is in a folder of its own; only the catalogue, `all`, refers to that code.
public struct BoardModel: Hashable, Sendable {
  /// The name of this kind of board in rig files.
  public let name: String
  /// The display name with its indefinite article.
  public let titleWithArticle: String
  /// The maximum read length of the firmware, in bytes.
  public let limit: Int
  /// The maximum read length of the protocol, in bytes.
  public let longestRead: Int
  /// The Bluetooth LE name and services.
  public let profile: BoardProfile
  /// Creates a board of this kind, given the adapter of its I2C bus and its read limit in bytes.
  public let board: @Sendable (any I2CAdapter, Int) -> any BridgeBoard
  /// Creates the adapter of a client, given a link to the board, a clock and the settings.
  public let client: @Sendable (any GATTLink, any I2CClock, BoardSettings) -> any I2CAdapter

  /// Creates a kind of board.
  ///
  /// - Parameters:
  ///   - name: the name of this kind of board in rig files.
  ///   - titleWithArticle: the display name with its indefinite article.
  ///   - limit: the maximum read length of the firmware, in bytes.
  ///   - longestRead: the maximum read length of the protocol, in bytes.
  ///   - profile: the Bluetooth LE name and services.
  ///   - board: creates a board, given the adapter of its I2C bus and its read limit in bytes.
  ///   - client: creates the adapter of a client, given a link to the board, a clock and the settings.
  init(
    _ name: String, _ titleWithArticle: String, limit: Int, longestRead: Int,
    profile: BoardProfile,
    board: @escaping @Sendable (any I2CAdapter, Int) -> any BridgeBoard,
    client: @escaping @Sendable (any GATTLink, any I2CClock, BoardSettings) -> any I2CAdapter
  ) {
    self.name = name
    self.titleWithArticle = titleWithArticle
    self.limit = limit
    self.longestRead = longestRead
    self.profile = profile
    self.board = board
    self.client = client
  }

  /// Returns the kind of board that has this name in rig files; `nil` if there is none.
  public static func named(_ name: String) -> BoardModel? { all.first { $0.name == name } }

  /// The read limits of all boards as text.
  public static var limits: String {
    all.map { "\($0.limit) bytes over \($0.titleWithArticle)" }.joined(separator: ", ")
  }

  /// Compares two kinds by name.
  public static func == (one: BoardModel, other: BoardModel) -> Bool { one.name == other.name }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// The board of a bridge: it serves the GATT characteristics and counts the commands that it receives.
public protocol BridgeBoard: GATTServer {
  /// The number of commands received.
  var commands: Int { get }
  /// The number of reads that were longer than the board's read limit.
  var tooLong: Int { get }
  /// A closure that returns the battery charge in percent.
  var battery: () -> UInt8 { get set }
}

/// The Bluetooth LE name and services of a board.
public struct BoardProfile: Hashable, Sendable {
  /// A GATT service.
  public struct Service: Hashable, Sendable {
    /// The 16-bit UUID.
    public let uuid: UInt16
    /// The characteristics of the service.
    public let characteristics: [Characteristic]
  }

  /// A GATT characteristic.
  public struct Characteristic: Hashable, Sendable {
    /// The 16-bit UUID.
    public let uuid: UInt16
    /// The properties as bits: 2 read, 8 write.
    public let properties: UInt8
  }

  /// The name that the board sends in its Bluetooth LE scan response.
  public let name: String
  /// The services; the first is the advertised one.
  public let services: [Service]

  /// Creates a profile from services, their characteristics and properties.
  init(_ name: String, _ services: [(UInt16, [(UInt16, UInt8)])]) {
    self.name = name
    self.services = services.map { uuid, held in
      Service(uuid: uuid, characteristics: held.map { Characteristic(uuid: $0, properties: $1) })
    }
  }
}

/// The transports of the two radios of a connection over a real Bluetooth stack.
///
/// Each is `virtual`, or an HCI transport of Bumble such as `usb:0` or `hci-socket:0`.
public struct BoardRadios: Hashable, Sendable {
  /// Statistics of the connection.
  public struct Account: Hashable, Sendable {
    /// The number of connections made by the client.
    public var connections = 0
    /// The number of ATT requests that went through the stack.
    public var requests = 0
    /// The last failure of the stack; `nil` if there was none.
    public var failure: String?

    /// Creates statistics at 0.
    public init() {}
  }

  /// The transport of the client's radio.
  ///
  /// Default: `virtual`.
  public var client = "virtual"
  /// The transport of the board's radio.
  ///
  /// Default: `virtual`.
  public var board = "virtual"

  /// Creates virtual transports.
  public init() {}
}

/// The settings of a board and its client in a rig.
public struct BoardSettings: Hashable, Sendable {
  /// What happens to a read that is longer than the board's read limit.
  public enum PastLimit: String, Hashable, Sendable, CaseIterable {
    /// The board sends an answer without data, as the real board does. The client's library drops the answer, so the
    /// read times out.
    case silent
    /// The client rejects the read at once, as the kernel does for an adapter with known limits.
    case error
  }

  /// The maximum read length of the board, in bytes.
  public var limit: Int
  /// What happens to a read that is longer than `limit`.
  ///
  /// Default: silent.
  public var pastLimit = PastLimit.silent
  /// `true` to report the limit to drivers.
  ///
  /// Default: `true`.
  public var reportsLimit = true
  /// The former name of `reportsLimit`.
  @available(*, deprecated, renamed: "reportsLimit")
  public var tellsLimit: Bool {
    get { reportsLimit }
    set { reportsLimit = newValue }
  }
  /// The timeout of an answer, in nanoseconds.
  ///
  /// Default: 2 s.
  public var timeOut: UInt64 = 2_000_000_000

  /// Creates settings with a read limit and default values.
  public init(limit: Int) {
    self.limit = limit
  }
}
