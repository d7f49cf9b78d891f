import Machines
import Quantities
import Rigs
import Schema
package import Support

/// A scenario of Wokwi: steps that wait for text or time, set controls of parts, and check pins.
///
/// Source: Wokwi's documentation (Automation Scenarios) and the steps that its command-line client accepts.
package struct WokwiScenario: Sendable {
  enum Action: Sendable {
    case delay(UInt64)
    case waitSerial([UInt8])
    case writeSerial([UInt8])
    case setControl(part: String, control: String, Double)
    case expectPin(part: String, pin: String, Bool)
  }

  /// A step with its place in the file.
  struct Step: Sendable {
    let action: Action
    let place: String
  }

  let steps: [Step]

  /// Reads a scenario.
  ///
  /// - Parameter path: the file.
  /// - Throws: `Failure` for a missing file, or for a step that is invalid or not supported, with its place.
  package init(path: String) throws(Failure) {
    let document = try DocumentValue.read(path)
    guard document["version"]?.text == "1" else {
      throw Failure(.badContent, "\(path): 'version: 1' is missing, or the version is another one")
    }
    var steps: [Step] = []
    for given in document["steps"]?.list ?? [] {
      let place = "\(path):\(given.position.line):\(given.position.column)"
      let entries = (given.entries ?? []).filter { $0.name != "name" }
      guard entries.count == 1, let entry = entries.first else {
        throw Failure(.badContent, "\(place): a step needs one action, such as wait-serial")
      }
      guard let action = Self.action(entry.name, entry.value) else {
        throw Failure(
          .badContent,
          "\(place): '\(entry.name.visible)' is not supported or incomplete (accepted: delay, wait-serial, "
            + "write-serial, set-control, expect-pin)")
      }
      steps.append(Step(action: action, place: place))
    }
    guard !steps.isEmpty else { throw Failure(.badContent, "\(path): the scenario has no steps") }
    self.steps = steps
  }

  private static func action(_ name: String, _ value: DocumentValue) -> Action? {
    let part = value["part-id"]?.text
    let number = value["value"]?.text.flatMap(Double.init)
    switch name {
    case "delay": return value.text.flatMap(RigText.nanoseconds).map { .delay($0) }
    case "wait-serial": return value.text.map { .waitSerial(Array($0.utf8)) }
    case "write-serial":
      if let list = value.list {
        return .writeSerial(list.compactMap { $0.text.flatMap { UInt8($0) } })
      }
      return value.text.map { .writeSerial(Array($0.utf8)) }
    case "set-control":
      guard let part, let control = value["control"]?.text, let number else { return nil }
      return .setControl(part: part, control: control, number)
    case "expect-pin":
      guard let part, let pin = value["pin"]?.text, let number else { return nil }
      return .expectPin(part: part, pin: pin, number != 0)
    default: return nil
    }
  }
}

/// The circuit of a Wokwi project at the pins of a microcontroller, and the execution of its scenario.
final class WokwiRun {
  private let project: WokwiProject
  private let steps: [WokwiScenario.Step]
  private let machine: any Microcontroller
  private let stimuli: StimulusPlayer
  private var circuit: WokwiCircuit
  private var index = 0
  /// The text that the current step waits for, and the last bytes that were received, at most as many.
  private var awaited: [UInt8] = []
  private var window: [UInt8] = []
  /// Ends the run: with a failure, or without one at the end of the scenario.
  var didEnd: (_ failure: String?) -> Void = { _ in }

  /// Places the circuit at the pins.
  ///
  /// - Parameters:
  ///   - project: the project.
  ///   - scenario: the scenario, if any.
  ///   - machine: the microcontroller.
  ///   - stimuli: the player, which calls at exact times.
  /// - Throws: `Failure` if the scenario names an unknown part or control.
  init(
    _ project: WokwiProject, _ scenario: WokwiScenario?, _ machine: any Microcontroller,
    _ stimuli: StimulusPlayer
  ) throws(Failure) {
    (self.project, self.machine, self.stimuli) = (project, machine, stimuli)
    steps = scenario?.steps ?? []
    circuit = WokwiCircuit(project)
    var trial = circuit
    for step in steps {
      switch step.action {
      case .setControl(let part, let control, let value):
        if let error = trial.set(part, control, value) {
          throw Failure(.badContent, "\(step.place): \(error)")
        }
      case .expectPin(let part, let pin, _):
        if pins(of: part, pin).isEmpty {
          throw Failure(
            .badContent,
            "\(step.place): '\(part.visible):\(pin.visible)' is no pin of the board, nor wired to one"
          )
        }
      default: break
      }
    }
    apply()
    stimuli.call(at: 0) { [unowned self] in advance(at: $0) }
  }

  /// `true` while steps remain.
  var isUnfinished: Bool { index < steps.count }

  /// The step that was not reached or not finished, for a message at the time-out.
  var openStep: String {
    guard isUnfinished else { return "" }
    if case .waitSerial(let text) = steps[index].action {
      return
        "\(steps[index].place): '\(String(decoding: text, as: UTF8.self).visible)' did not appear"
    }
    return "\(steps[index].place): the step was not reached"
  }

  /// Returns the indices of the microcontroller's pins at a pin of a part.
  private func pins(of part: String, _ pin: String) -> [Int] {
    let names =
      part == project.board.id ? [pin] : circuit.state.boardPins["\(part):\(pin)"] ?? []
    return names.compactMap { machine.pins.index(of: Self.name($0)) }
  }

  /// Returns the name of an Arduino's pin in the pin bank: D13 for 13.
  private static func name(_ pin: String) -> String {
    let signal = pin.prefix { $0 != "." }
    return signal.first?.isNumber == true ? "D\(signal)" : String(signal)
  }

  /// Sets the levels and voltages of the circuit.
  private func apply() {
    let state = circuit.state
    for (pin, level) in state.levels.sorted(by: { $0.key < $1.key }) {
      if let index = machine.pins.index(of: Self.name(pin)) { machine.pins.set(index, to: level) }
    }
    for (input, voltage) in state.voltages { stimuli.setVoltage(voltage, at: input) }
  }

  /// The quantity of the air that a control of a sensor sets; `nil` for other controls.
  private func airQuantity(_ id: String, _ control: String) -> Quantity? {
    let part = project.parts.first { $0.id == id }
    guard part.flatMap({ WokwiCircuit.Model($0.type) }) == .sensor else { return nil }
    return Quantity.allCases.first { "\($0)" == control }
  }

  /// Executes steps up to one that waits.
  private func advance(at time: UInt64) {
    while isUnfinished {
      let step = steps[index]
      switch step.action {
      case .delay(let length):
        return stimuli.call(at: time &+ length) { [unowned self] in
          index += 1
          advance(at: $0)
        }
      case .waitSerial(let text):
        (awaited, window) = (text, [])
        return
      case .writeSerial(let bytes): stimuli.usualPort.send(bytes)
      case .setControl(let part, let control, let value):
        _ = circuit.set(part, control, value)
        apply()
        if let quantity = airQuantity(part, control) {
          stimuli.setAir(quantity, to: value, at: time)
        }
      case .expectPin(let part, let pin, let isHigh):
        let found = pins(of: part, pin).contains { machine.pins.level(of: $0) }
        guard found == isHigh else {
          return didEnd(
            "\(step.place): \(part):\(pin) is \(found ? "high" : "low"), expected \(isHigh ? "high" : "low")"
          )
        }
      }
      index += 1
    }
    if !steps.isEmpty { didEnd(nil) }
  }

  /// Observes a byte that the program has sent.
  func take(_ byte: UInt8, at time: UInt64) {
    guard !awaited.isEmpty else { return }
    window.append(byte)
    if window.count > awaited.count { window.removeFirst() }
    guard window == awaited else { return }
    awaited = []
    index += 1
    stimuli.call(at: time) { [unowned self] in advance(at: $0) }
    machine.schedule.requestStop()
  }
}
