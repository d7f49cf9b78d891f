/// How a hub without a broker delivers: batches in JSON, posted to one address.
package struct HTTPSettings: Sendable, Equatable {
  /// Where to: `https://...`, or `http://...`.
  package var address: String
  /// The value of the header `Authorization`; none unless given.
  package var authorization: String?
  /// Seconds from one batch to the next, when nothing more waits.
  package var period = 60
  /// Records in a batch at most.
  package var batch = 500
  /// After how many seconds an answer comes no more.
  package var timeout = 30

  /// Settings for an address, the rest as usual.
  package init(address: String) { self.address = address }
}
