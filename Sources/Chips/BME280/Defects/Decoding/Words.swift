/// The words of a calibration as a program has them: in whatever range its mistakes put them.
package struct Words: Hashable, Sendable {
  /// Words that are all 0.
  package init() {}

  package var t1: Int64 = 0, t2: Int64 = 0, t3: Int64 = 0
  package var p1: Int64 = 0, p2: Int64 = 0, p3: Int64 = 0, p4: Int64 = 0, p5: Int64 = 0
  package var p6: Int64 = 0, p7: Int64 = 0, p8: Int64 = 0, p9: Int64 = 0
  package var h1: Int64 = 0, h2: Int64 = 0, h3: Int64 = 0, h4: Int64 = 0, h5: Int64 = 0,
    h6: Int64 = 0
}

extension Words {
  /// The words that are known before those of some quantities have arrived; temperature takes all with it.
  package func without(_ quantities: QuantitySet) -> Words {
    guard !quantities.isEmpty else { return self }
    if quantities.contains(.temperature) { return Words() }
    var words = self
    if quantities.contains(.pressure) {
      (words.p1, words.p2, words.p3, words.p4, words.p5) = (0, 0, 0, 0, 0)
      (words.p6, words.p7, words.p8, words.p9) = (0, 0, 0, 0)
    }
    return words
  }
}

/// How a program puts the words together.
package struct WordReading: Hashable, Sendable {
  /// The right way.
  package init() {}

  /// How two bytes become a word.
  package enum Merge: Hashable, Sendable {
    /// The low byte first.
    case littleEndian
    /// The high byte first.
    case bigEndian
    /// The low byte alone.
    case lowByteOnly
    /// The low byte of signed words, itself taken as signed, over the high one: from 0x80 on it wipes it.
    case lowByteSigned
  }

  /// Which words have a sign.
  package enum Signs: Hashable, Sendable {
    /// T1 and P1 have none.
    case right
    /// Every word has one.
    case all
    /// H3, a byte without a sign, has one too.
    case h3Too
    /// T3 has none.
    case notT3
    /// P9 has none.
    case notP9
    /// One of P2 to P8 has none, by its number.
    case notP(Int)
    /// None of P2 to P9 has one.
    case noneOfP
    /// H6 has none.
    case notH6
    /// None has one.
    case none
  }

  /// How H4 and H5 share 0xE5.
  package enum Nibbles: Hashable, Sendable {
    case right
    /// The low nibble of H5 goes to its high end.
    case h5Reversed
    /// The shift by four bits is left out for H5.
    case h5Unshifted
    /// Each takes the nibble of the other.
    case exchanged
    /// The low nibble of H5 is left out.
    case h5LowLost
    /// The low nibble of H5 is shifted away by 12 bits.
    case h5LowShiftedAway
    /// Both halves of 0xE5 are cut out with OR where AND belongs.
    case orForAnd
    /// The low half of 0xE5 alone, for H4.
    case orForAndInH4
    /// H5 is put together in eight bits, so that its high ones fall off.
    case h5InEightBits
    /// H5 is put together with the high byte first, as H4 is.
    case h5AsH4
    /// The upper half of 0xE5 is shifted up by twelve over the high byte of H5, which is taken as signed.
    case h5UpByTwelve
  }

  /// Whose reply the words of a block come from.
  package enum Reply: Hashable, Sendable {
    /// Its own.
    case own
    /// P1 to P3 from the reply with T1 to T3, and the others never.
    case temperatureForPressure
    /// T1 to T3 from the reply with P1 to P3.
    case pressureForTemperature
  }

  package var merge = Merge.littleEndian
  package var reply = Reply.own
  package var signs = Signs.right
  package var nibbles = Nibbles.right
  package var extendsNibbles = true
  /// Where the block of P1 to P9 begins, against 0x8E.
  package var pressureOffset = 0
  /// P6 where P5 belongs.
  package var takesP6ForP5 = false
  /// P9 from its high byte twice.
  package var repeatsLastByte = false
  /// H1 from 0xA0.
  package var readsH1Before = false
  /// H1 from 0x9F, which is the high byte of P9.
  package var readsH1FromP9 = false
  /// H5 and H6 from one register later.
  package var readsUpperLater = false
  /// The whole block from a register pointer of 0.
  package var ignoresPointer = false

  /// The words, and which of the quantities rest on bytes that nobody knows.
  package func words(_ registers: [UInt8?]) -> (words: Words, unknown: QuantitySet) {
    var unknown = QuantitySet()
    func byte(_ register: Int, _ quantity: QuantitySet) -> Int64 {
      let place = ignoresPointer && register < 0xE0 ? register - 0x88 : register
      if let byte = registers[place] { return Int64(byte) }
      // Reserved registers read as 0; a byte of the calibration that nobody read is not known.
      if (0x88...0x9F).contains(place) || place == 0xA1 || (0xE1...0xE8).contains(place) {
        unknown.formUnion(quantity)
      }
      return 0
    }
    func word(_ register: Int, _ quantity: QuantitySet, isSigned: Bool) -> Int64 {
      let isLast = repeatsLastByte && register == 0x9E + pressureOffset
      let low = byte(isLast ? register + 1 : register, quantity)
      let high = merge == .lowByteOnly ? 0 : byte(register + 1, quantity)
      let bits: Int64 =
        switch merge {
        case .littleEndian: high << 8 | low
        case .bigEndian: low << 8 | high
        case .lowByteOnly: low
        case .lowByteSigned: isSigned && low >= 0x80 ? 0xFF00 | low : high << 8 | low
        }
      let lacksSign =
        signs == .none || (signs == .notT3 && register == 0x8C)
        || (signs == .notP9 && register == 0x9E + pressureOffset)
        || (signs == .noneOfP && register >= 0x8E + pressureOffset && register < 0xA0)
      let isOwnP: Bool
      if case .notP(let number) = signs {
        isOwnP = register == 0x8C + 2 * number + pressureOffset
      } else {
        isOwnP = false
      }
      let hasSign = signs == .all || (isSigned && !lacksSign && !isOwnP)
      return hasSign && bits >= 0x8000 ? bits - 0x10000 : bits
    }
    var words = Words()
    words.t1 = word(0x88, .all, isSigned: false)
    words.t2 = word(0x8A, .all, isSigned: true)
    words.t3 = word(0x8C, .all, isSigned: true)
    let pressure = (0..<9).map { index in
      word(0x8E + pressureOffset + 2 * index, .pressure, isSigned: index > 0)
    }
    (words.p1, words.p2, words.p3) = (pressure[0], pressure[1], pressure[2])
    (words.p4, words.p5, words.p6) = (pressure[3], pressure[4], pressure[5])
    if takesP6ForP5 { words.p5 = words.p6 }
    (words.p7, words.p8, words.p9) = (pressure[6], pressure[7], pressure[8])
    exchangeReplies(&words)
    words.h1 = byte(readsH1FromP9 ? 0x9F : readsH1Before ? 0xA0 : 0xA1, .humidity)
    words.h2 = word(0xE1, .humidity, isSigned: true)
    let h3 = byte(0xE3, .humidity)
    words.h3 = signs == .h3Too && h3 >= 0x80 ? h3 - 0x100 : h3
    let later = readsUpperLater ? 1 : 0
    let (e4, e5) = (byte(0xE4, .humidity), byte(0xE5, .humidity))
    let (n5, e6) = (byte(0xE5 + later, .humidity), byte(0xE6 + later, .humidity))
    let e7 = byte(0xE7 + later, .humidity)
    words.h4 = h4(e4, e5)
    words.h5 = h5(n5, e6)
    words.h6 = e7 >= 0x80 && signs != .none && signs != .notH6 ? e7 - 0x100 : e7
    return (words, unknown)
  }

  /// Puts the words where a reply that was taken for another one puts them.
  private func exchangeReplies(_ words: inout Words) {
    switch reply {
    case .own: break
    case .temperatureForPressure:
      words = words.without(.pressure)
      (words.p1, words.p2, words.p3) = (words.t1, words.t2, words.t3)
    case .pressureForTemperature:
      (words.t1, words.t2, words.t3) = (words.p1, words.p2, words.p3)
    }
  }

  private func h4(_ high: Int64, _ shared: Int64) -> Int64 {
    let low =
      switch nibbles {
      case .exchanged: shared >> 4
      case .orForAnd, .orForAndInH4: shared | 0x0F
      default: shared & 0x0F
      }
    return extended(high << 4 | low)
  }

  private func h5(_ shared: Int64, _ high: Int64) -> Int64 {
    switch nibbles {
    case .right, .orForAndInH4: extended(high << 4 | shared >> 4)
    case .h5Reversed: extended((shared >> 4) << 8 | high)
    case .h5Unshifted: extended(high | shared >> 4)
    case .exchanged: extended(high << 4 | shared & 0x0F)
    case .h5LowLost: extended(high << 4)
    case .h5LowShiftedAway: extended(high << 4 | shared >> 12)
    case .orForAnd: extended((high << 4 | (shared | 0xF0) >> 4) & 0xFFF)
    case .h5InEightBits: extended((high << 4 | shared >> 4) & 0xFF)
    case .h5AsH4: extended(shared << 4 | high >> 4)
    case .h5UpByTwelve: (shared & 0xF0) << 12 | (high >= 0x80 ? high - 0x100 : high)
    }
  }

  private func extended(_ value: Int64) -> Int64 {
    extendsNibbles && value >= 0x800 ? value - 0x1000 : value
  }
}
