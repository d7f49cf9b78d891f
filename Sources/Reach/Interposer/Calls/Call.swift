import CInterposer

/// A system call of a client that waits for its answer.
struct Call {
  let system: SystemCall
  /// The thread that called.
  let thread: Int32
  /// The kernel's name for the call.
  let id: UInt64
  private let arguments: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

  init(_ call: interposer_call, _ system: SystemCall) {
    self.system = system
    thread = call.thread
    id = call.id
    arguments = call.arguments
  }

  /// An argument.
  subscript(_ index: Int) -> UInt64 {
    switch index {
    case 0: arguments.0
    case 1: arguments.1
    case 2: arguments.2
    case 3: arguments.3
    case 4: arguments.4
    default: arguments.5
    }
  }

  /// Whether a later call of the same thread is this one, made again.
  func isAgain(_ later: Call) -> Bool {
    thread == later.thread && system == later.system && arguments == later.arguments
  }

  /// An argument that is a C int: a descriptor, or flags.
  func int(_ index: Int) -> Int32 { Int32(truncatingIfNeeded: self[index]) }
}

/// What the supervisor decides about a call.
enum Answer {
  /// The kernel shall do it.
  case pass
  /// It returns a value.
  case value(Int64)
  /// It fails with an errno.
  case failure(Int32)
  /// It has been answered, or will be by the worker of its bus.
  case elsewhere
}
