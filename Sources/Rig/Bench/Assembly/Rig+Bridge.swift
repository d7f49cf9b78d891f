package import Bridges
package import I2C
package import Rigs
package import VirtualI2C

extension Rig.Bridge {
  /// A board, its connection and the client's side.
  package struct Assembly {
    package let adapter: any I2CAdapter
    package let board: any BridgeBoard
    package let link: SimulatedGATTLink
  }

  /// Puts a board on an adapter.
  package func assembled(
    over adapter: any I2CAdapter, _ clock: any I2CClock, faults: FaultPlan, seed: UInt64
  ) -> Assembly {
    let board = model.board(adapter, settings.limit)
    let link = SimulatedGATTLink(
      to: board, clock: clock, options: self.link, faults: faults, seed: seed)
    board.battery = { [weak link] in link?.battery ?? 0 }
    return Assembly(adapter: model.client(link, clock, settings), board: board, link: link)
  }
}
