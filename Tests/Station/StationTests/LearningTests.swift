import Foundation
import Readings
import Testing

/// Tests of the correction that is learned from the station's own history.
struct LearningTests {
  /// The mean absolute errors over a year, by lead time.
  private struct Year {
    var model: [Int: Double] = [:]
    var corrected: [Int: Double] = [:]
    /// The part of the hours in which the learned correction was used a day ahead.
    var used = 0.0
    /// The part of the measurements within the band a day ahead.
    var inBand = 0.0
  }

  /// Runs a station hour by hour: each forecast is made only with the hours before it.
  ///
  /// - Parameters:
  ///   - model: The model's values by hour, the same for all lead times.
  ///   - measured: The sensor's values by hour.
  /// - Returns: The errors of the forecasts that the station would have served.
  private static func year(model: [Double?], measured: [Double?]) -> Year {
    var (learner, learned) = (CorrectionLearner(), CorrectionLearner().learned)
    var (plain, own, counts): ([Int: Double], [Int: Double], [Int: Double]) = ([:], [:], [:])
    var (used, banded, within, judged) = (0.0, 0.0, 0.0, 0.0)
    for now in measured.indices {
      let values = model[now].map { value in
        Dictionary(uniqueKeysWithValues: CorrectionLearner.leads.map { ($0, value) })
      }
      learner.take(PastHour(time: now * 3600, measured: measured[now], model: values ?? [:]))
      if now % 24 == 0 { learned = learner.learned }
      guard let seen = measured[now], let there = model[now] else { continue }
      for lead in learned.leads where now + lead.hours < measured.count {
        let (hours, later) = (lead.hours, now + lead.hours)
        guard let truth = measured[later], let value = model[later] else { continue }
        let correction = learned.correction(of: seen - there, since: now * 3600, at: later * 3600)
        plain[hours, default: 0] += abs(truth - value)
        own[hours, default: 0] += abs(truth - value - correction)
        counts[hours, default: 0] += 1
        guard hours == 24 else { continue }
        judged += 1
        if lead.method == .learned { used += 1 }
        guard let band = lead.band else { continue }
        banded += 1
        if band.contains(truth - value - correction) { within += 1 }
      }
    }
    var year = Year()
    for (lead, count) in counts {
      year.model[lead] = (plain[lead] ?? 0) / count
      year.corrected[lead] = (own[lead] ?? 0) / count
    }
    (year.used, year.inBand) = (used / max(1, judged), within / max(1, banded))
    return year
  }

  /// The temperatures in °C of an airport, by hour from the first one on.
  private static func airports() throws -> [String: [Double?]] {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../fixtures/airports/new-york-2013.csv")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    let names = lines[0].split(separator: ",").dropFirst().map(String.init)
    var values: [String: [Double?]] = [:]
    let reader = ISO8601DateFormatter()
    let first = try #require(reader.date(from: String(lines[1].prefix(20))))
    for line in lines.dropFirst() {
      let parts = line.split(separator: ",")
      let time = try #require(reader.date(from: String(parts[0])))
      let hour = Int(time.timeIntervalSince(first)) / 3600
      for (name, text) in zip(names, parts.dropFirst()) {
        var all = values[name] ?? []
        all += [Double?](repeating: nil, count: hour - all.count)
        all.append(Double(text).map { ($0 - 32) / 1.8 })
        values[name] = all
      }
    }
    return values
  }

  @Test(
    "a year at a real station: at least 5 % better than the model at 12 and 24 h, never 1 % worse",
    arguments: ["jfk", "lga"])
  func real(station: String) throws {
    let airports = try Self.airports()
    let year = Self.year(
      model: try #require(airports["ewr"]), measured: try #require(airports[station]))
    for lead in CorrectionLearner.leads {
      let (model, own) = (try #require(year.model[lead]), try #require(year.corrected[lead]))
      #expect(own <= 1.01 * model, "\(lead) h: \(own) instead of \(model)")
      guard [12, 24].contains(lead) else { continue }
      #expect(own <= 0.95 * model, "\(lead) h: \(own) instead of \(model)")
    }
    // Eight of ten measurements are in the band, up to the changes of the seasons.
    #expect((0.72...0.88).contains(year.inBand), "\(year.inBand)")
  }

  @Test(
    "a model without a usual error stays as good as it is",
    arguments: [(0.0, 1), (0.8, 2), (0.95, 3)])
  func noBias(memory: Double, seed: UInt64) throws {
    var random = Steps(state: seed)
    var (error, measured) = (0.0, [Double?]())
    for _ in 0..<(365 * 24) {
      error = memory * error + (1 - memory * memory).squareRoot() * random.normal()
      measured.append(error)
    }
    let year = Self.year(
      model: [Double?](repeating: 0, count: measured.count), measured: measured)
    for lead in CorrectionLearner.leads {
      let (model, own) = (try #require(year.model[lead]), try #require(year.corrected[lead]))
      #expect(own <= 1.01 * model, "seed \(seed), \(lead) h: \(own) instead of \(model)")
    }
  }

  @Test("an error that repeats every day is learned within the first ten judged days")
  func repeated() throws {
    let measured = (0..<(60 * 24)).map { Double?(2 * sin(Double($0) / 24 * 2 * .pi) + 1) }
    let model = [Double?](repeating: 0, count: measured.count)
    var learner = CorrectionLearner()
    for (hour, value) in measured.enumerated() {
      let values = Dictionary(uniqueKeysWithValues: CorrectionLearner.leads.map { ($0, 0.0) })
      learner.take(PastHour(time: hour * 3600, measured: value, model: values))
      let learned = learner.learned
      #expect(learned.isLearning == (hour < 240 + 0), "hour \(hour)")
      if hour >= 12 * 24 { #expect(learned.isUsed, "hour \(hour)") }
    }
    let year = Self.year(model: model, measured: measured)
    #expect(try #require(year.corrected[24]) < 0.5 * (try #require(year.model[24])))
  }

  @Test("the correction has no steps: between lead times, and up to its end after three days")
  func smooth() throws {
    let airports = try Self.airports()
    let (model, measured) = (try #require(airports["ewr"]), try #require(airports["lga"]))
    var learner = CorrectionLearner()
    for hour in 0..<(200 * 24) {
      let values = model[hour].map { value in
        Dictionary(uniqueKeysWithValues: CorrectionLearner.leads.map { ($0, value) })
      }
      learner.take(PastHour(time: hour * 3600, measured: measured[hour], model: values ?? [:]))
    }
    let (learned, start) = (learner.learned, 200 * 86400)
    #expect(learned.isUsed)
    func value(_ minutes: Int) -> Double {
      learned.correction(of: 2.5, since: start, at: start + minutes * 60)
    }
    #expect(abs(value(0) - 2.5) < 1e-9)
    for minute in 0..<(80 * 60) { #expect(abs(value(minute + 1) - value(minute)) < 0.05) }
    #expect(value(73 * 60) == 0 && abs(value(30 * 60)) > 0.05)
  }

  @Test("hours without a measurement or a forecast teach nothing")
  func gaps() {
    var learner = CorrectionLearner()
    for hour in 0..<700 {
      let hasBoth = hour < 300
      learner.take(
        PastHour(
          time: hour * 3600, measured: hasBoth || hour % 2 == 0 ? 1 : nil,
          model: hasBoth || hour % 2 == 1 ? [1: 0, 24: 0] : [:]))
    }
    let learned = learner.learned
    #expect(learned.leads.first { $0.hours == 24 }?.count == 300 - 24)
    #expect(learned.leads.first { $0.hours == 12 }?.count == 0)
    #expect(learned.leads.first { $0.hours == 12 }?.method == .offset)
  }

  /// A generator of random numbers, SplitMix64.
  private struct Steps {
    var state: UInt64

    mutating func uniform() -> Double {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return Double((mixed ^ (mixed >> 31)) >> 11) / 9_007_199_254_740_992
    }

    mutating func normal() -> Double {
      (-2 * log(1 - uniform())).squareRoot() * cos(2 * .pi * uniform())
    }
  }
}
