package import HubCore
import HubQueue
package import ServiceMachine
import Support
import Synchronization

/// Watches the other hubs at a broker by their retained statuses, and records when one is lost or back.
package final class HubWatch: Sendable {
  private struct Other {
    var isOnline: Bool
    /// The time of the last change on the boot clock, in nanoseconds.
    var since: Int64
    /// `true` if the loss is recorded.
    var isLost = false
  }

  /// The time in seconds for which a hub must be offline to count as lost, so that a restart is no loss.
  private let patience: Int64
  private let core: HubCore
  private let clocks: MachineClocks
  private let state = Mutex<[String: Other]>([:])

  /// Creates a watch that knows no other hubs.
  ///
  /// - Parameters:
  ///   - core: The hub that watches.
  ///   - patience: The time in seconds for which another hub must be offline to count as lost.
  ///   - clocks: The clocks of the machine.
  package init(core: HubCore, patience: Int64 = 30, clocks: MachineClocks = .system) {
    (self.core, self.patience, self.clocks) = (core, patience, clocks)
  }

  /// Takes the status of a hub as published; an empty one means that the hub no longer exists.
  package func take(_ hub: String, _ status: String) {
    guard hub != core.queue.hub else { return }
    let now = clocks.boot()
    let isBack = state.withLock { others -> Bool in
      guard !status.isEmpty else {
        others[hub] = nil
        return false
      }
      let isOnline = status == "online"
      let before = others[hub]
      guard before?.isOnline != isOnline else { return false }
      others[hub] = Other(isOnline: isOnline, since: now)
      return isOnline && before?.isLost == true
    }
    if isBack { record(hub, "back") }
  }

  /// Records the hubs that have been offline for too long; called once per second.
  package func advance() {
    let now = clocks.boot()
    let lost = state.withLock { others in
      let lost = others.filter {
        !$0.value.isOnline && !$0.value.isLost && now - $0.value.since >= patience * 1_000_000_000
      }
      for hub in lost.keys { others[hub]?.isLost = true }
      return lost.keys.sorted()
    }
    for hub in lost { record(hub, "lost") }
  }

  private func record(_ hub: String, _ event: String) {
    core.note(
      kind: "hub", key: hub,
      body: JSONValue.members([("other", JSONValue.string(hub)), ("event", .string(event))]).compact
    )
  }
}
