package import Rigs
package import TraceTools

/// How firmware is run.
package struct FirmwareOptions {
  /// How long it runs, in nanoseconds of its own time since power came on.
  package var duration: UInt64 = 60_000_000_000
  /// Whether its time follows the wall clock.
  package var isReal = false
  /// Where what it sends goes, by its serial ports' numbers or names.
  package var serial: [SerialRoute] = []
  /// A line of a serial port that matches one of these ends the run with status 0.
  package var endings: [SerialPattern] = []
  /// Whether a register that nobody models ends the run.
  package var isStrict = false
  /// The names of registers; `nil` where no SVD file was given.
  package var registers: RegisterNames?
  /// A file that keeps flash and EEPROM from run to run.
  package var flash: String?
  /// Whether it is noted which instructions have run.
  package var coverage = false
  /// Whether it is told what took how much charge.
  package var energy = false
  /// Whether it is told how deep the stack goes; RAM below its beginning is painted then, and not 0.
  package var watchesStack = false
  /// Whether it is listened for what the program does wrong on a bus.
  package var remarks = true
  /// Records every transfer.
  package var trace: TraceOutput?
  /// Whether somebody wants the run to end; asked again and again.
  package var isInterrupted: () -> Bool = { false }
  /// Is told again and again how much time has passed since power came on, in nanoseconds.
  package var didPass: (UInt64) -> Void = { _ in }
  /// Called each time that some virtual time has passed, with the time since power came on in nanoseconds;
  /// `false` ends the run.
  package var mayPass: ((UInt64) -> Bool)?

  /// Creates options.
  package init() {}
}
