import Rigs
import Runs
import Support
import TestSupport
import Testing

/// The schedule of cycles.
struct CycleScheduleTests {
  @Test(
    "a request starts a cycle; further requests before the end of this cycle start none"
  )
  func requests() {
    var schedule = CycleSchedule(every: 100, requests: [5, 50, 55, 60, 61, 250], from: 0)
    var starts: [(start: Int64, isRequested: Bool)] = []
    var end: Int64?
    for _ in 0..<6 {
      let cycle = schedule.next(after: end)
      starts.append((cycle.start, cycle.isRequested))
      end = cycle.start + 10
    }
    #expect(starts.map(\.start) == [0, 50, 61, 100, 200, 250])
    #expect(starts.map(\.isRequested) == [false, true, true, false, false, true])
  }

  @Test("a postponed cycle follows the request that precedes it")
  func postponed() {
    var schedule = CycleSchedule(every: 100, requests: [150], from: 0)
    _ = schedule.next(after: nil)
    #expect(schedule.next(after: 10).start == 100)
    schedule.postpone(start: 100)
    #expect(schedule.next(after: 60).start == 100)
    #expect(schedule.next(after: 110).start == 150)
    schedule.postpone(start: 150)
    #expect(schedule.next(after: 130).start == 150)
    #expect(schedule.next(after: 160).start == 200)
  }

  @Test(
    "the first regular cycle at or after a time is found, and cycles in a long pause are skipped")
  func planned() {
    var schedule = CycleSchedule(every: 100, requests: [120], from: 7)
    _ = schedule.next(after: nil)
    #expect(schedule.firstPlanned(atOrAfter: 0) == 107)
    #expect(schedule.firstPlanned(atOrAfter: 107) == 107)
    #expect(schedule.firstPlanned(atOrAfter: 108) == 207)
    schedule.skip(to: 1_000_000_000, length: 10)
    let next = schedule.next(after: 20)
    #expect(next.start <= 1_000_000_000 && next.start > 1_000_000_000 - 200 && !next.isRequested)
  }
}

/// Requests for forecasts during a run.
struct ForecastRequestTests {
  /// Requests that arrive when some cycles have ended.
  final class Requests: ForecastRequests {
    /// The numbers of ended cycles after which a request arrives.
    var due: [Int]
    private(set) var announced: [Double] = []
    private(set) var answers: [ForecastAnswer] = []

    init(after due: [Int]) { self.due = due }

    func arrive() -> Bool {
      guard let next = due.first, answers.count >= next else { return false }
      due.removeFirst()
      return true
    }
    func announce(seconds: Double) { announced.append(seconds) }
    func answer(_ answer: ForecastAnswer) { answers.append(answer) }
  }

  static func run(_ requests: Requests, pipeline: String) throws -> [Double] {
    let text = """
      name: asked
      duration: 3h
      buses: [{number: 1, devices: [{address: 0x76, model: bme280}]}]
      environment: {constant: {pressure: 1000hPa}}
      pipeline: {\(pipeline)}
      """
    let rig = try Rig(text: text, file: SampleRig.file)
    var starts: [Double] = []
    try RigRun(rig, options: RigRun.Options(requests: requests)).run { event in
      if case .average(let average) = event { starts.append(Double(average.start) / 1e9) }
    }
    return starts
  }

  @Test("a request between two cycles starts one at once, and the regular cycles keep their times")
  func atOnce() throws {
    let requests = Requests(after: [1])
    let starts = try Self.run(requests, pipeline: "forecast: [thesis, zambretti], keep: 3h")
    #expect(starts.map { Int($0) } == [0, 40, 1800, 3600, 5400, 7200, 9000], "\(starts)")
    #expect(requests.announced.map { $0.rounded() } == [40])
    let answer = try #require(requests.answers.dropFirst().first)
    #expect(answer.station == "asked" && answer.pressure.map { abs($0 - 100_000) < 5 } == true)
    #expect(answer.forecasts.map(\.method) == ["thesis", "zambretti"])
    #expect(!answer.hasForecast && answer.forecasts[0].text.contains("30 min are needed"))
    #expect(requests.answers[3].forecasts[0].word == "stable")
    #expect(ForecastAnswer(answer.json)?.json == answer.json)
  }

  @Test("a request shortly before a cycle is answered by that cycle; no cycle is queued")
  func absorbed() throws {
    let requests = Requests(after: [1, 1, 1])
    let starts = try Self.run(requests, pipeline: "forecast: thesis, cycle: 1min")
    #expect(starts.prefix(3).map { Int($0) } == [0, 60, 120], "\(starts.prefix(5))")
    #expect(requests.announced.count == 3)
  }

  @Test("'minimum_span' sets the shortest history that allows a forecast; the default is 30 min")
  func minimumSpan() throws {
    for (keys, minutes) in [("", 30), (", minimum_span: 10min", 10)] {
      let requests = Requests(after: [])
      _ = try Self.run(requests, pipeline: "forecast: thesis, cycle: 5min\(keys)")
      let index = requests.answers.firstIndex { $0.hasForecast }
      let first = try #require(index)
      #expect(first * 5 == minutes)
    }
    let failure = #expect(throws: Failure.self) {
      try Self.run(Requests(after: []), pipeline: "forecast: thesis, minimum_span: 3h")
    }
    #expect(failure?.messages.joined().contains("a history of 3 h") == true, "\(failure!)")
  }
}
