package import Files
package import I2C
package import Interposer
package import Parts
package import Rigs

/// Events of another program on the bench.
extension RunEvent {
  /// A notice for the user about a program.
  package struct Notice: Hashable, Sendable {
    /// The subject of a notice.
    package enum Subject: String, CaseIterable, Sendable {
      /// A system call or file that the interposer cannot emulate.
      case notServed = "not-served"
      /// A program with virtual time read a clock of the machine.
      case machineTime = "machine-time"
      /// Programs with virtual time are deadlocked.
      case standstill
      /// Programs outlived the one that was started, and were terminated.
      case outlived
      /// The weather data have ended; the last values are kept.
      case air
      /// No device answers at the addresses that a program used, and the parts of the bus have other addresses.
      case address
      /// A replay differs from its trace.
      case replay
      /// An event of the firmware: a reset, a fault, the path of its terminal.
      case firmware
      /// Firmware accessed a register that is not modelled.
      case register
    }

    /// The time on the clock of the bench.
    package let time: UInt64
    /// The subject.
    package let subject: Subject
    /// The sentence.
    package let text: String

    /// Creates a notice.
    package init(time: UInt64, subject: Subject, text: String) {
      self.time = time
      self.subject = subject
      self.text = text
    }
  }

  /// The charge that a sensor used.
  package struct ChargeReport: Hashable, Sendable {
    /// The end of the program.
    package let time: UInt64
    /// The sensor.
    package let sensorID: Rig.SensorID
    /// The charge since power-on, in µC.
    package let microcoulombs: Double
  }

  /// A warning that a program used a sensor in a way that a real part would not tolerate.
  package struct DriverWarning: Sendable {
    /// The end of the program.
    package let time: UInt64
    /// The number of the bus in the rig.
    package let bus: Int
    /// N of the `/dev/i2c-N` that the program used.
    package let node: Int
    /// The address of the part.
    package let address: I2CAddress
    /// The most severe error and its number of occurrences.
    package let warning: PartWarning
  }

  /// The end of a program.
  package struct ProgramEnd: Hashable, Sendable {
    /// The time on the clock of the bench.
    package let time: UInt64
    /// The exit status, 128 + n if signal n ended the program.
    package let status: Int32
    /// The reason why firmware could not continue, or its address when it could make no more progress; `nil` if it
    /// exited.
    package let reason: String?

    /// Creates an end.
    package init(time: UInt64, status: Int32, reason: String? = nil) {
      self.time = time
      self.status = status
      self.reason = reason
    }
  }

  /// The failure to run a program.
  package struct RunFailure: Hashable, Sendable {
    /// The exit status.
    package let status: Int32
    /// The messages: the failure and possible remedies.
    package let messages: [String]

    /// Creates a failure.
    package init(status: Int32, messages: [String]) {
      self.status = status
      self.messages = messages
    }
  }
}

extension RunEvent.RunFailure {
  /// Creates the failure of a bench that cannot be assembled or used.
  package init(_ failure: Failure) {
    self.init(status: failure.exitStatus, messages: failure.messages)
  }
}

extension RunEvent.Notice {
  /// Creates the event of a notice of the interposer at a time in nanoseconds.
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
