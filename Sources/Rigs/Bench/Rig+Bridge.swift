import Bridges
import I2C

extension Rig.Bridge {
  /// The phone's side of a board that sits on an adapter.
  func adapter(
    over adapter: any I2CAdapter, _ clock: any I2CClock, seed: UInt64
  ) -> AutomatAdapter {
    let board = AutomatBoard(adapter, limit: limit)
    return AutomatAdapter(
      SimulatedGATTLink(to: board, clock: clock, options: link, seed: seed), clock: clock,
      limit: limit, pastLimit: pastLimit, tellsLimit: tellsLimit, timeOut: timeOut)
  }
}
