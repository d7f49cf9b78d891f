package import I2C
package import Interposer
package import Parts
package import Rigs
package import Support

/// Events of runs in which a user's program, and not the pipeline, uses the bench.
extension RunEvent {
  /// A notice for the user about a program.
  package struct Notice: Hashable, Sendable {
    /// The subject of a notice.
    package enum Subject: String, CaseIterable, Sendable {
      /// A program used a system call or a file that the interposer cannot emulate.
      case notServed = "not-served"
      /// A clock, wait or timer of a program with virtual time follows the machine's real clock.
      case machineTime = "machine-time"
      /// Programs with virtual time are deadlocked.
      case standstill
      /// Child programs outlived the started program and were terminated.
      case outlived
      /// An adapter was unplugged or plugged in.
      case connection
      /// A part that is a program has failed, and answers no more.
      case part
      /// The weather data have ended, so the air keeps its last values from then on.
      case air
      /// No device answers at the addresses that a program used, and the parts of the bus have other addresses.
      case address
      /// A replay differs from its trace.
      case replay
      /// A client of a served bus connected, left or was dropped.
      case client
      /// A message about the firmware, such as a reset, a fault, or the path of the terminal for a
      /// serial port.
      case firmware
      /// Firmware accessed a register that is not modelled.
      case register
    }

    /// The time on the clock of the bench.
    package let time: UInt64
    package let subject: Subject
    /// The text of the notice, one sentence.
    package let text: String

    package init(time: UInt64, subject: Subject, text: String) {
      self.time = time
      self.subject = subject
      self.text = text
    }
  }

  /// The charge that a sensor used.
  package struct ChargeReport: Hashable, Sendable {
    /// The time at which the program ended.
    package let time: UInt64
    package let sensorID: Rig.SensorID
    /// The charge since power-on, in µC.
    package let microcoulombs: Double
  }

  /// A warning that a program used a sensor in a way that a real part would not tolerate.
  package struct DriverWarning: Sendable {
    /// The time at which the program ended.
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

  package struct ProgramEnd: Hashable, Sendable {
    /// The time on the clock of the bench.
    package let time: UInt64
    /// The exit status, 128 + n if signal n ended the program.
    package let status: Int32
    /// The reason why firmware could not continue, or the address at which it could make no more
    /// progress; `nil` if the program exited.
    package let reason: String?

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
  /// Creates the event for a notice from the interposer, at a time in nanoseconds unless the notice has its own.
  package init(_ notice: InterposerNotice, at time: UInt64) {
    let subject: Subject =
      switch notice.subject {
      case .notServed: .notServed
      case .machineTime: .machineTime
      case .standstill: .standstill
      case .outlived: .outlived
      case .connection: .connection
      }
    self.init(time: notice.time ?? time, subject: subject, text: notice.text)
  }
}
