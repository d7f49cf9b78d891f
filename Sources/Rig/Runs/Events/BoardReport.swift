import Bench
import Bridges
import Rigs

extension Rig.Bridge.Assembly {
  /// What happened over a whole run.
  package func report(bus: Int, at time: UInt64) -> RunEvent.BoardReport {
    RunEvent.BoardReport(
      time: time, bus: bus, commands: board.commands, tooLong: board.tooLong, lost: link.lost,
      refused: link.refused, battery: Int(link.battery), refusals: link.refusals,
      charge: link.charge, flatSince: link.flatSince,
      life: link.life(sleeping: false), lifeAsleep: link.life(sleeping: true),
      radio: frames)
  }
}
