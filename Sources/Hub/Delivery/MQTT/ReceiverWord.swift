import Foundation

/// How far a receiver has come with a hub's records: `{"hub":"...","epoch":"...","through":17}`.
package struct ReceiverWord: Sendable, Equatable, Codable {
  /// The hub.
  package let hub: String
  /// It has this record and all before it.
  package let through: Int64
  /// The epoch of the records that it has; `nil` from a receiver that tells none.
  package let epoch: String?

  /// Creates it.
  package init(hub: String, through: Int64, epoch: String? = nil) {
    (self.hub, self.through, self.epoch) = (hub, through, epoch)
  }

  /// Reads it; `nil` if it is none.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count <= 1024,
      let word = try? JSONDecoder().decode(ReceiverWord.self, from: Data(bytes)), word.through >= 0
    else { return nil }
    self = word
  }
}
