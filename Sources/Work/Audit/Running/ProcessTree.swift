import Files
import Glibc
import Interposer

/// How much a process and all that it started have worked.
struct ProcessTree {
  /// The processor time of all of them so far, in ticks of the kernel.
  private(set) var ticks: UInt64 = 0
  /// Whether one of them wants a processor now, or waits for a disk.
  private(set) var isRunnable = false

  /// Looks at a process and its descendants.
  init(of process: Int32) {
    add(process)
    ClientProcesses.descendants(of: process).forEach { add($0) }
  }

  /// The length of a tick, in seconds.
  static let tick = 1 / Double(max(sysconf(Int32(_SC_CLK_TCK)), 1))

  private mutating func add(_ process: Int32) {
    guard let text = try? TextFile.read("/proc/\(process)/stat"),
      let end = text.lastIndex(of: ")")
    else { return }
    // The state, and from the 12th field behind it: own time, that of the system, and both of ended children.
    let fields = text[text.index(after: end)...].split(separator: " ")
    guard fields.count > 14 else { return }
    if fields[0] == "R" || fields[0] == "D" { isRunnable = true }
    for field in fields[11...14] { ticks += UInt64(field) ?? 0 }
  }
}
