import Chips
import I2C
import PartFiles
import Parts
import Schema
import Support
import VirtualI2C

/// The devices on a bus: parts of the catalogue, parts of files, parts described in the rig, and programs.
extension RigReader {
  mutating func device(_ value: CheckedValue) -> Rig.Device? {
    guard let model = model(of: value), let part = model.configured(value, &document) else {
      return nil
    }
    let address = value["address"]?.integer.flatMap { I2CAddress(rawValue: UInt16($0)) }
    return Rig.Device(
      address: address ?? model.addresses[0], part: part, isBound: value["bound"]?.boolean ?? false,
      module: value["module"]?.text)
  }

  /// Returns the model of a device.
  ///
  /// - Returns: the model, or `nil` if it is invalid; the errors have been noted.
  mutating func model(of device: CheckedValue) -> (any PartModel)? {
    guard let value = device["model"] else { return nil }
    if value["program"] != nil { return program(value, of: device) }
    if let word = value.text {
      if Section.isFile(word) { return unique(part(inFile: word, at: value.position), value) }
      if let model = Catalogue.model(named: word) { return model }
      checker.note(
        "model: no built-in part is '\(word.clipped)'; '\(Section.withoutVendor(word))' is of another manufacturer",
        at: value.position)
      return nil
    }
    return unique(part(inPlace: value), value)
  }

  private mutating func part(inFile path: String, at position: Position) -> DescribedPart? {
    do throws(Failure) {
      return try PartFile.read(path: document.named(path))
    } catch {
      document.fail(error, at: position)
      return nil
    }
  }

  private mutating func part(inPlace value: CheckedValue) -> DescribedPart? {
    guard value.isSound else { return nil }
    let errors = checker.errors.count
    let part = PartFile.read(value, &checker)
    return checker.errors.count == errors ? DescribedPart(part) : nil
  }

  /// Returns a described part unless its name is that of a built-in one.
  private mutating func unique(_ part: DescribedPart?, _ value: CheckedValue) -> DescribedPart? {
    guard let part, Catalogue.model(named: part.name) != nil else { return part }
    let file = value.text.map { "\($0): " } ?? ""
    checker.note(
      "\(file)the name '\(part.name)' is that of a built-in part; choose another, such as "
        + "'part: \(part.description.vendor):my-\(part.name)'", at: value.position)
    return nil
  }

  private mutating func program(
    _ value: CheckedValue, of device: CheckedValue
  ) -> ProgramPart? {
    let arguments = (value["program"]?.list ?? []).compactMap(\.text)
    for key in DescribedPart.device.fields.map(\.name) {
      guard let given = device[key] else { continue }
      checker.note("\(key): a program has no such key", at: given.position)
    }
    guard let number = device["address"]?.integer,
      let address = I2CAddress(rawValue: UInt16(number))
    else {
      checker.note("a part that is a program needs 'address'", at: value.position)
      return nil
    }
    guard value.isSound, !arguments.isEmpty else { return nil }
    return ProgramPart(
      arguments, in: TextFile.resolve(".", relativeTo: document.file),
      like: value["like"]?.text.flatMap(Catalogue.model(named:)), at: address)
  }
}

/// Memories, clocks and displays.
extension RigReader {
  /// Returns whether a device is a memory, a clock or a display.
  static func isBoardDevice(_ device: CheckedValue) -> Bool {
    device["model"]?.text.map(Rig.BoardDevice.models.contains) ?? false
  }

  /// Reads a memory, a clock or a display.
  ///
  /// - Returns: the device, or `nil` if it is invalid; the errors have been noted.
  mutating func boardDevice(_ value: CheckedValue) -> Rig.BoardDevice? {
    guard let model = value["model"]?.text,
      let first = Rig.BoardDevice.addresses(of: model).first,
      let address = I2CAddress(rawValue: value["address"]?.integer.map(UInt16.init) ?? first)
    else { return nil }
    let kind: Rig.BoardDevice.Kind
    switch model {
    case Rig.BoardDevice.clock: kind = .clock(isSet: value["set"]?.boolean ?? true)
    case Rig.BoardDevice.display:
      let rows = value["rows"]?.integer ?? 64
      if rows != 32, rows != 64, let given = value["rows"] {
        checker.note("rows: a display has 32 or 64 rows", at: given.position)
      }
      kind = .display(rows: rows)
    default:
      guard let memory = VirtualEEPROM.Model(rawValue: model) else { return nil }
      kind = .memory(memory, file: value["content"]?.text.map { document.named($0) })
    }
    return Rig.BoardDevice(
      address: address, kind: kind, model: model, isBound: value["bound"]?.boolean ?? false)
  }
}

/// Multiplexers: devices that lead to further buses.
extension RigReader {
  /// Returns whether a device is a multiplexer.
  static func isMultiplexer(_ device: CheckedValue) -> Bool {
    device["model"]?.text == Rig.Multiplexer.model
  }

  /// Reads a multiplexer; its channels are checked when all buses are known.
  func multiplexer(_ value: CheckedValue) -> Rig.Multiplexer {
    let address = value["address"]?.integer.map(UInt16.init)
    return Rig.Multiplexer(
      address: address.flatMap(I2CAddress.init) ?? RigSchema.multiplexerAddresses[0],
      channels: (value["channels"]?.list ?? []).map(\.integer),
      isBound: value["bound"]?.boolean ?? false, line: value.position.line)
  }

  /// Checks that each channel leads to a bus with devices, and each bus to one controller.
  mutating func checkChannels(_ value: CheckedValue?, of buses: [Rig.Bus]) {
    var taken: Set<Int> = []
    let listed = value?.list ?? []
    for bus in listed {
      for device in bus["devices"]?.list ?? [] where Self.isMultiplexer(device) {
        let channels = device["channels"]?.list ?? []
        if channels.count > VirtualMultiplexer.channelCount {
          checker.note(
            "channels: a multiplexer has \(VirtualMultiplexer.channelCount) channels",
            at: channels[VirtualMultiplexer.channelCount].position)
        }
        for channel in channels {
          guard let number = channel.integer else { continue }
          let found = listed.first { $0["number"]?.integer == number }
          if let mistake = mistake(of: number, found, on: bus["number"]?.integer, &taken) {
            checker.note("channels: \(mistake)", at: channel.position)
          }
        }
      }
    }
    checkCircles(of: buses, value)
  }

  /// Returns what is wrong with a channel that leads to a bus; `nil` if nothing is.
  private func mistake(
    of number: Int, _ found: CheckedValue?, on parent: Int?, _ taken: inout Set<Int>
  ) -> String? {
    guard let found else { return "unknown bus '\(number)'" }
    if number == parent { return "bus \(number) is the bus of the multiplexer" }
    if !taken.insert(number).inserted { return "bus \(number) is already behind a multiplexer" }
    for key in ["physical", "trace", "adapter", "bridge"] where found[key] != nil {
      return "bus \(number) is reached through the multiplexer, so it has no '\(key)'"
    }
    return nil
  }

  private mutating func checkCircles(of buses: [Rig.Bus], _ value: CheckedValue?) {
    let channels = Rig.channels(of: buses)
    for (bus, plan) in zip(buses, value?.list ?? []) {
      var number = channels[bus.number]?.bus
      for _ in buses where number != nil && number != bus.number {
        number = number.flatMap { channels[$0]?.bus }
      }
      guard number == bus.number, channels[bus.number]?.bus != bus.number else { continue }
      checker.note("bus \(bus.number) is behind itself", at: plan.position)
      return
    }
  }
}
