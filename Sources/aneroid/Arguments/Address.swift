import ArgumentParser
import Chips
import I2C
import Rigs

/// An address on the command line: `0x76` or `118`.
struct Address: ExpressibleByArgument, Equatable {
  let address: I2CAddress

  init?(argument: String) {
    guard let number = RigText.integer(argument), (0x03...0x77).contains(number),
      let address = I2CAddress(rawValue: UInt16(number))
    else { return nil }
    self.address = address
    isDecimal = argument.allSatisfy(\.isNumber)
  }

  /// Whether it was written without `0x`.
  private let isDecimal: Bool

  /// Whether the part of the bench that runs without a rig can have an address; `nil` stands for the usual one.
  static func isOfBuiltInPart(_ address: Address?) -> Bool {
    [nil, 0x76, 0x77].contains(address?.address)
  }

  /// The error for an address that the part of the bench without a rig cannot have.
  static let builtInPartRule = "--address must be 0x76 or 0x77"

  /// Refuses a number that only without its `0x` is no address of a sensor.
  ///
  /// - Throws: `ValidationError` that says what was meant.
  func validate() throws {
    let number = Int(address.rawValue)
    guard isDecimal, !Catalogue.addresses.contains(address),
      let meant = Int("\(number)", radix: 16),
      let other = Catalogue.addresses.first(where: { Int($0.rawValue) == meant })
    else { return }
    throw ValidationError(
      "--address \(number) is \(address), where no part that is known answers; did you mean \(other)?"
    )
  }
}

extension Rig {
  /// The bench that runs without a rig, its part at an address.
  ///
  /// - Parameter address: the address; default: 0x76.
  /// - Returns: the rig.
  static func builtIn(at address: Address?) -> Rig {
    builtIn(address: address?.address.rawValue ?? 0x76)
  }
}
