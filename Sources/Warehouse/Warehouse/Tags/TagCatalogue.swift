/// The kinds of tags that a hub knows: the only list of them.
public enum TagCatalogue {
  /// All of them.
  public static let all: [TagKind] = [.cc2650, .cc2541]

  /// The kind with a name.
  public static func kind(named name: String) -> TagKind? { all.first { $0.name == name } }

  /// Tells the kinds apart by what a tag says of itself: its model number, else the services that it has.
  ///
  /// The advertised name is not asked: that of one kind is a part of that of the other.
  ///
  /// - Returns: the kind, or `nil` where it is none of them.
  public static func kind(modelNumber: String?, services: some Sequence<UInt16>) -> TagKind? {
    if let modelNumber, let kind = all.first(where: { $0.modelNumber == modelNumber }) {
      return kind
    }
    let services = Set(services)
    if let kind = all.first(where: { !services.isDisjoint(with: $0.ownServices) }) { return kind }
    return all.first { $0.ownServices.isEmpty && services.contains($0.humidity.service) }
  }
}
