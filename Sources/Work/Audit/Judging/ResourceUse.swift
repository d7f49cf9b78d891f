import Files
import Glibc
import Interposer

/// What the processes of a program hold at one moment.
struct ResourceUse: Sendable {
  /// After how many readings.
  let readings: Int
  /// How many descriptors, threads and processes there are.
  private(set) var descriptors = 0, threads = 0, processes = 0
  /// How much memory is resident, in bytes.
  private(set) var memory = 0

  /// Creates an account of known amounts.
  init(readings: Int, descriptors: Int, threads: Int, processes: Int, memory: Int) {
    self.readings = readings
    (self.descriptors, self.threads) = (descriptors, threads)
    (self.processes, self.memory) = (processes, memory)
  }

  /// Looks at the programs that a process of `aneroid exec` runs.
  init(ofProgramsIn process: Int32, readings: Int) {
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

  /// What grows with the readings from one account to the next, in words; `nil` where nothing does.
  ///
  /// - Parameter uses: three accounts at least, in the order of time.
  /// - Returns: how much it is, with its name.
  static func growth(_ uses: [ResourceUse]) -> String? {
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
  /// The text without its digits, which differ from line to line.
  var withoutDigits: String { filter { !$0.isNumber } }
}
