import CInterposer
import Files
import Glibc

/// What a thread sleeps in.
struct ThreadSleep: CustomStringConvertible {
  private let thread: Int32
  private let kind: interposer_sleep
  private let call: Int32
  /// The descriptors that it waits for.
  private let descriptors: [Int32]

  /// Looks at a thread that sleeps.
  init(of thread: Int32) {
    self.thread = thread
    var call: Int32 = -1
    var arguments = [UInt64](repeating: 0, count: 6)
    kind = interposer_thread_sleep(thread, &call, &arguments)
    self.call = call
    descriptors = Self.descriptors(kind, arguments, thread)
  }

  private static func descriptors(
    _ kind: interposer_sleep, _ arguments: [UInt64], _ thread: Int32
  ) -> [Int32] {
    let first = Int32(truncatingIfNeeded: arguments[0])
    switch kind {
    case INTERPOSER_SLEEP_READ, INTERPOSER_SLEEP_WRITE, INTERPOSER_SLEEP_LOCK: return [first]
    case INTERPOSER_SLEEP_EPOLL:
      // Lines such as `tfd:        5 events: ...`.
      return lines(of: "/proc/\(thread)/fdinfo/\(first)").compactMap { line in
        let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
        guard words.count > 1, words[0] == "tfd:" else { return nil }
        return Int32(words[1])
      }
    case INTERPOSER_SLEEP_POLL:
      let count = Int(min(arguments[1], 1024))
      var bytes = [UInt8](repeating: 0, count: count * 8)
      guard interposer_read(thread, arguments[0], &bytes, bytes.count) == bytes.count else {
        return []
      }
      return stride(from: 0, to: bytes.count, by: 8).map { place in
        Int32(
          truncatingIfNeeded: bytes[place..<place + 4].reversed().reduce(0 as UInt32) {
            $0 << 8 | UInt32($1)
          })
      }.filter { $0 >= 0 }
    case INTERPOSER_SLEEP_SELECT:
      let size = Int(min(arguments[0], 4096) + 63) / 64 * 8
      var all = [UInt8](repeating: 0, count: size)
      for set in arguments[1...3] where set != 0 {
        var bits = [UInt8](repeating: 0, count: size)
        guard interposer_read(thread, set, &bits, size) == size else { continue }
        for index in all.indices { all[index] |= bits[index] }
      }
      return (0..<Int32(size * 8)).filter { all[Int($0) / 8] >> UInt8($0 % 8) & 1 == 1 }
    default: return []
    }
  }

  /// The lines of a file of /proc; none where there is none.
  private static func lines(of file: String) -> [Substring] {
    let bytes = (try? TextFile.bytes(file)) ?? []
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }

  // MARK: From outside

  /// Whether something that is no program of ours may wake it: a terminal, a socket of a network, a pipe from elsewhere.
  var mayBeWokenFromOutside: Bool {
    kind == INTERPOSER_SLEEP_OTHER || kind == INTERPOSER_SLEEP_LOCK
      || descriptors.contains { isFedFromOutside(name(of: $0)) }
  }

  private func isFedFromOutside(_ name: String) -> Bool {
    if name.hasPrefix("anon_inode:") { return name.contains("inotify") }
    guard name.hasPrefix("pipe:") else { return !isInnerSocket(name) }
    let ours = Set(ClientProcesses.descendants(of: getpid()) + [getpid()])
    return (Folder.names(in: "/proc") ?? []).lazy.compactMap { Int32($0) }
      .filter { !ours.contains($0) }
      .contains { process in
        ClientProcesses.descriptors(of: process).contains { descriptor in
          Self.name(of: descriptor, process) == name
            && (kind == INTERPOSER_SLEEP_WRITE
              || interposer_descriptor_writes(process, descriptor))
        }
      }
  }

  /// Whether a socket is one end of a pair or a connection within this machine that waits for no other.
  private func isInnerSocket(_ name: String) -> Bool {
    guard name.hasPrefix("socket:["), name.hasSuffix("]") else { return false }
    let number = name.dropFirst("socket:[".count).dropLast()
    // Num RefCount Protocol Flags Type St Inode Path; the flag of a listening socket is 0x10000.
    return Self.lines(of: "/proc/net/unix").contains { line in
      let words = line.split(separator: " ")
      return words.count > 6 && words[6] == number && words[3] == "00000000"
    }
  }

  private func name(of descriptor: Int32) -> String { Self.name(of: descriptor, thread) }

  private static func name(of descriptor: Int32, _ process: Int32) -> String {
    let path = "/proc/\(process)/fd/\(descriptor)"
    let name = [CChar](unsafeUninitializedCapacity: 256) { buffer, count in
      count = buffer.baseAddress.map { max(readlink(path, $0, buffer.count), 0) } ?? 0
    }
    return String(decoding: name.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  // MARK: In words

  /// Who it is and what it waits for.
  var description: String { "\(ProgramName.of(thread)) \(purpose)" }

  private var purpose: String {
    switch kind {
    case INTERPOSER_SLEEP_READ: "reads from \(list)"
    case INTERPOSER_SLEEP_WRITE: "writes to \(list)"
    case INTERPOSER_SLEEP_CHILD: "waits for the end of a child"
    case INTERPOSER_SLEEP_WORD: "waits for another thread (futex)"
    case INTERPOSER_SLEEP_SIGNAL: "waits for a signal"
    case INTERPOSER_SLEEP_LOCK: "waits for the lock of \(list)"
    case INTERPOSER_SLEEP_POLL, INTERPOSER_SLEEP_SELECT, INTERPOSER_SLEEP_EPOLL:
      descriptors.isEmpty ? "waits for no descriptor" : "waits for \(list)"
    default: "sleeps in system call \(call)"
    }
  }

  private var list: String {
    descriptors.map { "descriptor \($0) (\(name(of: $0)))" }.joined(separator: ", ")
  }
}
