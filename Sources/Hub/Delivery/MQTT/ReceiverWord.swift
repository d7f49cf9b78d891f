import Foundation

/// How far a receiver has come with a hub's records: `{"hub":"...","through":17}`.
package struct ReceiverWord: Sendable, Equatable, Codable {
  /// The hub.
  package let hub: String
  /// It has this record and all before it.
  package let through: Int64

  /// Creates it.
  package init(hub: String, through: Int64) { (self.hub, self.through) = (hub, through) }

  /// Reads it; `nil` if it is none.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count <= 1024,
      let word = try? JSONDecoder().decode(ReceiverWord.self, from: Data(bytes)), word.through >= 0
    else { return nil }
    self = word
  }
}
