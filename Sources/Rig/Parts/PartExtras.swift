/// What a part may bring beyond what a bench needs of it; nobody has to.
package protocol PartExtras: Sendable {
  /// What a trace tells of such a part; a new one for each part, `nil` where nobody can make one of a trace.
  var record: (any PartRecord)? { get }

  /// Listens to what a program does wrong with such a part; a new one for each part, `nil` where nobody can.
  ///
  /// - Parameter longestRead: how many bytes the adapter reads at once; 0 for any number.
  /// - Returns: the listener.
  func listener(longestRead: Int) -> (any PartListener)?

  /// Tries itself, without any hardware.
  func selfTests() -> [SelfTest]

  /// What to look at when nobody answers where it should.
  var wiring: PartWiring { get }

  /// How a single reading measures, in a phrase that follows the names of the part and its relatives; `nil`
  /// where there is nothing to say.
  var readingSummary: String? { get }
}

extension PartExtras {
  /// Nobody can make one of a trace.
  package var record: (any PartRecord)? { nil }

  /// Nobody knows what programs do wrong with it.
  package func listener(longestRead: Int) -> (any PartListener)? { nil }

  /// There is nothing to try.
  package func selfTests() -> [SelfTest] { [] }

  /// It has no pins but those of every part.
  package var wiring: PartWiring { PartWiring() }

  /// There is nothing to say.
  package var readingSummary: String? { nil }
}
