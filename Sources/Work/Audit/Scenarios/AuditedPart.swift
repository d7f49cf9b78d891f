import Environment
import Glibc
import I2C
import Parts
package import Quantities
import Rigs
import Schema
package import Support
import VirtualI2C

/// A part of any family on the benches of an audit.
package struct AuditedPart: Sendable {
  /// The model, as a rig names it: a name, or the absolute path of a part file.
  package let word: String
  /// The quantities that it measures.
  package let quantities: [Quantity]
  /// The specified range of each quantity.
  let ranges: SampleRanges
  /// The default address.
  package let address: UInt8
  /// The addresses that it can have.
  private let addresses: [UInt8]
  /// The largest age of a result that a correct program reads, in seconds.
  let measurementSeconds: Double
  /// `true` if a checksum protects the data.
  let hasChecksum: Bool

  /// Creates the part from a model or a part file.
  ///
  /// - Parameter word: the name of a model, or the path of a part file.
  /// - Throws: `Failure` if there is no such part, if its file has errors, or if it does not measure the air.
  package init(_ word: String) throws(Failure) {
    let rig = try Rig(part: word, at: nil)
    guard let device = rig.buses.first?.devices.first else {
      throw Failure(.unavailable, "no part '\(word)'")
    }
    let model = device.part.model
    // The rigs of an audit are in another folder.
    let isFile = Section.isFile(word) && !word.hasPrefix("/")
    self.word = isFile ? try Self.workingFolder() + "/" + word : word
    ranges = model.ranges
    quantities = Quantity.allCases.filter { model.ranges[$0] != nil }
    address = UInt8(truncatingIfNeeded: model.addresses[0].rawValue)
    addresses = model.addresses.map { UInt8(truncatingIfNeeded: $0.rawValue) }
    measurementSeconds = Double(model.usualSettings.resultAge) / 1e9
    hasChecksum = model.hasChecksum
    guard !quantities.isEmpty else {
      throw Failure(
        .unavailable,
        "\(model.titleWithArticle) does not measure the air, and an audit compares with the air")
    }
  }

  private static func workingFolder() throws(Failure) -> String {
    guard let path = getcwd(nil, 0) else {
      throw Failure(
        .inputOutput, "cannot find the current folder: \(String(cString: strerror(errno)))")
    }
    defer { free(path) }
    return String(cString: path)
  }

  /// The lines of the device in a rig.
  func device(at address: UInt8) -> [String] {
    [
      "      - address: 0x\(Hexadecimal.digits(address))",
      "        model: \(JSONValue.string(word).compact)",
    ]
  }

  /// Another address that the part can have; `nil` if it has only one.
  var otherAddress: UInt8? { addresses.first { $0 != address } }

  /// The lines of a second device, at another address, whose values a program must not display.
  func decoy(besides address: UInt8) -> [String] {
    guard let other = addresses.first(where: { $0 != address }) else { return [] }
    return device(at: other) + [
      "        offset: {temperature: 10K, humidity: 20%, pressure: -50hPa}"
    ]
  }

  /// Returns what the part's driver reads in constant air; `nil` if it fails.
  func measure(_ air: Air) -> Sample? {
    guard let rig = try? Rig(part: word, at: nil), let device = rig.buses.first?.devices.first
    else {
      return nil
    }
    let clock = VirtualClock()
    let adapter = VirtualAdapter(clock: clock)
    let part = device.part.poweredOn(
      at: device.address, in: ScriptedAir(constant: air), seed: 0)
    let model = device.part.model
    let driver = model.driver(model.finestSettings, adapter, clock, at: device.address)
    do {
      try adapter.attach(part)
      try driver.start()
      return try driver.sample()
    } catch {
      return nil
    }
  }
}
