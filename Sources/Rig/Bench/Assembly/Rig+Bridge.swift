package import Bridges
package import I2C
package import Rigs
package import VirtualI2C

extension Rig.Bridge {
  /// A board, its connection and the phone's side.
  package struct Assembly {
    package let adapter: AutomatAdapter
    package let board: AutomatBoard
    package let link: SimulatedGATTLink
  }

  /// Puts a board on an adapter.
  package func assembled(
    over adapter: any I2CAdapter, _ clock: any I2CClock, faults: FaultPlan, seed: UInt64
  ) -> Assembly {
    let board = AutomatBoard(adapter, limit: limit)
    let link = SimulatedGATTLink(
      to: board, clock: clock, options: self.link, faults: faults, seed: seed)
    board.battery = { [weak link] in link?.battery ?? 0 }
    let phone = AutomatAdapter(
      link, clock: clock, limit: limit, pastLimit: pastLimit, tellsLimit: tellsLimit,
      timeOut: timeOut)
    return Assembly(adapter: phone, board: board, link: link)
  }
}
