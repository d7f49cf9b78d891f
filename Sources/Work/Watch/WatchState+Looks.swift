import Runs

/// What there is to see in a watch, beyond what it keeps.
extension WatchState {
  /// How many samples were exactly alike in the end; a part that measures has noise.
  package var alike: Int {
    guard let last = samples.last else { return 0 }
    return samples.reversed().prefix { $0.values == last.values }.count
  }

  /// Whether something is asked for that can be said to be done.
  var canConfirm: Bool { isSearching && search.advice(at: now).action != nil }
}
