extension RunEvent {
  /// The kinds of events between the first and the verdict: one table, of which every report is made.
  package enum Kind: String, CaseIterable, Sendable {
    case reading, average, forecast
    case noForecast = "no-forecast"
    case error
    case outOfReach = "out-of-reach"
    case notification, fault, beside, cabin, search
    case haven = "safe-haven"
    case board
    case notice, charge, remark
    case end, failure

    /// The array that holds such events in the JSON report of a run; `nil` where they belong to other programs.
    package var array: String? {
      switch self {
      case .reading: "readings"
      case .average: "averages"
      case .forecast: "forecasts"
      case .noForecast: "no_forecasts"
      case .error: "errors"
      case .outOfReach: "out_of_reach"
      case .notification: "notifications"
      case .fault: "faults"
      case .beside: "beside"
      case .cabin: "cabin"
      case .search: "search"
      case .haven: "safe_haven"
      case .board: "boards"
      case .notice, .charge, .remark, .end, .failure: nil
      }
    }

    /// So many of them, in words.
    package func text(_ count: Int) -> String {
      let (one, many) =
        switch self {
        case .noForecast: ("forecast not made", "forecasts not made")
        case .outOfReach: ("value out of reach", "values out of reach")
        case .beside: ("result to compare", "results to compare")
        case .cabin: ("report of the cabin", "reports of the cabin")
        case .search: ("step of the search", "steps of the search")
        case .haven: ("call to the safe haven", "calls to the safe haven")
        default: (rawValue, rawValue + "s")
        }
      return "\(count) \(count == 1 ? one : many)"
    }

    /// Whether the text says so even of none.
    package var isAlwaysTold: Bool { [.reading, .average, .forecast].contains(self) }
  }

  /// Its kind; nothing for the begin and the verdict, of which there is one each.
  package var kind: Kind? {
    switch self {
    case .began, .verdict: nil
    case .reading: .reading
    case .beside: .beside
    case .error: .error
    case .outOfReach: .outOfReach
    case .average: .average
    case .forecast(let forecast): (try? forecast.result.get()) == nil ? .noForecast : .forecast
    case .outlook: .forecast
    case .cabin: .cabin
    case .search: .search
    case .haven: .haven
    case .notification: .notification
    case .fault: .fault
    case .board: .board
    case .notice: .notice
    case .charge: .charge
    case .remark: .remark
    case .ended: .end
    case .failure: .failure
    }
  }
}
