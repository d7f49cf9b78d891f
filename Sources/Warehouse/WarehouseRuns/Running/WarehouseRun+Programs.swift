import Text
import VirtualI2C
import Warehouse

/// The programs of a run: the hub, its bridge to the radio, and the broker.
extension WarehouseRun {
  /// How many records one publication carries, and how long a message is under way.
  private static let batch = 1000
  private static let latency: Int64 = 50_000_000
  /// For how long behind the end what was written may still arrive.
  private static let patience: Int64 = 1800 * second

  func planAll() {
    for (index, fault) in rig.faults.enumerated() {
      agenda.plan(.fault(index, isThere: true), at: fault.span.lowerBound)
      if fault.span.upperBound < rig.duration {
        agenda.plan(.fault(index, isThere: false), at: fault.span.upperBound)
      }
    }
    agenda.plan(.start(.hub), at: 0)
    agenda.plan(.tick, at: Self.second)
    for (index, command) in rig.commands.enumerated() {
      agenda.plan(.command(index), at: command.time)
    }
    for span in rig.away {
      agenda.plan(.brokerAway, at: span.lowerBound)
      agenda.plan(.brokerBack, at: span.upperBound)
    }
    for _ in 0..<rig.kills.count {
      let program = rig.kills.of[Int(chance.unit() * Double(rig.kills.of.count))]
      agenda.plan(.kill(program), at: Int64(chance.unit() * Double(rig.duration)))
    }
  }

  func take(_ plan: Plan, at time: Int64) {
    switch plan {
    case .fault(let index, let isThere): field.set(rig.faults[index], isThere: isThere)
    case .tick: tick(at: time)
    case .command(let index): command(index, at: time)
    case .kill(let program): kill(program, at: time)
    case .start(let program): start(program, at: time)
    case .brokerAway:
      broker.goAway()
      say(
        .program, at: time, [("program", .string("broker")), ("is", .string("away"))],
        "the broker is away")
    case .brokerBack: start(.broker, at: time)
    case .arrive(let records, let hub, let broker):
      guard self.broker.isUp, self.broker.life == broker, let last = records.last else { return }
      self.broker.take(records)
      agenda.plan(.accepted(last.sequence, hub: hub), at: time + Self.latency)
      let rest = Int64(chance.unit() * 2 * Double(Self.second))
      agenda.plan(.passOn(broker: broker), at: time + rest)
    case .accepted(let sequence, let hub):
      guard !rig.isConfirmedByReceiver else { return }
      confirm(sequence, hub)
    case .passOn(let broker):
      guard self.broker.isUp, self.broker.life == broker else { return }
      self.broker.passOn()
      let through = self.broker.receiver.through(rig.policy.hub)
      agenda.plan(.confirmed(through, hub: hub.life), at: time + Self.latency)
    case .confirmed(let sequence, let hub):
      guard rig.isConfirmedByReceiver, self.broker.isUp else { return }
      confirm(sequence, hub)
    }
  }

  private func confirm(_ sequence: UInt64, _ life: Int) {
    guard hub.isUp, hub.life == life else { return }
    hub.confirm(through: sequence)
  }

  /// Each second the hub writes what it has heard, looks at the time, and sends what waits.
  private func tick(at time: Int64) {
    if time <= rig.duration {
      let written = hub.write(at: rig.start + time)
      for reading in written.readings { record.take(reading) }
      record.advance(to: rig.start + time)
      tellEntries(written.entries)
    }
    if hub.isUp, broker.isUp {
      let batch = Array(hub.send(most: Self.batch))
      if !batch.isEmpty {
        agenda.plan(
          .arrive(batch, hub: hub.life, broker: broker.life), at: time + Self.latency)
      }
    }
    let isWaiting = !hub.disk.queue.isEmpty || !hub.isUp || !broker.isUp
    if time < rig.duration || isWaiting && time < rig.duration + Self.patience {
      agenda.plan(.tick, at: time + Self.second)
    }
  }

  private func command(_ index: Int, at time: Int64) {
    let command = rig.commands[index].command
    guard hub.isUp else { return refuse("the hub is not there", at: time) }
    do throws(HubCommand.Refusal) {
      tellEntries(try hub.take(command, at: rig.start + time))
    } catch {
      refuse(error.description, at: time)
    }
  }

  private func refuse(_ why: String, at time: Int64) {
    record.refused += 1
    say(.command, at: time, [("refused", .string(why))], "command refused: \(why)")
  }

  private func kill(_ program: WarehouseRig.Program, at time: Int64) {
    // What is not there is killed when it is.
    guard program == .broker ? broker.isUp : hub.isUp else {
      if time + Self.second < rig.duration { agenda.plan(.kill(program), at: time + Self.second) }
      return
    }
    let restart = time + Self.second + Int64(chance.unit() * 30 * Double(Self.second))
    switch program {
    case .hub:
      hub.kill()
      // The bridge ends with the hub that it serves.
      field.stop()
      record.articleLosesAll()
      agenda.plan(.start(.hub), at: restart)
    case .bridge:
      field.stop()
      record.articleLosesAll()
      agenda.plan(.start(.bridge), at: restart)
    case .broker:
      broker.kill()
      agenda.plan(.start(.broker), at: restart)
    }
    record.kills += 1
    say(
      .program, at: time,
      [("program", .string(program.rawValue)), ("is", .string("killed"))],
      "killed: the \(program.rawValue)")
  }

  private func start(_ program: WarehouseRig.Program, at time: Int64) {
    switch program {
    case .hub:
      hub.start(at: rig.start + time)
      listen()
    case .bridge:
      guard hub.isUp else { return }
      listen()
    case .broker:
      guard !broker.isUp else { return }
      broker.start()
      // A connection that begins anew sends all that is not confirmed.
      hub.sent = hub.disk.confirmed
    }
    say(
      .program, at: time, [("program", .string(program.rawValue)), ("is", .string("there"))],
      "the \(program.rawValue) is there")
  }

  private func listen() {
    field.listen(
      seed: chance.next(), lost: { [unowned self] in record.articleLoses($0) },
      take: { [unowned self] in hub.hear($0) })
  }
}
