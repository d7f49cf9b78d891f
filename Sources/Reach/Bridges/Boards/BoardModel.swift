public import I2C

/// A kind of board that can stand between an adapter and a program.
///
/// Everything that knows the board stands in its folder; the catalogue, ``all``, names it, and nothing else does.
public struct BoardModel: Hashable, Sendable {
  /// The word for it in rigs.
  public let name: String
  /// How its name is written for people, behind its article.
  public let titleWithArticle: String
  /// How many bytes its firmware reads at most.
  public let limit: Int
  /// How many bytes a read can carry at all.
  public let longestRead: Int
  /// How it shows itself over Bluetooth LE.
  public let profile: BoardProfile
  /// Creates the board on its I2C bus with a limit.
  public let board: @Sendable (any I2CAdapter, Int) -> any BridgeBoard
  /// Creates the client's side over a link to the board.
  public let client: @Sendable (any GATTLink, any I2CClock, BoardSettings) -> any I2CAdapter

  /// Creates a kind of board.
  ///
  /// - Parameters:
  ///   - name: the word for it in rigs.
  ///   - titleWithArticle: how its name is written for people, behind its article.
  ///   - limit: how many bytes its firmware reads at most.
  ///   - longestRead: how many bytes a read can carry at all.
  ///   - profile: how it shows itself over Bluetooth LE.
  ///   - board: creates the board on its I2C bus with a limit.
  ///   - client: creates the client's side over a link to the board.
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

  /// The kind with a name in rigs.
  public static func named(_ name: String) -> BoardModel? { all.first { $0.name == name } }

  /// The limits of all boards in words: how many bytes each reads at most.
  public static var limits: String {
    all.map { "\($0.limit) bytes over \($0.titleWithArticle)" }.joined(separator: ", ")
  }

  /// Whether two kinds are the same: their names are.
  public static func == (one: BoardModel, other: BoardModel) -> Bool { one.name == other.name }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
