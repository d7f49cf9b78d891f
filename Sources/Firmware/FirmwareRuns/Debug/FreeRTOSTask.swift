/// A task of FreeRTOS as a debugger shows it.
struct FreeRTOSTask: Equatable {
  /// The state of a task.
  enum State: String {
    /// The task that the core executes, or has interrupted.
    case running
    /// The task may run, and one of higher or the same priority does.
    case ready
    /// The task waits for a time, or for an event.
    case blocked
    /// The task is suspended, or waits for a notification without a limit: the kernel keeps both in one list.
    case suspended = "suspended, or waits for a notification"
    /// The task is deleted, and its memory is not yet released.
    case deleted
  }

  /// The address of its task control block, by which GDB names it.
  let address: UInt32
  /// Its name.
  let name: String
  /// Its state.
  let state: State
  /// Its priority; 0 is the lowest.
  let priority: UInt32

  /// A line about it for GDB's `info threads`.
  var summary: String {
    "\(name.isEmpty ? "no name" : name): \(state.rawValue), priority \(priority)"
  }
}
