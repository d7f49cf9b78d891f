import CInterposer

/// Where everything is waited for: the calls of clients, and other descriptors by their tokens.
final class Hearing {
  private let hearing: OpaquePointer
  private var heard = interposer_heard()

  /// Creates one that waits for nothing yet; an errno where that is not possible.
  init?(_ errno: inout Int32) {
    guard let hearing = interposer_hearing_create(&errno) else { return nil }
    self.hearing = hearing
  }

  deinit { interposer_hearing_destroy(hearing) }

  /// Waits for calls too.
  func listen(to listener: Listener) {
    interposer_hearing_listen(hearing, listener.descriptor)
  }

  /// Waits for a descriptor too.
  func add(_ descriptor: Int32, _ token: UInt64) {
    _ = interposer_hearing_add(hearing, descriptor, token)
  }

  /// Waits.
  ///
  /// - Parameters:
  ///   - nanoseconds: how long at most; -1 for ever.
  ///   - gate: what tells calls that cannot concern us.
  ///   - takesCalls: whether such calls go on without being told of, where nothing else limits the wait.
  func wait(nanoseconds: Int64, _ gate: inout interposer_gate, takesCalls: Bool) {
    withUnsafePointer(to: &gate) {
      interposer_hear(hearing, takesCalls ? $0 : nil, nanoseconds, &heard)
    }
  }

  /// Whether nothing was heard before the limit.
  var isQuiet: Bool { !heard.is_called && heard.others == 0 }

  /// Whether nobody is left who could call.
  var isOver: Bool { heard.is_over }

  /// Whether a call waits to be taken.
  var isCalled: Bool { heard.is_called && !heard.is_over && !heard.has_call }

  /// A call that has been taken and passed the gate.
  var call: interposer_call? { heard.has_call ? heard.call : nil }

  /// The tokens of the other descriptors that have something, and whether that is a hang-up.
  var others: [(token: UInt64, isHangup: Bool)] {
    guard heard.others > 0 else { return [] }
    return withUnsafeBytes(of: heard.tokens) { tokens in
      withUnsafeBytes(of: heard.hangups) { hangups in
        Array(zip(tokens.bindMemory(to: UInt64.self), hangups.bindMemory(to: Bool.self)))
          .prefix(Int(heard.others)).map { (token: $0, isHangup: $1) }
      }
    }
  }
}
