package import Rigs

/// What happens while firmware uses the bench.
extension RunEvent {
  /// A line that firmware sent over a serial port.
  package struct SerialLine: Hashable, Sendable {
    /// When its first byte had been sent.
    package let time: UInt64
    /// The name of the port, as the data sheet calls it.
    package let port: String
    /// The line without its end.
    package let text: String

    /// Creates a line.
    package init(time: UInt64, port: String, text: String) {
      self.time = time
      self.port = port
      self.text = text
    }
  }

  /// What one consumer of a battery took in a run.
  package struct Consumption: Hashable, Sendable {
    /// The end of the run.
    package let time: UInt64
    /// What took it: a state of the microcontroller, or a sensor.
    package let consumer: String
    /// For how long it did, in nanoseconds; `nil` where nobody counts.
    package let duration: UInt64?
    /// The charge, in µC.
    package let microcoulombs: Double
    /// How much of all that is, from 0 to 1.
    package let share: Double
    /// Where the current stands: document, table, condition.
    package let source: String

    /// Creates the account of a consumer.
    package init(
      time: UInt64, consumer: String, duration: UInt64?, microcoulombs: Double, share: Double,
      source: String
    ) {
      self.time = time
      self.consumer = consumer
      self.duration = duration
      self.microcoulombs = microcoulombs
      self.share = share
      self.source = source
    }
  }

  /// What firmware took of the memories of its microcontroller.
  package struct Footprint: Hashable, Sendable {
    /// The end of the run.
    package let time: UInt64
    /// The bytes of each memory; one of which nobody knows is not there.
    package let bytes: [FirmwareMemory: Int]

    /// Creates a footprint.
    package init(time: UInt64, bytes: [FirmwareMemory: Int]) {
      self.time = time
      self.bytes = bytes
    }
  }
}
