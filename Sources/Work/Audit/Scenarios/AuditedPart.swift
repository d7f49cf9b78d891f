import Environment
import Glibc
import I2C
import Parts
import Quantities
import Rigs
import Schema
package import Support
import VirtualI2C

/// A part of any family on the benches of an audit.
package struct AuditedPart: Sendable {
  /// The model, as a rig names it: a name, or the absolute path of a part file.
  package let word: String
  /// The model.
  let model: any PartModel
  /// The quantities of the air that it measures.
  let quantities: [Quantity]
  /// The inputs that are no air.
  let inputs: [PartInput]
  /// What a program displays: the quantities, and the inputs without components of the circuit.
  package let measurands: [Measurand]
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
  /// `true` if the part measures by itself from power-on.
  let measuresFromPowerOn: Bool
  /// The key of a device that an earlier program left measuring by itself; `nil` if there is none.
  let leftMeasuring: String?
  /// The index of a byte of a result in the reads of a program.
  let resultByte: Int
  /// The registers by whose content a program can recognise the part.
  let identifyingRegisters: [UInt8]
  /// `true` if the codes reach some way below 0 and above 100 % of humidity.
  let measuresBeyondHumidity: Bool

  /// Creates the part from a model or a part file.
  ///
  /// - Parameters:
  ///   - word: the name of a model, or the path of a part file.
  ///   - words: inputs whose usual value differs from that of the file, each as `NAME=VALUE`. Default: none.
  /// - Throws: `Failure` if there is no such part, if its file has errors, or if nothing can be compared.
  package init(_ word: String, inputs words: [String] = []) throws(Failure) {
    let model = try Rig.model(of: word, inputs: words)
    self.model = model
    // The rigs of an audit are in another folder.
    let isFile = Section.isFile(word) && !word.hasPrefix("/")
    self.word = isFile ? try Self.workingFolder() + "/" + word : word
    ranges = model.ranges
    quantities = Quantity.allCases.filter { model.ranges[$0] != nil }
    var inputs = model.inputs
    for (name, value) in try Rig.inputs(words) {
      guard let index = inputs.firstIndex(where: { $0.name == name }) else { continue }
      inputs[index].origin = .given(usual: value)
    }
    self.inputs = inputs
    measurands =
      quantities.map { Measurand($0) }
      + model.inputs.enumerated().filter { !$0.element.isCircuit }.map {
        Measurand($0.element, $0.offset)
      }
    address = UInt8(truncatingIfNeeded: model.addresses[0].rawValue)
    addresses = model.addresses.map { UInt8(truncatingIfNeeded: $0.rawValue) }
    measurementSeconds = Double(model.usualSettings.resultAge) / 1e9
    hasChecksum = model.hasChecksum
    resultByte = model.resultByte
    identifyingRegisters = model.identifyingRegisters
    measuresBeyondHumidity =
      model.humidityOfCodes.map { $0.lowerBound < -3 && $0.upperBound > 103 } ?? false
    measuresFromPowerOn = model.firstResultTime > 0
    let fields = model.repeatingFields.map {
      "{field: \(JSONValue.string($0.name).compact), is: \($0.value)}"
    }
    leftMeasuring = fields.isEmpty ? nil : "initial_fields: [\(fields.joined(separator: ", "))]"
    guard !measurands.isEmpty else {
      throw Failure(
        .unavailable,
        "\(model.titleWithArticle) measures neither the air nor an input, so there is nothing to compare"
      )
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
  var otherAddress: UInt8? { address(besides: address) }

  /// The first address that the part can have besides one; `nil` if there is none.
  func address(besides own: UInt8) -> UInt8? { addresses.first { $0 != own } }

  /// The lines of a second device, at another address, whose values a program must not display.
  func decoy(besides address: UInt8) -> [String] {
    guard let other = self.address(besides: address) else { return [] }
    let air = ["        offset: {temperature: 10K, humidity: 20%, pressure: -50hPa}"]
    return device(at: other) + (quantities.isEmpty ? [] : air)
      + inputLines([(0, inputs(at: 0.9))])
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

/// The inputs of the part, which are no air.
extension AuditedPart {
  /// Returns the values of the inputs that do not follow from others, at a share of their ranges; they differ from each other.
  ///
  /// An input without a range keeps its usual value.
  package func inputs(at share: Double) -> [Double] {
    givenInputs.enumerated().map { place, input in
      guard let range = input.range, !input.isCircuit else { return input.usual ?? 0 }
      let own = (share + 0.13 * Double(place)).truncatingRemainder(dividingBy: 1)
      return Self.value(in: range, at: own)
    }
  }

  /// Returns the values of the inputs, each at one of the ends of its range: the lower one for 0, the higher one for 1.
  func inputs(atEnd end: Double) -> [Double] {
    givenInputs.map { input in
      guard let range = input.range, !input.isCircuit else { return input.usual ?? 0 }
      return Self.value(in: range, at: end)
    }
  }

  /// Values of the inputs for which at least one measurand is negative; `nil` if none can be.
  package var negativeInputs: [Double]? {
    let count = Double(max(givenInputs.count, 1))
    let values = givenInputs.enumerated().map { place, input in
      guard let range = input.range, !input.isCircuit else { return input.usual ?? 0 }
      // Rising values make differences negative.
      return range.lowerBound < 0
        ? Self.rounded(range.lowerBound * 0.37)
        : Self.value(in: range, at: 0.15 + 0.7 * Double(place) / count)
    }
    let phase = Scenario.Phase(start: .seconds(0), air: mild, inputs: values)
    return measurands.contains { value(of: $0, in: phase).map { $0 < 0 } ?? false } ? values : nil
  }

  /// `true` if an input has a range, so that audits can change it.
  var changesInputs: Bool { inputs.contains { $0.range != nil && $0.usual != nil } }

  private static func value(in range: ClosedRange<Double>, at share: Double) -> Double {
    rounded(range.lowerBound + (range.upperBound - range.lowerBound) * share)
  }

  /// Returns a value with four digits.
  private static func rounded(_ value: Double) -> Double {
    guard value != 0 else { return 0 }
    let scale = pow(10, 3 - floor(log10(abs(value))))
    return (value * scale).rounded() / scale
  }

  private var givenInputs: [PartInput] { inputs.filter { $0.usual != nil } }

  /// The lines of the inputs in a rig, which change at given times in seconds.
  func inputLines(_ steps: [(seconds: Double, inputs: [Double])]) -> [String] {
    let given = givenInputs
    guard !given.isEmpty, steps.contains(where: { !$0.inputs.isEmpty }) else { return [] }
    return ["        inputs:"]
      + given.enumerated().flatMap { place, input in
        steps.map { step in
          let value = step.inputs.isEmpty ? input.usual ?? 0 : step.inputs[place]
          let time = step.seconds == 0 ? "" : "at: \(step.seconds)s, "
          return "          - {name: \(JSONValue.string(input.name).compact), \(time)is: \(value)}"
        }
      }
  }

  /// Returns the true value of an input in a phase; `nil` for a quantity of the air.
  package func value(of measurand: Measurand, in phase: Scenario.Phase) -> Double? {
    guard let index = measurand.input else { return nil }
    let places = inputs.indices.filter { inputs[$0].usual != nil }
    return inputs.value(at: index) { given in
      guard let place = places.firstIndex(of: given), phase.inputs.indices.contains(place) else {
        return inputs[given].usual ?? 0
      }
      return phase.inputs[place]
    }
  }

  func tolerance(of measurand: Measurand) -> Double {
    measurand.input.flatMap { inputs[$0].tolerance } ?? 0
  }

  func isMagnitude(_ measurand: Measurand) -> Bool {
    measurand.input.map { inputs[$0].isMagnitude } ?? false
  }

  /// Returns whether a field of the part selects this input among others.
  func isSelected(_ measurand: Measurand) -> Bool {
    measurand.input.map { inputs[$0].isSelected } ?? false
  }

  /// Returns whether an input follows from others, so that a program need not display it.
  func isDerived(_ measurand: Measurand) -> Bool {
    measurand.input.map { inputs[$0].usual == nil } ?? false
  }
}
