import Machines

/// The power states, whose currents add up to the supply current of the chip, in the order of the report.
///
/// All figures are typical values at 3 V and 25 °C. The figures for System ON idle and System OFF were compared with
/// quotations from page 77 of the product specification (PS), and the figure for the RC oscillator with a statement by
/// Nordic's support. The other figures are named after the symbols in version 1.4. They were not compared with a copy and
/// are marked as assumptions, as is the current with the DC/DC converter enabled. The random number generator is not
/// counted.
enum PowerState: Int, CaseIterable {
  case running, idle, off, hfxo, lfrc, lfxo, rtc, timer, twim, uarte, saadc
  case nvmc, hfint

  static let states: [EnergyState] = allCases.map(\.state)

  /// `true` if a peripheral in this state requests the 16 MHz clock.
  var requestsHighClock: Bool {
    switch self {
    case .timer, .twim, .uarte, .saadc: true
    default: false
    }
  }

  /// The current of the running core with the DC/DC converter, in microamperes; an assumption (PS v1.4, I_CPU1).
  static let runningConverted = 3700.0

  private var state: EnergyState {
    switch self {
    case .running:
      EnergyState(
        "running from flash", microamperes: 7400,
        source:
          "assumption: PS v1.4, CPU, I_CPU0: CoreMark from flash, cache on, LDO, 64 MHz: 7.4 mA")
    case .idle:
      EnergyState(
        "idle (System ON, RAM kept)", microamperes: 1.5,
        source:
          "PS, current consumption, page 77, ION_RAMON_EVENT: System ON, full RAM, any event: 1.5 uA"
      )
    case .off:
      EnergyState(
        "System OFF", microamperes: 0.3,
        source:
          "PS, current consumption, page 77, IOFF_RAMOFF_RESET: System OFF, no RAM, reset: 0.3 uA")
    case .hfxo:
      EnergyState(
        "32 MHz crystal", microamperes: 250,
        source: "assumption: PS v1.4, CLOCK, I_HFXO: standby with the crystal oscillator on: 250 uA"
      )
    case .lfrc:
      EnergyState(
        "32,768 Hz RC oscillator", microamperes: 0.6,
        source:
          "Nordic's support, DevZone question 110634: the RC oscillator draws about 0.6 uA (PS, I_LFRC)"
      )
    case .lfxo:
      EnergyState(
        "32,768 Hz crystal", microamperes: 0.25,
        source: "assumption: PS v1.4, CLOCK, I_LFXO: 0.25 uA")
    case .rtc:
      EnergyState(
        "RTC", microamperes: 0.1, source: "assumption: PS v1.4, RTC, I_RTC: 0.1 uA")
    case .timer:
      EnergyState(
        "TIMER", microamperes: 70,
        source: "assumption: PS v1.4, TIMER, I_TIMER_16M: run current with 16 MHz: 70 uA")
    case .twim:
      EnergyState(
        "TWIM", microamperes: 50,
        source: "assumption: PS v1.4, TWIM, I_TWIM_100k: run current at 100 kbps: 50 uA")
    case .uarte:
      EnergyState(
        "UARTE", microamperes: 55,
        source: "assumption: PS v1.4, UARTE, I_UARTE_115k: run current at 115,200 bps: 55 uA")
    case .saadc:
      EnergyState(
        "SAADC", microamperes: 700,
        source: "assumption: PS v1.4, SAADC, I_ADC_CONV: conversion: 700 uA")
    case .nvmc:
      EnergyState(
        "flash write or erase", microamperes: 3900,
        source: "assumption: an estimate; PS v1.4 gives no current for the NVMC")
    case .hfint:
      EnergyState(
        "64 MHz oscillator for peripherals while the core sleeps", microamperes: 60,
        source: "assumption: PS v1.4, CLOCK, I_HFINT: run current of the internal oscillator: 60 uA"
      )
    }
  }
}
