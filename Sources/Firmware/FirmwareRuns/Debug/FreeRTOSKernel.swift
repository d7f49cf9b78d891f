import Images
import Text

/// The lists of FreeRTOS in a program's memory, read as debuggers do that know its kernel.
///
/// The layout is that of FreeRTOS-Kernel V9 to V11 for one 32-bit core without an MPU: a list (`List_t`) begins with the
/// number of its items and ends with its end marker; an item (`ListItem_t`) has its value, its next item, the one before,
/// its owner and its list; a task control block (`TCB_t`) begins with the top of the task's stack.
struct FreeRTOSKernel {
  /// Where parts lie in the structures of the kernel, in bytes.
  private enum Offset {
    static let listEnd: UInt32 = 8
    static let listFirst: UInt32 = 12
    static let itemNext: UInt32 = 4
    static let itemOwner: UInt32 = 12
    static let eventContainer: UInt32 = 40
    static let priority: UInt32 = 44
    static let name: UInt32 = 52
  }

  /// The longest name that is read; `configMAX_TASK_NAME_LEN` is 16 unless a program changes it.
  private static let longestName: UInt32 = 16
  /// The most tasks that are read of a list, which a program may have destroyed.
  private static let mostTasks: UInt32 = 1000

  private let current: UInt32
  private let isRunning: UInt32?
  /// The lists in which tasks are, each with the state of its tasks; of a task that is in two the first counts.
  private let lists: [(address: UInt32, state: FreeRTOSTask.State)]
  private let byte: (UInt32) -> UInt8?

  /// Finds the kernel in a program.
  ///
  /// It is `nil` for a program without FreeRTOS, or with one whose lists have another size than the two known.
  ///
  /// - Parameters:
  ///   - symbols: the program's symbols.
  ///   - byte: reads a byte of its memory, without any effect; `nil` where there is none.
  init?(_ symbols: SymbolTable, reading byte: @escaping (UInt32) -> UInt8?) {
    let objects = Dictionary(symbols.objects.map { ($0.name, $0) }) { one, _ in one }
    guard let current = objects["pxCurrentTCB"], let ready = objects["pxReadyTasksLists"],
      let delayed = objects["xDelayedTaskList1"],
      // With whole items as end markers (configUSE_MINI_LIST_ITEM 0) a list has 28 bytes.
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

  /// The address of the control block of the running task; `nil` until the scheduler runs.
  var runningTask: UInt32? {
    if let isRunning, word(isRunning) ?? 0 == 0 { return nil }
    guard let address = word(current), address != 0, word(address) != nil else { return nil }
    return address
  }

  /// All tasks, the running one first; none until the scheduler runs.
  var tasks: [FreeRTOSTask] {
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

  /// The frame that a task which does not run has on its stack.
  func frame(of task: UInt32) -> FreeRTOSFrame? {
    word(task).flatMap { FreeRTOSFrame(top: $0, reading: word) }
  }

  private func task(_ address: UInt32, _ state: FreeRTOSTask.State) -> FreeRTOSTask {
    var bytes: [UInt8] = []
    for offset in 0..<Self.longestName {
      guard let next = byte(address &+ Offset.name &+ offset), next != 0 else { break }
      bytes.append(next)
    }
    // Whoever waits for an event without a limit is in the list of those that are suspended.
    let waits = state == .suspended && word(address &+ Offset.eventContainer) ?? 0 != 0
    return FreeRTOSTask(
      address: address, name: String(decoding: bytes, as: UTF8.self).visible,
      state: waits ? .blocked : state, priority: word(address &+ Offset.priority) ?? 0)
  }

  /// The owners of the items of a list.
  private func owners(in list: UInt32) -> [UInt32] {
    var owners: [UInt32] = []
    guard let count = word(list), count <= Self.mostTasks,
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

/// A task of FreeRTOS as a debugger shows it.
struct FreeRTOSTask: Equatable {
  /// The state of a task.
  enum State: String {
    /// The task that the core executes, or has interrupted.
    case running
    /// The task may run, and one of higher or the same priority does.
    case ready
    /// The task waits for a time, or for an event.
    case blocked
    /// The task is suspended, or waits for a notification without a limit: the kernel keeps both in one list.
    case suspended = "suspended, or waits for a notification"
    /// The task is deleted, and its memory is not yet released.
    case deleted
  }

  /// The address of its task control block, by which GDB names it.
  let address: UInt32
  /// Its name.
  let name: String
  /// Its state.
  let state: State
  /// Its priority; 0 is the lowest.
  let priority: UInt32

  /// A line about it for GDB's `info threads`.
  var summary: String {
    "\(name.isEmpty ? "no name" : name): \(state.rawValue), priority \(priority)"
  }
}
