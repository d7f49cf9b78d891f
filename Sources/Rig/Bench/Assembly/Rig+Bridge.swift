package import Bridges
package import Files
package import I2C
import RadioPrograms
package import Rigs
package import VirtualI2C

extension Rig.Bridge {
  /// A board, its connection and the client's side.
  package struct Assembly {
    package let adapter: any I2CAdapter
    package let board: any BridgeBoard
    package let link: SimulatedGATTLink
    fileprivate let radio: RadioBoard?

    /// What went over real frames; `nil` where none do.
    package var frames: BoardRadios.Account? { radio?.account }
  }

  /// Puts a board on an adapter.
  ///
  /// - Throws: `Failure` of kind unavailable when it is to be reached over a Bluetooth stack and cannot be.
  package func assembled(
    over adapter: any I2CAdapter, _ clock: any I2CClock, faults: FaultPlan, seed: UInt64
  ) throws(Failure) -> Assembly {
    let board = model.board(adapter, settings.limit)
    var radio: RadioBoard?
    if let radios { radio = try RadioBoard(board, model.profile, radios) }
    let link = SimulatedGATTLink(
      to: radio.map { $0 as any GATTServer } ?? board, clock: clock, options: self.link,
      faults: faults, seed: seed)
    board.battery = { [weak link] in link?.battery ?? 0 }
    return Assembly(
      adapter: model.client(link, clock, settings), board: board, link: link, radio: radio)
  }
}
