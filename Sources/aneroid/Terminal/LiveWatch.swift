import Bench
import Environment
import Files
import Parts
import Quantities
import Recordings
import Runs
import Watch

/// A watch on the terminal: it reads the sensor, records, draws, and does what keys mean.
final class LiveWatch {
  private let sensor: WatchedSensor
  private var state: WatchState
  private var recording: Recording?
  private let path: String?
  private let speed: Double
  private let screen: LiveScreen
  private let clock = WallClock()
  private var unsaved: Failure?

  /// Creates a watch.
  ///
  /// - Parameters:
  ///   - sensor: what is watched.
  ///   - state: what is known of it.
  ///   - recording: where its samples are kept; `nil` if they are not.
  ///   - path: where settings are kept.
  ///   - speed: how many seconds of the sensor pass in a second.
  ///   - screen: the terminal.
  init(
    _ sensor: WatchedSensor, _ state: WatchState, _ recording: Recording?, settings path: String?,
    speed: Double, on screen: LiveScreen
  ) {
    self.sensor = sensor
    self.state = state
    self.recording = recording
    self.path = path
    self.speed = speed
    self.screen = screen
  }

  /// Watches until the viewer quits, or a signal ends the program.
  func run() {
    var due = 0.0
    var drawing = DrawingPace()
    while !screen.mustEnd {
      let wall = seconds
      if sensor.isVirtual, state.isRunning { followStation(until: wall * speed) }
      if wall >= due {
        // The first sample is at the beginning of the rig's time, as the first of a run is.
        if sensor.isVirtual, due > 0 { sensor.pass(seconds: max(wall * speed - sensor.now, 0)) }
        if state.isRunning { sample() }
        due = max(due + Double(state.settings.period) / speed, wall)
      }
      let now = max(sensor.isVirtual ? wall * speed : sensor.now, sensor.now)
      state.pass(to: now, moment: sensor.startMoment + Int64(now * 1e9))
      recordMark()
      if state.takeBell() {
        screen.ring()
        drawing.hurry()
      }
      if drawing.isDue(at: wall) { draw() }
      // A sample may be waiting to be drawn.
      guard let key = screen.key(within: min(due - wall, DrawingPace.interval)) else { continue }
      drawing.hurry()
      let effect = state.press(key)
      recordMark()
      if case .quit = effect { return }
      if perform(effect) { due = min(due, seconds + Double(state.settings.period) / speed) }
    }
  }

  /// Gives the terminal back, and says what the screen could not.
  func close() {
    screen.close()
    if let unsaved {
      unsaved.messages.forEach(StandardError.say)
      StandardError.say("the settings held for this watch and are not kept")
    }
    if let recording, let damage = recording.damage {
      StandardError.say("\(recording.path): \(damage)")
    }
    if let recording, let failure = recording.failure {
      StandardError.say("\(recording.path): the last rows were not recorded: \(failure)")
    }
  }

  /// The time of this watch in seconds.
  private var seconds: Double { Double(clock.nanoseconds) / 1e9 }

  private func draw() {
    let size = screen.size
    screen.show(
      WatchScreen(state, columns: size.columns, rows: size.rows, style: Output.style).lines)
  }

  /// Takes the samples of the rig's station at the times at which a run takes them.
  private func followStation(until time: Double) {
    guard state.purpose == .weather else { return }
    while let due = state.station.nextSample, Double(due) / 1e9 <= time {
      sensor.pass(until: due)
      sample()
      // One that stays due would be taken for ever.
      guard state.station.nextSample != due else { return }
    }
  }

  /// Does what a key asks for beyond the screen; whether settings have changed.
  private func perform(_ effect: WatchState.Effect) -> Bool {
    switch effect {
    case .settings:
      unsaved = save()
      return true
    case .moved(let action): sensor.perform(action)
    case .export(let ends): export(ends: ends)
    case .leads: sensor.perform(nil)
    case .redraw, .nothing, .quit: break
    }
    return false
  }

  /// Keeps the settings; a watch goes on if that fails.
  private func save() -> Failure? {
    guard let path else { return nil }
    do throws(Failure) {
      try state.settings.save(path)
      return nil
    } catch {
      return error
    }
  }

  // MARK: Recording

  private func sample() {
    let event = sensor.next()
    state.take(event)
    guard let recording, case .reading(let reading) = event,
      reading.sample.pascals != nil, reading.sample.celsius != nil
    else { return }
    recording.take(
      Recording.Row(
        moment: sensor.startMoment + Int64(reading.time), reading.sample.values,
        mark: state.takeMark()))
    state.recorded(recording.rows, runs: recording.runs, recording.failure)
  }

  /// Records what was marked between samples at once.
  private func recordMark() {
    guard let recording, let (mark, moment) = state.takeLoneMark() else { return }
    recording.take(Recording.Row(moment: moment, AirReading(), mark: mark))
    state.recorded(recording.rows, runs: recording.runs, recording.failure)
  }

  /// Writes the recording as a table in this folder, and says so on the screen.
  private func export(ends: Bool) {
    guard let open = recording else { return }
    do throws(Failure) {
      let (table, result) = try open.export(ends: ends)
      let hasEnded = ends && result.stays == nil
      state.exported(
        "exported \(table): \(result.sentence)"
          + (result.stays.map { "; \($0): the recording stays" } ?? ""),
        isFailure: result.stays != nil, hasEnded: hasEnded)
      if hasEnded { recording = nil }
    } catch {
      state.exported(
        "EXPORT FAILS: \(error.messages.joined(separator: "; "))", isFailure: true, hasEnded: false)
    }
  }
}
