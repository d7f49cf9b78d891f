/// The interrupts, by the number of their vector (data sheet, table 12-6).
enum Vector: Int {
  case int0 = 1
  case int1, pinChange0, pinChange1, pinChange2, watchdog
  case timer2CompareA, timer2CompareB, timer2Overflow
  case timer1Capture, timer1CompareA, timer1CompareB, timer1Overflow
  case timer0CompareA, timer0CompareB, timer0Overflow
  case spi, usartReceive, usartEmpty, usartSent, adc, eepromReady, comparator, twoWire, spmReady

  /// How many there are, the reset's included.
  static let count = 26
}
