import Images
import Support

/// The FreeRTOS task lists in the memory of a program.
///
/// The supported layout is that of FreeRTOS-Kernel V9 to V11 for a single 32-bit core without an MPU. A list (`List_t`)
/// starts with the number of its items and ends with its end marker. An item (`ListItem_t`) contains its value, the next
/// and the previous item, its owner and its list. A task control block (`TCB_t`) starts with the task's top of stack.
package struct FreeRTOSKernel {
  /// Offsets in the kernel's structures, in bytes.
  private enum Offset {
    static let listEnd: UInt32 = 8
    static let listFirst: UInt32 = 12
    static let itemNext: UInt32 = 4
    static let itemOwner: UInt32 = 12
    static let eventContainer: UInt32 = 40
    static let priority: UInt32 = 44
    static let name: UInt32 = 52
  }

  /// The maximum length of a task name, which is the default of `configMAX_TASK_NAME_LEN`.
  private static let longestName: UInt32 = 16
  /// The maximum number of tasks to read from a list, because the program may have corrupted it.
  private static let maxTasks: UInt32 = 1000

  private let current: UInt32
  private let isRunning: UInt32?
  /// The task lists and the state of the tasks in each; if a task is in two lists, the first one applies.
  private let lists: [(address: UInt32, state: FreeRTOSTask.State)]
  private let byte: (UInt32) -> UInt8?

  /// Finds the kernel in a program.
  ///
  /// Returns `nil` for a program without FreeRTOS, or with an unsupported list layout.
  ///
  /// - Parameters:
  ///   - symbols: the symbols of the program.
  ///   - byte: a function that reads a byte of memory without side effects, and returns `nil` if the address is
  ///     unmapped.
  init?(_ symbols: SymbolTable, reading byte: @escaping (UInt32) -> UInt8?) {
    let objects = Dictionary(symbols.objects.map { ($0.name, $0) }) { one, _ in one }
    guard let current = objects["pxCurrentTCB"], let ready = objects["pxReadyTasksLists"],
      let delayed = objects["xDelayedTaskList1"],
      // With full-size end markers (configUSE_MINI_LIST_ITEM 0) a list has 28 bytes.
      [20, 28].contains(delayed.size), ready.size >= delayed.size
    else { return nil }
    self.current = current.address
    isRunning = objects["xSchedulerRunning"]?.address
    self.byte = byte
    let priorities = ready.size / delayed.size
    var lists: [(address: UInt32, state: FreeRTOSTask.State)] = []
    func add(_ name: String, _ state: FreeRTOSTask.State) {
      if let list = objects[name] { lists.append((list.address, state)) }
    }
    add("xPendingReadyList", .ready)
    for priority in (0..<priorities).reversed() {
      lists.append((ready.address + priority * delayed.size, .ready))
    }
    add("xDelayedTaskList1", .blocked)
    add("xDelayedTaskList2", .blocked)
    add("xSuspendedTaskList", .suspended)
    add("xTasksWaitingTermination", .deleted)
    self.lists = lists
  }

  /// The address of the control block of the running task; `nil` before the scheduler starts.
  var runningTask: UInt32? {
    if let isRunning, word(isRunning) ?? 0 == 0 { return nil }
    guard let address = word(current), address != 0, word(address) != nil else { return nil }
    return address
  }

  /// All tasks, with the running task first; empty before the scheduler starts.
  package var tasks: [FreeRTOSTask] {
    guard let running = runningTask else { return [] }
    var known: Set<UInt32> = [running]
    var tasks = [task(running, .running)]
    for list in lists {
      for address in owners(in: list.address) where known.insert(address).inserted {
        tasks.append(task(address, list.state))
      }
    }
    return tasks
  }

  /// Returns the saved registers of a task that is not running.
  func frame(of task: UInt32) -> FreeRTOSFrame? {
    word(task).flatMap { FreeRTOSFrame(top: $0, reading: word) }
  }

  private func task(_ address: UInt32, _ state: FreeRTOSTask.State) -> FreeRTOSTask {
    var bytes: [UInt8] = []
    for offset in 0..<Self.longestName {
      guard let next = byte(address &+ Offset.name &+ offset), next != 0 else { break }
      bytes.append(next)
    }
    // A task that waits for an event without a timeout is in the list of suspended tasks.
    let waits = state == .suspended && word(address &+ Offset.eventContainer) ?? 0 != 0
    return FreeRTOSTask(
      address: address, name: String(decoding: bytes, as: UTF8.self).visible,
      state: waits ? .blocked : state, priority: word(address &+ Offset.priority) ?? 0)
  }

  /// Returns the tasks that own the items in a list.
  private func owners(in list: UInt32) -> [UInt32] {
    var owners: [UInt32] = []
    guard let count = word(list), count <= Self.maxTasks,
      var item = word(list &+ Offset.listFirst)
    else { return [] }
    while owners.count < Int(count), item != list &+ Offset.listEnd,
      let owner = word(item &+ Offset.itemOwner), word(owner) != nil,
      let next = word(item &+ Offset.itemNext)
    {
      owners.append(owner)
      item = next
    }
    return owners
  }

  private func word(_ address: UInt32) -> UInt32? {
    var value: UInt32 = 0
    for offset in 0..<4 as Range<UInt32> {
      guard let byte = byte(address &+ offset) else { return nil }
      value |= UInt32(byte) << (offset * 8)
    }
    return value
  }
}

/// A FreeRTOS task.
package struct FreeRTOSTask: Equatable {
  /// The state of a task.
  package enum State: String {
    /// The task is running, or an exception has interrupted it.
    case running
    /// The task is ready to run.
    case ready
    /// The task waits for a time or an event.
    case blocked
    /// The task is suspended, or waits for a notification without a timeout; the kernel keeps both in one list.
    case suspended = "suspended, or blocked on a notification"
    /// The task is deleted, but its memory is not yet freed.
    case deleted
  }

  /// The address of the task control block, which is the thread ID in GDB.
  package let address: UInt32
  package let name: String
  package let state: State
  /// The priority; 0 is the lowest.
  package let priority: UInt32

  /// A description for `info threads` in GDB.
  var summary: String {
    "\(name.isEmpty ? "no name" : name): \(state.rawValue), priority \(priority)"
  }
}

/// The saved registers of a task that is not running.
///
/// They are the registers that the FreeRTOS ports for Cortex-M3 and M4 save, followed by the exception frame (ARMv7-M,
/// B1.5.6).
struct FreeRTOSFrame {
  /// The address at which each register is saved, by register name; the stack pointer is not saved.
  let addresses: [String: UInt32]
  /// The stack pointer of the task when it resumes.
  let stackPointer: UInt32
  /// `true` if the task uses the FPU.
  let usesFPU: Bool

  /// The upper bits of EXC_RETURN, which are all 1.
  private static let exceptionReturn: UInt32 = 0xFFFF_FF80
  /// Bit 4 of EXC_RETURN, which is 0 for a frame with FPU registers.
  private static let basicFrame: UInt32 = 0x10
  /// The bit of the saved xPSR that is set if the frame includes a padding word, which aligns the stack.
  private static let isPadded: UInt32 = 1 << 9

  /// Reads the saved registers; returns `nil` if the memory is unmapped.
  ///
  /// - Parameters:
  ///   - top: the task's top of stack, from its control block.
  ///   - word: a function that reads a word of memory, and returns `nil` if the address is unmapped.
  init?(top: UInt32, reading word: (UInt32) -> UInt32?) {
    var addresses: [String: UInt32] = [:]
    var next = top
    func take(_ names: some Sequence<String>) {
      for name in names {
        addresses[name] = next
        next &+= 4
      }
    }
    take((4...11).map { "r\($0)" })
    guard let link = word(next) else { return nil }
    // The Cortex-M4F port saves EXC_RETURN here; in the M3 port R0 follows directly.
    let hasLink = link & Self.exceptionReturn == Self.exceptionReturn
    let usesFPU = hasLink && link & Self.basicFrame == 0
    if hasLink { next &+= 4 }
    if usesFPU { take((16...31).map { "s\($0)" }) }
    take(["r0", "r1", "r2", "r3", "r12", "lr", "pc", "xpsr"])
    if usesFPU {
      take((0...15).map { "s\($0)" } + ["fpscr"])
      next &+= 4
    }
    guard let status = addresses["xpsr"].flatMap(word) else { return nil }
    if status & Self.isPadded != 0 { next &+= 4 }
    self.addresses = addresses
    self.usesFPU = usesFPU
    stackPointer = next
  }

  /// Returns the value of a register that is not saved.
  ///
  /// The value is known for the stack pointers and CONTROL, and for the mask registers, which are 0 during a task switch.
  ///
  /// - Parameter name: the register.
  /// - Returns: the value; `nil` if the register is saved or its value is unknown.
  func value(_ name: String) -> UInt32? {
    switch name {
    case "sp", "psp": stackPointer
    case "primask", "basepri", "faultmask": 0
    // The task runs on PSP, and has an FPU context if it has used the FPU.
    case "control": usesFPU ? 6 : 2
    default: nil
    }
  }
}
