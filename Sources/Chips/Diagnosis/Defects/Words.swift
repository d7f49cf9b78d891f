package import BME280Model

/// The calibration words as a program decodes them, with any values that its defects produce.
package struct Words: Hashable, Sendable {
  /// Creates words that are all 0.
  package init() {}

  package var t1: Int64 = 0, t2: Int64 = 0, t3: Int64 = 0
  package var p1: Int64 = 0, p2: Int64 = 0, p3: Int64 = 0, p4: Int64 = 0, p5: Int64 = 0
  package var p6: Int64 = 0, p7: Int64 = 0, p8: Int64 = 0, p9: Int64 = 0
  package var h1: Int64 = 0, h2: Int64 = 0, h3: Int64 = 0, h4: Int64 = 0, h5: Int64 = 0,
    h6: Int64 = 0
}

extension Words {
  /// Returns the words that a program uses before it has received the calibration of some quantities; the missing words
  /// are 0.
  ///
  /// If the temperature words are missing, all words are 0.
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

/// The way in which a program decodes the calibration words from the registers.
package struct WordReading: Hashable, Sendable {
  package init() {}

  /// The way in which two bytes are combined to a word.
  package enum Merge: Hashable, Sendable {
    /// The low byte comes first, as in the datasheet.
    case littleEndian
    /// The high byte comes first.
    case bigEndian
    case lowByteOnly
    /// The low byte of a signed word is sign-extended before it is ORed with the high byte, so a low byte of 0x80 or
    /// more overwrites the high byte.
    case lowByteSigned
  }

  /// The words that the program treats as signed.
  package enum Signs: Hashable, Sendable {
    /// The program treats all words as signed except T1, P1 and the unsigned bytes, which is correct.
    case right
    /// The program treats all words as signed.
    case all
    /// The program treats the words P2 to P9 as unsigned.
    case noneOfP
    /// The program treats all words of two bytes, and H6, as unsigned.
    case none
    /// The program treats one word as signed that is unsigned, or the reverse.
    case wrong(Word)
  }

  /// A word of the calibration, of which it matters whether it is signed.
  package enum Word: Hashable, Sendable {
    case t(Int), p(Int), h(Int)

    /// The quantities that depend on the word.
    package var reach: QuantitySet {
      switch self {
      case .t: .all
      case .p: .pressure
      case .h: .humidity
      }
    }
  }

  /// The way in which the byte 0xE5 is split between H4 and H5.
  package enum Nibbles: Hashable, Sendable {
    case right
    /// The low nibble of H5 is used as its high nibble.
    case h5Reversed
    /// The high byte of H5 is not shifted left by four bits before the low nibble is added.
    case h5Unshifted
    /// The nibbles of H4 and H5 are exchanged.
    case exchanged
    /// The low nibble of H5 is missing.
    case h5LowLost
    /// The byte 0xE5 is shifted right by 12 bits instead of 4, so the low nibble of H5 is lost.
    case h5LowShiftedAway
    /// Both halves of 0xE5 are masked with OR instead of AND.
    case orForAnd
    /// Only the low half of 0xE5, for H4, is masked with OR instead of AND.
    case orForAndInH4
    /// H5 is assembled in eight bits, so its high bits are lost.
    case h5InEightBits
    /// H5 is assembled with the high byte first, like H4.
    case h5AsH4
    /// The upper half of 0xE5 is shifted left by 12 bits and ORed with the high byte of H5, which is sign-extended.
    case h5UpByTwelve
  }

  /// The bus response from which the words of a block are taken.
  package enum Reply: Hashable, Sendable {
    /// The words of each block are taken from the response to the request for that block, which is correct.
    case own
    /// P1 to P3 are taken from the response with T1 to T3, and P4 to P9 stay 0.
    case temperatureForPressure
    /// T1 to T3 are taken from the response with P1 to P3.
    case pressureForTemperature
  }

  package var merge = Merge.littleEndian
  package var reply = Reply.own
  package var signs = Signs.right
  package var nibbles = Nibbles.right
  package var extendsNibbles = true
  /// The offset of the address from which the program reads P1 to P9, relative to the correct address, 0x8E.
  package var pressureOffset = 0
  /// `true` if P6 is used for P5.
  package var takesP6ForP5 = false
  /// `true` if P9 is assembled from its high byte twice.
  package var repeatsLastByte = false
  /// `true` if H1 is read from 0xA0, the register before the correct one.
  package var readsH1Before = false
  /// `true` if H1 is read from 0x9F, which is the high byte of P9.
  package var readsH1FromP9 = false
  /// `true` if H5 and H6 are read from addresses that are too high by one.
  package var readsUpperLater = false
  /// `true` if the whole lower block is read from register 0 because the register pointer was not set.
  package var ignoresPointer = false

  /// Returns the words that the program decodes, and the quantities that depend on calibration bytes that were not
  /// read.
  package func words(_ registers: [UInt8?]) -> (words: Words, unknown: QuantitySet) {
    var unknown = QuantitySet()
    func byte(_ register: Int, _ quantity: QuantitySet) -> Int64 {
      let address = ignoresPointer && register < 0xE0 ? register - 0x88 : register
      if let byte = registers[address] { return Int64(byte) }
      // Reserved registers read as 0; calibration bytes that were not read are unknown.
      if (0x88...0x9F).contains(address) || address == 0xA1 || (0xE1...0xE8).contains(address) {
        unknown.formUnion(quantity)
      }
      return 0
    }
    func word(_ word: Word, at register: Int, isSigned: Bool) -> Int64 {
      let quantity = word.reach
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
      let hasSign =
        switch signs {
        case .right: isSigned
        case .all: true
        case .none: false
        case .noneOfP: isSigned && quantity != .pressure
        case .wrong(let other): isSigned != (word == other)
        }
      return hasSign && bits >= 0x8000 ? bits - 0x10000 : bits
    }
    var words = Words()
    words.t1 = word(.t(1), at: 0x88, isSigned: false)
    words.t2 = word(.t(2), at: 0x8A, isSigned: true)
    words.t3 = word(.t(3), at: 0x8C, isSigned: true)
    let pressure = (0..<9).map { index in
      word(.p(index + 1), at: 0x8E + pressureOffset + 2 * index, isSigned: index > 0)
    }
    (words.p1, words.p2, words.p3) = (pressure[0], pressure[1], pressure[2])
    (words.p4, words.p5, words.p6) = (pressure[3], pressure[4], pressure[5])
    if takesP6ForP5 { words.p5 = words.p6 }
    (words.p7, words.p8, words.p9) = (pressure[6], pressure[7], pressure[8])
    exchangeReplies(&words)
    words.h1 = byte(readsH1FromP9 ? 0x9F : readsH1Before ? 0xA0 : 0xA1, .humidity)
    words.h2 = word(.h(2), at: 0xE1, isSigned: true)
    words.h3 = small(.h(3), byte(0xE3, .humidity), isSigned: false)
    let later = readsUpperLater ? 1 : 0
    let (e4, e5) = (byte(0xE4, .humidity), byte(0xE5, .humidity))
    let (n5, e6) = (byte(0xE5 + later, .humidity), byte(0xE6 + later, .humidity))
    let e7 = byte(0xE7 + later, .humidity)
    words.h4 = h4(e4, e5)
    words.h5 = h5(n5, e6)
    words.h6 = small(.h(6), e7, isSigned: signs != .none)
    return (words, unknown)
  }

  /// Returns a word of one byte with the sign that the program takes it to have.
  private func small(_ word: Word, _ byte: Int64, isSigned: Bool) -> Int64 {
    let hasSign = isSigned != (signs == .wrong(word))
    return hasSign && byte >= 0x80 ? byte - 0x100 : byte
  }

  /// Moves words to the block for which the program uses them, if it assigns a response to the wrong request.
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

/// The way in which a program decodes the raw values from the data registers 0xF7 to 0xFE.
package struct RawReading: Hashable, Sendable {
  /// The layout that the program assumes for the eight data bytes.
  package enum Layout: Hashable, Sendable {
    case right
    /// The program takes the low byte first and uses only 16 bits.
    case littleEndian
    /// The program expects a dummy byte before the data, so it takes all bytes from one position later.
    case oneLater
  }

  /// The source of the four lowest bits of temperature and pressure.
  package enum Lowest: Hashable, Sendable {
    /// The lowest bits are taken from the high half of the third byte, which is correct.
    case right
    /// The lowest bits are taken from the low half of the third byte, which is always 0.
    case lowHalf
    /// The lowest bits are taken from the third byte of the other quantity.
    case exchanged
    /// All eight bits of the third byte are used, so they overlap the bits of the second.
    case unshifted
    /// The lowest bits are taken from the high half of the first byte.
    case fromFirst
  }

  /// The sign of the data bytes, and the operators that join them.
  package enum Bytes: Hashable, Sendable {
    /// The bytes are unsigned, which is correct; the operators then make no difference.
    case unsigned
    /// The bytes are signed, and their bits are joined by `<<` and `|`.
    case signedJoined
    /// The bytes are signed, and their values are joined by multiplication and addition.
    case signedAdded
  }

  /// The treatment of the code that also means a skipped channel.
  package enum SkipCode: Hashable, Sendable {
    /// The program computes a value as from any other code.
    case value
    /// The program displays no value.
    case nothing
    /// The program displays 0.
    case zero
  }

  package init() {}

  package var layout = Layout.right
  /// `true` if the humidity is assembled from its first byte twice.
  package var repeatsHumidityByte = false
  package var lowest = Lowest.right
  package var bytes = Bytes.unsigned
  package var skipCode = SkipCode.value
  /// `true` if the pressure is computed from the raw temperature.
  package var takesTemperatureForPressure = false
  /// `true` if the first two bytes of the pressure are exchanged; the third is correct.
  package var swapsPressureBytes = false
  /// `true` if the three bytes are not shifted right, so the raw value is sixteen times too large.
  package var keepsLowestZeros = false

  package var isSkipCodeZero: Bool { skipCode == .zero }

  /// The raw values; `nil` for a channel that the program treats as skipped.
  package struct Codes: Hashable {
    package var temperature: Int64?
    package var pressure: Int64?
    package var humidity: Int64?
  }

  package func codes(_ data: [UInt8]) -> Codes {
    var bytes =
      self.bytes == .unsigned ? data.map(Int64.init) : data.map { Int64(Int8(bitPattern: $0)) }
    switch layout {
    case .right, .littleEndian: break
    case .oneLater: bytes = [0] + bytes.dropLast()
    }
    if swapsPressureBytes { bytes.swapAt(0, 1) }
    func wide(_ index: Int) -> Int64 {
      if self.bytes == .signedAdded {
        return (bytes[index] * 65_536 + bytes[index + 1] * 256 + bytes[index + 2] & 0xF0) / 16
      }
      if layout == .littleEndian { return (bytes[index + 1] << 8 | bytes[index]) << 4 }
      if keepsLowestZeros { return bytes[index] << 16 | bytes[index + 1] << 8 | bytes[index + 2] }
      let upper = bytes[index] << 12 | bytes[index + 1] << 4
      return switch lowest {
      case .right: upper | bytes[index + 2] >> 4
      case .lowHalf: upper | bytes[index + 2] & 0x0F
      case .exchanged: upper | bytes[index == 0 ? 5 : 2] >> 4
      case .unshifted: upper | bytes[index + 2]
      case .fromFirst: upper | bytes[index] >> 4
      }
    }
    let low = repeatsHumidityByte ? bytes[6] : bytes[7]
    let humidity =
      self.bytes == .signedAdded
      ? bytes[6] * 256 + low
      : layout == .littleEndian ? bytes[7] << 8 | bytes[6] : bytes[6] << 8 | low
    var codes = Codes(temperature: wide(3), pressure: wide(0), humidity: humidity)
    if skipCode == .nothing {
      if codes.temperature == 0x80000 { codes.temperature = nil }
      if codes.pressure == 0x80000 { codes.pressure = nil }
      if codes.humidity == 0x8000 { codes.humidity = nil }
    }
    return codes
  }
}
