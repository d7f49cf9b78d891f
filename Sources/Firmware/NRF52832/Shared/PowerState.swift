import Machines

/// The states of the part whose currents add up, in the order of the report.
///
/// All figures are typical ones at 3 V and 25 °C. Those of the two states of rest were compared with a table of the
/// product specification (PS), page 77, as others have copied it, that of the RC oscillator with what Nordic's support
/// says of it; the rest are named after the symbols of its version 1.4, have not been compared with a copy, and are
/// marked as assumptions. So is the current of a program that has switched the
/// DC/DC converter on. What the random number generator takes is not counted.
enum PowerState: Int, CaseIterable {
  case running, idle, off, highCrystal, lowRC, lowCrystal, rtc, timers, twoWire, serial, converter
  case flash, highClock

  static let states: [EnergyState] = allCases.map(\.state)

  /// Whether a peripheral in this state requests the clock of 16 MHz.
  var requestsHighClock: Bool {
    switch self {
    case .timers, .twoWire, .serial, .converter: true
    default: false
    }
  }

  /// Running with the DC/DC converter on, in microamperes; an assumption like the others (PS v1.4, I_CPU1).
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
    case .highCrystal:
      EnergyState(
        "32 MHz crystal", microamperes: 250,
        source: "assumption: PS v1.4, CLOCK, I_HFXO: standby with the crystal oscillator on: 250 uA"
      )
    case .lowRC:
      EnergyState(
        "32,768 Hz RC oscillator", microamperes: 0.6,
        source:
          "Nordic's support, DevZone question 110634: the RC oscillator takes about 0.6 uA (PS, I_LFRC)"
      )
    case .lowCrystal:
      EnergyState(
        "32,768 Hz crystal", microamperes: 0.25,
        source: "assumption: PS v1.4, CLOCK, I_LFXO: 0.25 uA")
    case .rtc:
      EnergyState(
        "real-time counter", microamperes: 0.1, source: "assumption: PS v1.4, RTC, I_RTC: 0.1 uA")
    case .timers:
      EnergyState(
        "timer", microamperes: 70,
        source: "assumption: PS v1.4, TIMER, I_TIMER_16M: run current with 16 MHz: 70 uA")
    case .twoWire:
      EnergyState(
        "two-wire controller", microamperes: 50,
        source: "assumption: PS v1.4, TWIM, I_TWIM_100k: run current at 100 kbps: 50 uA")
    case .serial:
      EnergyState(
        "serial line", microamperes: 55,
        source: "assumption: PS v1.4, UARTE, I_UARTE_115k: run current at 115,200 bps: 55 uA")
    case .converter:
      EnergyState(
        "analog converter", microamperes: 700,
        source: "assumption: PS v1.4, SAADC, I_ADC_CONV: conversion: 700 uA")
    case .flash:
      EnergyState(
        "flash written or erased", microamperes: 3900,
        source: "assumption: an estimate; PS v1.4 gives no current for the NVMC")
    case .highClock:
      EnergyState(
        "64 MHz oscillator, kept on by peripherals asleep", microamperes: 60,
        source: "assumption: PS v1.4, CLOCK, I_HFINT: run current of the internal oscillator: 60 uA"
      )
    }
  }
}
