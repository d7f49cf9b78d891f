import DriverDefects
package import I2C
import I2CTrace

/// An adapter that listens to what a program does wrong with the sensors of its bus.
package final class ListeningAdapter: I2CAdapter {
  private let adapter: any I2CAdapter
  private let bus: Int
  private let clock: any I2CClock
  private var conversation: LiveConversation

  package init(_ adapter: any I2CAdapter, bus: Int, clock: any I2CClock) {
    self.adapter = adapter
    self.bus = bus
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
          time: start, duration: clock.nanoseconds - start, bus: bus, segments, writing: writing,
          reading: Span(), error: error))
      throw error
    }
    conversation.take(
      TracedTransfer(
        time: start, duration: clock.nanoseconds - start, bus: bus, segments, writing: writing,
        reading: reading.span))
  }

  /// What a real part would punish too, a sentence for each.
  package func remarks() -> [String] {
    conversation.remarks().map { remark in
      let others =
        remark.others == 0
        ? "" : ", and \(remark.others) more kind\(remark.others == 1 ? "" : "s") of mistake"
      return "\(remark.address) on i2c-\(bus): \(remark.sentence)\(others)"
    }
  }
}
