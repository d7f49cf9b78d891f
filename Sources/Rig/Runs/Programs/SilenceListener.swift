import Bench
import I2C
import I2CTrace

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
