extension Decoding {
  /// Which quantities can come out otherwise than of a right program.
  package var reach: QuantitySet {
    let right = Decoding()
    var reach = QuantitySet()
    let own = words
    let general: [Bool] = [
      own.merge != right.words.merge, own.ignoresPointer,
      [.all, .none, .notT3].contains(own.signs),
      raw.layout != .right, raw.lowest != .right, raw.skipCode != .value,
      formula.isTemperatureUnsigned, formula.shift != .arithmetic, formula.lacksSquare,
      formula.shiftsBeforeMultiplying, formula.clampsToRange, isOneLate, averaged > 1,
      raw.keepsLowestZeros, own.reply == .pressureForTemperature, early.contains(.temperature),
    ]
    if general.contains(true) { return .all }
    if case .notP = own.signs { reach.insert(.pressure) }
    if own.signs == .notP9 || own.signs == .noneOfP || own.pressureOffset != 0
      || own.reply == .temperatureForPressure || early.contains(.pressure)
      || own.repeatsLastByte || own.takesP6ForP5 || fine != .own
      || scale != .right
      || formula.comparesInsteadOfShifting || formula.losesUpperBits || formula.typo != .none
      || formula.shiftsP2Down || raw.takesTemperatureForPressure || raw.swapsPressureBytes
    {
      reach.insert(.pressure)
    }
    if own.nibbles != .right || !own.extendsNibbles || own.readsH1Before || own.readsH1FromP9
      || own.readsUpperLater
      || own.signs == .h3Too || own.signs == .notH6 || formula.appliesH3Twice
      || formula.overwritesTemperature
      || fine != .own || raw.repeatsHumidityByte || !formula.clampsHumidity
      || formula.hasWrongConstant || formula.invertsH5 || humidityFactor != 1
      || takesLimitForError || showsPressureAsHumidity
    {
      reach.insert(.humidity)
    }
    if temperatureOffset != 0 || showsFahrenheit { reach.insert(.temperature) }
    return reach
  }
}
