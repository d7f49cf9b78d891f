import CInterposer
import Glibc

/// Shows buses to a program as /dev/i2c-N, without privileges and without changing it.
///
/// The kernel stops the program at the system calls that matter (seccomp user notification) and this
/// process answers them; all others run as ever. Whatever the program starts sees the same buses.
public struct Interposer {
  /// The buses.
  public let buses: [InterposedBus]
  /// Which system calls are asked about.
  public let mode: InterposerMode
  /// The time that programs have; `nil` for that of the machine.
  public let time: VirtualTime?
  /// The board that programs believe to be on; `nil` for the machine.
  public let board: Board?
  /// How long programs may outlive the one that was started, in seconds.
  public let graceSeconds: Double
  /// After how much of its time the program is asked to end, in nanoseconds; `nil` for never.
  public let limit: UInt64?
  /// What programs find of the buses and the board.
  private let tree: SyntheticTree

  /// Creates an interposer; virtual time needs buses that are simulated.
  public init(
    _ buses: [InterposedBus], mode: InterposerMode = .full, time: VirtualTime? = nil,
    board: Board? = nil, graceSeconds: Double = 10, limit: UInt64? = nil
  ) {
    precondition(
      time == nil || !buses.contains(where: \.isSlow), "a slow bus does not know virtual time")
    self.buses = buses
    self.time = time
    self.mode = mode
    self.board = board
    self.graceSeconds = graceSeconds
    self.limit = limit
    var tree = SyntheticTree(buses)
    if let board { tree.add(board) }
    self.tree = tree
  }

  /// Runs a program to its end.
  ///
  /// - Parameters:
  ///   - arguments: the program and its arguments; it is found as a shell finds it.
  ///   - notice: takes what the user should know.
  /// - Returns: the exit status of the program, 128 + n if signal n ended it; 0 where that was because its time was over.
  /// - Throws: ``InterposerError`` when it could not be started.
  public func run(
    _ arguments: [String], notice: @escaping (InterposerNotice) -> Void
  ) throws(InterposerError) -> Int32 {
    precondition(!arguments.isEmpty, "a program has a name")
    let slots = try Self.slots()
    let filter = FilterProgram(slots: slots, mode: mode, isTimeVirtual: time != nil)
    let started = try Launcher.start(arguments, filter: filter)
    if !started.waitsKillable {
      notice(
        InterposerNotice(
          subject: .notServed,
          text:
            "this kernel is older than 5.19: a program that is interrupted by signals in a transfer may "
            + "make it twice"))
    }
    let supervisor = Supervisor(
      started, buses: buses, tree: tree, slots: slots, time: time,
      graceSeconds: graceSeconds, limit: limit, notice: notice)
    let status = supervisor.run()
    guard let errno = supervisor.startFailure else {
      // A library that rejects a PC reads what it runs on, never opens a bus, and its program fails.
      if board == nil, status != 0, supervisor.hasReadBoardFile, !supervisor.hasOpenedNode {
        notice(
          InterposerNotice(
            subject: .notServed,
            text:
              "the program opened no bus, and read the files by which libraries recognize a board: if its library "
              + "rejects a PC, try again with --board raspberry-pi-4"))
      }
      return status
    }
    throw errno == ENOENT
      ? ProgramPath.absence(of: arguments[0])
      : .notRunnable(arguments[0], String(cString: strerror(errno)))
  }

  /// Lets this process end as soon as its parent has ended, however that was.
  ///
  /// - Parameter parent: the process that started this one.
  /// - Returns: whether it is still there.
  public static func ends(with parent: Int32) -> Bool { interposer_end_with(parent) }

  /// The descriptors of ours: from 64, which fits a signed byte, up to what the program may have.
  ///
  /// A program that may have few files has half of them for nodes.
  private static func slots() throws(InterposerError) -> Range<Int> {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    let end = Int(min(limit.rlim_cur, 65_536))
    guard end >= 8 else {
      throw .unavailable("the limit of open files is \(end); it must be 8 at least (ulimit -n)")
    }
    return min(64, end / 2)..<end
  }
}
