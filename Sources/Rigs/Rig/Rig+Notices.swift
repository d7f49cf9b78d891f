extension Rig {
  /// What a user is told when the air is no longer known.
  func endOfAir(_ known: UInt64) -> String {
    "\(file): the rig knows the air for \(Decimal.duration(known)); from then on its last value holds"
  }
}
