package import Bench
import Chips
package import I2C
package import I2CTrace
import Parts
import Text

/// Listens to what a program does wrong with the sensors of a bus.
package final class ProgramListener {
  private let bus: Bench.Bus, node: Int
  /// A listener for each address at which something happened; `nil` where the part there has none.
  private var listeners: [I2CAddress: (any PartListener)?] = [:]

  /// Creates a listener on a bus of a rig that programs see as /dev/i2c-`node`.
  package init(_ bus: Bench.Bus, node: Int) {
    self.bus = bus
    self.node = node
  }

  /// Whether a part has a listener that can answer at an address, by the address.
  private static let isHeard: [Bool] = (0..<128).map { number in
    I2CAddress(rawValue: number).map(Catalogue.models(at:))?.contains {
      $0.listener(longestRead: 0) != nil
    } ?? false
  }

  /// Takes a transfer, where a part may have a listener at its address.
  package func hear(_ transfer: TracedTransfer) {
    guard let address = transfer.messages.first?.segment.address.rawValue, address < 128,
      Self.isHeard[Int(address)]
    else { return }
    take(transfer)
  }

  /// An adapter to whose transfers it listens.
  package func hearing(_ adapter: any I2CAdapter, clock: any I2CClock) -> any I2CAdapter {
    let isHeard = Self.isHeard
    return ObservedAdapter(
      adapter, bus: node, clock: clock,
      where: { $0.rawValue < 128 && isHeard[Int($0.rawValue)] },
      observe: { self.take($0) })
  }

  private func take(_ transfer: TracedTransfer) {
    guard let address = transfer.messages.first?.segment.address else { return }
    listeners[address, default: listener(at: address)]?.take(transfer)
  }

  /// A listener of the part at an address; where none is known to stand, of the catalogue's first that has one.
  private func listener(at address: I2CAddress) -> (any PartListener)? {
    let longestRead = bus.adapter.quirks.maxReadLength
    if let known = bus.sensors.first(where: { $0.address == address })?.model {
      return known.listener(longestRead: longestRead)
    }
    return Catalogue.models(at: address).lazy.compactMap {
      $0.listener(longestRead: longestRead)
    }.first
  }

  /// What a real part would punish too, at most one remark for each part.
  package func remarks(at time: UInt64) -> [RunEvent] {
    listeners.keys.inOrder { $0.rawValue < $1.rawValue }.compactMap { address in
      listeners[address]??.remark().map {
        .remark(
          RunEvent.Remark(
            time: time, bus: bus.number, node: node, address: address, remark: $0))
      }
    }
  }
}
