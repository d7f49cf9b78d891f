import CInterposer

/// The kernel's end of all calls of the clients, safe on any thread.
struct Listener: Sendable {
  let descriptor: Int32

  /// The next call that waits, or `nil` when there is none any more.
  func next() -> interposer_call? {
    var call = interposer_call()
    return interposer_receive(descriptor, &call) == 0 ? call : nil
  }

  /// Answers a call; one whose caller is gone needs no answer.
  func answer(_ id: UInt64, _ answer: Answer) {
    switch answer {
    case .pass: _ = interposer_continue(descriptor, id)
    case .value(let value): _ = interposer_answer(descriptor, id, value, 0)
    case .failure(let errno): _ = interposer_answer(descriptor, id, 0, errno)
    case .elsewhere: break
    }
  }

  /// Whether a call still waits.
  func waits(_ id: UInt64) -> Bool { interposer_waits(descriptor, id) }

  /// Gives the caller a copy of a descriptor, under a number or the lowest free one, and answers
  /// with that number; the errno if that fails.
  func give(_ source: Int32, for id: UInt64, number: Int32?, closesOnExec: Bool) -> Int32? {
    let given = interposer_give(descriptor, id, source, number ?? -1, closesOnExec)
    return given < 0 ? -given : nil
  }

  /// Gives the caller a copy of a descriptor, under a number or the lowest free one, and leaves it waiting
  /// for its answer; the number, or -errno.
  func install(_ source: Int32, for id: UInt64, number: Int32?, closesOnExec: Bool) -> Int32 {
    interposer_install(descriptor, id, source, number ?? -1, closesOnExec)
  }
}
