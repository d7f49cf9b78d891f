public import Warehouse

/// What the file of a hub says: what it watches, and how it reaches brokers and people.
public struct HubSettings: Sendable {
  /// Where a tag lies, in metres from a corner of the warehouse.
  public struct Place: Hashable, Sendable {
    /// To the right and down on the plan.
    public let x, y: Double
  }

  /// Its radio.
  public struct Link: Hashable, Sendable {
    /// The dongle, as Bumble names transports: `usb:0`.
    public let transport: String
    /// How many tags it holds at once.
    public let connections: Int
    /// Where tags take turns, how long each stays connected, in nanoseconds.
    public let stay: Int64
    /// From one reading of a tag to its next, in nanoseconds; `nil` for the tag's own period.
    public let period: Int64?
    /// How it listens.
    public let times: ListeningTimes

    /// The turns of tags where there are more of them than it holds: half a second is planned for each connection.
    public func rota(of tags: Int) -> ConnectionRota {
      ConnectionRota(tags: tags, connections: connections, stay: stay, connecting: 500_000_000)
    }
  }

  /// Its broker.
  public struct Broker: Hashable, Sendable {
    /// Where it is.
    public let host: String
    /// The port; 8883 with TLS and 1883 without unless given.
    public let port: Int
    /// With what the hub logs in.
    public let user: String?
    /// The files of the password, of the certificates that may have signed the broker's, of its own and of its key.
    public let passwordFile, authority, certificate, key: String?
    /// How topics begin.
    public let prefix: String
    /// Where Home Assistant looks; `nil` for nowhere.
    public let discovery: String?
    /// Whether a receiver, and not the broker, confirms records.
    public let isConfirmedByReceiver: Bool
    /// After how many silent seconds the broker takes it for dead.
    public let keepAlive: Int
  }

  /// Where batches are posted to.
  public struct Post: Hashable, Sendable {
    /// Where to.
    public let address: String
    /// The file whose text is the header `Authorization`.
    public let authorizationFile: String?
    /// Seconds from one batch to the next.
    public let every: Int
    /// Records in a batch.
    public let batch: Int
  }

  /// What waits on its disk.
  public struct Storage: Hashable, Sendable {
    /// The file.
    public let file: String
    /// How many records may wait for a receiver.
    public let records: Int
    /// For how many seconds a record may wait, and stays as history.
    public let age, history: Int
  }

  /// Its page.
  public struct Web: Hashable, Sendable {
    /// Where it listens.
    public let host: String
    /// The port.
    public let port: Int
    /// More names by which browsers may address it.
    public let hosts: [String]
    /// The file of the token that every change needs; made anew if it is not there.
    public let tokenFile: String
  }

  /// Which commands it takes from its broker.
  public struct Commands: Hashable, Sendable {
    /// Those: `acknowledge`, `silence`, `end-silence`, `close`.
    public let allowed: [String]
    /// Whose; anybody's whom the broker lets publish if empty.
    public let people: [String]
  }

  /// What it judges by.
  public let policy: WarehousePolicy
  /// Where tags lie, by address.
  public let places: [String: Place]
  /// Its radio; `nil` for none.
  public let link: Link?
  /// Its broker; `nil` for none.
  public let broker: Broker?
  /// Where batches are posted to; `nil` for nowhere.
  public let post: Post?
  /// What waits on its disk.
  public let storage: Storage
  /// Its page.
  public let web: Web
  /// Which commands it takes.
  public let commands: Commands
}

/// Why the file of a hub cannot be used.
public struct HubSettingsError: Error, CustomStringConvertible {
  /// Every mistake on a line of its own, with file, line and column.
  public let description: String
  /// The exit status that it means: 66 where the file is not there, 78 for mistakes.
  public let status: Int32
}
