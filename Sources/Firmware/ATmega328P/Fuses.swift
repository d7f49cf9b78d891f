/// The fuse bytes; a bit that is 0 is programmed (data sheet, chapter 28.2).
package struct ATmega328PFuses: Hashable, Sendable {
  /// CKDIV8, CKOUT, SUT, CKSEL.
  package var low: UInt8
  /// RSTDISBL, DWEN, SPIEN, WDTON, EESAVE, BOOTSZ, BOOTRST.
  package var high: UInt8
  /// BODLEVEL.
  package var extended: UInt8

  /// Creates fuses.
  ///
  /// Default: a crystal, no boot loader, brown-out detection at 2.7 V.
  package init(low: UInt8 = 0xFF, high: UInt8 = 0xDF, extended: UInt8 = 0xFD) {
    (self.low, self.high, self.extended) = (low, high, extended)
  }

  /// The word address of the boot section, 256 to 2048 words before the end of flash.
  var bootStart: UInt16 { 0x4000 - 256 << UInt16(~high >> 1 & 3) }
  /// `true` if a reset starts the program in the boot section (BOOTRST).
  var startsInBoot: Bool { high & 1 == 0 }
  /// `true` if the watchdog is always on (WDTON).
  var forcesWatchdog: Bool { high & 0x10 == 0 }
  /// `true` if the brown-out detector is on because BODLEVEL is programmed (table 28-5).
  var watchesSupply: Bool { extended & 7 != 7 }
  /// `true` if a reset sets the clock divider to 8 (CKDIV8).
  var dividesClock: Bool { low & 0x80 == 0 }

  /// The start-up cycles of the oscillator after a sleep mode that stops it (data sheet, tables 9-4, 9-7, 9-9, 9-13).
  var startUpCycles: UInt64 {
    let (source, time) = (low & 15, low >> 4 & 3)
    switch source {
    case 0, 2, 3: return 6
    case 4: return 1024
    case 5: return 32768
    case let resonator where resonator & 1 == 0: return time < 2 ? 258 : 1024
    default: return time == 0 ? 1024 : 16384
    }
  }

  /// The additional delay of a reset in nanoseconds at 5 V (the same tables).
  var resetDelay: UInt64 {
    let (source, time) = (low & 15, Int(low >> 4 & 3))
    let (short, long): (UInt64, UInt64) = (4_100_000, 65_000_000)
    switch source {
    case 0...5: return [0, short, long, 0][time]
    case let resonator where resonator & 1 == 0: return [short, long, 0, short][time]
    default: return [long, 0, short, long][time]
    }
  }
}
