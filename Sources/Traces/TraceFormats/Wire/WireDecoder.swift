import I2CTrace

/// Reads the levels of SDA and SCL as conditions and bytes.
///
/// SDA that changes while SCL is high is a start or a stop; a rising SCL samples a bit. There is no filter
/// against glitches: what a logic analyzer shows must be clean.
struct WireDecoder {
  private var assembler: WireAssembler
  private var sda = true
  private var scl = true
  /// The bits since the last byte, or since the start.
  private var count = 0
  private var shift: UInt16 = 0

  init(bus: Int) { assembler = WireAssembler(bus: bus) }

  /// Takes the levels that hold from a moment in nanoseconds.
  mutating func step(
    sda newSDA: Bool, scl newSCL: Bool, at time: Int64, _ sink: inout CaptureSink
  ) throws(TraceError) {
    defer { (sda, scl) = (newSDA, newSCL) }
    if scl, newSCL, sda != newSDA {
      // The bit before it was sampled as SCL rose for the condition itself.
      if count > 1 { try assembler.breakOff(at: time, &sink) }
      count = 0
      if newSDA {
        try assembler.stop(at: time, &sink)
      } else {
        try assembler.start(at: time, &sink)
      }
    } else if !scl, newSCL {
      shift = shift << 1 | (newSDA ? 1 : 0)
      count += 1
      if count == 9 {
        assembler.byte(
          UInt8(truncatingIfNeeded: shift >> 1), acknowledged: shift & 1 == 0, &sink)
        count = 0
      }
    }
  }

  mutating func finish(_ sink: inout CaptureSink) { assembler.finish(&sink) }

}
