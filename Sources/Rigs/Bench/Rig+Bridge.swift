import Bridges
import I2C
import VirtualI2C

extension Rig.Bridge {
  /// A board, its connection and the phone's side.
  struct Assembly {
    let adapter: AutomatAdapter
    let board: AutomatBoard
    let link: SimulatedGATTLink

    /// What happened over a whole run.
    func report(bus: Int, at time: UInt64) -> RunEvent.BoardReport {
      RunEvent.BoardReport(
        time: time, bus: bus, commands: board.blinks, tooLong: board.tooLong, lost: link.lost,
        refused: link.refused, battery: Int(link.battery))
    }
  }

  /// Puts a board on an adapter.
  func assembled(
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
