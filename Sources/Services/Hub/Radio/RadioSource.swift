import BluetoothLE
import Foundation
import Glibc
package import HubCore
import HubService
import ServiceMachine
import Synchronization
package import Warehouse
package import WarehouseRuns

/// A source of readings that a Bluetooth dongle receives, through the bridge to a Bluetooth stack.
package struct RadioSource: NotificationSource {
  /// The time in nanoseconds for which readings are collected before they are stored together.
  private static let batch: UInt64 = 50_000_000
  private let tags: [WatchedTag]
  private let link: HubSettings.Link
  private let report: @Sendable (String) -> Void

  /// Creates a source.
  ///
  /// - Parameters:
  ///   - tags: The expected tags.
  ///   - link: The radio settings.
  ///   - report: The function that receives log lines.
  package init(
    _ tags: [WarehousePolicy.ExpectedTag], link: HubSettings.Link,
    report: @escaping @Sendable (String) -> Void
  ) {
    let round = link.roundRobin(of: tags.count).round
    self.tags = tags.map { WatchedTag($0.address, period: link.period ?? $0.period - round) }
    (self.link, self.report) = (link, report)
  }

  /// Receives readings until the task is cancelled; if the bridge or dongle is lost, it is retried
  /// with increasing delays.
  package func run(
    _ take: @escaping @Sendable ([ReceivedReading]) -> Void,
    change: @escaping @Sendable (String?) -> Void
  ) async throws {
    let source = self
    let (stream, ended) = AsyncStream.makeStream(of: Void.self)
    let stop = StopFlag()
    let thread = Thread {
      source.receive(stop, take, change)
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

  /// The body of the receiving thread.
  private func receive(
    _ stop: StopFlag, _ take: @escaping @Sendable ([ReceivedReading]) -> Void,
    _ change: @Sendable (String?) -> Void
  ) {
    var pause = BackOff(longest: 60_000_000_000)
    var lastReason = ""
    while !stop.isRaised {
      let reason: String
      do throws(BLEBridge.BridgeError) {
        let bridge = try BLEBridge()
        // Like a physical dongle, a virtual controller has its own address.
        let own = BLEAddress(0xC0A0_E501_D000 | UInt64.random(in: 0...0xFFF))
        let radio = try bridge.radio(own, transport: link.transport)
        pause.succeed()
        report("the radio \(link.transport) is available")
        change(nil)
        lastReason = ""
        reason = listen(on: radio, stop, take)
      } catch {
        reason = error.description
      }
      guard !stop.isRaised else { return }
      if reason != lastReason {
        report("the radio \(link.transport) is not available: \(reason); retrying")
        change("the radio \(link.transport) is not available: \(reason)")
      }
      lastReason = reason
      stop.wait(seconds: Double(pause.wait(chance: .random(in: 0..<1))) / 1e9)
    }
  }

  /// Receives readings while the radio works.
  ///
  /// - Returns: The reason why the radio can no longer be used.
  private func listen(
    on radio: BridgeRadio, _ stop: StopFlag,
    _ take: @escaping @Sendable ([ReceivedReading]) -> Void
  ) -> String {
    var options = ListenerOptions(link.times)
    (options.connections, options.stay) = (link.connections, link.stay)
    var received: [ReceivedReading] = []
    let clocks = MachineClocks.system
    // Radio times are converted to boot times immediately, because a radio's clock may stop while
    // the boot clock continues.
    func boot(_ time: Int64) -> Int64 { clocks.boot() - max(Int64(radio.nanoseconds) - time, 0) }
    let listener = TagListener(
      tags, on: radio, options: options, epoch: 0, seed: .random(in: 0...UInt64.max),
      report: { news in
        if case .gone = news { return }
        report("\(news)")
      }, take: { received.append(ReceivedReading($0, boot: boot($0.time))) })
    while !stop.isRaised, listener.isGone == nil {
      listener.run(until: radio.nanoseconds + Self.batch)
      if !received.isEmpty { take(received) }
      received.removeAll(keepingCapacity: true)
    }
    return listener.isGone ?? ""
  }
}

/// A flag that asks a thread to stop, and wakes the thread if it is waiting.
///
/// Waits use the monotonic clock, so steps of the wall clock do not affect them.
package final class StopFlag: Sendable {
  private let isUp = Atomic<Bool>(false)
  /// A pipe that becomes and stays readable when the flag is raised.
  private let reading, writing: Int32

  /// Creates a flag that is not raised.
  package init() {
    var ends: [Int32] = [-1, -1]
    _ = pipe(&ends)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (reading, writing) = (ends[0], ends[1])
  }

  deinit {
    close(reading)
    close(writing)
  }

  /// `true` once the flag has been raised.
  package var isRaised: Bool { isUp.load(ordering: .acquiring) }

  /// Raises the flag.
  package func raise() {
    isUp.store(true, ordering: .releasing)
    var one: UInt8 = 1
    _ = write(writing, &one, 1)
  }

  /// Waits for a number of seconds, or until the flag is raised.
  package func wait(seconds: Double) {
    let latest = Self.now + Int64(seconds * 1e9)
    while !isRaised {
      let left = latest - Self.now
      guard left > 0 else { return }
      var one = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
      _ = poll(&one, 1, Int32(min(left / 1_000_000 + 1, 60_000)))
    }
  }

  private static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
