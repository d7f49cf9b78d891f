import Machines

/// The supply current of the chip in each energy state, such as idle or a running module, from the data sheet.
///
/// The data sheet is Atmel 8271H; Microchip DS40002061A is its successor.
///
/// Active and idle currents are given for 8 MHz at 5 V and scaled by the frequency, since figures 31-333 and 31-338
/// show straight lines. A module draws its current until PRR switches it off. Tables 29-12 and 31-15 were compared with
/// copies of 8271H, pages 307 and 502. The current of the brown-out detector is given in a figure only.
enum EnergyTable {
  static let active = 0, idle = 1, powerDown = 2, powerSave = 3, firstModule = 4, watchdog = 11
  static let brownOut = 12
  /// The bits of PRR that switch off the modules, in the order of the modules' states.
  static let reducible: [UInt8] = [0x02, 0x80, 0x40, 0x08, 0x20, 0x04, 0x01]

  private static let modules: [(String, Double)] = [
    ("USART0", 100.25), ("TWI", 199.25), ("timer 2", 224.25), ("timer 1", 176.25),
    ("timer 0", 61.13), ("SPI", 186.5), ("ADC", 295.38),
  ]

  static func states(frequency: UInt64) -> [EnergyState] {
    let scale = Double(frequency) / 8e6
    let table = "Atmel 8271H, table 29-12 (ATmega328P), "
    let core = [
      EnergyState(
        "active", microamperes: 5200 * scale,
        source: table + "active 8 MHz, VCC 5 V, typical, by frequency"),
      EnergyState(
        "idle", microamperes: 1200 * scale,
        source: table + "idle 8 MHz, VCC 5 V, typical, by frequency"),
      EnergyState(
        "power-down", microamperes: 0.1, source: table + "watchdog disabled, VCC 3 V, typical"),
      EnergyState(
        "power-save", microamperes: 0.9,
        source: table + "32 kHz TOSC enabled, VCC 3 V, typical"),
    ]
    return core
      + modules.map { name, microamperes in
        EnergyState(
          name, microamperes: microamperes * scale,
          source: "Atmel 8271H, table 31-15, VCC 5 V, 8 MHz, by frequency")
      }
      + [
        EnergyState("watchdog", microamperes: 4.1, source: table + "enabled less disabled, 3 V"),
        EnergyState(
          "brown-out detector", microamperes: 20,
          source: "assumption: about 20 uA; 8271H gives it only as a figure over VCC"),
      ]
  }
}
