extension BoardModel {
  /// The board that the thesis's phone reads.
  static let automat = BoardModel(
    "automat", "an Automat", limit: 18, longestRead: 19, profile: AutomatFrame.profile,
    board: { AutomatBoard($0, limit: $1) },
    client: { link, clock, settings in
      AutomatAdapter(
        link, clock: clock, limit: settings.limit, pastLimit: settings.pastLimit,
        tellsLimit: settings.tellsLimit, timeOut: settings.timeOut)
    })
}
