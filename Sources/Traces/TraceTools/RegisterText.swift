import Chips
import I2C
package import I2CTrace
import Parts

/// What the transfers of a trace mean, to whichever part answers there.
///
/// A trace does not say which parts were on its bus. Where parts of several families can answer at an
/// address, the one that knew most of the transfers so far is believed; among equals the catalogue's order counts.
package struct RegisterText {
  /// A part that can answer at an address.
  private struct Candidate {
    var text: any TransferText
    /// How many transfers it knew.
    var known = 0
  }

  /// Where a part answers.
  private struct Place: Hashable {
    let bus: Int
    let address: I2CAddress
  }

  private var candidates: [Place: [Candidate]] = [:]

  /// Nothing is known of any part.
  package init() {}

  /// The meaning of the next transfer of the trace; `nil` where the part that is believed to answer does not know it.
  package mutating func meaning(of transfer: TracedTransfer) -> String? {
    guard let address = transfer.messages.first?.segment.address else { return nil }
    let place = Place(bus: transfer.bus, address: address)
    var candidates = candidates.removeValue(forKey: place) ?? Self.candidates(at: address)
    defer { self.candidates[place] = candidates }
    var best: (known: Int, meaning: String?)?
    for index in candidates.indices {
      let meaning = candidates[index].text.meaning(of: transfer)
      if meaning != nil { candidates[index].known += 1 }
      if best.map({ candidates[index].known > $0.known }) ?? true {
        best = (candidates[index].known, meaning)
      }
    }
    return best?.meaning
  }

  /// One of each family that can answer at an address.
  private static func candidates(at address: I2CAddress) -> [Candidate] {
    Catalogue.families(at: address).map { Candidate(text: $0.text) }
  }
}
