import BluetoothLE
import Foundation
package import HubCore
import HubService
package import HubSettings
import TagListening
package import Warehouse

/// Readings of tags that a dongle hears, through the bridge to a Bluetooth stack.
package struct RadioSource: NotificationSource {
  /// What is heard within this many nanoseconds is written together.
  private static let batch: UInt64 = 50_000_000
  private let tags: [ListenedTag]
  private let link: HubSettings.Link
  private let tell: @Sendable (String) -> Void

  /// Creates it.
  ///
  /// - Parameters:
  ///   - tags: the tags.
  ///   - link: the dongle, and how it is used.
  ///   - tell: is told what people should know.
  package init(
    _ tags: [WarehousePolicy.ExpectedTag], link: HubSettings.Link,
    tell: @escaping @Sendable (String) -> Void
  ) {
    let round = link.rota(of: tags.count).round
    self.tags = tags.map { ListenedTag($0.address, period: link.period ?? $0.period - round) }
    (self.link, self.tell) = (link, tell)
  }

  /// Hears until the task is cancelled; a bridge or a dongle that is gone is tried again, with growing waits.
  package func run(_ take: @escaping @Sendable ([HeardReading]) -> Void) async throws {
    let source = self
    let (stream, ended) = AsyncStream.makeStream(of: Void.self)
    let stop = StopSign()
    let thread = Thread {
      source.hear(stop, take)
      ended.finish()
    }
    thread.start()
    await withTaskCancellationHandler {
      for await _ in stream {}
    } onCancel: {
      stop.raise()
    }
    try Task.checkCancellation()
  }

  /// What the thread does.
  private func hear(_ stop: StopSign, _ take: @escaping @Sendable ([HeardReading]) -> Void) {
    var pause = BackOff(longest: 60_000_000_000)
    var told = ""
    while !stop.isRaised {
      let reason: String
      do throws(BLEBridge.BridgeError) {
        let bridge = try BLEBridge()
        // A dongle that is no virtual one has its own address besides this.
        let own = BLEAddress(0xC0A0_E501_D000 | UInt64.random(in: 0...0xFFF))
        let radio = try bridge.radio(own, transport: link.transport)
        pause.succeed()
        tell("the radio \(link.transport) is there")
        told = ""
        reason = listen(on: radio, stop, take)
      } catch {
        reason = error.description
      }
      guard !stop.isRaised else { return }
      if reason != told { tell("no radio \(link.transport): \(reason); it is tried again") }
      told = reason
      stop.wait(seconds: Double(pause.wait(chance: .random(in: 0..<1))) / 1e9)
    }
  }

  /// Listens while the radio is there.
  ///
  /// - Returns: why it is gone.
  private func listen(
    on radio: BridgeRadio, _ stop: StopSign,
    _ take: @escaping @Sendable ([HeardReading]) -> Void
  ) -> String {
    var plan = ListeningPlan(link.times)
    (plan.connections, plan.stay) = (link.connections, link.stay)
    var heard: [HeardReading] = []
    let clocks = MachineClocks.system
    // What the radio's clock shows is brought to the time since boot at once: a radio's clock may stop where that one goes on.
    func boot(_ time: Int64) -> Int64 { clocks.boot() - max(Int64(radio.nanoseconds) - time, 0) }
    let listener = TagListener(
      tags, on: radio, plan: plan, epoch: 0, seed: .random(in: 0...UInt64.max),
      tell: { news in
        if case .gone = news { return }
        tell("\(news)")
      }, take: { heard.append(HeardReading($0, boot: boot($0.time))) })
    while !stop.isRaised, listener.isGone == nil {
      listener.run(until: radio.nanoseconds + Self.batch)
      if !heard.isEmpty { take(heard) }
      heard.removeAll(keepingCapacity: true)
    }
    return listener.isGone ?? ""
  }
}
