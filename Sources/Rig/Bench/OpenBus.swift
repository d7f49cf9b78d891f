package import Bridges
import Chips
package import Environment
package import I2C
package import I2CTrace
import LinuxI2C
package import Parts
package import Rigs
package import Support
package import TraceTools
import VirtualI2C

/// An opened bus with its clock and its known sensors, for `aneroid read` and `aneroid watch`.
package struct OpenBus {
  package let adapter: any I2CAdapter
  package let clock: any I2CClock
  /// N in /dev/i2c-N.
  package let number: Int
  /// The name of the bus in messages.
  package let name: String
  /// The sensors that are known to be on the bus.
  package let sensors: [(address: I2CAddress, model: any PartModel)]
  /// The rig that the bus belongs to; `nil` for a real adapter or a trace.
  package let rig: Rig?
  /// The air around the sensors; `nil` if unknown.
  package let air: (any AirSource)?
  /// The cabin that the sensors are in, whose hatches can be moved; `nil` without a cabin.
  package let cabin: Cabin?
  /// Returns the state of the Bluetooth board between bus and program: the reason why it cannot be reached (`nil` if it
  /// can be reached), and the charge of its battery in percent.
  ///
  /// The closure is `nil` if there is no board.
  package let board: (() -> (absence: SimulatedGATTLink.Absence?, battery: Int))?
  /// The replay; `nil` if the bus does not replay a trace.
  package let replay: Replay?
  /// The file of the replayed trace and the number of the bus in it; `nil` if the bus does not replay a trace.
  private let traced: (file: String, bus: Int)?
  /// Returns the faults, each with the number of times it has fired so far.
  package let faults: () -> [Fault]
  /// Returns the failure of a part that is a program; `nil` if there is none.
  package let programFailure: () -> Failure?

  /// Opens a bus.
  ///
  /// - Parameters:
  ///   - reference: the bus.
  ///   - options: the replay options of a trace.
  ///   - faults: faults to inject, each with the keys of a rig. Default: none.
  ///   - trace: records every transfer.
  ///   - allowsPrograms: whether parts of a rig may be programs. Default: `false`.
  ///   - other: the rig to use instead of that of the reference. Default: none.
  /// - Throws: `Failure` if the bus cannot be opened.
  package init(
    _ reference: BusReference, _ options: ReplayOptions, faults: [String] = [],
    trace: TraceOutput?, allowsPrograms: Bool = false, replacing other: Rig? = nil
  ) throws(Failure) {
    switch reference {
    case .rig(let file, let number):
      var rig = if let other { other } else { try Rig(path: file) }
      for fault in faults { try rig.plan(fault: fault) }
      rig.allowsPrograms = allowsPrograms
      let bench = try Bench(rig, trace: trace)
      let bus = try bench.onlyBus(number: number)
      adapter = bus.adapter
      clock = bench.clock
      self.number = bus.number
      name = file
      sensors = bus.sensors.map { ($0.address, $0.model) }
      self.rig = rig
      cabin = bench.cabin
      air = rig.buses.first { $0.number == bus.number }?.source == .devices ? bench.air : nil
      board = bus.board.map { board in { (board.link.absence, Int(board.link.battery)) } }
      replay = bus.replay
      traced = bus.trace
      self.faults = { bench.faults }
      programFailure = { bench.programFailure }
    case .adapter(let text):
      if let failure = BusReference.unknown(text) { throw failure }
      let real = try RealAdapter(text)
      let clock = WallClock()
      self.clock = clock
      let number = real.path.split(separator: "-").last.flatMap { Int($0) } ?? 0
      self.number = number
      let planned = try BusFaults(faults, on: number)
      let faulty = planned.over(real.adapter, clock)
      self.adapter =
        try trace?.recording(faulty, number: number, clock, name: real.path) ?? faulty
      self.faults = { planned.faults }
      name = real.path
      (sensors, rig, air, cabin, replay, traced, board) = ([], nil, nil, nil, nil, nil, nil)
      programFailure = { nil }
    case .trace(let file, let number):
      let bus = try ReplayedBus(file, number: number, options)
      replay = bus.replay
      traced = (file, bus.number)
      self.number = bus.number
      let planned = try BusFaults(faults, on: bus.number)
      let faulty = planned.over(bus.adapter, bus.clock)
      self.adapter =
        try trace?.recording(faulty, number: bus.number, bus.clock, name: file) ?? faulty
      self.faults = { planned.faults }
      clock = bus.clock
      name = file
      sensors = bus.sensors.map { ($0.part.address, $0.model) }
      (rig, air, cabin, board) = (nil, nil, nil, nil)
      programFailure = { nil }
    }
  }
}

extension OpenBus {
  /// Creates a driver for the sensor at an address.
  ///
  /// - Parameters:
  ///   - address: the bus address; `nil` for the first sensor of the bus.
  ///   - model: the model of the part; `nil` to identify it.
  ///   - settings: returns the driver settings for a model.
  /// - Returns: the driver, before its first transfer; the bus is accessed only to identify the part.
  /// - Throws: `Failure` of kind unavailable if no known part answers.
  package func driver(
    at address: I2CAddress?, as model: (any PartModel)? = nil,
    _ settings: (any PartModel) -> any DriverSettings
  ) throws(Failure) -> any SensorDriver {
    if let model {
      return model.driver(settings(model), adapter, clock, at: address ?? model.addresses[0])
    }
    let address = address ?? sensors.first?.address ?? Catalogue.defaultAddress
    guard let address else {
      throw Failure(.unavailable, "\(name): the bus has no supported part; specify an address")
    }
    let model = try AnsweringPart.model(
      at: address, among: sensors, in: traced, on: adapter, number: number, named: name)
    return model.driver(settings(model), adapter, clock, at: address)
  }
}

/// An adapter of the real world: one of the kernel, an Arduino with Firmata, or a bridge over Bluetooth LE.
package struct RealAdapter {
  package let adapter: any I2CAdapter
  /// The path of its node or of its serial port.
  package let path: String

  /// The addresses on the bus that a driver of the kernel owns.
  package var boundAddresses: [I2CAddress] {
    LinuxI2CNode.all().first { $0.path == path }?.boundAddresses ?? []
  }

  /// The names of real adapters as text for help.
  package static let names =
    "/dev/i2c-N or the name of an adapter; \(firmata)PORT for an Arduino; "
    + BoardModel.all.map { "\($0.name):ble for \($0.titleWithArticle)" }.joined(separator: "; ")

  private static let firmata = "firmata:"
  /// The radio of a computer, for example of a Raspberry Pi, which root may use.
  private static let usualRadio = "hci-socket:0"

  /// Returns `true` for the name of a board, such as `firmata:/dev/ttyACM0` or `NAME:ble`.
  static func isBoard(_ text: String) -> Bool {
    text.hasPrefix(firmata) || bridge(text) != nil
  }

  /// Parses the name of a bridge over Bluetooth LE, such as `NAME:ble:C4:BE:84:70:00:01@usb:0`.
  ///
  /// - Returns: the kind of board, its address (`nil` for the first that is found), and the radio to use.
  private static func bridge(
    _ text: String
  ) -> (model: BoardModel, address: String?, radio: String)? {
    let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    let words = parts[0].split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    guard words.count >= 2, words[1] == "ble", let model = BoardModel.named(String(words[0])) else {
      return nil
    }
    return (
      model, words.count > 2 ? words[2].uppercased() : nil,
      parts.count > 1 ? String(parts[1]) : usualRadio
    )
  }

  /// Opens a real adapter.
  ///
  /// - Parameter text: `/dev/i2c-N` or the name of an adapter; `firmata:PORT` or `firmata:PORT@115200` for an Arduino;
  ///   `NAME:ble` or `NAME:ble:ADDRESS` for a bridge, with `@RADIO` for another radio than the first of the computer.
  /// - Throws: `Failure` of kind unavailable if the adapter cannot be opened.
  package init(_ text: String) throws(Failure) {
    if let bridge = Self.bridge(text) {
      (adapter, path) = (try Self.opened(bridge, text), text)
      return
    }
    do throws(LinuxI2CError) {
      if text.hasPrefix(Self.firmata) {
        let (port, baudRate) = Self.port(text)
        let opened = try FirmataAdapter(path: port, baudRate: baudRate)
        (adapter, path) = (opened, opened.path)
      } else {
        let opened = try LinuxI2CAdapter(path: LinuxI2CNode.path(of: text))
        (adapter, path) = (opened, opened.path)
      }
    } catch {
      throw Failure(.unavailable, "\(error)")
    }
  }

  /// Connects to the board of a bridge.
  private static func opened(
    _ bridge: (model: BoardModel, address: String?, radio: String), _ text: String
  ) throws(Failure) -> any I2CAdapter {
    if let address = bridge.address {
      let bytes = address.split(separator: ":", omittingEmptySubsequences: false)
      guard bytes.count == 6, bytes.allSatisfy({ $0.count == 2 && $0.allSatisfy(\.isHexDigit) })
      else {
        throw Failure(
          .usage, "'\(address.visible)' is not an address such as C4:BE:84:70:00:01")
      }
    }
    let link: RemoteBoard
    do throws(Failure) {
      link = try RemoteBoard(bridge.model.profile.name, at: bridge.address, transport: bridge.radio)
    } catch {
      // A failure of the radio begins with the name of the radio.
      throw Failure(.unavailable, "\(bridge.model.name): \(error.messages[0])")
    }
    return bridge.model.client(link, WallClock(), BoardSettings(limit: bridge.model.limit))
  }

  /// Returns the serial port of a board and its baud rate.
  private static func port(_ text: String) -> (path: String, baudRate: Int) {
    let name = text.dropFirst(firmata.count)
    for baudRate in FirmataAdapter.baudRates where name.hasSuffix("@\(baudRate)") {
      return (String(name.dropLast("@\(baudRate)".count)), baudRate)
    }
    return (String(name), FirmataAdapter.baudRates[0])
  }
}

/// A bus on the command line: `/dev/i2c-1`, the name of an adapter, `firmata:PORT`, a bridge `NAME:ble`, a rig (a file or a built-in
/// name) or a trace.
///
/// Rigs and traces may have the prefix `rig:` or `trace:` and the suffix `#NUMBER`.
package enum BusReference: Hashable, Sendable {
  /// A real adapter, by its path or its name.
  case adapter(String)
  /// A bus of a rig. Default number: that of the bus whose sensors the rig's pipeline reads, else that of the only bus.
  case rig(file: String, number: Int?)
  /// A replayed bus of a trace. Default number: the only bus in the trace.
  case trace(file: String, number: Int?)

  /// Parses a reference.
  package init(_ text: String) {
    func parts(after scheme: String) -> (file: String, number: Int?)? {
      guard text.hasPrefix(scheme) else { return nil }
      let rest = text.dropFirst(scheme.count)
      if let mark = rest.lastIndex(of: "#"), let number = Int(rest[rest.index(after: mark)...]) {
        return (String(rest[..<mark]), number)
      }
      return (String(rest), nil)
    }
    if let (file, number) = parts(after: "rig:") {
      self = .rig(file: file, number: number)
    } else if let (file, number) = parts(after: "trace:") {
      self = .trace(file: file, number: number)
    } else if let (file, number) = parts(after: ""), let isTrace = Self.isTrace(file) {
      self = isTrace ? .trace(file: file, number: number) : .rig(file: file, number: number)
    } else {
      self = .adapter(text)
    }
  }

  /// Returns `true` if a word without a prefix is a trace, `false` if it is a rig, and `nil` if it
  /// is neither.
  ///
  /// A file takes precedence over a built-in rig, and both take precedence over the name of an
  /// adapter.
  private static func isTrace(_ word: String) -> Bool? {
    if word.hasSuffix(".i2ctrace") { return true }
    let isRig =
      word.hasSuffix(".yaml") || word.hasSuffix(".yml") || BuiltInFile.named(word, .rig) != nil
    return isRig ? false : nil
  }

  /// Creates the failure for a word that names no adapter; returns `nil` for the name of an adapter
  /// and for an absolute path.
  package static func unknown(_ word: String) -> Failure? {
    if let board = BoardModel.named(String(word.prefix { $0 != ":" })), !RealAdapter.isBoard(word) {
      return Failure(.unavailable, "\(word.visible): did you mean \(board.name):ble?")
    }
    let adapters = LinuxI2CNode.all()
    guard !word.hasPrefix("/"), !RealAdapter.isBoard(word),
      !adapters.contains(where: { $0.name == word })
    else { return nil }
    let known = adapters.map { "\($0.path) '\($0.name ?? "?")'" }.joined(separator: ", ")
    let list = "adapters: \(known.isEmpty ? "none" : known); 'aneroid rig list' lists the rigs"
    if TextFile.exists(word) {
      return Failure(
        .unavailable,
        "\(word): a file with this name exists; did you mean rig:\(word) or trace:\(word)?"
      )
    }
    return Failure(
      .unavailable,
      "\(word): no built-in rig and no adapter has this name"
        + NearestWord.hint(word, among: BuiltInFile.names(.rig)) + " (\(list))")
  }
}

extension Bench {
  /// Selects a bus of the bench.
  ///
  /// - Parameter number: the number of the bus; `nil` for the bus whose sensors the pipeline reads, else the only bus.
  /// - Returns: the bus.
  /// - Throws: `Failure` of kind unavailable if there is no such bus, or if several buses are
  ///   possible.
  package func onlyBus(number: Int?) throws(Failure) -> Bus {
    let numbers = buses.map(\.number)
    let list = numbers.lazy.map(String.init).shortened
    let pipelineBuses = Set(rig.pipeline?.sensors.map(\.bus) ?? [])
    let wanted =
      number ?? (pipelineBuses.count == 1 ? pipelineBuses.first : nil)
      ?? (numbers.count == 1 ? numbers[0] : nil)
    guard let wanted else {
      throw Failure(
        .unavailable,
        "\(rig.file): the rig has several buses, \(list); select one, for example rig:\(rig.file)#\(numbers[0])"
      )
    }
    if let bus = bus(wanted) { return bus }
    throw Failure(.unavailable, "\(rig.file): unknown bus '\(wanted)' (accepted: \(list))")
  }
}

extension Bench.Bus {
  /// Identifies the part at an address of this bus.
  ///
  /// - Parameters:
  ///   - address: the bus address.
  ///   - name: the name of the bus in messages.
  /// - Returns: the model of the part.
  /// - Throws: `Failure` of kind unavailable if no known part answers.
  package func model(
    at address: I2CAddress, named name: String
  ) throws(Failure) -> any PartModel {
    try AnsweringPart.model(
      at: address, among: sensors.map { ($0.address, $0.model) }, in: trace, on: adapter,
      number: number, named: name)
  }
}

/// Identification of the part at an address.
enum AnsweringPart {
  /// Identifies the part at an address: from the known parts of the bus, from the trace, or by
  /// reading the part's ID.
  ///
  /// - Parameters:
  ///   - address: the bus address.
  ///   - known: the known parts of the bus.
  ///   - trace: the file of the replayed trace and the number of the bus in it; `nil` if the bus does not replay a
  ///     trace.
  ///   - adapter: the bus.
  ///   - number: N in /dev/i2c-N.
  ///   - name: the name of the bus in messages.
  /// - Returns: the model of the part.
  /// - Throws: `Failure` of kind unavailable if no known part answers.
  static func model(
    at address: I2CAddress, among known: [(address: I2CAddress, model: any PartModel)],
    in trace: (file: String, bus: Int)?, on adapter: any I2CAdapter, number: Int, named name: String
  ) throws(Failure) -> any PartModel {
    if let known = known.first(where: { $0.address == address }) { return known.model }
    if let trace, let model = try TracedPart.model(at: address, in: trace.file, bus: trace.bus) {
      return model
    }
    if let model = Catalogue.model(at: address, on: adapter) { return model }
    let addresses = Catalogue.addresses.map { "\($0)" }.joined(separator: ", ")
    throw Failure(
      .unavailable,
      "\(name): no known part answers at '\(address)' (addresses of known parts: \(addresses))")
  }
}
