import Bench
import Environment
import Parts
import Quantities
import Runs
import Support
import Watch

/// The main loop of a watch: samples the sensor, records, draws, and handles keys.
final class LiveWatch {
  private let sensor: WatchedSensor
  private var state: WatchState
  private var recording: Recording?
  private let path: String?
  private let speed: Double
  private let screen: LiveScreen
  private let requests: (any ForecastRequests)?
  /// Returns `true` if the watch must end.
  ///
  /// Default: `false`.
  var isOver: () -> Bool = { false }
  /// The end of the last cycle whose forecasts have answered requests.
  private var answered: Int64?
  private let clock = WallClock()
  private var unsaved: Failure?

  /// Creates a watch.
  ///
  /// - Parameters:
  ///   - sensor: the sensor.
  ///   - state: the initial state.
  ///   - recording: the recording; `nil` for none.
  ///   - path: the file of the settings; `nil` if they are not saved.
  ///   - speed: seconds of sensor time per second of real time.
  ///   - screen: the terminal.
  ///   - requests: the requests for forecasts from other programs. Default: none.
  init(
    _ sensor: WatchedSensor, _ state: WatchState, _ recording: Recording?, settings path: String?,
    speed: Double, on screen: LiveScreen, requests: (any ForecastRequests)? = nil
  ) {
    self.requests = requests
    self.sensor = sensor
    self.state = state
    self.recording = recording
    self.path = path
    self.speed = speed
    self.screen = screen
  }

  /// Runs until the user quits or a signal ends the program.
  func run() {
    var due = 0.0
    var drawing = DrawingPace()
    while !screen.mustEnd, !isOver() {
      let wall = seconds
      if sensor.isVirtual, state.isRunning { followStation(until: wall * speed) }
      if wall >= due {
        // The first sample is taken at the start of the rig's time, as in a run.
        if sensor.isVirtual, due > 0 { sensor.pass(seconds: max(wall * speed - sensor.now, 0)) }
        if state.isRunning { sample() }
        due = max(due + Double(state.settings.period) / speed, wall)
      }
      let now = max(sensor.isVirtual ? wall * speed : sensor.now, sensor.now)
      state.pass(to: now, moment: sensor.startMoment + Int64(now * 1e9))
      answerRequests()
      recordMark()
      if state.takeBell() {
        screen.ring()
        drawing.hurry()
      }
      if drawing.isDue(at: wall) { draw() }
      // A sample may be waiting to be drawn.
      guard let input = screen.input(within: min(due - wall, DrawingPace.interval)) else {
        continue
      }
      drawing.hurry()
      let effect =
        switch input {
        case .key(let key): state.press(key)
        case .paste(let text): state.paste(text)
        }
      recordMark()
      if case .quit = effect { return }
      if perform(effect) { due = min(due, seconds + Double(state.settings.period) / speed) }
    }
  }

  /// Restores the terminal and prints the errors that the screen could not display.
  func close() {
    screen.close()
    if let unsaved {
      unsaved.messages.forEach(StandardError.say)
      StandardError.say("the settings of this watch were not saved")
    }
    if let recording, let damage = recording.damage {
      StandardError.say("\(recording.path): \(damage)")
    }
    if let recording, let failure = recording.failure {
      StandardError.say("\(recording.path): the last rows were not recorded: \(failure)")
    }
  }

  /// The elapsed time in seconds.
  private var seconds: Double { Double(clock.nanoseconds) / 1e9 }

  private func draw() {
    let size = screen.size
    screen.show(
      WatchScreen(state, columns: size.columns, rows: size.rows, style: Output.style).lines)
  }

  /// Takes the samples that the rig's pipeline schedules up to a time, at the same times as in
  /// `aneroid run`.
  private func followStation(until time: Double) {
    guard state.purpose == .weather else { return }
    while let due = state.station.nextSample, Double(due) / 1e9 <= time {
      sensor.pass(until: due)
      sample()
      // A sample that stays due would cause an endless loop.
      guard state.station.nextSample != due else { return }
    }
  }

  /// Accepts requests for forecasts from other programs, and answers them at the end of a cycle.
  private func answerRequests() {
    guard let requests else { return }
    if requests.arrive() { requests.announce(seconds: (state.requestForecast() ?? 0) / speed) }
    guard state.station.end != answered else { return }
    answered = state.station.end
    if let answer = state.answerToRequests { requests.answer(answer) }
  }

  /// Performs the effect of a pressed key and returns whether the settings have changed.
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

  /// Saves the settings; the watch continues on an error.
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

  /// Immediately records a mark that was set between two samples.
  private func recordMark() {
    guard let recording, let (mark, moment) = state.takeLoneMark() else { return }
    recording.take(Recording.Row(moment: moment, AirReading(), mark: mark))
    state.recorded(recording.rows, runs: recording.runs, recording.failure)
  }

  /// Exports the recording to the current folder and displays the result.
  private func export(ends: Bool) {
    guard let open = recording else { return }
    do throws(Failure) {
      let (table, result) = try open.export(in: state.settings.pressureUnit, ends: ends)
      let hasEnded = ends && result.stays == nil
      state.exported(
        "exported \(table): \(result.sentence)"
          + (result.stays.map { "; \($0): the recording is kept" } ?? ""),
        isFailure: result.stays != nil, hasEnded: hasEnded)
      if hasEnded { recording = nil }
    } catch {
      state.exported(
        "EXPORT FAILS: \(error.messages.joined(separator: "; "))", isFailure: true, hasEnded: false)
    }
  }
}
