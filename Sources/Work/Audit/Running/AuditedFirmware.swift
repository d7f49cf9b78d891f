/// Firmware that is audited, on a virtual microcontroller.
package struct AuditedFirmware: Sendable {
  /// The file of the image.
  package let image: String
  /// The microcontroller; guessed when `nil`.
  package let microcontroller: String?
  /// Where raw bytes go.
  package let address: UInt32?

  /// Creates a description.
  package init(image: String, microcontroller: String?, address: UInt32?) {
    self.image = image
    self.microcontroller = microcontroller
    self.address = address
  }

  /// What `aneroid firmware` is told; it runs until it has shown enough.
  var arguments: [String] {
    ["--for", "3650d"] + (microcontroller.map { ["--mcu", $0] } ?? [])
      + (address.map { ["--at", "\($0)"] } ?? []) + ["--", image]
  }
}
