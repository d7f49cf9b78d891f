/// Which tags the published code hears (`TagDefect.singleTag`): it stops its scan at the first, and never connects again.
public struct ArticleListening: Sendable {
  /// The tag that was there first.
  private var first: String?
  private var isOver = false

  /// Creates it, before any tag was there.
  public init() {}

  /// Takes a notification.
  ///
  /// - Parameter tag: the address of the tag.
  /// - Returns: whether it hears it.
  public mutating func hears(_ tag: String) -> Bool {
    if first == nil { first = tag }
    return first == tag && !isOver
  }

  /// A connection is lost.
  ///
  /// - Parameter tag: the address of the tag.
  public mutating func loses(_ tag: String) {
    if first == tag { isOver = true }
  }
}
