package import Files

extension Rig {
  /// The rig that is used when none is given: one BME280 at 0x76 on bus 1, in steady air.
  ///
  /// - Throws: `Failure` never, unless this program is broken.
  package static func builtIn() throws(Failure) -> Rig {
    // The calibration of a real part (fixtures/calibrations/periph-i2c.yaml).
    try Rig(
      text: """
        name: built-in
        buses:
          - number: 1
            adapter: {frequency: 400kHz}
            devices:
              - address: 0x76
                model: bme280
                calibration:
                  0x88: "106e6c6632005d95b8d5d00b771e9dfff9ffac260ad8bd10004b"
                  0xE1: "6e01001305001e"
        environment:
          constant: {pressure: 1013.25hPa, temperature: 21C, humidity: 50%}
        """, file: "built-in rig")
  }
}
