package import Chips
package import I2C
import Schema
import Support
import VirtualI2C

extension Rig {
  /// A multiplexer on a bus, behind which are further buses of the rig.
  package struct Multiplexer: Hashable, Sendable {
    /// The model in rigs.
    package static let model = "tca9548a"

    /// The address on its bus.
    package let address: I2CAddress
    /// The number of the bus at each channel, from channel 0 on; `nil` for a channel without a bus.
    package let channels: [Int?]
    /// `true` if a kernel driver owns the address, so programs get EBUSY there.
    package let isBound: Bool
    /// The line of the multiplexer in the rig file.
    package let line: Int

    /// The buses at the channels, for messages: `bus 11 at 0, bus 12 at 1`.
    package var channelText: String {
      channels.enumerated().compactMap { index, bus in bus.map { "bus \($0) at \(index)" } }
        .joined(separator: ", ")
    }
  }

  /// A channel of a multiplexer.
  package struct Channel: Hashable, Sendable {
    /// The number of the bus with the multiplexer.
    package let bus: Int
    /// The address of the multiplexer on that bus.
    package let multiplexer: I2CAddress
    /// The number of the channel, from 0.
    package let number: Int

    /// The channel for messages: `channel 0 of 0x70 on bus 1`.
    package var words: String { "channel \(number) of \(multiplexer) on bus \(bus)" }
  }

  /// Returns whether a bus has a multiplexer.
  package func hasMultiplexer(on number: Int) -> Bool {
    describedBuses.contains { $0.number == number && !$0.multiplexers.isEmpty }
  }

  /// The channel that leads to each bus behind a multiplexer, by the number of that bus.
  package var channels: [Int: Channel] { Self.channels(of: describedBuses) }

  /// Returns the channel that leads to each bus behind a multiplexer; a bus at several channels has the first of them.
  static func channels(of buses: some Sequence<Bus>) -> [Int: Channel] {
    var channels: [Int: Channel] = [:]
    for bus in buses {
      for multiplexer in bus.multiplexers {
        for (index, number) in multiplexer.channels.enumerated() {
          guard let number, channels[number] == nil else { continue }
          channels[number] = Channel(
            bus: bus.number, multiplexer: multiplexer.address, number: index)
        }
      }
    }
    return channels
  }

  /// Gives each bus behind a multiplexer the adapter of the bus above it.
  static func sharingAdapters(_ buses: [Bus]) -> [Bus] {
    let channels = channels(of: buses)
    guard !channels.isEmpty else { return buses }
    return buses.map { bus in
      var (shared, above) = (bus, channels[bus.number]?.bus)
      for _ in buses {
        guard let number = above, let found = buses.first(where: { $0.number == number }) else {
          break
        }
        shared.adapter = found.adapter
        above = channels[number]?.bus
      }
      return shared
    }
  }

  /// The numbers of the buses through which a bus behind a multiplexer is reached, the nearest first.
  package func busesAbove(_ number: Int) -> [Int] {
    let channels = self.channels
    var above: [Int] = []
    var channel = channels[number]
    while let found = channel, !above.contains(found.bus) {
      above.append(found.bus)
      channel = channels[found.bus]
    }
    return above
  }

  /// Warnings about parts behind a multiplexer whose address is also used on a bus above, where both respond.
  var collisionWarnings: [Finding] {
    let buses = Dictionary(
      describedBuses.map { ($0.number, $0) }, uniquingKeysWith: { one, _ in one })
    return describedBuses.flatMap { bus in
      busesAbove(bus.number).compactMap { buses[$0] }.flatMap { above in
        Set(bus.addresses).intersection(above.addresses).sorted { $0.rawValue < $1.rawValue }.map {
          Finding(
            .warning, "address", at: Finding.Location(file: file, line: bus.line),
            "\($0) is used on bus \(bus.number) and on bus \(above.number) above it: both respond")
        }
      }
    }
  }
}

extension Rig.Bus {
  /// The addresses of all devices on the bus.
  var addresses: [I2CAddress] {
    devices.map(\.address) + multiplexers.map(\.address) + boardDevices.map(\.address)
  }
}

extension Rig {
  /// A device that is no sensor: a memory, a clock or a display.
  package struct BoardDevice: Sendable {
    /// What the device is.
    package enum Kind: Sendable {
      /// A serial EEPROM, and the file with its first bytes; `nil` for an erased one.
      case memory(VirtualEEPROM.Model, file: String?)
      /// A real-time clock DS3231; `false` if its battery was empty, so that it has lost the time.
      case clock(isSet: Bool)
      /// A display SSD1306 with a number of rows.
      case display(rows: Int)
    }

    /// The address on its bus.
    package let address: I2CAddress
    package let kind: Kind
    /// The name of the model in rigs.
    package let model: String
    /// `true` if a kernel driver owns the address, so programs get EBUSY there.
    package let isBound: Bool

    /// The name of the clock and of the display in rigs.
    static let clock = "ds3231", display = "ssd1306"
    /// The names of all models.
    package static let models = VirtualEEPROM.Model.allCases.map(\.rawValue) + [clock, display]

    /// The addresses of a model, the usual one first.
    static func addresses(of model: String) -> [UInt16] {
      switch model {
      case clock: [VirtualDS3231.fixedAddress]
      case display: VirtualSSD1306.addresses
      default: (0...7).map { VirtualEEPROM.firstAddress + $0 }
      }
    }

    /// The keys of a model.
    static func section(of model: String) -> Section {
      let addresses = addresses(of: model).map(Int.init)
      let text = addresses.map { "0x" + String($0, radix: 16) }
      var fields: [Section.Field] = [
        .optional(
          "address", .address(addresses),
          (text.count > 1 ? "\(text[0]) to \(text[text.count - 1])" : text[0])
            + "; default: \(text[0])")
      ]
      switch model {
      case clock:
        fields.append(
          .optional(
            "set", .boolean,
            "whether the clock has the date of the rig; otherwise its battery was empty; default: true"
          ))
      case display:
        fields.append(.optional("rows", .integer(32...64), "32 or 64 rows of pixels; default: 64"))
      default:
        fields.append(
          .optional(
            "content", .path, "a file with its first bytes; default: 0xFF, as of a new part"
          ).example("eeprom.bin"))
      }
      fields.append(
        .optional(
          "bound", .boolean, "whether a kernel driver owns the address (EBUSY); default: false"))
      let keys = fields
      return Section("\(summary(of: model)), which is no sensor.", keys)
    }

    private static func summary(of model: String) -> String {
      switch model {
      case clock: "A real-time clock"
      case display: "A display with 128 columns"
      default: "A serial EEPROM"
      }
    }
  }
}
