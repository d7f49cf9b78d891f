import I2CTrace

/// What other tools record of a bus.
public enum CaptureKind: String, Hashable, Sendable, CaseIterable {
  /// A log of a shell: i2ctransfer, i2cget, i2cset and i2cdump with what they printed.
  case i2cTools = "i2c-tools"
  /// The i2c and smbus events of Linux ftrace (`trace`, `trace_pipe`).
  case ftrace
  /// The table of Saleae Logic's I2C analyzer as CSV, of Logic 2 or of Logic 1.
  case saleae
  /// What `sigrok-cli -P i2c -A i2c` prints.
  case sigrok
  /// The two lines themselves (Value Change Dump), of any logic analyzer.
  case vcd
  /// What the I2C sniffer of the Bus Pirate prints.
  case busPirate = "bus-pirate"
  /// The transfers of a test against periph's `i2ctest.Playback`, in Go.
  case periph

  /// What the capture does not know, and what the trace has instead.
  public var limits: String {
    switch self {
    case .i2cTools:
      "times are not recorded: transfers follow one another at the bus frequency; what a command did "
        + "on the bus follows from its arguments and its output"
    case .ftrace: "messages longer than 64 bytes are not recorded whole and refused"
    case .saleae:
      "errno is not on the wires: ENXIO and EIO stand for a NACK; Logic 1 does not record stops, so that "
        + "each of its packets is a transfer"
    case .sigrok:
      "errno is not on the wires: ENXIO and EIO stand for a NACK; times need "
        + "--protocol-decoder-samplenum and the sample rate"
    case .vcd: "errno is not on the wires: ENXIO and EIO stand for a NACK"
    case .busPirate:
      "times are not recorded; the sniffer loses bytes above 100 kHz; errno is not on the wires: ENXIO "
        + "and EIO stand for a NACK"
    case .periph: "times are not recorded; whether a write and a read were one transfer is assumed"
    }
  }
}
