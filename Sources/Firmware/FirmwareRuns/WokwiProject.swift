import CMath
import Chips
import Rigs
import Schema
package import Support

/// A project of the simulator Wokwi: an image, and a diagram of parts and wires around a board.
///
/// Source: the format of `wokwi.toml` and `diagram.json` in Wokwi's documentation (Diagram Format, Project
/// Configuration).
package struct WokwiProject: Sendable {
  /// A part of the diagram.
  struct Part: Sendable {
    let id: String
    let type: String
    let attributes: [String: String]
    let place: String
  }

  /// The image: the ELF file if the project names one, else the firmware file.
  package let image: String
  /// The name of the board's microcontroller on the command line.
  package var microcontroller: String { boardType.microcontroller }
  /// The board, which executes the image, and its type.
  let board: Part, boardType: BoardType
  /// The other parts.
  let parts: [Part]
  /// The wires, as pairs of `part:pin`.
  let wires: [(String, String)]

  /// The rig with the parts of the diagram that are on the I2C bus of the board; `nil` if there are none.
  ///
  /// A part is on the bus if its SDA and SCL are wired to the pins of the board that have these functions.
  package var rigText: String? {
    let wired = WokwiCircuit(self).state.boardPins
    let found = parts.filter { part in
      boardType.buses.contains { bus in
        wired["\(part.id):SDA"]?.contains(bus.data) ?? false
          && wired["\(part.id):SCL"]?.contains(bus.clock) ?? false
      }
    }
    let devices = found.compactMap { part -> String? in
      guard let model = WokwiCircuit.Model.busModel(part.type) else { return nil }
      let address = part.attributes["i2cAddress"] ?? part.attributes["address"]
      return "{model: \(model)" + (address.map { ", address: \($0)" } ?? "") + "}"
    }
    guard !devices.isEmpty else { return nil }
    let sensor = found.first { WokwiCircuit.Model($0.type) == .sensor }
    let air = WokwiCircuit.Model.sensor.controls(sensor?.attributes ?? [:])
    let constants = zip(["temperature", "pressure", "humidity"], ["C", "Pa", "%"]).map {
      "\($0): \(Decimal.shortest(air[$0] ?? 0))\($1)"
    }
    return """
      name: wokwi
      buses: [{number: 1, devices: [\(devices.joined(separator: ", "))]}]
      environment: {constant: {\(constants.joined(separator: ", "))}}
      """
  }

  /// A type of board.
  struct BoardType: Sendable {
    /// The name of its microcontroller on the command line.
    let microcontroller: String
    /// The pins of its I2C buses.
    let buses: [(data: String, clock: String)]
    /// The voltage of a high level.
    let supply: Double
    /// The numbers of the analog inputs, by their pins.
    let analogInputs: [String: Int]
  }

  private static let arduino = BoardType(
    microcontroller: "atmega328p", buses: [("A4", "A5")], supply: 5,
    analogInputs: Dictionary(uniqueKeysWithValues: (0..<8).map { ("A\($0)", $0) }))
  /// The pins of I2C0 and I2C1 are pairs from GP0 on; GP22 to GP25 are not at the edge of the board.
  private static let pico = BoardType(
    microcontroller: "rp2040",
    buses: (Array(0..<11) + [13]).map { ("GP\($0 * 2)", "GP\($0 * 2 + 1)") }, supply: 3.3,
    analogInputs: ["GP26": 0, "GP27": 1, "GP28": 2])

  /// The boards, by their types.
  static let boards = [
    "wokwi-arduino-uno": arduino, "wokwi-arduino-nano": arduino, "wokwi-pi-pico": pico,
  ]

  /// Reads the project in a folder.
  ///
  /// - Parameter folder: the folder that contains `wokwi.toml` and `diagram.json`.
  /// - Throws: `Failure` for a missing or invalid file, or for parts that are not modelled, with their names.
  package init(folder: String) throws(Failure) {
    let settings = try Self.settings(folder + "/wokwi.toml")
    guard let named = settings["elf"] ?? settings["firmware"] else {
      throw Failure(.badContent, "\(folder)/wokwi.toml: 'firmware' is missing in [wokwi]")
    }
    image = named.hasPrefix("/") ? named : folder + "/" + named
    let path = folder + "/diagram.json"
    let diagram = try DocumentValue.read(path)
    let all = try Self.parts(diagram, path)
    let boards = all.filter {
      Self.boards[$0.type] != nil
        || $0.type.hasPrefix("board-") && WokwiCircuit.Model($0.type) == nil
    }
    let accepted = Self.boards.keys.sorted().joined(separator: ", ")
    guard boards.count == 1, let type = Self.boards[boards[0].type] else {
      let found = boards.map { "\($0.type) '\($0.id)'" }.joined(separator: ", ")
      throw Failure(
        .badContent,
        "\(path): the diagram needs one of these boards: \(accepted)"
          + (found.isEmpty ? "" : "; it has \(found)"))
    }
    (board, boardType) = (boards[0], type)
    parts = all.filter { $0.id != boards[0].id }
    let unknown = parts.filter { WokwiCircuit.Model($0.type) == nil }
    guard unknown.isEmpty else {
      throw Failure(
        .badContent,
        unknown.map { "\($0.place): part '\($0.id)' is a \($0.type), which is not modelled" }
          + ["accepted parts: \(WokwiCircuit.Model.names)"])
    }
    wires = try Self.wires(diagram, path, Set(all.map(\.id)))
  }

  /// Reads the texts of the section `wokwi` of a TOML file.
  private static func settings(_ path: String) throws(Failure) -> [String: String] {
    let text = try TextFile.read(path, longest: 1 << 24)
    var section = ""
    var found: [String: String] = [:]
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let line = line.trimmed
      if line.hasPrefix("[") {
        section = line
        if section.hasPrefix("[[chip") {
          throw Failure(
            .badContent,
            "\(path):\(number + 1): custom chips are not supported; describe the part in a rig")
        }
        continue
      }
      guard section == "[wokwi]", let mark = line.firstIndex(of: "="), !line.hasPrefix("#") else {
        continue
      }
      let value = line[line.index(after: mark)...].trimmed
      guard let quote = value.first, quote == "'" || quote == "\"",
        let end = value.dropFirst().firstIndex(of: quote)
      else { continue }
      found[line[..<mark].trimmed] = String(value[value.index(after: value.startIndex)..<end])
    }
    return found
  }

  private static func parts(_ diagram: DocumentValue, _ path: String) throws(Failure) -> [Part] {
    var parts: [Part] = []
    for given in diagram["parts"]?.list ?? [] {
      let place = "\(path):\(given.position.line):\(given.position.column)"
      guard let id = given["id"]?.text, let type = given["type"]?.text else {
        throw Failure(.badContent, "\(place): a part needs 'id' and 'type'")
      }
      guard !parts.contains(where: { $0.id == id }) else {
        throw Failure(.badContent, "\(place): duplicate part '\(id.visible)'")
      }
      let attributes = (given["attrs"]?.entries ?? []).compactMap { name, value in
        value.text.map { (name, $0) }
      }
      parts.append(
        Part(
          id: id, type: type, attributes: Dictionary(attributes) { _, last in last }, place: place))
    }
    return parts
  }

  private static func wires(
    _ diagram: DocumentValue, _ path: String, _ ids: Set<String>
  ) throws(Failure) -> [(String, String)] {
    var wires: [(String, String)] = []
    for given in diagram["connections"]?.list ?? [] {
      let place = "\(path):\(given.position.line):\(given.position.column)"
      let ends = (given.list ?? []).prefix(2).compactMap(\.text)
      guard ends.count == 2 else {
        throw Failure(.badContent, "\(place): a connection needs two pins, such as uno:13")
      }
      for end in ends {
        let id = end.prefix { $0 != ":" }
        // The serial monitor is connected by default.
        guard ids.contains(String(id)) || id == "$serialMonitor" else {
          throw Failure(.badContent, "\(place): unknown part '\(String(id).visible)'")
        }
      }
      if !ends.contains(where: { $0.hasPrefix("$") }) { wires.append((ends[0], ends[1])) }
    }
    return wires
  }
}

extension DocumentValue {
  /// Reads a file in YAML or JSON.
  ///
  /// - Throws: `Failure` if the file cannot be read, or is neither.
  static func read(_ path: String) throws(Failure) -> DocumentValue {
    let text = try TextFile.read(path, longest: 1 << 24)
    do throws(DocumentError) {
      return try DocumentValue(yaml: text, file: path)
    } catch {
      throw Failure(.badContent, "\(path): \(error.message)")
    }
  }

  /// The value of a key; `nil` if this is not a group or the key is missing.
  subscript(_ name: String) -> DocumentValue? { entries?.last { $0.name == name }?.value }
}

/// The circuit of a Wokwi diagram: nets, switches, resistors and voltages, as far as the board's pins see them.
///
/// Wires and closed switches connect pins. A pin that reaches a supply through resistors has the level of the one that
/// it reaches with the smaller resistance, which is assumed to be smaller than that of the microcontroller's own
/// pull-ups. Lights, buzzers and displays of segments draw no current.
struct WokwiCircuit {
  /// The model of a part.
  enum Model {
    case output, wire, resistor, supply, button, slideSwitch, potentiometer, joystick,
      photoresistor, thermistor, boardDevice, sensor

    /// The model in rigs of a part on the I2C bus, which has the name of a board with it: board-NAME; `nil` for others.
    static func busModel(_ type: String) -> String? {
      guard type.hasPrefix("board-") else { return nil }
      let name = String(type.dropFirst("board-".count))
      return Rig.BoardDevice.models.contains(name) || Catalogue.model(named: name) != nil
        ? name : nil
    }

    private static let types: [String: Model] = [
      "wokwi-led": .output, "wokwi-rgb-led": .output, "wokwi-led-bar-graph": .output,
      "wokwi-7segment": .output, "wokwi-buzzer": .output, "wokwi-servo": .output,
      "wokwi-text": .output, "wokwi-logic-analyzer": .output, "wokwi-breadboard": .wire,
      "wokwi-breadboard-half": .wire, "wokwi-breadboard-mini": .wire, "wokwi-junction": .wire,
      "wokwi-resistor": .resistor, "wokwi-vcc": .supply, "wokwi-gnd": .supply,
      "wokwi-pushbutton": .button, "wokwi-pushbutton-6mm": .button,
      "wokwi-slide-switch": .slideSwitch, "wokwi-potentiometer": .potentiometer,
      "wokwi-slide-potentiometer": .potentiometer, "wokwi-analog-joystick": .joystick,
      "wokwi-photoresistor-sensor": .photoresistor,
      "wokwi-ntc-temperature-sensor": .thermistor,
    ]

    init?(_ type: String) {
      if let model = Self.types[type] {
        self = model
      } else if let name = Self.busModel(type) {
        self = Rig.BoardDevice.models.contains(name) ? .boardDevice : .sensor
      } else {
        return nil
      }
    }

    /// The accepted types, separated by commas.
    static var names: String {
      types.keys.sorted().joined(separator: ", ") + ", board-NAME with a part of a rig"
    }

    /// The names of the controls that a scenario can set, with their initial values from the attributes of a part.
    func controls(_ attributes: [String: String]) -> [String: Double] {
      func number(_ name: String, _ usual: Double) -> Double {
        attributes[name].flatMap(Double.init) ?? usual
      }
      return switch self {
      case .button: ["pressed": 0]
      case .slideSwitch: ["value": number("value", 0)]
      case .potentiometer: ["position": number("value", 0) / 1023]
      case .joystick: ["x": number("x", 0), "y": number("y", 0), "pressed": 0]
      case .photoresistor: ["lux": number("lux", 500)]
      case .thermistor: ["temperature": number("temperature", 24)]
      case .sensor:
        [
          "temperature": number("temperature", 24), "pressure": number("pressure", 101_325),
          "humidity": number("humidity", 40),
        ]
      default: [:]
      }
    }
  }

  /// The supply voltage of the board.
  private var supply: Double { project.boardType.supply }

  private let project: WokwiProject
  /// The controls of each part.
  private var controls: [String: [String: Double]]

  init(_ project: WokwiProject) {
    self.project = project
    controls = Dictionary(
      uniqueKeysWithValues: project.parts.map {
        ($0.id, Model($0.type)?.controls($0.attributes) ?? [:])
      })
  }

  /// Sets a control of a part.
  ///
  /// - Returns: an error, or `nil`.
  mutating func set(_ id: String, _ control: String, _ value: Double) -> String? {
    guard let known = controls[id] else { return "unknown part '\(id.visible)'" }
    guard known[control] != nil else {
      let accepted = known.keys.sorted().joined(separator: ", ")
      return
        "part '\(id)' has no control '\(control.visible)' (accepted: \(accepted.isEmpty ? "none" : accepted))"
    }
    controls[id]?[control] = value
    return nil
  }

  /// The state of the circuit at a moment.
  struct State {
    /// The level that drives each connected pin of the board from outside; `nil` for an open one.
    var levels: [String: Bool?] = [:]
    /// The voltage at each connected analog input.
    var voltages: [Int: Double] = [:]
    /// The pins of the board in the net of each pin of a part.
    fileprivate(set) var boardPins: [String: [String]] = [:]
  }

  /// Solves the circuit.
  var state: State {
    var nets = Nets()
    for (one, other) in project.wires {
      nets.join(key(one), key(other))
    }
    for part in project.parts { connect(part, &nets) }
    let board = project.board.id + ":"
    for node in nets.nodes where node.hasPrefix(board) {
      if let voltage = rail(ofBoardPin: String(node.dropFirst(board.count))) {
        nets.supply(node, voltage)
      }
    }
    var state = State()
    for node in nets.nodes where node.hasPrefix(board) {
      let pin = String(node.dropFirst(board.count))
      guard rail(ofBoardPin: pin) == nil else { continue }
      let voltage = nets.voltage(at: node)
      state.levels[pin] = .some(voltage.map { $0 >= supply / 2 })
      if let input = project.boardType.analogInputs[pin] {
        state.voltages[input] = voltage ?? 0
      }
      for other in nets.members(with: node) { state.boardPins[other, default: []].append(pin) }
    }
    return state
  }

  /// Returns the node of a pin: further pins of a board with the same signal, and pins of one row of a breadboard, share
  /// one.
  private func key(_ end: String) -> String {
    let (id, pin) = Self.split(end)
    if id == project.board.id {
      if rail(ofBoardPin: pin) == nil { return "\(id):\(pin.prefix { $0 != "." })" }
      return end
    }
    guard let part = project.parts.first(where: { $0.id == id }), Model(part.type) == .wire else {
      return end
    }
    // Rails are tp.1, tn.1, bp.1, bn.1; rows are 12t.a to 12t.e and 12b.f to 12b.j.
    return "\(id):\(pin.prefix { $0 != "." })"
  }

  private static func split(_ end: String) -> (id: String, pin: String) {
    let id = end.prefix { $0 != ":" }
    return (String(id), String(end.dropFirst(id.count + 1)))
  }

  /// The voltage of a supply pin of a board; `nil` for a signal.
  private func rail(ofBoardPin pin: String) -> Double? {
    switch pin.prefix(while: { $0 != "." }) {
    case "GND", "AGND": 0
    case "IOREF", "AREF", "VCC", "ADC_VREF", "3V3_EN": supply
    case "5V", "VIN", "VBUS", "VSYS": 5
    case "3" where pin.hasPrefix("3.3V"), "3V3": 3.3
    default: nil
    }
  }

  private func connect(_ part: WokwiProject.Part, _ nets: inout Nets) {
    func node(_ pin: String) -> String { "\(part.id):\(pin)" }
    let controls = controls[part.id] ?? [:]
    func control(_ name: String) -> Double { controls[name] ?? 0 }
    switch Model(part.type) {
    case .resistor:
      let ohms = part.attributes["value"].flatMap(Double.init) ?? 1000
      nets.addResistor(node("1"), node("2"), max(ohms, 1e-3))
    case .supply:
      nets.supply(
        part.type == "wokwi-gnd" ? node("GND") : node("VCC"),
        part.type == "wokwi-gnd" ? 0 : supply)
    case .button:
      for side in ["1", "2"] { nets.join(node("\(side).l"), node("\(side).r")) }
      if control("pressed") != 0 { nets.join(node("1.l"), node("2.l")) }
    case .slideSwitch: nets.join(node("2"), node(control("value") == 0 ? "1" : "3"))
    case .potentiometer: nets.supply(node("SIG"), control("position") * supply)
    case .joystick:
      nets.supply(node("HORZ"), (control("x") + 1) / 2 * supply)
      nets.supply(node("VERT"), (control("y") + 1) / 2 * supply)
      if control("pressed") != 0 { nets.join(node("SEL"), node("GND")) }
    case .photoresistor:
      // The light-dependent resistor is below a resistor of 10 kOhm, with the curve of Wokwi's documentation of the part.
      let gamma = part.attributes["gamma"].flatMap(Double.init) ?? 0.7
      let kilohms = part.attributes["rl10"].flatMap(Double.init) ?? 50
      let ohms = kilohms * 1000 * pow(10 / max(control("lux"), 0.1), gamma)
      nets.supply(node("AO"), supply * ohms / (ohms + 10_000))
    case .thermistor:
      let beta = part.attributes["beta"].flatMap(Double.init) ?? 3950
      let exponent = beta * (1 / 298.15 - 1 / max(control("temperature") + 273.15, 1))
      nets.supply(node("OUT"), supply / (1 + exp(exponent)))
    default: break
    }
  }
}

/// Pins that are connected by wires and closed switches, with the supplies and the resistors between them.
private struct Nets {
  private var parents: [String: String] = [:]
  private var supplies: [(node: String, voltage: Double)] = []
  private var resistors: [(one: String, other: String, ohms: Double)] = []

  /// All pins, in a fixed order.
  var nodes: [String] { parents.keys.sorted() }

  private func root(_ node: String) -> String {
    var node = node
    while let parent = parents[node], parent != node { node = parent }
    return node
  }

  private mutating func add(_ node: String) { if parents[node] == nil { parents[node] = node } }

  mutating func join(_ one: String, _ other: String) {
    add(one)
    add(other)
    parents[root(one)] = root(other)
  }

  mutating func supply(_ node: String, _ voltage: Double) {
    add(node)
    supplies.append((node, voltage))
  }

  mutating func addResistor(_ one: String, _ other: String, _ ohms: Double) {
    add(one)
    add(other)
    resistors.append((one, other, ohms))
  }

  /// Returns the other pins of a pin's net.
  func members(with node: String) -> [String] {
    let net = root(node)
    return nodes.filter { $0 != node && root($0) == net }
  }

  /// Returns the voltage of the supply that a pin reaches with the smallest resistance; `nil` if it reaches none.
  func voltage(at node: String) -> Double? {
    // Dijkstra's algorithm over the nets.
    var distances = [root(node): 0.0]
    var done: Set<String> = []
    while let nearest = distances.filter({ !done.contains($0.key) }).min(by: {
      ($0.value, $0.key) < ($1.value, $1.key)
    }) {
      if let supply = supplies.first(where: { root($0.node) == nearest.key }) {
        return supply.voltage
      }
      done.insert(nearest.key)
      for resistor in resistors {
        let ends = [root(resistor.one), root(resistor.other)]
        guard let index = ends.firstIndex(of: nearest.key) else { continue }
        let distance = nearest.value + resistor.ohms
        if distance < distances[ends[1 - index]] ?? .infinity {
          distances[ends[1 - index]] = distance
        }
      }
    }
    return nil
  }
}
