import Images
import Machines
import Support

/// RTOS tasks as GDB threads; a program without an RTOS is thread 1.
extension GDBSession {
  private var currentThread: UInt32 { kernel?.runningTask ?? 1 }

  /// The IDs of all threads.
  private var threads: [UInt32] {
    let tasks = kernel?.tasks ?? []
    return tasks.isEmpty ? [1] : tasks.map(\.address)
  }

  /// Adds the running thread to a stop reply if the program has RTOS tasks.
  ///
  /// - Parameter stop: the stop reply, which is `S` and a signal, or `T`, a signal and further fields.
  /// - Returns: the packet to send.
  package func withThread(_ stop: String) -> String {
    guard let task = kernel?.runningTask else { return stop }
    let start = stop.hasPrefix("S") ? "T" + stop.dropFirst() : stop
    return "\(start)thread:\(String(task, radix: 16));"
  }

  // MARK: Packets

  /// Handles `H`, which selects the thread for subsequent register packets.
  func select(_ text: Substring) -> String {
    // All threads resume together, so the thread to resume is ignored.
    guard text.first == "g" else { return "OK" }
    let number = text.dropFirst()
    if number == "-1" || number == "0" {
      selectedThread = nil
      return "OK"
    }
    guard let thread = UInt32(number, radix: 16), threads.contains(thread) else { return "E01" }
    selectedThread = thread
    return "OK"
  }

  /// Handles `T`, which queries whether a thread is alive.
  func isAlive(_ text: Substring) -> String {
    UInt32(text, radix: 16).map(threads.contains) == true ? "OK" : "E01"
  }

  /// Handles thread queries; returns `nil` for other queries.
  func threadQuery(_ text: Substring) -> String? {
    switch text {
    case "C": return "QC" + String(currentThread, radix: 16)
    case "fThreadInfo":
      return "m" + threads.map { String($0, radix: 16) }.joined(separator: ",")
    case "sThreadInfo": return "l"
    default: break
    }
    guard text.hasPrefix("ThreadExtraInfo,") else { return nil }
    guard let thread = UInt32(text.dropFirst(16), radix: 16) else { return "E01" }
    guard let task = kernel?.tasks.first(where: { $0.address == thread }) else {
      return thread == 1 ? hexadecimal(Array("the program".utf8)) : "E01"
    }
    return hexadecimal(Array(task.summary.utf8))
  }

  // MARK: Registers of the selected thread

  /// The selected thread if it is a task that is not running, whose registers are therefore on its stack.
  private var waitingTask: UInt32? {
    guard let selectedThread, selectedThread != 1, selectedThread != currentThread else {
      return nil
    }
    return selectedThread
  }

  /// All registers of the selected thread in hexadecimal; the digits of unknown registers are `x`.
  var allRegisters: String {
    registers.entries.indices.map(registerText).joined()
  }

  /// Returns a register of the selected thread in hexadecimal.
  func registerText(_ number: Int) -> String {
    let past = { [history] in history?.register($0) }
    guard let task = waitingTask else { return hexadecimal(registers.bytes(number, past)) }
    let frame = kernel?.frame(of: task)
    let entry = registers.entries[number]
    return registers.names(of: number).map { name in
      if let address = frame?.addresses[name] {
        let bytes = (0..<4 as Range<UInt32>).map { byte(at: address &+ $0) }
        if !bytes.contains(nil) { return hexadecimal(bytes.compactMap(\.self)) }
      } else if let value = frame?.value(name) {
        let width = entry.bits / 8
        return hexadecimal((0..<width).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) })
      } else if name == "msp" {
        return hexadecimal(registers.bytes(number, past))
      }
      return String(repeating: "xx", count: entry.bits / entry.parts.count / 8)
    }.joined()
  }

  /// Sets a register of the selected thread.
  ///
  /// - Returns: `false` if the register cannot be set. If the task is not running, only its saved registers can be set.
  func setRegister(_ number: Int, _ bytes: [UInt8]) -> Bool {
    guard let task = waitingTask else { return setCoreRegister(number, bytes[...]) }
    let names = registers.names(of: number)
    let addresses = names.compactMap { kernel?.frame(of: task)?.addresses[$0] }
    guard addresses.count == names.count, bytes.count == 4 * addresses.count else { return false }
    return intervene { run in
      bytes.enumerated().allSatisfy { index, byte in
        run.machine.core.writeByte(addresses[index / 4] &+ UInt32(index % 4), byte)
      }
    }
  }

  private func setCoreRegister(_ number: Int, _ bytes: ArraySlice<UInt8>) -> Bool {
    let family = run.bench.profile.avrFamily
    return intervene { GDBRegisters($0.machine.core, family: family).set(number, bytes) }
  }

  /// Sets all registers of the selected thread (packet `G`).
  func setAllRegisters(_ text: Substring) -> String {
    guard waitingTask == nil, let bytes = decoded(text) else { return "E01" }
    var rest = bytes[...]
    for (number, entry) in registers.entries.enumerated() {
      guard rest.count >= entry.bits / 8 else { return "E01" }
      guard setCoreRegister(number, rest.prefix(entry.bits / 8)) else { return "E01" }
      rest = rest.dropFirst(entry.bits / 8)
    }
    return "OK"
  }
}
