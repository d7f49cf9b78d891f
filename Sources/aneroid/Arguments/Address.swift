import ArgumentParser
import I2C
import Rigs

/// An address on the command line: `0x76` or `118`.
struct Address: ExpressibleByArgument {
  let address: I2CAddress

  init?(argument: String) {
    guard let number = RigText.integer(argument), (0x03...0x77).contains(number),
      let address = I2CAddress(rawValue: UInt16(number))
    else { return nil }
    self.address = address
  }
}
