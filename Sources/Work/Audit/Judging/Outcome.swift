import BME280Model
package import Diagnosis
import Glibc
import I2C
import Interposer
package import Rigs
import Runs
package import Support
import VirtualI2C

/// The output and the bus transfers of a program in one scenario, as recorded by the audit.
package struct Outcome {
  package var readings: [ShownReading] = []
  /// The print time of each reading; has fewer elements than `readings` if times are unknown.
  package var times: [PrintTime] = []
  /// The indices of readings that do not match the air at their print time but are means of
  /// measurements.
  package var means: Set<Int> = []
  /// The indices of readings that do not follow from any recent measurement; empty unless the
  /// filter is enabled.
  package var unmeasured: Set<Int> = []
  /// The printed lines.
  package var lines: [String] = []
  /// The print time of each line.
  package var lineTimes: [PrintTime] = []
  /// The lines without values printed since the first event of the scenario, one for each text without its digits.
  package var otherLines: [String: String] = [:]
  /// The resource usage of the program's processes in a long run, in chronological order.
  package var resources: [ResourceUse] = []
  /// The lines on standard error.
  package var errors: [String] = []
  /// The exit status, 128 + n for signal n; `nil` if the audit ended the program.
  package var status: Int32?
  /// The reason why firmware could not continue, or the code location at which it was stopped.
  package var reason: String?
  /// `true` if firmware crashed because of a fault, execution outside code, or a stack overflow.
  package var hasDied: Bool { status == 1 && reason != nil }
  /// `true` if the program was ended by the time limit.
  package var tookTooLong = false
  /// `true` if every fault of the scenario fired.
  package var hasFired = true
  /// The faults of the scenario with their firings.
  package var faults: [ServedFault] = []
  /// The text of the notice in which `aneroid exec` reports that the program waits in wall-clock
  /// time although it runs in virtual time.
  package var leak: String?
  /// The reason why `aneroid exec` did not run the program.
  package var failure: AuditError?
  /// The recorded transfers with the part.
  package var evidence: Evidence?
  /// The times at which measurements were read; `nil` if unknown.
  package var reads: ReadTimes?
  /// The duration of the run in seconds of wall-clock time.
  package var seconds = 0.0

  /// Creates the outcome of a run that displayed nothing.
  package init() {}

  /// The lines, on standard error or output, that report an error.
  package var messages: [String] {
    let words = [
      "error", "fail", "timeout", "timed out", "exception", "errno", "nack", "could not", "cannot",
      "can't", "unable", "no response", "not respond", "not answer",
    ]
    return (lines + errors).filter { line in
      let line = line.lowercased()
      return words.contains { line.contains($0) }
    }
  }

  /// Returns the outcome with at most `count` readings.
  package func first(_ count: Int) -> Outcome {
    var outcome = self
    outcome.readings = Array(readings.prefix(count))
    outcome.times = Array(times.prefix(count))
    return outcome
  }
}

/// The start times of a scenario's air states, and the maximum age of a correct program's values.
package struct Timing: Sendable {
  /// The start of each air state whose values a program may display, in seconds since power-on.
  package let starts: [Double]
  /// The time at which the part permanently stops responding, in seconds since power-on; infinite
  /// if it never does.
  package let end: Double
  /// The time of the first event, in seconds since power-on; in a hunt, of the last one.
  package var event: Double
  /// The interval between the program's readings in seconds.
  package let pace: Double
  /// The maximum time from the measurement of a value until it is printed, in seconds.
  package let age: Double

  /// Creates the timing of a scenario.
  ///
  /// - Parameters:
  ///   - scenario: the scenario.
  ///   - place: the program's bus, address and times.
  ///   - age: the maximum age of a value in seconds.
  package init(_ scenario: Scenario, at place: Scenario.Place, age: Double) {
    starts = scenario.phases[scenario.shown].map { place.seconds($0.start) }
    event = place.event
    pace = place.pace
    end = scenario.isGone ? place.event : .infinity
    self.age = age
  }

  /// Returns the indices of the air states that a value printed at a time may match.
  package func airs(at time: PrintTime) -> Range<Int> {
    let first = starts.lastIndex { $0 <= time.start - age } ?? 0
    let last = starts.lastIndex { $0 <= time.end } ?? first
    return first..<max(first, last) + 1
  }

  /// Returns `true` if a value printed at `time` cannot have been measured, because the part had
  /// stopped responding.
  package func isGone(at time: PrintTime) -> Bool { time.start - age > end }
}

/// A program that displays no value on the calm bench (constant air, no faults), and says so.
package struct DeadProgram {
  private let outcome: Outcome

  /// Creates a dead program: one that accesses the part but ends with an error, or that only prints error messages.
  ///
  /// `nil` for any other program, whose output may contain values in an unknown form.
  package init?(_ outcome: Outcome) {
    self.outcome = outcome
    if let status = outcome.status, status != 0 {
      guard let evidence = outcome.evidence, evidence.transfers > evidence.failures else {
        return nil
      }
      return
    }
    let messages = outcome.messages
    let others = Set(outcome.lines).subtracting(messages)
    guard messages.count > 1, !others.contains(where: { $0.contains(where: \.isNumber) })
    else { return nil }
  }

  /// Returns the judgement on the program, with the error message and the bus errors.
  package func judgement(_ calm: Scenario) -> Judgement {
    Judge(calm, quantities: []).judge(outcome)
  }
}

extension Outcome {
  /// The bus activity of a program without values, as text.
  package var onTheBus: String {
    guard let evidence else {
      guard let reads else { return "no transfer with the part" }
      return "\("measurement".counted(reads.times.count)) read from the part"
    }
    let wrong = evidence.findings.prefix(3).map { "; \($0.sentence)" }.joined()
    let failed = evidence.failures == 0 ? "" : " (\(evidence.failures) failed)"
    return "\(evidence.transfers) transfers with the part\(failed)\(wrong)"
  }
}

/// The resource usage of a program's processes at one moment.
package struct ResourceUse: Sendable {
  /// The number of readings so far.
  package let readings: Int
  /// The number of descriptors, threads and processes.
  package private(set) var descriptors = 0, threads = 0, processes = 0
  /// The resident memory in bytes.
  package private(set) var memory = 0

  /// Creates a sample from known amounts.
  package init(readings: Int, descriptors: Int, threads: Int, processes: Int, memory: Int) {
    self.readings = readings
    (self.descriptors, self.threads) = (descriptors, threads)
    (self.processes, self.memory) = (processes, memory)
  }

  /// Reads the resource usage of the programs that an `aneroid exec` process runs.
  package init(ofProgramsIn process: Int32, readings: Int) {
    self.readings = readings
    for program in ClientProcesses.descendants(of: process) { add(program) }
  }

  private mutating func add(_ process: Int32) {
    processes += 1
    if let folder = opendir("/proc/\(process)/fd") {
      while readdir(folder) != nil { descriptors += 1 }
      closedir(folder)
    }
    guard let text = try? TextFile.read("/proc/\(process)/status") else { return }
    for line in text.split(separator: "\n") {
      let words = line.split { $0 == ":" || $0.isWhitespace }
      guard words.count > 1, let number = Int(words[1]) else { continue }
      if words[0] == "Threads" { threads += number }
      if words[0] == "VmRSS" { memory += number * 1024 }
    }
  }

  /// Returns whether the last error message of a program says that it has used up memory, descriptors or its stack.
  package static func isExhausted(_ message: String) -> Bool {
    [
      "RecursionError", "MemoryError", "OutOfMemory", "StackOverflow", "stack overflow",
      "call stack size exceeded", "Too many open files", "Cannot allocate memory",
      "can't start new thread", "bad_alloc",
    ].contains { message.contains($0) }
  }

  /// Finds a resource whose usage grows with the readings.
  ///
  /// - Parameter uses: at least three samples, in chronological order.
  /// - Returns: the growth and the resource as text; `nil` if no resource's usage grows or there
  ///   are fewer samples.
  package static func growth(_ uses: [ResourceUse]) -> String? {
    guard uses.count >= 3 else { return nil }
    func grows(_ amount: (ResourceUse) -> Int, by least: Int) -> Int? {
      let steps = zip(uses, uses.dropFirst()).map { amount($1) - amount($0) }
      let isSteady = steps.allSatisfy { $0 >= least / 4 }
      let sum = steps.reduce(0, +)
      return isSteady && sum >= least ? sum : nil
    }
    let count = uses[uses.count - 1].readings - uses[0].readings
    let half = max(count / 20, 8)
    let named: [(name: String, amount: (ResourceUse) -> Int)] = [
      ("descriptors", \.descriptors), ("threads", \.threads), ("processes", \.processes),
    ]
    for (name, amount) in named {
      if let sum = grows(amount, by: half) { return "\(sum) more \(name) after \(count) readings" }
    }
    return grows(\.memory, by: 2 << 20).map {
      "\($0 >> 10) kB more memory after \(count) readings"
    }
  }
}

extension String {
  /// The text without its digits, which differ between lines.
  package var withoutDigits: String { filter { !$0.isNumber } }
}

/// A fault of a scenario with its firings, as reported by `aneroid exec` or `aneroid firmware`.
package struct ServedFault: Hashable, Sendable {
  /// Where, how often and when the fault fired.
  package let evidence: FaultEvidence
  /// The fields of the event.
  package let value: JSONValue
  /// The number of firings.
  package var count: Int { evidence.firings.count }

  /// Reads an event; `nil` if it does not describe a fault.
  package init?(_ event: JSONValue) {
    guard let fields = event.object, let name = event["fault"]?.text,
      let bus = event["bus"]?.whole(Int.self), let count = event["count"]?.whole(Int.self)
    else { return nil }
    func firing(_ name: String) -> PlannedFault.Evidence.Firing? {
      guard let seconds = event["\(name)_t"]?.double,
        let transfer = event["\(name)_transfer"]?.whole(Int.self)
      else { return nil }
      let address = event["\(name)_address"]?.whole(UInt16.self)
      let time = UInt64((seconds * 1e9).rounded())
      return PlannedFault.Evidence.Firing(
        time: time, transfer: transfer, address: address.flatMap(I2CAddress.init(rawValue:)))
    }
    let planned = event["planned"]?.whole(Int.self)
    evidence = FaultEvidence(
      name: name, bus: bus, planned: planned,
      firings: PlannedFault.Evidence(count: count, first: firing("first"), last: firing("last")))
    value = .object(fields.filter { $0.key != "event" })
  }
}
