package import Bridges
package import Files

/// A board that is reached over real Bluetooth LE frames: each value that a client writes or reads goes through a Bluetooth stack
/// and back.
///
/// The time of the bench passes before and behind it, in the link, as for any board: the frames take none of it, only the machine's.
/// A connection that has ended, or a stack that has died, is made anew with the next request.
package final class RadioBoard: GATTServer {
  /// What went over the frames.
  package private(set) var account = BoardRadios.Account()

  private let board: any BridgeBoard
  private let profile: BoardProfile
  private let radios: BoardRadios
  private var session: BoardSession?
  private var failures = 0
  /// How often a stack that fails is started anew before nobody tries any more.
  private static let attempts = 3

  /// Lets a board advertise, finds it and connects with it.
  ///
  /// - Parameters:
  ///   - board: what answers.
  ///   - profile: how it is found and what it serves.
  ///   - radios: where the radios are.
  /// - Throws: `Failure` of kind unavailable when there is no stack, no radio or no board to be found.
  package init(
    _ board: any BridgeBoard, _ profile: BoardProfile, _ radios: BoardRadios
  ) throws(Failure) {
    self.board = board
    self.profile = profile
    self.radios = radios
    _ = try connected()
  }

  /// Writes a value through the stack.
  ///
  /// - Throws: `GATTError`.
  package func take(_ value: [UInt8], for characteristic: UInt16) throws(GATTError) {
    _ = try answer { session throws(Failure) in try session.write(value, to: characteristic) }
  }

  /// Reads a value through the stack.
  ///
  /// - Throws: `GATTError`.
  package func value(of characteristic: UInt16) throws(GATTError) -> [UInt8] {
    try answer { session throws(Failure) in try session.read(characteristic) }
  }

  /// Ends the connection: the board is out of reach, silent or without power, and no longer advertises.
  package func lost() {
    guard let session, session.isConnected else { return }
    do throws(Failure) {
      try session.disconnect()
    } catch {
      end(error)
    }
  }

  // MARK: Connections

  private func answer(
    to request: (BoardSession) throws(Failure) -> Result<[UInt8], GATTError>
  ) throws(GATTError) -> [UInt8] {
    guard failures < Self.attempts else { throw .disconnected }
    let result: Result<[UInt8], GATTError>
    do throws(Failure) {
      let session = try connected()
      account.requests += 1
      result = try request(session)
      failures = 0
    } catch {
      end(error)
      throw .disconnected
    }
    return try result.get()
  }

  private func connected() throws(Failure) -> BoardSession {
    if let session, session.isConnected { return session }
    let open: BoardSession
    if let session { open = session } else { open = try BoardSession(board, profile, radios) }
    session = open
    try open.connect()
    account.connections += 1
    return open
  }

  private func end(_ failure: Failure) {
    session = nil
    failures += 1
    account.failure = failure.messages.first
  }
}
