import Chips
package import I2C
package import I2CTrace
package import Parts

/// What the transfers of a trace mean, to whichever part answers there.
///
/// A trace does not say which parts were on its bus. Where parts of several families can answer at an
/// address, the one that knew most of the transfers so far, and doubted fewest, is believed; among equals the catalogue's order counts.
package struct RegisterText {
  /// A part that can answer at an address.
  private struct Candidate {
    let model: any PartModel
    var text: any TransferText
    /// How many transfers it knew.
    var known = 0

    /// How many of the transfers speak for it.
    var belief: Int { known - text.doubts }
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
    var best: (belief: Int, meaning: String?)?
    for index in candidates.indices {
      let meaning = candidates[index].text.meaning(of: transfer)
      if meaning != nil { candidates[index].known += 1 }
      if best.map({ candidates[index].belief > $0.belief }) ?? true {
        best = (candidates[index].belief, meaning)
      }
    }
    return best?.meaning
  }

  /// The part that is believed to answer at a place; `nil` where nothing speaks for any.
  package func model(at address: I2CAddress, on bus: Int) -> (any PartModel)? {
    let believed = candidates[Place(bus: bus, address: address)]?.filter { $0.belief > 0 } ?? []
    return believed.reduce(nil as Candidate?) { best, next in
      best.map { $0.belief >= next.belief } == true ? best : next
    }?.model
  }

  /// One of each family that can answer at an address.
  private static func candidates(at address: I2CAddress) -> [Candidate] {
    Catalogue.families(at: address).map { Candidate(model: $0, text: $0.text) }
  }
}
