import CInterposer
import Glibc

/// Runs a program with simulated buses visible as /dev/i2c-N, without privileges and without changes to the program.
///
/// The kernel stops the program at the relevant system calls (seccomp user notification) and this process answers them;
/// all other calls run natively. All descendants of the program see the same buses.
public struct Interposer {
  /// The buses visible to the program.
  public let buses: [InterposedBus]
  /// The set of system calls that are intercepted.
  public let mode: InterposerMode
  /// The virtual time of the programs; `nil` for real time.
  public let time: VirtualTime?
  /// The board that programs detect, such as a Raspberry Pi; `nil` if they detect the host.
  public let board: Board?
  /// The time for which descendants may outlive the program, in seconds.
  public let graceSeconds: Double
  /// The time after which the program receives SIGTERM, in nanoseconds of its time; `nil` for no limit.
  public let limit: UInt64?
  /// The files of the buses and the board, which programs see although the host does not have them.
  private let tree: SyntheticTree

  /// Creates an interposer.
  ///
  /// - Precondition: with virtual time, `InterposedBus/isSlow` is `false` for each bus.
  public init(
    _ buses: [InterposedBus], mode: InterposerMode = .full, time: VirtualTime? = nil,
    board: Board? = nil, graceSeconds: Double = 10, limit: UInt64? = nil
  ) {
    precondition(
      time == nil || !buses.contains(where: \.isSlow), "virtual time does not support slow buses")
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

  /// Runs a program until it and its descendants have exited.
  ///
  /// - Parameters:
  ///   - arguments: the program and its arguments; the program is looked up in PATH like in a shell.
  ///   - notice: receives messages for the user.
  /// - Returns: the exit status of the program, 128 + n if signal n terminated it, or 0 if it was terminated because of
  ///   the time limit.
  /// - Throws: `InterposerError` if the program could not be started.
  public func run(
    _ arguments: [String], notice: @escaping (InterposerNotice) -> Void
  ) throws(InterposerError) -> Int32 {
    try run(launch(arguments), notice: notice)
  }

  /// Creates the process of a program, which waits at its execution until `run(_:notice:)`.
  ///
  /// - Parameter arguments: the program and its arguments.
  /// - Returns: the launch; its errors are thrown when it is run.
  public func launch(_ arguments: [String]) -> ProgramLaunch {
    ProgramLaunch(arguments, mode: mode, isTimeVirtual: time != nil)
  }

  /// Runs a program that was launched before, until it and its descendants have exited.
  ///
  /// - Parameters:
  ///   - launch: the launch.
  ///   - notice: receives messages for the user.
  /// - Returns: the exit status, as `run(_:notice:)` of a program and its arguments does.
  /// - Throws: `InterposerError` if the program could not be started.
  /// - Precondition: the launch has the mode of this interposer, and virtual time if this has it.
  public func run(
    _ launch: ProgramLaunch, notice: @escaping (InterposerNotice) -> Void
  ) throws(InterposerError) -> Int32 {
    precondition(
      launch.mode == mode && launch.isTimeVirtual == (time != nil),
      "the launch was created for another interposer")
    let started = try launch.started()
    if !started.waitsKillable {
      notice(
        InterposerNotice(
          subject: .notServed,
          text:
            "this kernel is older than 5.19: a program that is interrupted by a signal during a transfer may "
            + "repeat it"))
    }
    let supervisor = Supervisor(
      started, buses: buses, tree: tree, slots: launch.slots, time: time,
      graceSeconds: graceSeconds, limit: limit, notice: notice)
    let status = supervisor.run()
    guard let errno = supervisor.startFailure else {
      // A library that rejects a PC reads the board files, opens no bus, and makes its program fail.
      if board == nil, status != 0, supervisor.hasReadBoardFile, !supervisor.hasOpenedNode {
        notice(
          InterposerNotice(
            subject: .notServed,
            text:
              "the program opened no bus but read the files by which libraries detect a board; if its library "
              + "rejects a PC, try --board raspberry-pi-4"))
      }
      return status
    }
    throw errno == ENOENT
      ? ProgramPath.absence(of: launch.arguments[0])
      : .notRunnable(launch.arguments[0], String(cString: strerror(errno)))
  }

  /// Requests SIGKILL for this process when its parent ends (PR_SET_PDEATHSIG).
  ///
  /// - Parameter parent: the process that started this one.
  /// - Returns: `true` if that process is still the parent.
  public static func ends(with parent: Int32) -> Bool { interposer_die_with_parent(parent) }
}
