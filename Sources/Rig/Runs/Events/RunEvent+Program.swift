package import Files
package import I2C
package import Parts
package import Rigs

/// What happens while another program uses the bench.
extension RunEvent {
  /// A sentence for the user of a program.
  package struct Notice: Hashable, Sendable {
    /// What it is about.
    package enum Subject: String, CaseIterable, Sendable {
      /// Something cannot be shown to a program as it would be without us.
      case notServed = "not-served"
      /// Something of a program's time is the machine's, although its time is virtual.
      case machineTime = "machine-time"
      /// Programs with virtual time do not go on.
      case standstill
      /// Programs outlived the one that was started, and are ended.
      case outlived
      /// The air is no longer known: its last values hold.
      case air
      /// Nothing answers at the only addresses of a bus that a program used, and parts are at others.
      case address
      /// A replay differs from its trace.
      case replay
      /// What firmware did that its user should know: a reset, a fault, where its terminal is.
      case firmware
      /// Firmware used a register that nobody models.
      case register
    }

    /// When, on the clock of the bench.
    package let time: UInt64
    /// What it is about.
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

  /// What a sensor used.
  package struct ChargeReport: Hashable, Sendable {
    /// The end of the program.
    package let time: UInt64
    /// Which sensor.
    package let place: Rig.SensorID
    /// The charge since power came on, in µC.
    package let microcoulombs: Double
  }

  /// What a program did with a sensor that a real part punishes.
  package struct Remark: Sendable {
    /// The end of the program.
    package let time: UInt64
    /// N of the bus in the rig.
    package let bus: Int
    /// N in the /dev/i2c-N that the program saw.
    package let node: Int
    /// Where the part is.
    package let address: I2CAddress
    /// The worst of what it did, and how often.
    package let remark: PartRemark
  }

  /// The end of a program.
  package struct ProgramEnd: Hashable, Sendable {
    /// When, on the clock of the bench.
    package let time: UInt64
    /// Its exit status, 128 + n if signal n ended it.
    package let status: Int32
    /// Why firmware could not go on, or where it was when nothing more was to come of it; `nil` where it ended by itself.
    package let reason: String?

    /// Creates an end.
    package init(time: UInt64, status: Int32, reason: String? = nil) {
      self.time = time
      self.status = status
      self.reason = reason
    }
  }

  /// Why a program was not run.
  package struct RunFailure: Hashable, Sendable {
    /// The exit status that says so.
    package let status: Int32
    /// What failed, and what to try.
    package let messages: [String]

    /// Creates a failure.
    package init(status: Int32, messages: [String]) {
      self.status = status
      self.messages = messages
    }
  }
}

extension RunEvent.RunFailure {
  /// Creates the failure of a bench that cannot be put together or used.
  package init(_ failure: Failure) {
    self.init(status: failure.exitStatus, messages: failure.messages)
  }
}
