import Chips
package import Parts
import Schema
package import Support

extension Rig {
  /// Creates the default rig: one BME280 on bus 1, in constant air.
  ///
  /// - Parameters:
  ///   - address: the address of the part. Default: 0x76.
  ///   - isHarsh: whether the part is harsh. Default: `false`.
  /// - Returns: the rig.
  package static func builtIn(address: UInt16 = 0x76, isHarsh: Bool = false) -> Rig {
    // The rig is created directly, so that a run of it need not parse, check and read YAML.
    var reader = RigReader(file: builtInFile, checker: Checker(file: builtInFile))
    reader.document.isHarsh = isHarsh
    let device = reader.device(builtInDevice(address))
    var rig = Rig(
      file: builtInFile, digest: SHA256.digits(builtInText(address: address)), summary: "",
      name: "built-in", seed: 0, clock: .virtual, duration: nil,
      buses: [
        Bus(
          number: 1, source: .devices, line: 3, adapter: Adapter(),
          devices: device.map { [$0] } ?? [],
          multiplexers: [], boardDevices: [], bridge: nil)
      ],
      fleet: nil, environment: reader.environment(nil, duration: nil), pipeline: nil, firmware: nil,
      faults: [], notifications: [], expectations: [])
    rig.isHarsh = isHarsh
    return rig
  }

  /// Creates the default rig with another part.
  ///
  /// - Parameters:
  ///   - part: the name of a model, or the path of a part file.
  ///   - address: the address of the part; `nil` for its first.
  ///   - inputs: inputs of the part that are no air, each as `NAME=VALUE`. Default: none, for the usual values.
  ///   - isHarsh: whether the part is harsh. Default: `false`.
  /// - Throws: `Failure` if there is no such part, or with the errors of its file or inputs.
  package init(
    part: String, at address: UInt16?, inputs: [String] = [], isHarsh: Bool = false
  ) throws(Failure) {
    guard Section.isFile(part) || Catalogue.model(named: part) != nil else {
      throw Failure(
        .missingInput,
        TextFile.exists(part)
          ? "\(part): the path of a part file ends in .yaml; 'aneroid exec' also takes a program, in .py or executable"
          : "no part has the name '\(part.clipped)'"
            + NearestWord.hint(part, among: Catalogue.names)
            + " ('aneroid part list' lists those that files describe; a file ends in .yaml)")
    }
    let items = try Self.inputs(inputs).map {
      "{name: \(JSONValue.string($0.name).compact), is: \($0.value)}"
    }
    let given = items.isEmpty ? "" : ", inputs: [\(items.joined(separator: ", "))]"
    try self.init(
      model: JSONValue.string(part).compact + given, at: address, isHarsh: isHarsh)
  }

  /// Creates the default rig with a program as its part, which it allows to run.
  ///
  /// - Parameters:
  ///   - program: the program and its arguments, relative to the working directory.
  ///   - address: the address of the part.
  /// - Throws: `Failure` if the part is invalid.
  package init(program: [String], at address: UInt16) throws(Failure) {
    let words = program.map { JSONValue.string($0).compact }.joined(separator: ", ")
    try self.init(model: "{program: [\(words)]}", at: address, isHarsh: false)
    allowsPrograms = true
  }

  /// Creates the default rig with a part.
  ///
  /// - Parameters:
  ///   - model: the value of the key `model` in YAML, with further keys of the device.
  ///   - address: the address of the part; `nil` for its first.
  ///   - isHarsh: whether the part is harsh.
  /// - Throws: `Failure` with the errors of the part.
  private init(model: String, at address: UInt16?, isHarsh: Bool) throws(Failure) {
    let place = address.map { "address: 0x\(String($0, radix: 16)), " } ?? ""
    let text = """
      name: built-in
      buses: [{number: 1, devices: [{\(place)model: \(model)}]}]
      environment: {constant: {pressure: 1013.25hPa, temperature: 21C, humidity: 50%}}
      """
    do throws(Failure) {
      try self.init(text: text, file: Self.builtInFile, isHarsh: isHarsh)
    } catch {
      // The user has no rig, only a part.
      let findings = error.findings.filter {
        $0.rule != "file" || $0.location?.file != Self.builtInFile
      }
      throw Failure(error.kind, findings)
    }
  }

  /// Returns the names and values of inputs.
  ///
  /// - Parameter words: inputs, each as `NAME=VALUE`.
  /// - Throws: `Failure` of kind usage for another form.
  /// - Returns: the names and values.
  package static func inputs(
    _ words: [String]
  ) throws(Failure) -> [(name: String, value: Double)] {
    var inputs: [(name: String, value: Double)] = []
    for word in words {
      guard let mark = word.lastIndex(of: "="), mark > word.startIndex,
        let value = Double(word[word.index(after: mark)...]), value.isFinite
      else {
        throw Failure(.usage, "--input: '\(word.clipped)' is not NAME=VALUE, such as ain0=1.2")
      }
      inputs.append((String(word[..<mark]), value))
    }
    return inputs
  }

  /// Returns the model of a part.
  ///
  /// - Parameters:
  ///   - part: the name of a model, or the path of a part file.
  ///   - inputs: inputs to check, each as `NAME=VALUE`. Default: none.
  /// - Throws: `Failure` if there is no such part, or with the errors of its file or inputs.
  /// - Returns: the model.
  package static func model(
    of part: String, inputs: [String] = []
  ) throws(Failure) -> any PartModel {
    let rig = try Rig(part: part, at: nil, inputs: inputs)
    guard let device = rig.buses.first?.devices.first else {
      throw Failure(.missingInput, "no part has the name '\(part.clipped)'")
    }
    return device.part.model
  }

  /// The name that messages use for the default rig, because it has no file.
  private static let builtInFile = "built-in rig"

  /// `true` for the default rig.
  package var isBuiltIn: Bool { file == Self.builtInFile }

  // The calibration of a real part (fixtures/calibrations/periph-i2c.yaml).
  private static let lowCalibration = "106e6c6632005d95b8d5d00b771e9dfff9ffac260ad8bd10004b"
  private static let highCalibration = "6e01001305001e"

  /// Returns the default rig as YAML; traces contain the digest of this text.
  ///
  /// - Parameter address: the address of the part. Default: 0x76.
  /// - Returns: the text.
  package static func builtInText(address: UInt16 = 0x76) -> String {
    """
    name: built-in
    buses:
      - number: 1
        devices:
          - address: 0x\(String(address, radix: 16))
            model: bme280
            calibration:
              0x88: "\(lowCalibration)"
              0xE1: "\(highCalibration)"
    environment:
      constant: {pressure: 1013.25hPa, temperature: 21C, humidity: 50%}
    """
  }

  /// Creates the checked device of `builtInText(address:)`.
  private static func builtInDevice(_ address: UInt16) -> CheckedValue {
    let calibration = section([
      "0x88": .text(lowCalibration), "0xE1": .text(highCalibration),
    ])
    let device = section([
      "address": .integer(Int(address)), "model": .text("bme280"), "calibration": calibration,
    ])
    return CheckedValue(device, at: Position(line: 5, column: 9))
  }

  private static func section(_ values: [String: CheckedValue.Content]) -> CheckedValue.Content {
    .section(values.mapValues { CheckedValue($0, at: Position(line: 1, column: 1)) })
  }
}
