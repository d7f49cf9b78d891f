import BluetoothLE
import Quantities
import Warehouse

/// What tags tell, and what is done where they do not.
extension TagListener {
  func notified(
    _ bytes: [UInt8], _ connection: BLEConnection, _ handle: UInt16, at time: UInt64
  ) {
    guard let place = byConnection[connection], tags[place].connection == connection else { return }
    tags[place].contact.lastSeen = epoch + Int64(time)
    if handle == tags[place].battery { return setBattery(bytes, place) }
    guard let index = tags[place].sensors.firstIndex(where: { $0.data == handle }),
      let reading = tags[place].kind?.reading(
        bytes, of: tags[place].sensors[index].channel.data, tag: tags[place].contact.address,
        at: epoch + Int64(time))
    else { return }
    // The connection holds: the next failure waits for the first time only.
    tags[place].pause.succeed()
    tags[place].contact.failures = 0
    tags[place].sensors[index].late = 0
    if tags[place].rests {
      rest(index, place)
    } else {
      tags[place].sensors[index].due = time + lateness(place)
    }
    give(reading, of: place)
    proceed(place)
  }

  /// A sensor has measured and is switched off until its next time.
  private func rest(_ index: Int, _ place: Int) {
    guard tags[place].sensors[index].isOn else { return }
    let period = UInt64(tags[place].period)
    let now = radio.nanoseconds
    tags[place].sensors[index].isOn = false
    let next = tags[place].sensors[index].next + period
    // What was late begins anew.
    tags[place].sensors[index].next = next > now ? next : now + period
    tags[place].sensors[index].due = tags[place].sensors[index].next
    tags[place].steps.append(.rest(index))
  }

  /// After how long data that have not come are late.
  private func lateness(_ place: Int) -> UInt64 {
    tags[place].rests
      ? plan.late : max(plan.late, 3 * UInt64(tags[place].period))
  }

  /// A sensor took its configuration: its data come, or are late.
  func switchedOn(_ index: Int, _ place: Int) {
    tags[place].sensors[index].isOn = true
    tags[place].sensors[index].due = radio.nanoseconds + lateness(place)
  }

  /// What a configuration reads: FF says that the sensor failed its test.
  func confirmed(_ bytes: [UInt8], _ index: Int, _ place: Int) {
    guard bytes == [0xFF] else { return }
    let channel = tags[place].sensors[index].channel
    tags[place].sensors[index].late = 0
    tags[place].contact.lastSeen = epoch + Int64(radio.nanoseconds)
    tags[place].pause.succeed()
    tags[place].contact.failures = 0
    let digits = String(channel.data, radix: 16, uppercase: true)
    give(
      TagReading(
        hub: "", sequence: 0, time: epoch + Int64(radio.nanoseconds),
        tag: tags[place].contact.address, kind: tags[place].contact.kind ?? "", quality: .silent,
        characteristic: digits), of: place)
    if tags[place].rests { rest(index, place) }
  }

  /// Looks at a tag that is connected: what is late, what is due.
  func attend(_ place: Int) {
    let now = radio.nanoseconds
    if tags[place].deadline <= now {
      let step = tags[place].current?.step.title ?? ""
      tags[place].services = []
      return fail(place, .mute(step))
    }
    for index in tags[place].sensors.indices where tags[place].sensors[index].due <= now {
      guard tags[place].sensors[index].isOn || !tags[place].rests else {
        tags[place].sensors[index].due = .max
        tags[place].steps.append(.configure(index))
        continue
      }
      tags[place].sensors[index].late += 1
      if tags[place].sensors[index].late >= ListeningPlan.mostLate {
        tags[place].services = []
        return fail(place, .quiet)
      }
      tags[place].sensors[index].due = now + lateness(place)
      tags[place].steps += setting(index, of: place) + (tags[place].rests ? [.confirm(index)] : [])
    }
    if tags[place].signal <= now, tags[place].contact.phase == .listening {
      tags[place].signal = now + plan.signal
      tags[place].steps.append(.signal)
    }
    proceed(place)
  }

  /// When the tag is looked after next.
  func replan(_ place: Int) {
    let phase = tags[place].contact.phase
    guard phase == .settling || phase == .listening else { return }
    var next = tags[place].deadline
    if phase == .listening {
      // The signal is asked for when something else is due, so that a tag that rests does.
      for sensor in tags[place].sensors { next = min(next, sensor.due) }
    }
    // An earlier look finds nothing to do, and plans this one.
    if next < tags[place].wake { wakeUp(place, at: next) }
  }
}
