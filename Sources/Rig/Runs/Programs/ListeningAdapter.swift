import DriverDefects
package import I2C
import I2CTrace

/// An adapter that listens to what a program does wrong with the sensors of its bus.
package final class ListeningAdapter: I2CAdapter {
  private let adapter: any I2CAdapter
  private let bus: Int, node: Int
  private let clock: any I2CClock
  private var conversation: LiveConversation

  /// Creates a listener on a bus of a rig that programs see as /dev/i2c-`node`.
  package init(_ adapter: any I2CAdapter, bus: Int, node: Int, clock: any I2CClock) {
    self.adapter = adapter
    self.bus = bus
    self.node = node
    self.clock = clock
    conversation = LiveConversation(longestRead: adapter.quirks.maxReadLength)
  }

  package var functionality: I2CFunctionality { adapter.functionality }
  package var quirks: I2CQuirks { adapter.quirks }

  package func transfer(
    _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: inout MutableSpan<UInt8>
  ) throws(I2CError) {
    guard segments.count > 0, LiveConversation.isHeard(segments[0].address) else {
      return try adapter.transfer(segments, writing: writing, reading: &reading)
    }
    let start = clock.nanoseconds
    do throws(I2CError) {
      try adapter.transfer(segments, writing: writing, reading: &reading)
    } catch {
      conversation.take(
        TracedTransfer(
          time: start, duration: clock.nanoseconds - start, bus: node, segments, writing: writing,
          reading: Span(), error: error))
      throw error
    }
    conversation.take(
      TracedTransfer(
        time: start, duration: clock.nanoseconds - start, bus: node, segments, writing: writing,
        reading: reading.span))
  }

  /// What a real part would punish too, at most one remark for each part.
  package func remarks(at time: UInt64) -> [RunEvent] {
    conversation.remarks().map {
      .remark(RunEvent.Remark(time: time, bus: bus, node: node, remark: $0))
    }
  }
}
