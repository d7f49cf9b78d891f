package import Text

extension RunEvent {
  /// The event as one line of the JSON Lines report.
  package var json: JSONValue {
    switch self {
    case .began(let rig, _): Beginning(rig: rig).json(kind)
    case .reading(let reading): reading.json(kind)
    case .comparison(let event): event.json(kind)
    case .error(let error): error.json(kind)
    case .saturated(let event): event.json(kind)
    case .average(let average): average.json(kind)
    case .standIn(let event): event.json(kind)
    case .forecast(let forecast):
      kind == .noForecast
        ? forecast.json(kind, ForecastResult.refusalFields) : forecast.json(kind)
    case .otherForecast(let forecast): forecast.json(kind)
    case .cabin(let report), .haven(let report), .level(let report): report.json(kind)
    case .search(let step): step.json(kind)
    case .notification(let notification): notification.json(kind)
    case .fault(let report): report.json(kind)
    case .board(let board): board.json(kind)
    case .traffic(let report): report.json(kind)
    case .replay(let report): report.json(kind)
    case .verdict(let verdict): verdict.json(kind)
    case .notice(let notice): notice.json(kind)
    case .charge(let report): report.json(kind)
    case .remark(let remark): remark.json(kind)
    case .serial(let line): line.json(kind)
    case .consumption(let report): report.json(kind)
    case .footprint(let report): report.json(kind)
    case .ended(let end): end.json(kind)
    case .failure(let failure): failure.json(kind)
    }
  }
}
