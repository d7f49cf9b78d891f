import Chips
import I2C
package import I2CTrace
import Parts

/// What the transfers of a trace mean, to whichever part answers there.
package struct RegisterText {
  /// The texts of the parts that can answer at an address of a bus.
  private var texts: [Int: [any TransferText]] = [:]

  /// Nothing is known of any part.
  package init() {}

  /// The meaning of the next transfer of the trace; `nil` where no part that can answer there knows it.
  package mutating func meaning(of transfer: TracedTransfer) -> String? {
    guard let address = transfer.messages.first?.segment.address else { return nil }
    let place = transfer.bus << 10 | Int(address.rawValue)
    var candidates = texts.removeValue(forKey: place) ?? Self.texts(at: address)
    defer { texts[place] = candidates }
    var found: String?
    for index in candidates.indices {
      let meaning = candidates[index].meaning(of: transfer)
      found = found ?? meaning
    }
    return found
  }

  /// A text of each family that can answer at an address.
  private static func texts(at address: I2CAddress) -> [any TransferText] {
    var families: Set<String> = []
    return Catalogue.models(at: address).filter { families.insert($0.family).inserted }.map(\.text)
  }
}
