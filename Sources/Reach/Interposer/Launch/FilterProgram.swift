package import CInterposer
import Glibc

/// The seccomp filter: the BPF program that decides for each system call of a client whether the supervisor receives
/// it.
package struct FilterProgram {
  /// The BPF instructions.
  package private(set) var instructions: [sock_filter] = []

  private static let pass: UInt32 = 0x7FFF_0000
  private static let notify: UInt32 = 0x7FC0_0000
  private static let reject: UInt32 = 0x0005_0000

  /// Creates a filter.
  ///
  /// - Parameters:
  ///   - slots: the descriptor numbers of synthetic files.
  ///   - mode: the set of path calls that are intercepted.
  ///   - isTimeVirtual: `true` to intercept calls that depend on time.
  package init(slots: Range<Int>, mode: InterposerMode, isTimeVirtual: Bool = false) {
    load(Offset.architecture)
    // Calls of another architecture (32-bit programs) have other numbers and pass.
    returnUnless(equal: interposer_architecture(), Self.pass)
    load(Offset.number)
    for call in SystemCall.allCases {
      guard let number = call.number else { continue }
      if case .time = call.interest, !isTimeVirtual { continue }
      let body = Self.decision(call.interest, slots: slots, mode: mode)
      guard !body.isEmpty else { continue }
      skipUnless(equal: UInt32(bitPattern: number), over: body.count)
      instructions += body
    }
    returns(Self.pass)
  }

  /// The instructions that decide about a call and return on every path; empty if the call always passes to the kernel.
  private static func decision(
    _ interest: SystemCall.Interest, slots: Range<Int>, mode: InterposerMode
  ) -> [sock_filter] {
    var body = FilterProgram()
    switch interest {
    case .request:
      // Only the low word is compared, because C libraries differ in its sign extension.
      body.load(Offset.argument(1))
      body.and(~0xFF)
      body.add(BPF_JMP | BPF_JEQ | BPF_K, 0x0700, ifFalse: 1)
      body.returns(notify)
      body.returnUnless(any: [0], within: slots, pass)
    case .descriptor(let arguments): body.returnUnless(any: arguments, within: slots, pass)
    case .pathOrDescriptor where mode == .fast: body.returnUnless(any: [0], within: slots, pass)
    case .rejected:
      body.returns(Self.reject | UInt32(ENOSYS))
      return body.instructions
    case .openFlags(let argument) where mode == .fast:
      body.load(Offset.argument(argument))
      // O_RDWR (2) or O_CREAT, which must not create a file with the name of a node.
      body.and(UInt32(O_ACCMODE | O_CREAT))
      body.add(BPF_JMP | BPF_JGE | BPF_K, UInt32(O_RDWR), ifTrue: 1)
      body.returns(pass)
    case .path where mode == .fast: return []
    case .time(let wait): body.returnUnless(wait)
    case .path, .pathOrDescriptor, .openFlags, .always: break
    }
    body.returns(notify)
    return body.instructions
  }

  private init() {}

  /// Adds instructions that pass a call without a timeout to the kernel.
  private mutating func returnUnless(_ wait: SystemCall.Wait) {
    switch wait {
    case .always: break
    case .milliseconds(let argument):
      load(Offset.argument(argument))
      add(BPF_JMP | BPF_JEQ | BPF_K, 0, ifTrue: 1)
      add(BPF_JMP | BPF_JGE | BPF_K, 0x8000_0000, ifFalse: 1)
      returns(Self.pass)
    case .pointer(let argument):
      load(Offset.argument(argument))
      add(BPF_JMP | BPF_JEQ | BPF_K, 0, ifFalse: 1)
      returns(Self.pass)
    case .futex:
      returnUnless(.pointer(argument: 3))
      // FUTEX_WAIT, FUTEX_WAIT_BITSET, FUTEX_LOCK_PI, FUTEX_WAIT_REQUEUE_PI, FUTEX_LOCK_PI2, private or not, on any
      // clock.
      load(Offset.argument(1))
      and(0x7F)
      passUnless(any: [0, 9, 6, 11, 13])
    case .socketLimit:
      load(Offset.argument(1))
      add(BPF_JMP | BPF_JEQ | BPF_K, UInt32(SOL_SOCKET), ifTrue: 1)
      returns(Self.pass)
      // SO_RCVTIMEO and SO_SNDTIMEO, with the old and the new time formats.
      load(Offset.argument(2))
      passUnless(any: [20, 21, 66, 67])
    }
  }

  /// Adds instructions that pass the call to the kernel unless the loaded value is one of `values`.
  private mutating func passUnless(any values: [UInt32]) {
    for (index, value) in values.enumerated() {
      add(BPF_JMP | BPF_JEQ | BPF_K, value, ifTrue: values.count - index)
    }
    returns(Self.pass)
  }

  /// Offsets in `struct seccomp_data`; the low word of an argument comes first.
  private enum Offset {
    static let number: UInt32 = 0
    static let architecture: UInt32 = 4
    static func argument(_ index: Int) -> UInt32 { UInt32(16 + 8 * index) }
  }

  // MARK: Instructions

  private mutating func add(
    _ code: Int32, _ operand: UInt32, ifTrue: Int = 0, ifFalse: Int = 0
  ) {
    instructions.append(
      sock_filter(code: UInt16(code), jt: UInt8(ifTrue), jf: UInt8(ifFalse), k: operand))
  }

  private mutating func load(_ offset: UInt32) { add(BPF_LD | BPF_W | BPF_ABS, offset) }

  private mutating func and(_ mask: UInt32) { add(BPF_ALU | BPF_AND | BPF_K, mask) }

  private mutating func returns(_ action: UInt32) { add(BPF_RET | BPF_K, action) }

  private mutating func skipUnless(equal value: UInt32, over count: Int) {
    add(BPF_JMP | BPF_JEQ | BPF_K, value, ifFalse: count)
  }

  private mutating func returnUnless(equal value: UInt32, _ action: UInt32) {
    add(BPF_JMP | BPF_JEQ | BPF_K, value, ifTrue: 1)
    returns(action)
  }

  /// Adds instructions that return `action` unless one of the arguments is a synthetic descriptor.
  private mutating func returnUnless(
    any arguments: [Int], within range: Range<Int>, _ action: UInt32
  ) {
    for (index, argument) in arguments.enumerated() {
      // Each test has three instructions; the return follows the last one.
      let rest = 3 * (arguments.count - 1 - index)
      load(Offset.argument(argument))
      add(BPF_JMP | BPF_JGE | BPF_K, UInt32(range.upperBound), ifTrue: 1)
      add(BPF_JMP | BPF_JGE | BPF_K, UInt32(range.lowerBound), ifTrue: rest + 1)
    }
    returns(action)
  }
}

/// The set of system calls that the supervisor intercepts.
public enum InterposerMode: String, Hashable, Sendable, CaseIterable {
  /// Intercepts all calls with paths, so programs can find, list and query nodes; each such call costs some
  /// microseconds.
  case full
  /// Intercepts only `open` for reading and writing, which is sufficient for programs that use a fixed bus number.
  case fast
}
