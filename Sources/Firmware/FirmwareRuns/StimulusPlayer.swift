import Bench
import Environment
import Machines
import Quantities
import Rigs
import Support
import VirtualI2C

/// Applies stimuli to a microcontroller, each at the first instruction that ends at or after its time.
///
/// The time of a stimulus, and of each bounce of a contact, depends only on the rig, its seed and the program. A change
/// at a pin replaces earlier ones whose end or whose square wave is still due.
final class StimulusPlayer {
  /// A change from outside.
  private enum Change {
    /// The beginning of a stimulus, by its index.
    case beginning(Int)
    /// A level at a pin, unless a later stimulus of the pin has begun.
    case level(pin: Int, Bool?, turn: Int)
    /// An edge of a square wave, by the number of half periods since its beginning.
    case edge(pin: Int, Wave, number: UInt64, turn: Int)
    /// The next line of a text that is typed.
    case typing
    /// A function, which receives the time.
    case call((UInt64) -> Void)
  }

  /// A square wave that begins with a high level.
  private struct Wave {
    let start: UInt64, frequency: UInt64
    /// The end in nanoseconds; `nil` for none.
    let end: UInt64?
    /// The level after the end.
    let restored: Bool?

    /// Returns the time of an edge in nanoseconds.
    func time(_ number: UInt64) -> UInt64 {
      let (seconds, rest) = number.quotientAndRemainder(dividingBy: 2 * frequency)
      return start &+ seconds &* 1_000_000_000 &+ rest &* 500_000_000 / frequency
    }
  }

  /// A stimulus with the indices of its pins and ports.
  private struct Plan {
    let stimulus: Stimulus
    /// The pin of the action, and that of the trigger.
    var pin: Int?, triggerPin: Int?
    var port: SerialPort?, triggerPort: SerialPort?
    var pattern: SerialPattern?
    /// How often the stimulus has begun, and how often its trigger has fired.
    var begun = 0, triggered = 0
    /// The port on whose current line the pattern has already matched.
    var matched: SerialPort?

    var mayBegin: Bool { stimulus.count.map { begun < $0 } ?? true }
    var mayTrigger: Bool {
      stimulus.trigger != nil
        && (stimulus.interval == nil
          ? stimulus.count.map { triggered < $0 } ?? true : triggered == 0)
    }
  }

  private let bench: FirmwareBench
  private let ports: [SerialPort]
  private var plans: [Plan] = []
  /// The changes that are due, the latest first; equal times in the order in which they were added.
  private var queue: [(time: UInt64, change: Change)] = []
  /// The number of stimuli that have begun at each pin.
  private var turns: [Int: Int] = [:]
  private var voltages: [Int: Double] = [:]
  /// The line that each port is sending; empty while no stimulus waits for text.
  private var lines: [ObjectIdentifier: [UInt8]] = [:]
  /// The UART that has sent the last byte, and the time in nanoseconds of the last byte of any port.
  private var lastPort: SerialPort?, lastByte: UInt64 = 0
  private var waitsForText = false, watchesPins = false
  /// A text that a port receives line by line.
  private var typed: (port: SerialPort, rest: ArraySlice<UInt8>)?
  private var random: SeededGenerator
  private var slot: EventSchedule.Slot?
  private var isConflictReported: Set<Int> = []
  /// Reports a pin that the program and a stimulus drive to different levels.
  var didConflict: (String) -> Void = { _ in }

  private var machine: any Microcontroller { bench.machine }

  /// Prepares the stimuli of a rig.
  ///
  /// - Parameters:
  ///   - bench: the microcontroller.
  ///   - others: serial ports other than UARTs.
  /// - Throws: `Failure` for a pin or port that the microcontroller does not have.
  init(_ bench: FirmwareBench, others: [SerialPort]) throws(Failure) {
    self.bench = bench
    ports = bench.machine.serialPorts + others
    random = SeededGenerator(seed: bench.bench.rig.seed, stream: 0x5354_494D)
    slot = bench.machine.schedule.slot { [weak self] _ in self?.perform() }
    for stimulus in bench.bench.rig.stimuli { try add(stimulus, from: 0) }
  }

  /// Adds a stimulus.
  ///
  /// - Parameters:
  ///   - stimulus: the stimulus.
  ///   - start: the time from which that of the stimulus counts, in nanoseconds of the bench clock.
  /// - Throws: `Failure` for a pin or port that the microcontroller does not have.
  func add(_ stimulus: Stimulus, from start: UInt64) throws(Failure) {
    var plan = Plan(stimulus: stimulus)
    let line = stimulus.fileLine
    switch stimulus.action {
    case .level(let name, _, _, _), .wave(let name, _, _):
      plan.pin = try bench.pin(name, at: line)
    case .bytes(_, let name):
      plan.port = try name.map { name throws(Failure) in try port(name, line) }
    case .voltage(let input, _): setVoltage(voltages[input] ?? 0, at: input)
    case .air where bench.bench.drivenAir == nil:
      throw Failure(
        .badRig, "\(bench.bench.rig.place(line)): a stimulus cannot change the air of a cabin")
    case .air, .reset: break
    }
    if let trigger = stimulus.trigger {
      plan.triggerPin = try trigger.pin.map { name throws(Failure) in try bench.pin(name, at: line)
      }
      plan.triggerPort = try trigger.port.map { name throws(Failure) in try port(name, line) }
      plan.pattern = trigger.pattern.flatMap(SerialPattern.init)
    }
    plans.append(plan)
    if plan.pattern != nil { waitsForText = true }
    if let pin = plan.triggerPin {
      machine.pins.observe(pin)
      watchPins()
    }
    if stimulus.trigger == nil {
      insert(.beginning(plans.count - 1), at: start &+ stimulus.time)
    }
  }

  private func port(_ name: String, _ line: Int) throws(Failure) -> SerialPort {
    let uarts = machine.serialPorts.count
    if let index = ports.index(of: name, numbered: uarts) { return ports[index] }
    throw Failure(
      .badRig,
      "\(bench.bench.rig.place(line)): \(machine.name) has no serial port '\(name.visible)' (accepted: "
        + ports.map(\.name).joined(separator: ", ") + ")")
  }

  /// The time for which a port is silent before the next line of a typed text, in nanoseconds.
  private static let silence: UInt64 = 100_000_000

  /// Types a text at a port: each line is sent after the program has received the previous one and has sent nothing for
  /// 0.1 s.
  func type(_ text: [UInt8], at port: SerialPort) {
    guard !text.isEmpty else { return }
    typed = (port, text[...])
    insert(.typing, at: machine.clock.nanoseconds &+ Self.silence)
  }

  // MARK: Time

  /// The time of the next change, in nanoseconds of the bench clock; `UInt64.max` if none is due.
  var nextTime: UInt64 { queue.last?.time ?? .max }

  private func insert(_ change: Change, at time: UInt64) {
    let index = queue.firstIndex { $0.time <= time } ?? queue.count
    queue.insert((time, change), at: index)
  }

  /// Lets the next run begin with the changes that are due.
  ///
  /// - Returns: `true` if the microcontroller must be reset first.
  func look(at now: UInt64) -> Bool {
    guard nextTime <= now else { return false }
    if case .beginning(let index)? = queue.last?.change, case .reset = plans[index].stimulus.action
    {
      let time = queue.removeLast().time
      begin(index, at: time)
      return true
    }
    // Polling loops are skipped up to the next event, so a change of their input must be one.
    if let slot { machine.schedule.set(slot, at: machine.core.cycles) }
    return false
  }

  /// Applies all changes that are due.
  private func perform() {
    while let last = queue.last, last.time <= machine.clock.nanoseconds {
      if case .beginning(let index) = last.change, case .reset = plans[index].stimulus.action {
        return
      }
      queue.removeLast()
      switch last.change {
      case .beginning(let index): begin(index, at: last.time)
      case .level(let pin, let level, let turn): if turns[pin] == turn { set(pin, level) }
      case .edge(let pin, let wave, let number, let turn):
        if turns[pin] == turn { edge(pin, wave, number, turn) }
      case .typing: typeLine(at: last.time)
      case .call(let function): function(last.time)
      }
    }
  }

  private func begin(_ index: Int, at time: UInt64) {
    plans[index].begun += 1
    let plan = plans[index]
    if let interval = plan.stimulus.interval, plan.mayBegin {
      insert(.beginning(index), at: time &+ interval)
    }
    switch plan.stimulus.action {
    case .level(_, let level, let length, let bounce):
      guard let pin = plan.pin else { return }
      let turn = nextTurn(of: pin)
      let before = machine.pins.outsideLevel(of: pin)
      change(pin, from: before, to: level, at: time, bounce, turn)
      if let length { change(pin, from: level, to: before, at: time &+ length, bounce, turn) }
    case .wave(_, let frequency, let length):
      guard let pin = plan.pin else { return }
      let wave = Wave(
        start: time, frequency: frequency, end: length.map { time &+ $0 },
        restored: machine.pins.outsideLevel(of: pin))
      edge(pin, wave, 0, nextTurn(of: pin))
    case .bytes(let bytes, _): (plan.port ?? usualPort).send(bytes)
    case .voltage(let input, let voltage): setVoltage(voltage, at: input)
    case .air(let change):
      for quantity in Quantity.allCases {
        guard let value = change[quantity] else { continue }
        setAir(quantity, to: value, at: time, over: change.length)
      }
    case .reset: break
    }
  }

  /// Changes a quantity of the air around the sensors.
  func setAir(_ quantity: Quantity, to value: Double, at time: UInt64, over length: UInt64 = 0) {
    bench.bench.drivenAir?.set(quantity, to: value, at: time, over: length)
  }

  /// Calls a function at a time in nanoseconds, at which it may change pins, voltages and serial ports.
  func call(at time: UInt64, _ function: @escaping (UInt64) -> Void) {
    insert(.call(function), at: time)
  }

  /// Sets the voltage at an analog input.
  func setVoltage(_ voltage: Double, at input: Int) {
    if voltages.isEmpty {
      machine.analog.input = { [unowned self] number, _ in voltages[number] ?? 0 }
    }
    voltages[input] = voltage
  }

  // MARK: Pins

  private func nextTurn(of pin: Int) -> Int {
    turns[pin, default: 0] += 1
    return turns[pin, default: 0]
  }

  /// Schedules a change of a level and the bounces of the contact after it.
  private func change(
    _ pin: Int, from old: Bool?, to new: Bool?, at time: UInt64, _ bounce: UInt64, _ turn: Int
  ) {
    insert(.level(pin: pin, new, turn: turn), at: time)
    guard bounce > 0, old != new else { return }
    let count = Int.random(in: 2...5, using: &random)
    let times = (0..<2 * count).map { _ in UInt64.random(in: 0...bounce, using: &random) }.sorted()
    for (number, delay) in times.enumerated() {
      insert(.level(pin: pin, number % 2 == 0 ? old : new, turn: turn), at: time &+ delay)
    }
  }

  private func edge(_ pin: Int, _ wave: Wave, _ number: UInt64, _ turn: Int) {
    set(pin, number % 2 == 0)
    let next = wave.time(number + 1)
    if let end = wave.end, next >= end {
      insert(.level(pin: pin, wave.restored, turn: turn), at: end)
    } else {
      insert(.edge(pin: pin, wave, number: number + 1, turn: turn), at: next)
    }
  }

  /// Drives a pin from outside; `nil` leaves it open.
  func set(_ pin: Int, _ level: Bool?) {
    machine.pins.set(pin, to: level)
    guard let level, case .driven(!level) = machine.pins.drive(of: pin),
      isConflictReported.insert(pin).inserted
    else { return }
    didConflict(
      "a stimulus drives \(machine.pins.names[pin]) \(level ? "high" : "low"), but the program drives it "
        + "\(level ? "low" : "high"): a short circuit on a real board; the program's level counts")
  }

  private func watchPins() {
    guard !watchesPins else { return }
    watchesPins = true
    let pins = machine.pins
    let previous = pins.output
    var levels = pins.names.indices.map(pins.level)
    pins.output = { [unowned self] pin, drive, time in
      previous(pin, drive, time)
      let level = pins.level(of: pin)
      guard level != levels[pin] else { return }
      levels[pin] = level
      for index in plans.indices where plans[index].triggerPin == pin {
        if plans[index].stimulus.trigger?.level.isHigh == level { fire(index, at: time) }
      }
    }
  }

  /// Schedules a stimulus whose trigger has occurred.
  private func fire(_ index: Int, at time: UInt64) {
    guard plans[index].mayTrigger else { return }
    plans[index].triggered += 1
    insert(.beginning(index), at: time &+ plans[index].stimulus.time)
    machine.schedule.requestStop()
  }

  // MARK: Serial ports

  /// The port that the program uses: the UART that has sent the last byte, or the first that is set up.
  var usualPort: SerialPort {
    lastPort ?? machine.serialPorts.first { $0.baudRate > 0 } ?? ports[0]
  }

  private func typeLine(at time: UInt64) {
    guard let (port, rest) = typed else { return }
    guard !port.hasInput, lastByte &+ Self.silence <= time else {
      return insert(.typing, at: max(lastByte, port.hasInput ? time : 0) &+ Self.silence)
    }
    let end = rest.firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
    typed = end == rest.endIndex ? nil : (port, rest[end...])
    port.send(rest[..<end])
    if typed != nil { insert(.typing, at: time &+ Self.silence) }
  }

  /// Observes a byte that the program has sent; `isUART` is `false` for RTT and semihosting.
  func take(_ byte: UInt8, from port: SerialPort, isUART: Bool, at time: UInt64) {
    if isUART { lastPort = port }
    lastByte = time
    guard waitsForText, byte != 0x0D else { return }
    let key = ObjectIdentifier(port)
    guard byte != 0x0A else {
      lines[key] = []
      for index in plans.indices where plans[index].matched === port { plans[index].matched = nil }
      return
    }
    lines[key, default: []].append(byte)
    if let count = lines[key]?.count, count > SerialLines.longest { lines[key]?.removeFirst() }
    let text = String(decoding: lines[key] ?? [], as: UTF8.self)
    for (index, plan) in plans.enumerated() {
      guard let pattern = plan.pattern, plan.mayTrigger, plan.matched !== port,
        plan.triggerPort.map({ $0 === port }) ?? true, pattern.matches(text)
      else { continue }
      plans[index].matched = port
      fire(index, at: time)
    }
  }

  // MARK: Reporting

  /// Sentences about stimuli that were never applied.
  var idleNotices: [String] {
    plans.filter { $0.begun == 0 }.map { plan in
      let place = bench.bench.rig.place(plan.stimulus.fileLine)
      let reason =
        switch plan.stimulus.trigger {
        case nil: "the run ended before \(Decimal.duration(plan.stimulus.time))"
        case _ where plan.triggered > 0: "the run ended before its time"
        case .some(let trigger):
          trigger.pattern.map { "no line matched '\($0.visible)'" }
            ?? "\(trigger.pin ?? "") did not change to \(trigger.level.rawValue)"
        }
      return "\(place): the stimulus was never applied: \(reason)"
    }
  }
}

/// Calls the program of a plant in virtual time, and applies its answers.
final class PlantPlayer {
  /// What a pin has done since the last call.
  private struct PinCourse {
    let pin: Int
    let name: String
    var isHigh = false
    /// The time since which the level is what it is, or that of the last call, in nanoseconds.
    var since: UInt64 = 0
    /// The time for which the pin was high, in nanoseconds, and the number of its rising edges.
    var high: UInt64 = 0, rises = 0
  }

  /// What the program wants to be changed.
  private struct Answer {
    var air: [(Quantity, Double)] = []
    var pins: [(pin: Int, level: Bool?)] = []
    var voltages: [(input: Int, volts: Double)] = []
    var bytes: [UInt8] = []
  }

  private let plant: Plant
  private let bench: FirmwareBench
  private let stimuli: StimulusPlayer
  private let program: SupervisedProgram
  private var pins: [PinCourse] = []
  /// What each UART has sent since the last call.
  private var sent: [(name: String, bytes: [UInt8])]
  private var last: UInt64 = 0
  /// The failure of the program; `nil` if there is none.
  private(set) var failure: Failure?

  /// Starts the program of the plant; its first call is at the start of the run.
  ///
  /// The result is `nil` if the rig has no plant.
  ///
  /// - Parameters:
  ///   - bench: the microcontroller, and the rig with the plant.
  ///   - stimuli: the player, which calls at exact times.
  /// - Throws: `Failure` if the program cannot be started, or for a pin that the microcontroller does not have.
  init?(_ bench: FirmwareBench, _ stimuli: StimulusPlayer) throws(Failure) {
    guard let plant = bench.bench.rig.plant else { return nil }
    (self.plant, self.bench, self.stimuli) = (plant, bench, stimuli)
    sent = bench.machine.serialPorts.map { ($0.name, []) }
    program = try SupervisedProgram(
      "plant", plant.program, in: TextFile.resolve(".", relativeTo: bench.bench.rig.file))
    let bank = bench.machine.pins
    for name in plant.pins ?? [] {
      let pin = try bench.pin(name, at: plant.fileLine)
      bank.observe(pin)
      pins.append(PinCourse(pin: pin, name: name, isHigh: bank.level(of: pin)))
    }
    let previous = bank.output
    bank.output = { [unowned self, unowned bank] pin, drive, time in
      previous(pin, drive, time)
      for index in pins.indices where pins[index].pin == pin {
        note(bank.level(of: pin), of: index, at: time)
      }
    }
    stimuli.call(at: 0) { [weak self] in self?.step(at: $0) }
  }

  private func note(_ isHigh: Bool, of index: Int, at time: UInt64) {
    let course = pins[index]
    if course.isHigh, time > course.since { pins[index].high += time - course.since }
    if isHigh, !course.isHigh { pins[index].rises += 1 }
    pins[index].isHigh = isHigh
    pins[index].since = max(time, course.since)
  }

  /// Observes a byte that the program has sent at a UART.
  func take(_ byte: UInt8, from port: SerialPort) {
    guard let index = sent.firstIndex(where: { $0.name == port.name }) else { return }
    sent[index].bytes.append(byte)
  }

  private func step(at time: UInt64) {
    let line = JSONValue.object(event(at: time)).compact
    do throws(Failure) {
      let answer = try program.answer(to: line) { object throws(InvalidAnswer) in
        try read(object)
      }
      apply(answer, at: time)
      last = time
      stimuli.call(at: time &+ plant.step) { [weak self] in self?.step(at: $0) }
    } catch {
      failure = Failure(
        error.kind, error.messages.map { "\(bench.bench.rig.place(plant.fileLine)): \($0)" })
      bench.machine.schedule.requestStop()
    }
  }

  /// Returns what has happened since the last call; the next event starts from there.
  private func event(at time: UInt64) -> [(key: String, value: JSONValue)] {
    let length = Double(time - last)
    var levels: [(key: String, value: JSONValue)] = []
    for index in pins.indices {
      note(pins[index].isHigh, of: index, at: time)
      let course = pins[index]
      let duty = length > 0 ? Double(course.high) / length : course.isHigh ? 1 : 0
      let frequency = length > 0 ? Double(course.rises) * 1e9 / length : 0
      levels.append(
        (
          course.name,
          .object([
            ("level", .string(course.isHigh ? "high" : "low")), ("duty", .decimal(duty)),
            ("frequency", .decimal(frequency)),
          ])
        ))
      (pins[index].high, pins[index].rises) = (0, 0)
    }
    var texts: [(key: String, value: JSONValue)] = []
    for index in sent.indices where !sent[index].bytes.isEmpty {
      texts.append((sent[index].name, .string(String(decoding: sent[index].bytes, as: UTF8.self))))
      sent[index].bytes.removeAll(keepingCapacity: true)
    }
    let air = bench.bench.air.air(at: time)
    return [
      ("t", .integer(time)), ("pins", .object(levels)), ("uart", .object(texts)),
    ] + Quantity.allCases.map { ("\($0)", JSONValue.decimal(air[$0])) }
  }

  private func apply(_ answer: Answer, at time: UInt64) {
    for (quantity, value) in answer.air { stimuli.setAir(quantity, to: value, at: time) }
    for (pin, level) in answer.pins { stimuli.set(pin, level) }
    for (input, volts) in answer.voltages { stimuli.setVoltage(volts, at: input) }
    if !answer.bytes.isEmpty { stimuli.usualPort.send(answer.bytes) }
  }

  // MARK: Answers

  private static let keys = ["temperature", "pressure", "humidity", "pins", "voltages", "send"]

  private func read(
    _ object: [(key: String, value: JSONValue)]
  ) throws(InvalidAnswer) -> Answer {
    var answer = Answer()
    for (key, value) in object {
      switch key {
      case "temperature":
        answer.air.append((.temperature, try Self.number(value, key, -273.15...200)))
      case "pressure": answer.air.append((.pressure, try Self.number(value, key, 0...1_000_000)))
      case "humidity": answer.air.append((.humidity, try Self.number(value, key, 0...100)))
      case "pins":
        for (name, level) in try Self.members(value, key) {
          guard let pin = bench.machine.pins.index(of: name) else {
            throw InvalidAnswer("\(bench.machine.name) has no pin '\(name.clipped)'")
          }
          guard let level = level.text.flatMap(Stimulus.Level.init) else {
            throw InvalidAnswer("the level of a pin is \"high\", \"low\" or \"open\"")
          }
          answer.pins.append((pin, level.isHigh))
        }
      case "voltages":
        for (name, volts) in try Self.members(value, key) {
          guard let input = Int(name), (0...31).contains(input) else {
            throw InvalidAnswer("an analog input is a number from 0 to 31")
          }
          answer.voltages.append((input, try Self.number(volts, "a voltage", -100...100)))
        }
      case "send":
        guard let text = value.text else { throw InvalidAnswer("send is a text") }
        answer.bytes = Array(text.utf8)
      default: throw InvalidAnswer(unknownKey: key, of: Self.keys)
      }
    }
    return answer
  }

  private static func members(
    _ value: JSONValue, _ key: String
  ) throws(InvalidAnswer) -> [(key: String, value: JSONValue)] {
    guard let object = value.object else { throw InvalidAnswer("\(key) is an object") }
    return object
  }

  private static func number(
    _ value: JSONValue, _ key: String, _ range: ClosedRange<Double>
  ) throws(InvalidAnswer) -> Double {
    guard case .number(let text) = value, let number = Double(text), range.contains(number) else {
      throw InvalidAnswer(
        "\(key) is a number from \(Decimal.shortest(range.lowerBound)) to \(Decimal.shortest(range.upperBound))"
      )
    }
    return number
  }
}
