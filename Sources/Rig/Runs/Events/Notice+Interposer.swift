package import Interposer

extension RunEvent.Notice {
  /// Creates the event of what was noticed of a program at a time in nanoseconds.
  package init(_ notice: InterposerNotice, at time: UInt64) {
    let subject: Subject =
      switch notice.subject {
      case .notServed: .notServed
      case .machineTime: .machineTime
      case .standstill: .standstill
      case .outlived: .outlived
      }
    self.init(time: time, subject: subject, text: notice.text)
  }
}
