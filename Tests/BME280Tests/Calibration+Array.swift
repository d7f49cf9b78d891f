import BME280

extension Calibration {
  /// Decodes the bytes of an array; expectations cannot take a span.
  init?(_ bytes: [UInt8]) { self.init(bytes: bytes.span) }
}
