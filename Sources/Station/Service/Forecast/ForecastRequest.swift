import Forecasts

/// What a client asks `/v1/forecast` for.
struct ForecastRequest {
  let place: Place
  let hourly: [HourlyVariable]
  let daily: [DailyVariable]
  let current: [HourlyVariable]
  let units: ChosenUnits
  let zone: Zone
  let isUnixTime: Bool
  let isCorrected: Bool
  /// The first day, as its start in local time, and how many follow with it.
  let days: (first: Int, count: Int)
  /// Whether days before today are asked for.
  var hasPast = false

  /// The names that are understood; others are refused, so that a slip is noticed.
  static let names = [
    "latitude", "longitude", "hourly", "daily", "current", "timezone", "timeformat",
    "temperature_unit", "wind_speed_unit", "precipitation_unit", "forecast_days", "past_days",
    "corrected",
  ]

  /// Reads a question.
  ///
  /// - Parameters:
  ///   - question: the question.
  ///   - now: the time, in seconds since 1970.
  /// - Throws: ``Refusal`` that names the parameter.
  init(_ question: Question, now: Int) throws(Refusal) {
    for parameter in question.parameters where !Self.names.contains(parameter.name) {
      throw Self.refusal(
        "the parameter \(Refusal.quoted(parameter.name)) is not known; known are "
          + Self.names.joined(separator: ", "))
    }
    guard let latitude = question.value("latitude").flatMap(Question.decimal),
      let longitude = question.value("longitude").flatMap(Question.decimal),
      let place = Place(latitude: latitude, longitude: longitude)
    else {
      throw Self.refusal(
        "latitude (-90 to 90) and longitude (-180 to 360) must be given, in degrees with decimals")
    }
    self.place = place
    hourly = try Self.variables("hourly", question)
    daily = try Self.variables("daily", question)
    current = try Self.variables("current", question)
    units = ChosenUnits(
      temperature: try Self.choice("temperature_unit", question, ["celsius", "fahrenheit"]),
      wind: try Self.choice("wind_speed_unit", question, ["kmh", "ms", "mph", "kn"]),
      rain: try Self.choice("precipitation_unit", question, ["mm", "inch"]))
    isUnixTime = try Self.choice("timeformat", question, ["iso8601", "unixtime"]) == "unixtime"
    isCorrected = try Self.choice("corrected", question, ["true", "false"]) == "true"
    let asked = question.value("timezone") ?? "UTC"
    let zones = TimeZones.system
    guard let zone = asked == "auto" ? zones.zone(of: place) : zones.zone(named: asked) else {
      throw Self.refusal(
        "timezone \(Refusal.quoted(asked)) is not known; known are auto and "
          + (zones.isWhole
            ? "the names of the IANA time zone database, such as Europe/Lisbon"
            : "few zones of Portugal and Spain, since this system has no time zone database"))
    }
    self.zone = zone
    let count = try Self.number("forecast_days", question, 7, 1...8)
    let past = try Self.number("past_days", question, 0, 0...7)
    let today = CivilTime.startOfDay(now + zone.offset(at: now))
    days = (today - past * 86400, count + past)
    hasPast = past > 0
  }

  private static func refusal(_ message: String) -> Refusal {
    Refusal(status: 400, code: "bad_request", message: message)
  }

  private static func variables<Variable: RawRepresentable & CaseIterable>(
    _ name: String, _ question: Question
  ) throws(Refusal) -> [Variable] where Variable.RawValue == String {
    var found: [Variable] = []
    for word in question.words(name) {
      guard let variable = Variable(rawValue: word) else {
        throw refusal(
          "\(name) has no variable \(Refusal.quoted(word)); known are "
            + Variable.allCases.map(\.rawValue).joined(separator: ", "))
      }
      if !found.contains(where: { $0.rawValue == word }) { found.append(variable) }
    }
    return found
  }

  private static func choice(_ name: String, _ question: Question, _ choices: [String])
    throws(Refusal) -> String
  {
    guard let text = question.value(name) else { return choices[0] }
    guard choices.contains(text) else {
      throw refusal(
        "\(name) is one of \(choices.joined(separator: ", ")), not \(Refusal.quoted(text))")
    }
    return text
  }

  private static func number(
    _ name: String, _ question: Question, _ usual: Int, _ range: ClosedRange<Int>
  ) throws(Refusal) -> Int {
    guard let text = question.value(name) else { return usual }
    guard let number = Question.whole(text), range.contains(number) else {
      throw refusal(
        "\(name) is a whole number from \(range.lowerBound) to \(range.upperBound), not "
          + Refusal.quoted(text))
    }
    return number
  }
}
