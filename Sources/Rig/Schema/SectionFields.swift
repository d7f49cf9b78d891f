import Synchronization

/// The fields of a section, put together when they are first asked for.
///
/// A document has few of all groups that could stand in it, and a rig of one line shall not wait for the others.
final class SectionFields: Sendable {
  /// Fields that have been put together.
  private final class Known: Sendable {
    let fields: [Section.Field]

    init(_ fields: [Section.Field]) { self.fields = fields }
  }

  private let make: @Sendable () -> [Section.Field]
  private let known = AtomicLazyReference<Known>()

  /// Creates fields from what puts them together.
  init(_ make: @escaping @Sendable () -> [Section.Field]) { self.make = make }

  /// The fields; where several threads ask at once each may put them together, and all get the same.
  var fields: [Section.Field] { (known.load() ?? known.storeIfNil(Known(make()))).fields }
}
