import Forecasts
import Glibc

/// The four services of METEO-IST, on any forecast.
///
/// What their document leaves open is decided in the page FourServices of the documentation.
struct FourServices {
  /// A service by its path.
  enum Service: String, CaseIterable {
    case quick = "/QuickPrevByDate.php"
    case day = "/PrevByDateAndMetric.php"
    case median = "/MedianPrevByDays.php"
    case next = "/PrevForNextHoursByMetric.php"
  }

  /// The parameters of all of them, as the document writes them; its example calls one with a parameter of another.
  static let parameters = ["Lon", "Lat", "Date", "Metric", "Days"]

  /// Forecasts of places.
  let source: ForecastSource

  /// Answers, from the forecasts alone: the same until they change.
  func answer(_ service: Service, _ question: Question) -> Answer {
    do throws(Refusal) {
      let content: JSON
      switch service {
      case .quick: content = try quick(question)
      case .day: content = try day(question)
      case .median: content = try median(question)
      case .next: content = try next(question)
      }
      var answer = Answer.json(.object([("response", content)]))
      answer.isKept = true
      return answer
    } catch {
      return error.answer
    }
  }

  // MARK: - Each service

  private func quick(_ question: Question) throws(Refusal) -> JSON {
    let forecast = try forecast(question)
    let moment = try hour(
      question, instead: "; a whole day of one metric is PrevByDateAndMetric.php's")
    try require(forecast, [moment])
    let hours = Self.hours(of: CivilTime.startOfDay(moment))
    return .object(
      ServiceMetric.allCases.map { metric in
        let now = metric.written(metric.value(forecast, at: moment))
        guard metric == .temp else { return (metric.rawValue, .object([("now", now)])) }
        let all = Self.all(metric, forecast, hours)
        return (
          metric.rawValue,
          .object([
            ("max", metric.written(all?.max())), ("min", metric.written(all?.min())), ("now", now),
          ])
        )
      })
  }

  private func day(_ question: Question) throws(Refusal) -> JSON {
    let forecast = try forecast(question)
    let metric = try metric(question)
    let day = try day(of: question)
    return try points(metric, forecast, Self.hours(of: day))
  }

  private func next(_ question: Question) throws(Refusal) -> JSON {
    let forecast = try forecast(question)
    let metric = try metric(question)
    let moment = try hour(question, instead: "")
    return try points(metric, forecast, (0..<24).map { moment + $0 * 3600 })
  }

  private func points(_ metric: ServiceMetric, _ forecast: PointForecast, _ hours: [Int])
    throws(Refusal) -> JSON
  {
    let values = hours.map { metric.value(forecast, at: $0) }
    guard values.contains(where: { $0 != nil }) else { throw Self.missing(hours, forecast) }
    return .object([("points", .array(values.map(metric.written)))])
  }

  private func median(_ question: Question) throws(Refusal) -> JSON {
    let forecast = try forecast(question)
    let day = try day(of: question)
    guard let text = question.value("Days"), let count = Question.whole(text),
      (0...7).contains(count)
    else {
      throw Refusal(
        status: 400, code: "bad_days",
        message: "Days is a whole number from 0, the day itself, to 7")
    }
    try require(forecast, Self.hours(of: day))
    return .array((0...count).map { summary(forecast, Self.hours(of: day + $0 * 86400)) })
  }

  /// A day in one value for each metric; of a day that is not foretold whole, nothing.
  private func summary(_ forecast: PointForecast, _ hours: [Int]) -> JSON {
    .object(
      ServiceMetric.allCases.map { metric in
        let all = Self.all(metric, forecast, hours)
        switch metric {
        case .temp:
          return (
            metric.rawValue,
            .object([
              ("max", metric.written(all?.max())), ("min", metric.written(all?.min())),
              ("median", metric.written(all.map(Self.median))),
            ])
          )
        case .rain: return (metric.rawValue, .object([("sum", metric.written(all?.reduce(0, +)))]))
        case .windDirection:
          return (
            metric.rawValue, .object([("median", metric.written(all.flatMap(Self.meanAngle)))])
          )
        default:
          return (metric.rawValue, .object([("median", metric.written(all.map(Self.median)))]))
        }
      })
  }

  // MARK: - Parameters

  private func forecast(_ question: Question) throws(Refusal) -> PointForecast {
    guard let lon = question.value("Lon").flatMap(Question.decimal),
      let lat = question.value("Lat").flatMap(Question.decimal),
      let place = Place(latitude: lat, longitude: lon)
    else {
      throw Refusal(
        status: 400, code: "bad_place",
        message: "Lon and Lat are degrees in decimals, such as Lon=-9.1393 and Lat=38.7223")
    }
    return try Self.forecast(source, place)
  }

  /// The forecast of a place, or why there is none.
  static func forecast(_ source: ForecastSource, _ place: Place) throws(Refusal) -> PointForecast {
    let found: PointForecast?
    do throws(ForecastFileError) {
      found = try source.forecast(at: place)
    } catch {
      // The file's name and what is wrong with it are for the log of the one who runs the station.
      throw Refusal(
        status: 503, code: "unavailable", message: "the forecast cannot be read now; try again")
    }
    guard let found else {
      guard !source.set.files.isEmpty else {
        throw Refusal(
          status: 503, code: "unavailable",
          message: "there is no forecast file that can be read now")
      }
      var message =
        "cannot generate forecasts for the selected location: it lies outside of the grid"
      if let other = Place(latitude: place.latitude, longitude: -place.longitude),
        (try? source.forecast(at: other)) ?? nil != nil
      {
        message += "; longitudes west of Greenwich are below 0: did you mean \(other.longitude)?"
      }
      throw Refusal(status: 404, code: "outside_grid", message: message)
    }
    return found
  }

  private func metric(_ question: Question) throws(Refusal) -> ServiceMetric {
    let text = question.value("Metric") ?? ""
    guard let metric = ServiceMetric(rawValue: text.lowercased()) else {
      throw Refusal(
        status: 400, code: "unknown_metric",
        message: "Metric is one of "
          + ServiceMetric.allCases.map(\.rawValue).joined(separator: ", ")
          + (text.isEmpty ? "" : ", not \(Refusal.quoted(text))"))
    }
    return metric
  }

  private func hour(_ question: Question, instead: String) throws(Refusal) -> Int {
    guard let moment = question.value("Date").flatMap(ServiceDate.hour) else {
      throw Refusal(
        status: 400, code: "bad_date",
        message: "Date is a day and an hour in UTC as yyyyMMdd_HH, such as 20131001_01\(instead)")
    }
    return moment
  }

  private func day(of question: Question) throws(Refusal) -> Int {
    guard let moment = question.value("Date").flatMap(ServiceDate.day) else {
      throw Refusal(
        status: 400, code: "bad_date", message: "Date is a day in UTC as yyyyMMdd, such as 20131001"
      )
    }
    return moment
  }

  /// Refuses where none of some hours is foretold.
  private func require(_ forecast: PointForecast, _ hours: [Int]) throws(Refusal) {
    guard hours.contains(where: { forecast.column(at: $0) != nil }) else {
      throw Self.missing(hours, forecast)
    }
  }

  private static func missing(_ hours: [Int], _ forecast: PointForecast) -> Refusal {
    let starts = forecast.columns.compactMap(\.times.first)
    let known = starts.min().map(CivilTime.stamp) ?? "never"
    return Refusal(
      status: 404, code: "no_forecast",
      message: "there is no forecast for \(CivilTime.stamp(hours[0])); it goes from \(known) to "
        + (forecast.end.map(CivilTime.stamp) ?? "never"))
  }

  // MARK: - Days

  static func hours(of day: Int) -> [Int] { (0..<24).map { day + $0 * 3600 } }

  /// All values of some hours; `nil` where one is missing.
  private static func all(_ metric: ServiceMetric, _ forecast: PointForecast, _ hours: [Int])
    -> [Double]?
  {
    let values = hours.compactMap { metric.value(forecast, at: $0) }
    return values.count == hours.count ? values : nil
  }

  /// The middle of the values, the mean of two.
  static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  /// The mean of directions on the circle; `nil` where they cancel out.
  static func meanAngle(_ degrees: [Double]) -> Double? {
    let east = degrees.reduce(0) { $0 + sin($1 * .pi / 180) }
    let north = degrees.reduce(0) { $0 + cos($1 * .pi / 180) }
    guard (east * east + north * north).squareRoot() > 1e-6 * Double(degrees.count) else {
      return nil
    }
    let angle = atan2(east, north) * 180 / .pi
    return angle < 0 ? angle + 360 : angle
  }
}
