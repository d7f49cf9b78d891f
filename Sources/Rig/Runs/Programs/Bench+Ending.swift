import Bench
import Parts
import Rigs

extension Bench {
  /// How busy each bus was until a time, which is the end.
  package func traffic(at time: UInt64) -> [RunEvent] {
    buses.map {
      .traffic(
        RunEvent.TrafficReport(
          time: time, bus: $0.number, transfers: $0.meter.transfers, errors: $0.meter.errors,
          isFinal: true))
    }
  }

  /// What is told of the bench when a program has ended: what each planned failure did, boards, the charge of each sensor.
  package func ending(at time: UInt64) -> [RunEvent] {
    let faults = faultRecords.map { RunEvent.fault(RunEvent.FaultReport($0, at: time)) }
    let boards = buses.compactMap { bus in
      bus.board.map { RunEvent.board($0.report(bus: bus.number, at: time)) }
    }
    let charges = buses.flatMap { bus in
      bus.sensors.compactMap { sensor in
        sensor.part.chargeUsed(at: time).map {
          let place = Rig.SensorID(bus: bus.number, address: sensor.address)
          return RunEvent.charge(
            RunEvent.ChargeReport(
              time: time, place: rig.fleet?.named(place) ?? place, microcoulombs: $0))
        }
      }
    }
    return faults + boards + charges
  }
}
