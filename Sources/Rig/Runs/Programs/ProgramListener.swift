import DriverDefects
import I2C
import I2CTrace

/// Listens to what a program does wrong with the sensors of a bus.
final class ProgramListener {
  private let bus: Int, node: Int
  private var conversation: LiveConversation

  /// Creates a listener on a bus of a rig that programs see as /dev/i2c-`node`.
  ///
  /// - Parameters:
  ///   - bus: N in the rig.
  ///   - node: N that the program sees.
  ///   - longestRead: how many bytes the adapter reads at once; 0 for any number.
  init(bus: Int, node: Int, longestRead: Int) {
    self.bus = bus
    self.node = node
    conversation = LiveConversation(longestRead: longestRead)
  }

  /// An adapter to whose transfers it listens.
  func hearing(_ adapter: any I2CAdapter, clock: any I2CClock) -> any I2CAdapter {
    ObservedAdapter(adapter, bus: node, clock: clock, where: LiveConversation.isHeard) {
      self.conversation.take($0)
    }
  }

  /// What a real part would punish too, at most one remark for each part.
  func remarks(at time: UInt64) -> [RunEvent] {
    conversation.remarks().map {
      .remark(RunEvent.Remark(time: time, bus: bus, node: node, remark: $0))
    }
  }
}
