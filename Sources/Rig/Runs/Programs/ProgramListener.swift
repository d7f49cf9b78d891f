package import Bench
import Chips
package import I2C
package import I2CTrace
import Parts
import Support

/// Checks a program's transfers to the sensors on a bus for driver errors.
package final class ProgramListener {
  private let bus: Bench.Bus, node: Int
  /// For each address, `true` if a part of the bus or of the catalogue at this address has a listener.
  private let hasListener: [Bool]
  /// The listener for each used address; `nil` if the part at that address has none.
  private var listeners: [I2CAddress: (any PartListener)?] = [:]

  /// Creates a listener on a rig's bus, which programs use as `/dev/i2c-node`.
  package init(_ bus: Bench.Bus, node: Int) {
    self.bus = bus
    self.node = node
    var hasListener = Self.hasListener
    for sensor in bus.sensors where sensor.address.rawValue < 128 {
      hasListener[Int(sensor.address.rawValue)] = sensor.model.listener(longestRead: 0) != nil
    }
    self.hasListener = hasListener
  }

  /// For each address, `true` if a part in the catalogue can have this address and has a listener.
  private static let hasListener: [Bool] = (0..<128).map { number in
    I2CAddress(rawValue: number).map(Catalogue.models(at:))?.contains {
      $0.listener(longestRead: 0) != nil
    } ?? false
  }

  /// Passes a transfer to the listener of the part at its address, if there is one.
  package func observe(_ transfer: TracedTransfer) {
    guard let address = transfer.messages.first?.segment.address.rawValue, address < 128,
      hasListener[Int(address)]
    else { return }
    take(transfer)
  }

  /// Wraps an adapter so that its transfers are checked.
  package func observing(_ adapter: any I2CAdapter, clock: any I2CClock) -> any I2CAdapter {
    let hasListener = hasListener
    return ObservedAdapter(
      adapter, bus: node, clock: clock,
      where: { $0.rawValue < 128 && hasListener[Int($0.rawValue)] },
      observe: { self.take($0) })
  }

  private func take(_ transfer: TracedTransfer) {
    guard let address = transfer.messages.first?.segment.address else { return }
    listeners[address, default: listener(at: address)]?.take(transfer)
  }

  /// Creates the listener for the part at an address; if the rig has no known part there, the
  /// listener for the first model in the catalogue that has one.
  private func listener(at address: I2CAddress) -> (any PartListener)? {
    let longestRead = bus.adapter.quirks.maxReadLength
    if let known = bus.sensors.first(where: { $0.address == address })?.model {
      return known.listener(longestRead: longestRead)
    }
    return Catalogue.models(at: address).lazy.compactMap {
      $0.listener(longestRead: longestRead)
    }.first
  }

  /// Creates the warnings about errors that a real part would not tolerate, at most one for each part.
  package func warnings(at time: UInt64) -> [RunEvent] {
    listeners.keys.inOrder { $0.rawValue < $1.rawValue }.compactMap { address in
      listeners[address]??.warning().map {
        .warning(
          RunEvent.DriverWarning(
            time: time, bus: bus.number, node: node, address: address, warning: $0))
      }
    }
  }
}

/// The addresses that a program has used without getting an ACK, collected until any transfer on
/// the bus succeeds.
package struct UnansweredAddresses {
  /// The largest number of addresses: a program that uses more of them is scanning the bus.
  private static let most = 4
  /// The addresses, in order of their first use.
  private var addresses: [I2CAddress] = []
  /// `true` if a transfer has succeeded or a scan was detected, so that further transfers are
  /// ignored.
  package private(set) var isSettled = false

  /// Creates an empty list of addresses.
  package init() {}

  /// Records a transfer.
  ///
  /// - Parameter transfer: the transfer, after its end.
  package mutating func note(_ transfer: TracedTransfer) {
    guard !isSettled else { return }
    guard let error = transfer.error else { return settle() }
    guard error.kind == .addressNack, let address = transfer.messages.first?.segment.address,
      !addresses.contains(address)
    else { return }
    addresses.append(address)
    if addresses.count > Self.most { settle() }
  }

  private mutating func settle() {
    addresses = []
    isSettled = true
  }

  /// Creates the hint to print at the end of the run.
  ///
  /// - Parameters:
  ///   - bus: the bus.
  ///   - number: the number of the bus for the program.
  ///   - isBuiltIn: whether the rig is the default rig, in which `--address` sets the address of
  ///     the part.
  /// - Returns: the hint; `nil` if a device answered, if no part is on the bus, or if a part has an
  ///   address that the program used, because its transfers then failed for another reason.
  package func notice(on bus: Bench.Bus, number: Int, isBuiltIn: Bool) -> String? {
    let sensors = bus.sensors
    guard !addresses.isEmpty, !sensors.isEmpty,
      !sensors.contains(where: { addresses.contains($0.address) })
    else { return nil }
    let used = addresses.map { "\($0)" }.joined(separator: ", ")
    let others = sensors.count > Self.most ? ", ..." : ""
    let parts = sensors.prefix(Self.most).map { "\($0.model.title) at \($0.address)" }
    let meant = addresses.first { address in
      sensors.contains { $0.model.addresses.contains(address) }
    }
    let remedy =
      switch (meant, isBuiltIn) {
      case (let address?, true): "or that of the part: --address \(address)"
      case (let address?, false): "or that of the part: 'address: \(address)' in the rig"
      case (nil, true): "or add a part at this address: --rig FILE"
      case (nil, false): "or add a part at this address to the rig"
      }
    return
      "no device answered on bus \(number) at \(used), and the program used no other address; on the bus: "
      + "\(parts.joined(separator: ", "))\(others); change the address in the program, \(remedy)"
  }
}

/// Detects a program that uses only addresses at which no device answers.
final class SilenceListener {
  private let bus: Bench.Bus, node: Int, isBuiltIn: Bool
  private var addresses = UnansweredAddresses()

  /// Creates a listener on a bus that programs use as `/dev/i2c-node`.
  ///
  /// - Parameters:
  ///   - bus: the bus.
  ///   - node: N of the `/dev/i2c-N`.
  ///   - isBuiltIn: whether the rig is the default one.
  init(_ bus: Bench.Bus, node: Int, isBuiltIn: Bool) {
    (self.bus, self.node, self.isBuiltIn) = (bus, node, isBuiltIn)
  }

  /// Wraps an adapter so that its transfers are observed until one of them succeeds.
  func observing(_ adapter: any I2CAdapter, clock: any I2CClock) -> any I2CAdapter {
    ObservedAdapter(
      adapter, bus: node, clock: clock, where: { _ in !self.addresses.isSettled },
      observe: { self.addresses.note($0) })
  }

  /// Creates the notice with the hint at the end of the program; returns `nil` if no hint is
  /// needed.
  func notice(at time: UInt64) -> RunEvent? {
    addresses.notice(on: bus, number: node, isBuiltIn: isBuiltIn).map {
      .notice(RunEvent.Notice(time: time, subject: .address, text: $0))
    }
  }
}

extension TracedTransfer {
  /// The transfer as one line of a log.
  ///
  ///     0.012345 i2c-1 0x76  w f7  r 80 00 00 80 00 00 80 00   247.5 us
  var logged: String {
    let start = Decimal.fixed(Double(time) / 1e9, 6)
    let length = Decimal.fixed(Double(duration) / 1000, 1)
    return "\(start) i2c-\(bus) \(self)" + (error == nil ? "   \(length) us" : "")
  }
}
