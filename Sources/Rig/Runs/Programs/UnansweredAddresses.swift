package import Bench
import I2C
package import I2CTrace
import Parts

/// The addresses of a bus that a program has used without an answer, until any transfer on it succeeds.
package struct UnansweredAddresses {
  /// The most that are named: a program that uses more of them scans the bus.
  private static let most = 4
  /// The addresses, in the order in which they came first.
  private var addresses: [I2CAddress] = []
  /// Whether a transfer has succeeded, or a scan was seen: no further transfer matters.
  package private(set) var isSettled = false

  /// Creates an account without any.
  package init() {}

  /// Notes a transfer.
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

  /// Makes the hint for the end of the run.
  ///
  /// - Parameters:
  ///   - bus: the bus.
  ///   - number: N of the bus as the program has it.
  ///   - isBuiltIn: whether the bench is the one that runs without a rig, whose part `--address` moves.
  /// - Returns: the hint; `nil` if something answered, if no part is on the bus, or if a part is at an address that the
  ///   program used, which then failed for another reason.
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
      case (nil, true): "or put a part there: --rig FILE"
      case (nil, false): "or put a part there, in the rig"
      }
    return
      "nothing answered on bus \(number) at \(used), and the program used no other address; on the bus: "
      + "\(parts.joined(separator: ", "))\(others); change the address in the program, \(remedy)"
  }
}

/// Listens for a program that uses only addresses of a bus at which nothing answers.
final class SilenceListener {
  private let bus: Bench.Bus, node: Int, isBuiltIn: Bool
  private var addresses = UnansweredAddresses()

  /// Creates a listener on a bus that programs see as /dev/i2c-`node`.
  ///
  /// - Parameters:
  ///   - bus: the bus.
  ///   - node: N in the /dev/i2c-N.
  ///   - isBuiltIn: whether the bench is the one that runs without a rig.
  init(_ bus: Bench.Bus, node: Int, isBuiltIn: Bool) {
    (self.bus, self.node, self.isBuiltIn) = (bus, node, isBuiltIn)
  }

  /// An adapter to whose transfers it listens, until one succeeds.
  func hearing(_ adapter: any I2CAdapter, clock: any I2CClock) -> any I2CAdapter {
    ObservedAdapter(
      adapter, bus: node, clock: clock, where: { _ in !self.addresses.isSettled },
      observe: { self.addresses.note($0) })
  }

  /// The hint at the end of the program; `nil` if there is nothing to say.
  func notice(at time: UInt64) -> RunEvent? {
    addresses.notice(on: bus, number: node, isBuiltIn: isBuiltIn).map {
      .notice(RunEvent.Notice(time: time, subject: .address, text: $0))
    }
  }
}
