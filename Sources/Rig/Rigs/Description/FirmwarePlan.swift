/// An image on a microcontroller that uses the buses of a rig.
package struct FirmwarePlan: Hashable, Sendable {
  /// The file of the image.
  package let image: String
  /// What makes the image, as a user would run it.
  package let builder: String?
  /// The microcontroller; guessed when `nil`.
  package let microcontroller: String?
  /// Where raw bytes go.
  package let address: UInt32?
  /// N of the bus at each I2C controller; empty where nobody says.
  package let ports: [String: Int]
  /// A regular expression; a line of a UART that matches it ends the run.
  package let until: String?
  /// The same of a line that is expected.
  package var awaited: String?
  /// Its line in the rig file.
  package let line: Int

  /// The expressions by which lines end the run.
  package var endings: [String] { [until, awaited].compactMap(\.self) }
}
